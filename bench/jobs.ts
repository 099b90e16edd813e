// Measures how many small jobs one worker drains in a second on an SQLite file, compared with the bare statements that a queue needs:
//   node bench/jobs.ts [jobs]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { enqueueJobs } from '../src/store/queue/enqueue.ts';
import { createWorker } from '../src/jobs/worker.ts';
import { systemClock } from '../src/record/clock.ts';
import { createIdSource } from '../src/record/id.ts';
import { EVERY_TENANT } from '../src/store/database.ts';
import { openStore } from '../src/store/open-store.ts';
import { ms, report } from './measure.ts';

const JOBS = Number(process.argv[2] ?? 5000);
const CONCURRENCIES = [1, 4, 8, 32];
const ids = createIdSource(systemClock);
const deps = { clock: systemClock, ids };
const folder = mkdtempSync(join(tmpdir(), 'varve-bench-'));

/** Jobs per second through enqueue, lease, run and settle, for a number of tenants. */
async function drained(concurrency: number, tenants: number): Promise<{ enqueue: number; drain: number }> {
  const database = await openStore({ path: join(folder, `queue-${concurrency}-${tenants}.db`) });
  const jobs = Array.from({ length: JOBS }, (_, index) => ({
    kind: 'small',
    tenant: `t${index % tenants}`,
    payload: { user: index },
  }));
  const enqueueing = performance.now();
  for (let start = 0; start < JOBS; start += concurrency) {
    const batch = jobs.slice(start, start + concurrency);
    await database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, batch, deps));
  }
  const draining = performance.now();
  let ran = 0;
  const small = async (): Promise<void> => void (ran += 1);
  const { done } = await createWorker({ database, ...deps, concurrency, handlers: { small } }).drain();
  const end = performance.now();
  if (done !== JOBS || ran !== JOBS) throw new Error(`${done} of ${JOBS} jobs are done, ${ran} ran.`);
  await database.close();
  return { enqueue: perSecond(draining - enqueueing), drain: perSecond(end - draining) };
}

/** Measures the same table without a queue: insert, mark as running, mark as done, with the same number of rows in a transaction. */
function raw(concurrency: number): { insert: number; update: number } {
  const database = new DatabaseSync(join(folder, `raw-${concurrency}.db`));
  database.exec('pragma journal_mode = wal; pragma synchronous = full');
  database.exec('create table jobs (id text primary key, payload text, state text, run_at integer)');
  database.exec("create index jobs_due on jobs (run_at, id) where state = 'waiting'");
  const insert = database.prepare("insert into jobs values (?, ?, 'waiting', ?)");
  const take = database.prepare(
    "select id from jobs where state = 'waiting' and run_at <= ? order by run_at, id limit ?",
  );
  const mark = database.prepare('update jobs set state = ? where id = ?');
  const inserting = performance.now();
  for (let start = 0; start < JOBS; start += concurrency) {
    database.exec('begin immediate');
    for (let index = start; index < Math.min(start + concurrency, JOBS); index += 1) {
      insert.run(ids.next('job'), JSON.stringify({ user: index }), Date.now());
    }
    database.exec('commit');
  }
  const updating = performance.now();
  let taken: unknown[] = [];
  do {
    database.exec('begin immediate');
    for (const id of taken) mark.run('done', id as string);
    taken = take.all(Date.now() + 1000, concurrency).map((row) => row['id']);
    for (const id of taken) mark.run('running', id as string);
    database.exec('commit');
  } while (taken.length > 0);
  const end = performance.now();
  database.close();
  return { insert: perSecond(updating - inserting), update: perSecond(end - updating) };
}

function perSecond(milliseconds: number): number {
  return Math.round((JOBS * 1000) / milliseconds);
}

/** The cost of one flush to the disk. */
function flushTime(): number {
  const database = new DatabaseSync(join(folder, 'flush.db'));
  database.exec('pragma journal_mode = wal; pragma synchronous = full; create table t (v integer)');
  const insert = database.prepare('insert into t values (1)');
  const start = performance.now();
  for (let index = 0; index < 200; index += 1) insert.run();
  const time = (performance.now() - start) / 200;
  database.close();
  return time;
}

try {
  const rows: string[][] = [];
  for (const concurrency of CONCURRENCIES) {
    const bare = raw(concurrency);
    for (const tenants of [1, 50]) {
      const { enqueue, drain } = await drained(concurrency, tenants);
      const figures = [concurrency, tenants, enqueue, drain, bare.insert, bare.update];
      rows.push([...figures.map((figure) => figure.toLocaleString('en')), `${(bare.update / drain).toFixed(1)}×`]);
    }
  }
  report('Queue', {
    header: [
      'at a time',
      'tenants',
      'enqueued a second',
      'drained a second',
      'raw inserts',
      'raw take and done',
      'raw / drained',
    ],
    rows,
    note: `${JOBS.toLocaleString('en')} jobs with empty handlers on SQLite; one durable write takes ${ms(flushTime())} here.`,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
