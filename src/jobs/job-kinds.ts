import type { Writer } from '../store/database.ts';
import type { Job, Json } from '../store/queue/job.ts';
import type { JobPayloads } from '../store/queue/job-payloads.ts';

export interface JobContext {
  /** Aborted if the lease is lost or the worker stops. After a lost lease, the run's outcome is not recorded. */
  signal: AbortSignal;
  /** Marks the job as done in the transaction of its effects, so that they happen exactly once. Throws `conflict` if the lease is lost. */
  complete(writer: Writer): Promise<void>;
  /** Stores the progress as the next attempt's payload. Call it in each step's transaction. Throws `conflict` if the lease is lost. */
  proceed(writer: Writer, payload: Json): Promise<void>;
}

/** An error counts as a failed attempt, unless it comes from `postpone`. */
export type JobHandler = (job: Job, context: JobContext) => Promise<void>;

export type JobOf<Kind extends keyof JobPayloads> = Job & { payload: JobPayloads[Kind] };

interface JobKind<Kind extends keyof JobPayloads> {
  run(job: JobOf<Kind>, context: JobContext): Promise<void>;
  /** Whether the handler may call a paid model. Without credit, such a job is postponed instead of failing. */
  isPaid: boolean;
  /** A cron expression in UTC, with the seconds first. Null or absent: the job runs only on request. */
  cron?: string | null;
}

/** Each folder has a table of its own kinds, and `background.ts` joins these tables. Payloads are in `store/queue/job-payloads.ts`. */
export type JobKinds = { readonly [Kind in keyof JobPayloads]?: JobKind<Kind> };
