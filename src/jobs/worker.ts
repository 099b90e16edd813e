import { setImmediate } from 'node:timers/promises';
import { VarveError } from '../errors.ts';
import { type Clock, DAY, HOUR, MINUTE, SECOND } from '../record/clock.ts';
import { EVERY_TENANT, type Parts } from '../store/database.ts';
import type { JobHandler } from './job-kinds.ts';
import { createRuns, type Runs } from './run-jobs.ts';
import { isScheduleDue } from '../store/queue/schedule-rows.ts';
import { followClock, tickSchedules } from './schedules.ts';
import { type Outcome, removeDoneJobs } from '../store/queue/settle-jobs.ts';
import { type Backoff, exponentialBackoff } from './failures.ts';

export interface WorkerOptions extends Pick<Parts, 'database' | 'clock' | 'ids'> {
  /** Handlers by kind of job. Jobs of other kinds are left to other workers. */
  handlers: Readonly<Record<string, JobHandler>>;
  /** How many jobs run at the same time. Default 8. */
  concurrency?: number;
  /** The length of a lease. If a worker does not renew a lease in time, another worker takes over the job. Default one minute. */
  leaseMs?: number;
  /** How often an idle worker looks for jobs that other processes have enqueued. Default one second. */
  pollMs?: number;
  /** Default {@link exponentialBackoff}. */
  backoff?: Backoff;
  /** How long done jobs are kept. Default one day. */
  keepDoneMs?: number;
  /** Called with errors of the queue itself; errors of jobs are stored with the jobs. Default: the process emits a warning. */
  onError?: (error: unknown) => void;
}

/** The number of runs by outcome. `lost`: the lease expired, and another worker took over the job. */
export type RunCounts = Record<Outcome['type'] | 'lost', number>;

/** Runs jobs. Any number of workers in any number of processes share one queue. */
export interface Worker {
  /** Runs jobs as they become due, until stopped. */
  start(): void;
  /**
   * Leases no more jobs and waits for running ones, at most `timeout` milliseconds (default 30 seconds). Jobs that still run after that are
   * aborted and released. A handler that ignores its signal keeps its lease until the lease expires, so that no other worker starts the
   * same job.
   */
  stop(options?: { timeout?: number }): Promise<void>;
  /** Runs all jobs that are due now, and the due jobs that they enqueue. Returns how the runs ended. */
  drain(): Promise<RunCounts>;
  /** Makes the worker look for jobs now. Call it after a commit that enqueued a job. */
  wake(): void;
}

// The time that a handler gets to end after its signal is aborted.
const GRACE = SECOND;

/** Creates a worker. It does nothing before `start` or `drain`. */
export function createWorker(options: WorkerOptions): Worker {
  const { database, clock, ids, handlers, concurrency = 8, leaseMs = MINUTE, pollMs = SECOND } = options;
  const { backoff = exponentialBackoff(), keepDoneMs = DAY, onError = warn } = options;
  const wakeSignal = createWakeSignal();
  const runs = createRuns({ database, clock, ids, handlers, concurrency, leaseMs, backoff, onEnd: wakeSignal.wake });
  const tick = every(SECOND, clock, async () => {
    if (!(await database.read(EVERY_TENANT, (reader) => isScheduleDue(reader, clock.now())))) return;
    await database.write(EVERY_TENANT, (writer) => tickSchedules(writer, { clock, ids }));
  });
  // The hourly work also runs when the clock was set back by an hour or more.
  const tidy = every(HOUR, clock, async () => {
    await followClock(database, clock);
    await removeDoneJobs(database, clock.now() - keepDoneMs);
  });
  const pauseMs = Math.min(pollMs, leaseMs / 3);
  const loop = createLoop({ steps: [tidy, tick, runs.turn], runs, wakeSignal, pauseMs, onError });

  return {
    start: loop.start,
    async drain() {
      const before = { ...runs.counts };
      tick.isDue = true;
      await loop.whenIdle();
      return since(before, runs.counts);
    },
    async stop({ timeout = 30 * SECOND } = {}) {
      runs.isTaking = false;
      wakeSignal.wake();
      // The turn in progress may still lease jobs, so another turn, which leases none, runs after it.
      await within(timeout, runs.turn().catch(onError).then(runs.whenOver));
      runs.abort();
      await within(GRACE, runs.whenOver());
      await loop.leave();
      await runs.turn().catch(onError);
    },
    wake: wakeSignal.wake,
  };
}

interface Loop {
  /** Runs until it is stopped. Errors go to `onError`. */
  start(): void;
  /**
   * Resolves when nothing is left to do. If `start()` was not called, `whenIdle()` itself runs rounds until then, and rejects if a step
   * fails.
   */
  whenIdle(): Promise<void>;
  /** Ends the loop after the steps in progress. */
  leave(): Promise<void>;
}

interface LoopOptions {
  /** The steps of a round, in order. */
  steps: readonly (() => Promise<void>)[];
  runs: Runs;
  wakeSignal: WakeSignal;
  /** How long to wait for the wake signal between two rounds. */
  pauseMs: number;
  onError(error: unknown): void;
}

function createLoop({ steps, runs, wakeSignal, pauseMs, onError }: LoopOptions): Loop {
  let looping: Promise<void> | null = null;
  let isStarted = false;
  let isLeaving = false;
  const waiters: (() => void)[] = [];

  const attempt = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      if (!isStarted) throw error;
      // A closed store cannot be opened again, so the loop ends.
      isLeaving ||= VarveError.isInstance(error, 'closed');
      onError(error);
    }
  };

  const repeat = async (): Promise<void> => {
    for (;;) {
      // SQLite answers synchronously: without this pause a long queue would block the event loop of the process.
      await setImmediate();
      const askedBefore = waiters.splice(0);
      for (const step of steps) await attempt(step);
      if (runs.isIdle()) for (const resolve of askedBefore) resolve();
      else waiters.push(...askedBefore);
      if (isLeaving || (runs.isIdle() && !isStarted && waiters.length === 0)) return;
      await wakeSignal.wait(pauseMs, { keepsAlive: waiters.length > 0 || !runs.isIdle() });
    }
  };

  const run = (): Promise<void> => {
    isLeaving = false;
    runs.isTaking = true;
    const ended = repeat().finally(() => {
      looping = null;
      runs.isTaking = false;
      for (const resolve of waiters.splice(0)) resolve();
    });
    looping = ended.catch(() => undefined);
    return ended;
  };

  return {
    start() {
      isStarted = true;
      if (looping === null) run().catch(onError);
    },
    async whenIdle() {
      if (looping === null) return run();
      wakeSignal.wake();
      await new Promise<void>((resolve) => void waiters.push(resolve));
    },
    async leave() {
      isLeaving = true;
      wakeSignal.wake();
      await looping;
      isStarted = false;
    },
  };
}

interface Recurring {
  (): Promise<void>;
  isDue: boolean;
}

function every(milliseconds: number, clock: Clock, work: () => Promise<void>): Recurring {
  let last = 0;
  const recurring: Recurring = Object.assign(
    async () => {
      const now = clock.now();
      if (!recurring.isDue && Math.abs(now - last) < milliseconds) return;
      recurring.isDue = false;
      last = now;
      await work();
    },
    { isDue: true },
  );
  return recurring;
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const timer = Promise.withResolvers<void>();
  const handle = setTimeout(timer.resolve, milliseconds);
  await Promise.race([work, timer.promise]);
  clearTimeout(handle);
}

function since(before: RunCounts, now: RunCounts): RunCounts {
  const entries = Object.entries(now) as [keyof RunCounts, number][];
  return Object.fromEntries(entries.map(([type, count]) => [type, count - before[type]])) as RunCounts;
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), 'VarveQueueWarning');
}

/** Wakes the loop. If `wake` is called while the loop is busy, the next wait ends immediately. */
interface WakeSignal {
  wake(): void;
  /**
   * Waits until `wake` is called, at most this many milliseconds. With `keepsAlive`, the process does not end meanwhile. A worker without
   * work does not need that: jobs that become due later are in the store for the next start.
   */
  wait(milliseconds: number, options: { keepsAlive: boolean }): Promise<void>;
}

function createWakeSignal(): WakeSignal {
  let called = Promise.withResolvers<void>();
  return {
    wake: () => called.resolve(),
    async wait(milliseconds, { keepsAlive }) {
      const timer = setTimeout(called.resolve, milliseconds);
      if (!keepsAlive) timer.unref();
      await called.promise;
      clearTimeout(timer);
      called = Promise.withResolvers<void>();
    },
  };
}
