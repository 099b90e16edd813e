import type { Writer } from '../store/database.ts';
import type { Job, Json } from '../store/queue/job.ts';
import type { JobPayloads } from '../store/queue/job-payloads.ts';

/** The context that a handler receives with its job. */
export interface JobContext {
  /** Aborted when the lease is lost or the worker stops. After a lost lease, the outcome of the run is not recorded. */
  signal: AbortSignal;
  /**
   * Marks the job as done in the transaction of its effects, so that they happen exactly once.
   * Throws `conflict` when the lease is lost, which rolls the transaction back.
   */
  complete(writer: Writer): Promise<void>;
  /**
   * Stores the progress of a job that takes several transactions, in the transaction of each step. The next attempt gets the progress as
   * its payload. Throws `conflict` when the lease is lost, which rolls the transaction back.
   */
  proceed(writer: Writer, payload: Json): Promise<void>;
}

/** Runs the jobs of one kind. An error fails the attempt; `postpone` makes the job wait without a failed attempt. */
export type JobHandler = (job: Job, context: JobContext) => Promise<void>;

/** A stored job of one kind. */
export type JobOf<Kind extends keyof JobPayloads> = Job & { payload: JobPayloads[Kind] };

/** A kind of job: its handler, its schedule, and whether it may cost money. */
interface JobKind<Kind extends keyof JobPayloads> {
  run(job: JobOf<Kind>, context: JobContext): Promise<void>;
  /** Whether the handler may call a paid model. Without credit such a job is postponed and does not fail. */
  isPaid: boolean;
  /** The schedule: a cron expression with the seconds first, in UTC. If it is null or absent, the job is enqueued only on request. */
  cron?: string | null;
}

/**
 * Job kinds by name. Each folder has one table of its own kinds, and `background.ts` joins the tables. The names and payloads of all kinds
 * are in `store/queue/job-payloads.ts`.
 */
export type JobKinds = { readonly [Kind in keyof JobPayloads]?: JobKind<Kind> };
