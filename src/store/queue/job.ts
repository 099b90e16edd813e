import type { Selectable } from 'kysely';
import type { TimeInput } from '../../record/parse.ts';
import type { Tenant } from '../database.ts';
import type { JobTable } from '../schema.ts';

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** `dead`: the job failed too often, or with an error that a retry cannot fix. An operator can retry it. */
export type JobState = 'waiting' | 'running' | 'done' | 'dead';

/** For jobs that belong to no tenant, such as those of schedules. No real tenant has this name. */
export const NO_TENANT = '';

export interface NewJob {
  kind: string;
  tenant: string;
  /** Erasing this owner removes the job. Default ''. */
  ownerKey?: string;
  payload: Json;
  /**
   * For each tenant, kind and unique key, at most one job waits and at most one runs. If a job with the key already waits, it is kept with
   * its payload, and no job is added.
   */
  uniqueKey?: string;
  /**
   * `keep` (default) leaves the run time of a waiting job with the same key unchanged. `move` sets the new time, earlier or later, unless
   * the job waits for a retry.
   */
  whenWaiting?: 'keep' | 'move';
  /** The earliest time to run. Default: now. */
  runAt?: TimeInput;
  /** Milliseconds from now. Excludes `runAt`. */
  delay?: number;
  /** After this many failed attempts, the job is dead. Default 8. */
  maxAttempts?: number;
  /** From 0 (first) to 9, among the due jobs of a tenant. Default 5. Has no effect between tenants. */
  priority?: number;
}

/** A job of the queue. */
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
  /** The number of started runs, including the current one, without those that were postponed or that ended because the worker stopped. */
  attempts: number;
  maxAttempts: number;
  /** Message of the last failure or postponement. It stays even if a later attempt succeeds. */
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

export interface TenantFilter {
  /** Default: every tenant. */
  tenant?: Tenant;
}

export interface LeasedRun {
  job: Job;
  leaseId: string;
}
