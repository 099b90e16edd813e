import { VarveError } from '../errors.ts';
import { createMutex } from '../record/event-loop.ts';
import type { Parts } from '../store/database.ts';
import type { LeasedRun } from '../store/queue/job.ts';
import { createFairTurns, isTurnNeeded, takeTurn, type Turn, type TurnResult } from '../store/queue/lease-jobs.ts';
import { changePayload, completeJob, type EndedRun, type Outcome } from '../store/queue/settle-jobs.ts';
import { type Backoff, outcomeOfError } from './failures.ts';
import type { JobContext, JobHandler } from './job-kinds.ts';

interface RunningJob extends LeasedRun {
  /** When the lease expires, as far as this worker knows. Another worker may have taken over the job since. */
  leaseUntil: number;
  controller: AbortController;
  cut: 'lost' | 'stopped' | null;
  /** Whether the handler has called `complete()`. Stays true even if that call's transaction is rolled back. */
  completed: boolean;
  over: Promise<void>;
}

function cutShort(run: RunningJob, cut: 'lost' | 'stopped'): void {
  if (run.cut !== null) return;
  run.cut = cut;
  const reason = cut === 'lost' ? 'its lease is lost' : 'the worker stops';
  run.controller.abort(
    new VarveError(`Job ${run.job.id} was aborted: ${reason}.`, { code: 'cancelled', retryable: true }),
  );
}

interface RunsOptions extends Pick<Parts, 'database' | 'clock' | 'ids'> {
  handlers: Readonly<Record<string, JobHandler>>;
  concurrency: number;
  leaseMs: number;
  backoff: Backoff;
  onEnd(): void;
  /** Called when a job is given up, once for its kind until a job of this kind succeeds. */
  onGivenUp(problem: string): void;
}

export interface Runs {
  isTaking: boolean;
  readonly counts: Record<Outcome['type'] | 'lost', number>;
  /** Settles ended runs, renews the leases of the others and leases new jobs, all in one transaction. Then starts the new jobs. */
  turn(): Promise<void>;
  isIdle(): boolean;
  /** Resolves when the handlers that are running now have ended. */
  whenOver(): Promise<void>;
  abort(): void;
}

export function createRuns(options: RunsOptions): Runs {
  const { database, clock, ids, handlers, concurrency, leaseMs, onEnd, onGivenUp } = options;
  const kinds = Object.keys(handlers);
  const turns = createFairTurns();
  const running = new Set<RunningJob>();
  let ended: EndedRun[] = [];
  const inTurn = createMutex();
  const report = reporting(onGivenUp);

  const runs: Runs = {
    isTaking: false,
    counts: { done: 0, retried: 0, dead: 0, postponed: 0, returned: 0, lost: 0 },
    turn: () => inTurn(goOnce),
    isIdle: () => running.size === 0 && ended.length === 0,
    whenOver: async () => void (await Promise.all([...running].map((run) => run.over))),
    abort: () => running.forEach((run) => cutShort(run, 'stopped')),
  };

  const goOnce = async (): Promise<void> => {
    const now = clock.now();
    const renew = [...running].filter((run) => isRenewalDue(run, now, leaseMs));
    const limit = runs.isTaking ? concurrency - running.size : 0;
    const lease = { leaseId: ids.next('wrk'), leaseUntil: now + leaseMs };
    const turn: Turn<RunningJob> = { database, kinds, turns, now, ended, renew, limit, ...lease };
    ended = [];
    try {
      if (!(await isTurnNeeded(turn))) return;
      const result = await takeTurn(turn);
      noteTurn(turn, result, runs.counts);
      for (const job of result.leased) start({ job, ...lease });
    } catch (error) {
      ended = [...turn.ended, ...ended];
      // If this worker could not reach the database for longer than a lease, other workers may be running its jobs by now.
      for (const run of running) if (run.leaseUntil <= clock.now()) cutShort(run, 'lost');
      throw error;
    }
  };

  const start = (leased: Pick<RunningJob, 'job' | 'leaseId' | 'leaseUntil'>): void => {
    const state = { controller: new AbortController(), cut: null, completed: false };
    const run: RunningJob = { ...leased, ...state, over: Promise.resolve() };
    running.add(run);
    run.over = execute(run);
  };

  const execute = async (run: RunningJob): Promise<void> => {
    const outcome = await runHandler(run, options);
    running.delete(run);
    report(run, outcome);
    if (run.cut === 'lost') runs.counts.lost += 1;
    // `complete()` has settled this job. If its transaction was rolled back, the lease expires and the job runs again.
    else if (run.completed && outcome.type === 'done') runs.counts.done += 1;
    else ended.push({ job: run.job, leaseId: run.leaseId, completed: run.completed, outcome });
    onEnd();
  };

  return runs;
}

function reporting(onGivenUp: RunsOptions['onGivenUp']): (run: RunningJob, outcome: Outcome) => void {
  const failing = new Set<string>();
  return ({ job }, outcome) => {
    if (outcome.type === 'done') failing.delete(job.kind);
    if (outcome.type !== 'dead' || failing.has(job.kind)) return;
    failing.add(job.kind);
    const error = outcome.error.replace(/\.?$/, '.');
    onGivenUp(
      `The background job ${job.kind} of the tenant ${job.tenant} was given up: ${error} \`varve jobs\` lists such jobs.`,
    );
  };
}

function isRenewalDue(run: RunningJob, now: number, leaseMs: number): boolean {
  const left = run.leaseUntil - now;
  // A lease that ends too late was written before the clock was set back. If this worker died, others would wait until that time.
  return run.cut !== 'lost' && (left < (leaseMs * 2) / 3 || left > leaseMs);
}

function noteTurn(turn: Turn<RunningJob>, { settled, lost }: TurnResult<RunningJob>, counts: Runs['counts']): void {
  for (const run of turn.ended) counts[settled.has(run) ? run.outcome.type : run.completed ? 'done' : 'lost'] += 1;
  for (const run of turn.renew) run.leaseUntil = turn.leaseUntil;
  for (const run of lost) if (!run.completed) cutShort(run, 'lost');
}

async function runHandler(run: RunningJob, { handlers, clock, backoff }: RunsOptions): Promise<Outcome> {
  const context: JobContext = {
    signal: run.controller.signal,
    async complete(writer) {
      await completeJob(writer, run, clock.now());
      run.completed = true;
    },
    proceed: (writer, payload) => changePayload(writer, run, payload),
  };
  try {
    await handlers[run.job.kind]?.(run.job, context);
    return { type: 'done' };
  } catch (error) {
    if (run.cut === 'stopped') return { type: 'returned' };
    return outcomeOfError(error, run.job, { now: clock.now(), backoff });
  }
}
