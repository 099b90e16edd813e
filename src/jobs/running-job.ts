import { VarveError } from '../errors.ts';
import type { Writer } from '../store/database.ts';
import type { Job, Json } from './job.ts';
import type { LeasedRun } from './renew-leases.ts';

/** What a handler gets besides its job. */
export interface JobContext {
  /** Aborted when the lease is lost or the worker has to stop: what is done afterwards does not count. */
  signal: AbortSignal;
  /**
   * Renews the lease now; the worker also does so by itself. Throws when the lease is lost.
   * Never to be called inside a transaction: it would wait for a transaction of its own.
   */
  heartbeat(): Promise<void>;
  /**
   * Marks the job as done in the transaction of its effects, so that they happen exactly once.
   * Throws `conflict` when the lease is lost, which takes the transaction back.
   */
  complete(writer: Writer): Promise<void>;
  /**
   * Keeps how far a job of several transactions has come, in each of them: the next attempt has it as its payload.
   * Throws `conflict` when the lease is lost, which takes the transaction back.
   */
  proceed(writer: Writer, payload: Json): Promise<void>;
}

/** Runs the jobs of one kind. To throw is to fail; see `postpone` for waiting without having failed. */
export type JobHandler = (job: Job, context: JobContext) => Promise<void>;

/** A job that this worker is running. */
export interface RunningJob extends LeasedRun {
  /** When the lease runs out, as far as this worker knows. */
  leaseUntil: number;
  /** Asks for a renewal although it is not time yet. */
  renewNow: boolean;
  controller: AbortController;
  /** Why it was aborted, if it was. */
  cut: 'lost' | 'stopped' | null;
  /** Completed by the handler itself, unless its transaction was taken back. */
  completed: boolean;
  /** Resolves when the handler has ended, however it did. */
  over: Promise<void>;
}

/** Aborts a run. */
export function cutShort(run: RunningJob, cut: 'lost' | 'stopped'): void {
  if (run.cut !== null) return;
  run.cut = cut;
  const reason = cut === 'lost' ? 'its lease is lost' : 'the worker stops';
  run.controller.abort(
    new VarveError(`Job ${run.job.id} was cut short: ${reason}.`, { code: 'cancelled', retryable: true }),
  );
}
