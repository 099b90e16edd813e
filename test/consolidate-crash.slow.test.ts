import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { HOUR, manualClock } from '../src/record/clock.ts';
import { EVERY_TENANT } from '../src/store/database.ts';
import { openStore } from '../src/store/open-store.ts';
import { createVarve } from '../src/varve.ts';
import { startChild } from './child-process.ts';
import { databases } from './databases.ts';
import { nothingHalfDone } from './nothing-half-done.ts';
import { randomOf } from './random.ts';

const random = randomOf('consolidate-crash');

// Two processes are killed in each round at random moments; consolidate-crash-aimed.slow.test.ts kills them at chosen statements.
const ROUNDS = Number(process.env['VARVE_KILL_ROUNDS'] ?? 3);
const USERS = 1000;

for (const database of databases().filter(({ name }) => name !== 'PGlite')) {
  describe.skipIf(database.skip !== null)(`consolidation in several processes on ${database.name}`, () => {
    it(
      `[T6] [E6] survives ${2 * ROUNDS} kills with SIGKILL: nothing lost, nothing applied twice, nothing half merged`,
      { timeout: 600_000 },
      async () => {
        const { options, drop } = await database.create();
        const rows = new Map<string, number>();
        for (let round = 0; round < ROUNDS; round += 1) {
          const names = [`a${round}`, `b${round}`];
          const children = names.map((name) => startChild('consolidating', JSON.stringify(options), name));
          await Promise.all(children.map((child) => child.printed((line) => line === 'ready')));
          await delay(20 + random() * 250);
          for (const child of children) child.process.kill('SIGKILL');
          await Promise.all(children.map((child) => child.ended));
          for (const [index, child] of children.entries()) rows.set(names[index] ?? '', Number(child.lines.at(-1)));
        }
        const varve = await createVarve({
          store: options,
          embedder: null,
          background: false,
          formation: { writes: 'deferred' },
        });
        const store = await openStore(options);
        const ana = varve.for({ tenant: 'crash', agent: 'coach', user: 'ana' });
        await ana.consolidation.run();
        await ana.consolidation.run();
        await ana.reflect();
        const select = <Row>(query: ReturnType<typeof sql<Row>>): Promise<Row[]> =>
          store.read(EVERY_TENANT, async (reader) => (await query.execute(reader)).rows);

        const observed = await select(sql<{ id: string; content: string; processed_at: number | null }>`
        select id, content, processed_at from events where kind = 'observation'`);
        // No event is lost: every acknowledged event is in the store and was processed.
        for (const [name, last] of rows)
          if (last >= 0)
            expect(observed.map(({ content }) => content)).toContain(`User owns the boat ${name}x${last}.`);
        expect(observed.filter(({ processed_at }) => processed_at === null)).toEqual([]);
        // No event is applied twice: each event is in exactly one run.
        const runs = await ana.consolidation.runs({ limit: 10_000 });
        const taken = runs
          .filter(({ kind, status }) => kind === 'synthesise' && status === 'done')
          .reduce((sum, { changed }) => sum + Number(changed['events']), 0);
        expect(taken).toBe(observed.length);
        const sources = await select(sql<{ event_id: string; count: number }>`
        select s.event_id, count(distinct m.content) as count from memory_sources s
        join memories m on m.tenant_id = s.tenant_id and m.id = s.memory_id where m.type = 'fact' and m.source_type <> 'consolidation'
        group by s.event_id having count(distinct m.content) > 1`);
        expect(sources).toEqual([]);
        await nothingHalfDone(store);

        // Each reflection either waits, or its text is in the merged text.
        const merged = String((await ana.blocks.read('reflections', { level: 'user' }))?.content ?? '');
        const absorbed = (await ana.memories.list({ types: ['reflection'], archiveReasons: ['absorbed'], limit: 1000 }))
          .items;
        const inWords = absorbed.filter(({ content }) => merged.includes(content));
        // The limit of 400 words has space for about 200 reflections, so fewer than 150 always fit.
        if (absorbed.length < 150) expect(inWords).toHaveLength(absorbed.length);
        // All absorbed episodes are counted in their patterns.
        const [pattern] = (await ana.memories.list({ types: ['pattern'] })).items;
        const episodes = (await ana.memories.list({ types: ['episode'], archived: 'include', limit: 1000 })).items;
        if (episodes.length >= 5) {
          expect(pattern?.internal['evidence']).toHaveLength(Math.min(episodes.length, 200));
          expect(episodes.filter(({ archivedAt }) => archivedAt === null)).toEqual([]);
        }
        await Promise.all([varve.close(), store.close()]);
        await drop();
      },
    );

    it(
      `[K10] [T21] ${USERS} users due at the same minute on two workers: the reflection of each user runs once`,
      { timeout: 120_000 },
      async () => {
        const { options, drop } = await database.create();
        const clock = manualClock(Date.now() - 2 * HOUR);
        const before = await createVarve({
          store: options,
          embedder: null,
          background: false,
          clock,
          formation: { writes: 'deferred' },
        });
        const add = async (index: number): Promise<void> => {
          const handle = before.for({ tenant: `t${index % 3}`, agent: 'coach', user: `u${index}` });
          await handle.memories.create({ type: 'preference', content: `User ${index} prefers tea.` });
          await handle.observe({ content: 'I prefer tea to coffee.' });
        };
        for (let start = 0; start < USERS; start += 50)
          await Promise.all(Array.from({ length: 50 }, (_, index) => add(start + index)));
        await before.close();

        const store = await openStore(options);
        await store.write(EVERY_TENANT, (writer) =>
          sql`insert into owner_progress (tenant_id, owner_key, agent_id, user_id, next_reflection_at, event_row, reflected_sequence, consolidated_version)
          select tenant_id, owner_key, agent_id, user_id, ${Date.now()}, 0, 0, version from owners`.execute(writer),
        );
        const workers = [
          startChild('memory-worker', JSON.stringify(options)),
          startChild('memory-worker', JSON.stringify(options)),
        ];
        // The schedule of a new store is first due at the next quarter of an hour; the test makes it due now.
        await Promise.all(workers.map((worker) => worker.printed((line) => line === 'ready')));
        await store.write(EVERY_TENANT, (writer) =>
          sql`update schedules set next_due = ${Date.now()} where name = 'nightly'`.execute(writer),
        );
        const counted = async (): Promise<{ runs: number; users: number }> =>
          store.read(EVERY_TENANT, async (reader) => {
            const { rows } = await sql<{ runs: number; users: number }>`
            select count(*) as runs, count(distinct user_id) as users from runs where kind = 'reflect' and status = 'done'`.execute(
              reader,
            );
            return { runs: Number(rows[0]?.runs), users: Number(rows[0]?.users) };
          });
        const until = Date.now() + 60_000;
        while ((await counted()).users < USERS && Date.now() < until) await delay(200);
        await delay(500);
        expect(await counted()).toEqual({ runs: USERS, users: USERS });
        for (const worker of workers) worker.process.kill('SIGTERM');
        await Promise.all(workers.map((worker) => worker.ended));
        await store.close();
        await drop();
      },
    );
  });
}
