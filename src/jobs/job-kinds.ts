import type { Writer } from '../store/database.ts';
import type { Job, Json } from '../store/queue/job.ts';

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

/** What there is to know of a kind of job. */
export interface JobKind {
  run: JobHandler;
  /** Whether it may ask a model: without credit it waits, and has not failed. */
  isPaid: boolean;
  /** When it is enqueued by itself: a cron expression with seconds in front, in UTC. Null or left out: only when something asks for it. */
  cron?: string | null;
}

/** Kinds of jobs by their names. Each part of Varve has one table of its own kinds; the background work joins them. */
export type JobKinds = Readonly<Record<string, JobKind>>;
