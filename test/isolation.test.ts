import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerKey, parseScope, visibleOwners } from '../src/record/scope.ts';
import { openStore } from '../src/store/open-store.ts';
import type { Database } from '../src/store/database.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';

describe('scopes', () => {
  const part = fc.option(fc.constantFrom('a', 'b', 'a:b', 'ab', "a'b", '日本'), { nil: null });
  const scopes = fc.record({
    tenant: fc.constantFrom('t', 'u', 't:a'),
    agent: part,
    user: part,
    session: part,
    connection: fc.constant(null),
  });

  it('two owners have the same key only if they are the same owner', () => {
    fc.assert(
      fc.property(scopes, scopes, (one, other) => {
        const same = one.tenant === other.tenant && one.agent === other.agent && one.user === other.user;
        expect(ownerKey(one) === ownerKey(other)).toBe(same);
      }),
    );
  });

  it('a handle sees an owner exactly when the tenant is its own, and agent and user are its own or null', () => {
    fc.assert(
      fc.property(scopes, scopes, (handle, record) => {
        const sees =
          handle.tenant === record.tenant &&
          (record.agent === null || record.agent === handle.agent) &&
          (record.user === null || record.user === handle.user);
        expect(visibleOwners(handle).includes(ownerKey(record))).toBe(sees);
      }),
    );
  });

  it('parsing a scope twice gives the same scope', () => {
    fc.assert(
      fc.property(scopes, (scope) => {
        expect(parseScope(parseScope(scope))).toEqual(scope);
      }),
    );
  });
});

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`isolation on ${database.name}`, () => {
    let varve: Varve;
    let store: Database;
    let drop: () => Promise<void>;

    beforeAll(async () => {
      const created = await database.create();
      drop = created.drop;
      varve = await createVarve({ store: created.options, embedder: null, background: false });
      store = await openStore(created.options);
    });
    afterAll(async () => {
      await Promise.all([varve.close(), store.close()]);
      await drop();
    });

    it('no tenant, user, agent, session or connection sees the records of another, by list or by id', async () => {
      const parts = ['tenant', 'agent', 'user'] as const;
      const mine = { tenant: 'wall', agent: 'coach', user: 'ana', session: 's1', connection: 'c1' };
      const handle = varve.for(mine);
      const { events } = await handle.observe({ content: 'The safe code is 4711.' });
      const { memory } = await handle.memories.create({ type: 'fact', content: 'The safe code is 4711.' });
      await handle.facts.set({ key: 'safe_code', value: '4711' });
      await handle.blocks.replace('working_memory', 'Opens the safe.');
      const entity = await handle.entities.add({ type: 'place', name: 'Safe' });
      for (const part of parts) {
        const stranger = varve.for({ ...mine, [part]: 'eve' });
        expect(await stranger.memories.get(memory.id)).toBeNull();
        expect(await stranger.events.get(events[0]!.id)).toBeNull();
        expect(await stranger.entities.get(entity.id)).toBeNull();
        expect((await stranger.memories.list({ archived: 'include' })).items).toEqual([]);
        expect((await stranger.memories.list({ archived: 'include', reach: 'within' })).items).toEqual([]);
        expect((await stranger.events.list()).items).toEqual([]);
        expect(await stranger.facts.get('safe_code')).toBeNull();
        expect(await stranger.blocks.read('working_memory')).toBeNull();
        expect(await stranger.session.get()).toBeNull();
        expect(await stranger.session.window()).toEqual([]);
        expect(await stranger.memories.history(memory.id)).toEqual([]);
        for (const attack of [
          () => stranger.memories.revise(memory.id, { content: 'x' }),
          () => stranger.memories.forget(memory.id),
          () => stranger.memories.supersede(memory.id, { type: 'fact', content: 'x' }),
        ]) {
          await expect(attack()).rejects.toMatchObject({ code: 'not_found' });
        }
        const { certificate, scope, remaining, ...counts } = await stranger.erase();
        expect([scope, remaining]).toEqual([stranger.scope, { memories: 0, events: 0 }]);
        expect(Object.values(counts).every((count) => count === 0)).toBe(true);
        expect(certificate.removed).toBe(0);
      }
      const otherConnection = varve.for({ ...mine, connection: 'c2' });
      expect((await otherConnection.memories.list()).items).toEqual([]);
      expect((await otherConnection.memories.list({ connections: ['c1'] })).items).toHaveLength(2);
      expect(await handle.memories.get(memory.id)).not.toBeNull();
    });

    it('metadata cannot move a record', async () => {
      const handle = varve.for({ tenant: 'wall2', user: 'ana' });
      const scope = {
        tenant: 'other',
        tenant_id: 'other',
        user: 'eve',
        user_id: 'eve',
        owner_key: 'x',
        scope: { tenant: 'other' },
      };
      await handle.memories.create({ type: 'fact', content: 'Mine.', metadata: scope });
      await handle.observe({ content: 'Mine.', metadata: scope });
      expect((await varve.for({ tenant: 'other', user: 'eve' }).memories.list({ reach: 'within' })).items).toEqual([]);
      expect((await handle.memories.list()).items).toHaveLength(1);
    });

    it('a user does not match another user whose name begins with the same letters', async () => {
      await varve.for({ tenant: 'wall3', user: 'user1' }).memories.create({ type: 'fact', content: 'One.' });
      await varve.for({ tenant: 'wall3', user: 'user10' }).memories.create({ type: 'fact', content: 'Ten.' });
      await varve.for({ tenant: 'wall3', user: 'user1' }).erase();
      expect((await varve.for({ tenant: 'wall3', user: 'user10' }).memories.list()).items).toHaveLength(1);
      expect((await varve.for({ tenant: 'wall3', user: null }).memories.list({ reach: 'within' })).items).toHaveLength(
        1,
      );
    });

    it('an operator’s handle sees all records within its scope', async () => {
      for (const user of ['ana', 'bob']) {
        await varve
          .for({ tenant: 'wall4', agent: 'coach', user })
          .memories.create({ type: 'fact', content: `Of ${user}.` });
      }
      const tenant = varve.for({ tenant: 'wall4', user: null });
      expect((await tenant.memories.list()).items).toEqual([]);
      expect((await tenant.memories.list({ reach: 'within' })).items).toHaveLength(2);
      const agent = varve.for({ tenant: 'wall4', agent: 'coach', user: null });
      await agent.memories.create({ type: 'fact', content: 'For everybody.' });
      const ana = varve.for({ tenant: 'wall4', agent: 'coach', user: 'ana' });
      expect((await ana.memories.list()).items.map((memory) => memory.content)).toEqual(['For everybody.', 'Of ana.']);
    });

    it.skipIf(database.name === 'SQLite')('row-level security is a second barrier behind the queries', async () => {
      await varve.for({ tenant: 'wall5', user: 'ana' }).memories.create({ type: 'fact', content: 'Secret.' });
      await varve.for({ tenant: 'wall5', user: 'ana' }).observe({ content: 'Secret zebra.' });
      const tables = [
        'memories',
        'events',
        'owners',
        'revisions',
        'event_text',
        'memory_text',
        'jobs',
        'sessions',
        'blocks',
      ];
      for (const table of tables) {
        const seen = await store.read(
          'curious',
          async (reader) =>
            (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(reader)).rows[0]?.n,
        );
        expect([table, seen]).toEqual([table, 0]);
      }
      await expect(
        store.write('curious', async (writer) => {
          const { rows } = await sql`update memories set content = 'mine' returning id`.execute(writer);
          if (rows.length === 0) throw new Error('nothing was reached');
        }),
      ).rejects.toThrow('nothing was reached');
      await expect(
        store.write('curious', (writer) =>
          sql`insert into owners (tenant_id, owner_key, version, epoch, created_at) values ('wall5', 'x', 0, 0, 0)`.execute(
            writer,
          ),
        ),
      ).rejects.toThrow(/row-level security/);
      const owner = ownerKey({ tenant: 'wall5', agent: null, user: 'ana' });
      const found = await store.read('curious', (reader) =>
        store.text.search(reader, { tenant: 'wall5', kind: 'event', owners: [owner], words: ['zebra'], limit: 5 }),
      );
      expect(found).toEqual([]);
      const own = await store.read('wall5', (reader) =>
        store.text.search(reader, { tenant: 'wall5', kind: 'event', owners: [owner], words: ['zebra'], limit: 5 }),
      );
      expect(own).toHaveLength(1);
    });
  });
}
