import type { Selectable } from 'kysely';
import type { TimeInput } from '../../record/parse.ts';
import type { Tenant } from '../database.ts';
import type { JobTable } from '../schema.ts';

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** `dead`: the job failed too often, or with an error that a retry cannot fix. The error is kept, and an operator can retry the job. */
export type JobState = 'waiting' | 'running' | 'done' | 'dead';

/** The tenant of jobs that belong to no tenant, such as the jobs of schedules. No real tenant has this name. */
export const NO_TENANT = '';

/** Work to be done outside the transaction that enqueues it. */
export interface NewJob {
  /** Selects the handler. */
  kind: string;
  tenant: string;
  /** The owner of the job. Erasing the owner removes the job. Default ''. */
  ownerKey?: string;
  payload: Json;
  /**
   * For each tenant, kind and unique key, at most one job waits and at most one runs. Enqueueing again while a job waits keeps that job and
   * its payload.
   */
  uniqueKey?: string;
  /**
   * What happens to the run time of an earlier waiting job with the same key. `keep` (default) leaves the run time; `move` sets the new
   * one, earlier or later. A job that waits for its next attempt is never moved.
   */
  whenWaiting?: 'keep' | 'move';
  /** The earliest time of the run. Default: immediately. */
  runAt?: TimeInput;
  /** The minimum delay of the run in milliseconds; an alternative to `runAt`. */
  delay?: number;
  /** The number of failed attempts after which the job is dead. Default 8. */
  maxAttempts?: number;
  /** The order of a tenant's due jobs, from 0 (first) to 9. Default 5. It has no effect between tenants. */
  priority?: number;
}

/** A job as it is stored. */
export interface Job {
  id: string;
  kind: string;
  tenant: string;
  ownerKey: string;
  payload: Json;
  uniqueKey: string | null;
  state: JobState;
  priority: number;
  runAt: Date;
  /** How often the job was started, including the current run. Postponed runs and runs that a stop has aborted do not count. */
  attempts: number;
  maxAttempts: number;
  /** The message of the last failure or postponement, even if a later attempt succeeded. */
  lastError: string | null;
  leaseUntil: Date | null;
  createdAt: Date;
  finishedAt: Date | null;
}

export function toJob(row: Selectable<JobTable>): Job {
  return {
    id: row.id,
    kind: row.kind,
    tenant: row.tenant_id,
    ownerKey: row.owner_key,
    payload: JSON.parse(row.payload) as Json,
    uniqueKey: row.unique_key,
    state: row.state,
    priority: row.priority,
    runAt: new Date(row.run_at),
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    lastError: row.last_error,
    leaseUntil: row.lease_until === null ? null : new Date(row.lease_until),
    createdAt: new Date(row.created_at),
    finishedAt: row.finished_at === null ? null : new Date(row.finished_at),
  };
}

/** Selects the jobs of one tenant or of every tenant. */
export interface TenantFilter {
  /** Default: every tenant. */
  tenant?: Tenant;
}

export interface LeasedRun {
  job: Job;
  leaseId: string;
}
