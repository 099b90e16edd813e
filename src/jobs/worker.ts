import { setImmediate } from 'node:timers/promises';
import { messageOf, VarveError } from '../errors.ts';
import { type Clock, DAY, HOUR, MINUTE, SECOND } from '../record/clock.ts';
import { EVERY_TENANT, type Parts } from '../store/database.ts';
import type { JobHandler } from './job-kinds.ts';
import { createRuns, type Runs } from './run-jobs.ts';
import { isScheduleDue } from '../store/queue/schedule-rows.ts';
import { followClock, tickSchedules } from './schedules.ts';
import { type Outcome, removeDoneJobs } from '../store/queue/settle-jobs.ts';
import { type Backoff, exponentialBackoff } from './failures.ts';

export interface WorkerOptions extends Pick<Parts, 'database' | 'clock' | 'ids'> {
  /** Handlers by kind of job. The worker leaves other kinds to other workers. */
  handlers: Readonly<Record<string, JobHandler>>;
  concurrency?: number;
  /** After this time without a renewal, another worker takes over the job. Default: one minute. */
  leaseMs?: number;
  /** How often an idle worker looks for jobs from other processes. Default: one second. */
  pollMs?: number;
  backoff?: Backoff;
  /** How long finished jobs are kept. Default: one day. */
  keepDoneMs?: number;
  /** Receives errors of the queue itself, and the first job of a kind that was given up. Default: a warning of the process. */
  onError?: (error: unknown) => void;
}

/** How many runs ended in which way. `lost`: the lease expired, and another worker took over the job. */
export type RunCounts = Record<Outcome['type'] | 'lost', number>;

export interface Worker {
  start(): void;
  /**
   * Leases no more jobs, and waits at most `timeout` milliseconds (default: 30 seconds) for the running ones. Then aborts and releases
   * them. If a handler ignores its signal, its job keeps the lease until that expires, so that no other worker starts the same job.
   */
  stop(options?: { timeout?: number }): Promise<void>;
  /** Runs all jobs that are due now, and the due jobs that these enqueue. */
  drain(): Promise<RunCounts>;
  /** Makes the worker look for jobs immediately. Call it after the commit that enqueued one. */
  wake(): void;
}

// How long a handler may take to end after its signal is aborted.
const GRACE = SECOND;

export function createWorker(options: WorkerOptions): Worker {
  const { database, clock, ids, handlers, concurrency = 8, leaseMs = MINUTE, pollMs = SECOND } = options;
  const { backoff = exponentialBackoff(), keepDoneMs = DAY, onError = warn } = options;
  const wakeSignal = createWakeSignal();
  const signals = { onEnd: wakeSignal.wake, onGivenUp: onError };
  const runs = createRuns({ database, clock, ids, handlers, concurrency, leaseMs, backoff, ...signals });
  const tick = every(SECOND, clock, async () => {
    if (!(await database.read(EVERY_TENANT, (reader) => isScheduleDue(reader, clock.now())))) return;
    await database.write(EVERY_TENANT, (writer) => tickSchedules(writer, { clock, ids }));
  });
  // `every` also calls this after the clock was set back by an hour or more.
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
      // The turn in progress may still lease jobs. A turn that leases none therefore follows it.
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
  start(): void;
  /** Resolves when nothing is left to do. Without an earlier `start()`, runs rounds itself, and rejects if a step fails. */
  whenIdle(): Promise<void>;
  leave(): Promise<void>;
}

interface LoopOptions {
  steps: readonly (() => Promise<void>)[];
  runs: Runs;
  wakeSignal: WakeSignal;
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
      // A closed store cannot be opened again.
      isLeaving ||= VarveError.isInstance(error, 'closed');
      onError(error);
    }
  };

  const repeat = async (): Promise<void> => {
    for (;;) {
      // SQLite answers synchronously, so a long queue would block the event loop.
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
  process.emitWarning(messageOf(error), 'VarveQueueWarning');
}

/** If the loop is busy when `wake` is called, its next wait ends immediately. */
interface WakeSignal {
  wake(): void;
  /**
   * Waits until `wake` is called, but at most this many milliseconds. An idle worker need not keep the process alive, because later jobs
   * are still in the store at the next start.
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
