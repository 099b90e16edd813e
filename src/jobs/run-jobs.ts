import type { Clock } from '../record/clock.ts';
import type { IdSource } from '../record/id.ts';
import type { Database } from '../store/database.ts';
import { cutShort, type Job, type JobContext, type JobHandler, type RunningJob } from './job.ts';
import { createFairTurns, isTurnNeeded, takeTurn, type Turn } from './lease-jobs.ts';
import {
  type Backoff,
  changePayload,
  completeJob,
  type EndedRun,
  type Outcome,
  outcomeOfError,
} from './settle-jobs.ts';

export interface RunsOptions {
  database: Database;
  clock: Clock;
  ids: IdSource;
  handlers: Readonly<Record<string, JobHandler>>;
  concurrency: number;
  leaseMs: number;
  backoff: Backoff;
  /** Called when a run has ended. */
  onEnd(): void;
}

/** The jobs that one worker has taken. */
export interface Runs {
  /** Whether turns take new jobs. */
  isTaking: boolean;
  readonly counts: Record<Outcome['type'] | 'lost', number>;
  /** Goes to the database once: settles what has ended, renews what runs, takes new jobs and starts them. */
  turn(): Promise<void>;
  isIdle(): boolean;
  /** When all handlers that run now have ended. */
  whenOver(): Promise<void>;
  /** Aborts what runs, because the worker stops. */
  abort(): void;
}

/** Makes the set of runs of a worker. */
export function createRuns(options: RunsOptions): Runs {
  const { database, clock, ids, handlers, concurrency, leaseMs, backoff, onEnd } = options;
  const kinds = Object.keys(handlers);
  const turns = createFairTurns();
  const running = new Set<RunningJob>();
  let ended: EndedRun[] = [];
  let lastTurn: Promise<unknown> = Promise.resolve();

  const runs: Runs = {
    isTaking: false,
    counts: { done: 0, retried: 0, dead: 0, postponed: 0, returned: 0, lost: 0 },
    turn() {
      const turn = lastTurn.then(goOnce);
      lastTurn = turn.catch(() => undefined);
      return turn;
    },
    isIdle: () => running.size === 0 && ended.length === 0,
    whenOver: async () => void (await Promise.all([...running].map((run) => run.over))),
    abort: () => running.forEach((run) => cutShort(run, 'stopped')),
  };

  const goOnce = async (): Promise<void> => {
    const now = clock.now();
    const turn: Turn = {
      database,
      kinds,
      turns,
      now,
      ended,
      renew: [...running].filter((run) => isRenewalDue(run, now)),
      limit: runs.isTaking ? concurrency - running.size : 0,
      leaseId: ids.next('wrk'),
      leaseUntil: now + leaseMs,
    };
    ended = [];
    try {
      if (!(await isTurnNeeded(turn))) return;
      const { settled, lost, leased } = await takeTurn(turn);
      for (const run of turn.ended)
        runs.counts[settled.has(run) ? run.outcome.type : run.completed ? 'done' : 'lost'] += 1;
      for (const run of turn.renew) Object.assign(run, { leaseUntil: turn.leaseUntil, renewNow: false });
      for (const run of lost) if (!run.completed) cutShort(run, 'lost');
      for (const job of leased) start(job, turn);
    } catch (error) {
      ended = [...turn.ended, ...ended];
      // Out of touch for longer than the lease: others may be running these by now.
      for (const run of running) if (run.leaseUntil <= clock.now()) cutShort(run, 'lost');
      throw error;
    }
  };

  const isRenewalDue = (run: RunningJob, now: number): boolean =>
    // Farther off than a lease is long: the clock was put back, and others would wait that long for a worker that ends.
    run.cut !== 'lost' && (run.renewNow || run.leaseUntil - now < (leaseMs * 2) / 3 || run.leaseUntil - now > leaseMs);

  const start = (job: Job, { leaseId, leaseUntil }: Turn): void => {
    const state = { controller: new AbortController(), cut: null, completed: false, renewNow: false };
    const run: RunningJob = { job, leaseId, leaseUntil, ...state, over: Promise.resolve() };
    running.add(run);
    run.over = execute(run);
  };

  const execute = async (run: RunningJob): Promise<void> => {
    let outcome: Outcome = { type: 'done' };
    try {
      await handlers[run.job.kind]?.(run.job, contextOf(run));
    } catch (error) {
      outcome = outcomeOfError(error, run.job, { now: clock.now(), backoff });
      if (run.cut === 'stopped') outcome = { type: 'returned' };
    }
    running.delete(run);
    if (run.cut === 'lost') runs.counts.lost += 1;
    // Settled by its own transaction. Had that been taken back unnoticed, the lease would run out and the job run again.
    else if (run.completed && outcome.type === 'done') runs.counts.done += 1;
    else ended.push({ job: run.job, leaseId: run.leaseId, completed: run.completed, outcome });
    onEnd();
  };

  const contextOf = (run: RunningJob): JobContext => ({
    signal: run.controller.signal,
    async heartbeat() {
      run.renewNow = true;
      await runs.turn();
      run.controller.signal.throwIfAborted();
    },
    async complete(writer) {
      await completeJob(writer, run, clock.now());
      run.completed = true;
    },
    proceed: (writer, payload) => changePayload(writer, run, payload),
  });

  return runs;
}
