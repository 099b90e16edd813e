import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { ownerKey } from '../src/record/scope.ts';
import { createVarve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { openAtSchema } from './open-at-schema.ts';

// A store as schema 15 left it: events are in the order of their rows, and cursors are row numbers.

const RECORDED = Date.parse('2026-03-01T09:00:00Z');
const OWNERS = [
  { tenant: 'acme', agent: null, user: 'ana' },
  { tenant: 'acme', agent: 'coach', user: 'ana' },
];

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`events from before schema 16, on ${database.name}`, () => {
    it('keep their order, come before later events, and their cursors still work', async () => {
      const { options, drop } = await database.create({ isBare: true });
      const older = await openAtSchema(15, options);
      const rows = await older.write('acme', async (writer) => {
        for (const { agent, user, ...owner } of OWNERS) {
          await sql`insert into owners values ('acme', ${ownerKey({ agent, user, ...owner })}, ${agent}, ${user}, 9, 0, ${RECORDED})`.execute(
            writer,
          );
        }
        const found: number[] = [];
        for (let index = 0; index < 6; index += 1) {
          const { agent, user, tenant } = OWNERS[index % 2]!;
          // The events were recorded with a clock that ran backwards, so only the row numbers have the right order.
          const at = RECORDED - index;
          const inserted = await sql<{
            row: number;
          }>`insert into events (tenant_id, owner_key, id, agent_id, user_id, kind, origin,
              content, metadata, occurred_at, recorded_at, attempts)
            values (${tenant}, ${ownerKey({ tenant, agent, user })}, ${`evt_${String(index).padStart(26, '0')}`}, ${agent}, ${user},
              'message', 'user', ${`old ${index}`}, '{}', ${at}, ${at}, 0) returning row_id as row`.execute(writer);
          found.push(Number(inserted.rows[0]?.row));
        }
        return found;
      });
      await older.close();

      const varve = await createVarve({ store: options, embedder: null, background: false });
      const coach = varve.for({ tenant: 'acme', agent: 'coach', user: 'ana' });
      await coach.observe({ content: 'new 0' });
      await varve.for({ tenant: 'acme', user: 'ana' }).observe([{ content: 'new 1' }, { content: 'new 2' }]);
      const contents = async (filter: Parameters<typeof coach.events.list>[0]): Promise<string[]> =>
        (await coach.events.list(filter)).items.map(({ content }) => content);
      expect(await contents({ order: 'oldest' })).toEqual([
        ...[0, 1, 2, 3, 4, 5].map((index) => `old ${index}`),
        ...[0, 1, 2].map((index) => `new ${index}`),
      ]);
      expect(await contents({ cursor: String(rows[3]) })).toEqual(['old 2', 'old 1', 'old 0']);
      expect(await contents({ order: 'oldest', cursor: String(rows[3]), limit: 3 })).toEqual([
        'old 4',
        'old 5',
        'new 0',
      ]);
      expect((await coach.recall('old')).results).toHaveLength(6);

      const told: string[] = [];
      const scope = { tenant: 'acme', user: 'ana' };
      for await (const { kind, id } of varve.operator.changes(scope, { after: `${rows[3]}-${RECORDED}` })) {
        if (kind === 'event') told.push((await coach.events.get(id))?.content ?? '');
        if (told.length === 5) break;
      }
      expect(told).toEqual(['old 4', 'old 5', 'new 0', 'new 1', 'new 2']);
      await varve.close();
      await drop();
    });

    it('are listed in pages and streamed without a gap if two owners have the same version numbers', async () => {
      const { options, drop } = await database.create();
      const now = Date.parse('2026-11-01T09:00:00Z');
      const varve = await createVarve({
        store: options,
        embedder: null,
        background: false,
        clock: { now: () => now },
      });
      const coach = varve.for({ tenant: 'acme', agent: 'coach', user: 'ana' });
      const alone = varve.for({ tenant: 'acme', user: 'ana' });
      const texts = Array.from({ length: 1_100 }, (_, index) => ({ content: `turn ${index}` }));
      await coach.observe(texts);
      await alone.observe(texts);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await coach.events.list({ limit: 333, cursor });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.cursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toHaveLength(2_200);
      expect(new Set(seen).size).toBe(2_200);

      const told = new Set<string>();
      for await (const { id } of varve.operator.changes(
        { tenant: 'acme' },
        { after: `${(now - 1) * 1000}-${now - 1}` },
      )) {
        told.add(id);
        if (told.size === 2_200) break;
      }
      await varve.close();
      await drop();
    });
  });
}
