// Measures how long maintenance and consolidation take on an SQLite file, without a model:
//   node bench/consolidate.ts [memories]
import { sql } from 'kysely';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { enqueueJobs } from '../src/store/queue/enqueue.ts';
import { createWorker } from '../src/jobs/worker.ts';
import { DAY, manualClock, systemClock } from '../src/record/clock.ts';
import { createIdSource } from '../src/record/id.ts';
import { ownerKey } from '../src/record/scope.ts';
import { type Database, EVERY_TENANT } from '../src/store/database.ts';
import { openStore } from '../src/store/open-store.ts';
import { setMeta } from '../src/store/meta-store.ts';
import { createVarve } from '../src/varve.ts';
import { ms, report, summary } from './measure.ts';

const MEMORIES = Number(process.argv[2] ?? 100_000);
const OWNERS = 100;
const folder = mkdtempSync(join(tmpdir(), 'varve-bench-'));
const clock = manualClock(Date.UTC(2026, 0, 5, 12));

/** Fills the table directly. A third of the memories will fade, a third will be archived, and a third will stay. */
async function fill(store: Database): Promise<void> {
  const now = clock.now();
  for (let start = 0; start < MEMORIES; start += 500) {
    await store.write(EVERY_TENANT, async (writer) => {
      const rows = Array.from({ length: Math.min(500, MEMORIES - start) }, (_, offset) => {
        const index = start + offset;
        const user = `u${index % OWNERS}`;
        const [created, importance] = [
          [now - 20 * DAY, 0.6],
          [now - 40 * DAY, 0.2],
          [now - DAY, 0.6],
        ][index % 3] as [number, number];
        return {
          tenant_id: 't',
          owner_key: ownerKey({ tenant: 't', agent: null, user }),
          id: `mem_${index}`,
          agent_id: null,
          user_id: user,
          session_id: '',
          connection_id: '',
          type: 'feedback',
          content: `User found suggestion number ${index} useful.`,
          title: null,
          url: null,
          subject: 'User',
          attribute: null,
          value: null,
          category: null,
          importance,
          confidence: 'high' as const,
          trust: 'high' as const,
          source_type: 'conversation' as const,
          source_session: null,
          source_events: '[]',
          tags: '[]',
          entities: '[]',
          contradicts: null,
          contradicted_by: null,
          state: null,
          due_at: null,
          valid_from: null,
          valid_to: null,
          created_at: created,
          updated_at: created,
          archived_at: null,
          archive_reason: null,
          expires_at: null,
          access_count: 0,
          last_accessed_at: null,
          version: 1,
          context_type: null,
          context: null,
          metadata: '{}',
          internal: '{}',
          polarity: 'affirmed' as const,
          tense: 'holds' as const,
          permanent: 0,
          stated_at: created,
          stated_by: 'user' as const,
          quotes: '[]',
          reader: null,
          unique_key: null,
          sequence: 1,
        };
      });
      await writer.insertInto('memories').values(rows).execute();
    });
  }
  await store.write(EVERY_TENANT, async (writer) => {
    await sql`insert into owners (tenant_id, owner_key, agent_id, user_id, version, epoch, created_at)
      select distinct tenant_id, owner_key, agent_id, user_id, 1, 0, ${now} from memories`.execute(writer);
  });
}

async function maintenance(): Promise<string[][]> {
  const store = await openStore({ path: join(folder, 'maintain.db') });
  await fill(store);
  await store.close();
  const varve = await createVarve({
    store: { path: join(folder, 'maintain.db') },
    embedder: null,
    background: false,
    clock,
  });
  const rehearsed = performance.now();
  const longest = await longestWait(async () => {
    await varve.maintain({ tenant: 't', dryRun: true });
  });
  const dryTime = performance.now() - rehearsed;
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  const started = performance.now();
  const report = await varve.maintain({ tenant: 't' });
  const time = performance.now() - started;
  clearInterval(watch);
  await varve.close();
  const done = `${report.faded} faded, ${report.archived.decayed} archived`;
  return [
    [
      `maintenance pass over ${MEMORIES.toLocaleString('en')} memories`,
      ms(time),
      `${done}; ${Math.round((most - before) / 2 ** 20)} MiB more at the most`,
      '< 10 s',
    ],
    ['the same as a dry run', ms(dryTime), `others wait ${ms(longest)} at the most`, '< 1 s of waiting'],
  ];
}

/** Writes repeatedly during a piece of work, and returns the longest time that a write had to wait. */
async function longestWait(work: () => Promise<void>): Promise<number> {
  const other = await openStore({ path: join(folder, 'maintain.db') });
  let isOver = false;
  const working = work().finally(() => (isOver = true));
  let longest = 0;
  while (!isOver) {
    const started = performance.now();
    await other.write(EVERY_TENANT, (writer) => setMeta(writer, 'bench', String(started)));
    longest = Math.max(longest, performance.now() - started);
    await setTimeout(5);
  }
  await working;
  await other.close();
  return longest;
}

async function consolidation(): Promise<string[]> {
  const varve = await createVarve({
    store: { path: join(folder, 'consolidate.db') },
    embedder: null,
    background: false,
    formation: { writes: 'deferred' },
  });
  const times: number[] = [];
  for (let index = 0; index < 60; index += 1) {
    const ana = varve.for({ tenant: 't', agent: 'coach', user: `u${index}` });
    await ana.observe(
      Array.from({ length: 20 }, (_, each) => ({
        kind: 'observation' as const,
        origin: 'agent' as const,
        category: 'fact',
        content: `User has met person number ${each} in city ${index}.`,
      })),
    );
    for (const trait of ['direct', 'curious', 'patient', 'dry', 'formal'])
      await ana.memories.create({ type: 'reflection', level: 'user', content: `Seems ${trait} in conversations.` });
    const started = performance.now();
    const { synthesis, absorbed, failures } = await ana.consolidation.run();
    times.push(performance.now() - started);
    if (synthesis.taken !== 20 || absorbed !== 5 || failures.length > 0)
      throw new Error(JSON.stringify({ synthesis, absorbed }));
  }
  await varve.close();
  const { p50, p95 } = summary(times.slice(5));
  return ['one user: 20 observations, 5 reflections', ms(p50), `p95 ${ms(p95)}`, '< 100 ms'];
}

async function queue(): Promise<string[]> {
  const database = await openStore({ path: join(folder, 'queue.db') });
  const deps = { clock: systemClock, ids: createIdSource(systemClock) };
  const jobs = Array.from({ length: 3000 }, (_, index) => ({
    kind: 'small',
    tenant: `t${index % 5}`,
    payload: { index },
  }));
  await database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, jobs, deps));
  const started = performance.now();
  const { done } = await createWorker({ database, ...deps, handlers: { small: async () => {} } }).drain();
  const perSecond = Math.round((done * 1000) / (performance.now() - started));
  await database.close();
  return ['small jobs on one worker', `${perSecond.toLocaleString('en')} a second`, '', '≥ 500 a second'];
}

report('Consolidation and upkeep', {
  header: ['', 'time', 'details', 'goal'],
  rows: [...(await maintenance()), await consolidation(), await queue()],
});
rmSync(folder, { recursive: true, force: true });
