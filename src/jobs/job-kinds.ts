import type { Writer } from '../store/database.ts';
import type { Job, Json } from '../store/queue/job.ts';
import type { JobPayloads } from '../store/queue/job-payloads.ts';

/** What a handler receives besides its job. */
export interface JobContext {
  /** Aborted if the lease is lost or the worker stops. If the lease is lost, the run's outcome is not recorded. */
  signal: AbortSignal;
  /**
   * Marks the job as done in the transaction of its effects, so that they happen exactly once. If the lease is lost, throws `conflict`,
   * which rolls the transaction back.
   */
  complete(writer: Writer): Promise<void>;
  /**
   * Stores the progress of a job that takes several transactions. Call it in the transaction of each step. The next attempt gets the
   * progress as its payload. If the lease is lost, throws `conflict`, which rolls the transaction back.
   */
  proceed(writer: Writer, payload: Json): Promise<void>;
}

/**
 * Runs the jobs of one kind. If it throws, the attempt has failed, unless it throws `postpone`: the job then waits without a failed
 * attempt.
 */
export type JobHandler = (job: Job, context: JobContext) => Promise<void>;

/** A stored job of one kind. */
export type JobOf<Kind extends keyof JobPayloads> = Job & { payload: JobPayloads[Kind] };

/** A kind of job: its handler, its schedule, and whether it can cost money. */
interface JobKind<Kind extends keyof JobPayloads> {
  run(job: JobOf<Kind>, context: JobContext): Promise<void>;
  /** Whether the handler may call a paid model. If credit runs out, such a job is postponed instead of failing. */
  isPaid: boolean;
  /** A cron expression in UTC, with the seconds first. If it is null or absent, the job runs only on request. */
  cron?: string | null;
}

/**
 * Job kinds by name. Each folder has a table of its own kinds, and `background.ts` joins these tables. The names and payloads of all kinds
 * are in `store/queue/job-payloads.ts`.
 */
export type JobKinds = { readonly [Kind in keyof JobPayloads]?: JobKind<Kind> };
