import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { enqueueJobs } from '../src/store/queue/enqueue.ts';
import type { Job, NewJob } from '../src/store/queue/job.ts';
import { countJobs, listJobs } from '../src/store/queue/list-jobs.ts';
import { ensureSchedules } from '../src/jobs/schedules.ts';
import { systemClock } from '../src/record/clock.ts';
import { createIdSource } from '../src/record/id.ts';
import { type Database, EVERY_TENANT } from '../src/store/database.ts';
import { openStore, type StoreOptions } from '../src/store/open-store.ts';
import { databases } from './databases.ts';
import type { WorkerProcessOptions } from './fixtures/worker-process.ts';
import { randomOf } from './random.ts';

const random = randomOf('workers');

const deps = { clock: systemClock, ids: createIdSource(systemClock) };

interface Note {
  what: 'start' | 'end';
  job: string;
  pid: number;
}

// PGlite runs in one process; two processes on one folder lose data.
for (const on of databases().filter((database) => database.name !== 'PGlite')) {
  describe.skipIf(on.skip !== null)(`workers in several processes on ${on.name}`, () => {
    let options: StoreOptions;
    let drop: () => Promise<void>;
    let database: Database;
    let folder: string;
    let children: ChildProcess[];

    beforeEach(async () => {
      ({ options, drop } = await on.create());
      database = await openStore(options);
      folder = mkdtempSync(join(tmpdir(), 'varve-workers-'));
      children = [];
      await database.write(EVERY_TENANT, async (writer) => {
        await sql`create table effects (job text not null)`.execute(writer);
        // A tenant needs this grant to write to the table of the test.
        if (database.dialect === 'postgres') await sql`grant insert on effects to public`.execute(writer);
      });
    });

    afterEach(async () => {
      for (const child of children) child.kill('SIGKILL');
      await database.close();
      await drop();
      rmSync(folder, { recursive: true, force: true });
    });

    const startWorker = async (settings: Partial<WorkerProcessOptions> = {}): Promise<ChildProcess> => {
      const all: WorkerProcessOptions = {
        store: options,
        log: join(folder, 'log'),
        leaseMs: 60_000,
        workMs: 5,
        seed: Math.floor(random() * 2 ** 31),
        ...settings,
      };
      const child = fork(join(import.meta.dirname, 'fixtures/worker-process.ts'), [JSON.stringify(all)]);
      children.push(child);
      await once(child, 'message');
      return child;
    };
    const stopWorker = async (child: ChildProcess): Promise<void> => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    };
    const add = (jobs: NewJob[]): Promise<unknown> =>
      database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, jobs, deps));
    const users = (count: number, job: Pick<NewJob, 'kind'> & Partial<NewJob>): NewJob[] =>
      Array.from({ length: count }, (_, user) => ({
        tenant: `t${user % 3}`,
        uniqueKey: `user ${user}`,
        payload: user,
        ...job,
      }));
    const notes = (): Note[] =>
      readFileSync(join(folder, 'log'), 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as Note);
    const unfinished = async (): Promise<number> =>
      (await countJobs(database)).filter(({ state }) => state !== 'done').reduce((sum, { count }) => sum + count, 0);
    const effects = async (): Promise<string[]> => {
      const { rows } = await database.read(EVERY_TENANT, (reader) =>
        sql<{ job: string }>`select job from effects`.execute(reader),
      );
      return rows.map((row) => row.job);
    };

    it('run 1,000 users due at the same minute, each exactly once', async () => {
      const due = systemClock.now() + 1500;
      await add([...users(500, { kind: 'effect', runAt: due }), ...users(500, { kind: 'plain', runAt: due })]);
      const workers = await Promise.all([startWorker(), startWorker()]);
      while ((await unfinished()) > 0) await delay(50);
      await Promise.all(workers.map(stopWorker));

      const starts = notes().filter((note) => note.what === 'start');
      expect(starts.length).toBe(1000);
      expect(new Set(starts.map((note) => note.job)).size).toBe(1000);
      const shares = workers.map((worker) => starts.filter((note) => note.pid === worker.pid).length);
      expect(Math.min(...shares)).toBeGreaterThan(100);
      const seen = await effects();
      expect(seen.length).toBe(500);
      expect(new Set(seen).size).toBe(500);
    }, 60_000);

    it('are killed repeatedly during jobs, and every job takes effect once', async () => {
      const total = 400;
      const kills = 24;
      const crashing = { leaseMs: 2000, workMs: 60 };
      await add(users(total, { kind: 'effect', maxAttempts: 100 }));
      const killed = new Set<number>();
      const killTimes = async (): Promise<void> => {
        for (let kill = 0; kill < kills / 2; kill += 1) {
          const child = await startWorker(crashing);
          await delay(random() * 150);
          const exited = once(child, 'exit');
          child.kill('SIGKILL');
          await exited;
          killed.add(child.pid ?? 0);
        }
      };
      await Promise.all([killTimes(), killTimes()]);
      expect(await unfinished()).toBeGreaterThan(0);
      const survivor = await startWorker(crashing);
      while ((await unfinished()) > 0) await delay(50);
      await stopWorker(survivor);

      const seen = await effects();
      expect(seen.length).toBe(total);
      expect(new Set(seen).size).toBe(total);
      const runs = notes();
      expect(runs.filter((note) => note.what === 'start').length).toBeGreaterThan(total);
      expect(overlaps(runs, killed)).toEqual([]);
    }, 120_000);

    it('enqueue one job for each due time of a schedule', async () => {
      await ensureSchedules(database, [{ name: 'every second', cron: '* * * * * *', kind: 'plain' }], deps);
      const workers = await Promise.all([startWorker(), startWorker()]);
      await delay(4000);
      await Promise.all(workers.map(stopWorker));
      const { items } = await listJobs(database, { kind: 'plain' });
      const dues = items.map((job: Job) => (job.payload as { dueAt: string }).dueAt);
      expect(dues.length).toBeGreaterThanOrEqual(3);
      expect(new Set(dues).size).toBe(dues.length);
    }, 30_000);
  });
}

/** Runs that began while another run of the same job was under way in a process that was not killed. */
function overlaps(runs: readonly Note[], killed: ReadonlySet<number>): Note[] {
  const open = new Map<string, number>();
  return runs.filter((note) => {
    if (note.what === 'end') {
      open.delete(note.job);
      return false;
    }
    const other = open.get(note.job);
    open.set(note.job, note.pid);
    return other !== undefined && !killed.has(other);
  });
}
