import { type RawBuilder, sql } from 'kysely';
import { conflict, type VarveError } from '../../errors.ts';
import type { Clock } from '../../record/clock.ts';
import { type Database, EVERY_TENANT, type Tenant, type Writer } from '../database.ts';
import type { JobTable } from '../schema.ts';
import type { Job, Json, LeasedRun, NewJob, TenantFilter } from './job.ts';
import { findJob } from './list-jobs.ts';

/** `returned`: aborted because the worker stopped. Like `postponed`, it does not count as an attempt. */
export type Outcome =
  | { type: 'done' }
  | { type: 'retried'; runAt: number; error: string }
  | { type: 'dead'; error: string }
  | { type: 'postponed'; runAt: number; error: string }
  | { type: 'returned' };

export interface EndedRun extends LeasedRun {
  outcome: Outcome;
  /** Whether the handler has called complete(). A run that then no longer has its lease is done and not lost. */
  completed: boolean;
}

/** Skips runs without a lease: their jobs are done already, or another worker has taken them over. Returns the others. */
export async function settleJobs(writer: Writer, runs: readonly EndedRun[], now: number): Promise<Set<EndedRun>> {
  const settled = new Set<EndedRun>();
  const done = runs.filter((run) => run.outcome.type === 'done');
  if (done.length > 0) {
    const { rows } = await sql<{ id: string; lease_id: string }>`
      update jobs set state = 'done', finished_at = ${now}, lease_until = null
      where state = 'running' and ${holds(done)} returning id, lease_id`.execute(writer);
    const written = new Set(rows.map((row) => `${row.id} ${row.lease_id}`));
    for (const run of done) if (written.has(`${run.job.id} ${run.leaseId}`)) settled.add(run);
  }
  for (const run of runs) {
    if (run.outcome.type !== 'done' && (await settleUndone(writer, run, now))) settled.add(run);
  }
  return settled;
}

export function holds(runs: readonly Pick<EndedRun, 'job' | 'leaseId'>[]): RawBuilder<boolean> {
  const pairs = runs.map((run) => sql`(${run.job.id}, ${run.leaseId})`);
  return sql<boolean>`(id, lease_id) in (values ${sql.join(pairs)})`;
}

async function settleUndone(writer: Writer, run: EndedRun, now: number): Promise<boolean> {
  const { job, outcome } = run;
  // Locks the row if this worker still has the lease. Without it, the worker must not remove other jobs with the same unique key.
  if (!(await updateHeld(writer, run, { state: 'running' }))) return false;
  if (outcome.type !== 'dead') await makeRoom(writer, job);
  const uncounted = outcome.type === 'postponed' || outcome.type === 'returned' ? 1 : 0;
  await writer
    .updateTable('jobs')
    .set((column) => ({
      state: outcome.type === 'dead' ? 'dead' : 'waiting',
      finished_at: outcome.type === 'dead' ? now : null,
      ...('runAt' in outcome ? { run_at: outcome.runAt } : {}),
      ...('error' in outcome ? { last_error: outcome.error } : {}),
      attempts: column('attempts', '-', uncounted),
      lease_id: null,
      lease_until: null,
    }))
    .where('id', '=', job.id)
    .execute();
  return true;
}

/**
 * When a job with a unique key waits again, the earlier job is kept and a later one with the same key is removed. Does not see jobs of open
 * transactions; the next update then fails with a unique violation.
 */
async function makeRoom(writer: Writer, job: Pick<Job, 'id' | 'tenant' | 'kind' | 'uniqueKey'>): Promise<void> {
  if (job.uniqueKey === null) return;
  await sql`delete from jobs where tenant_id = ${job.tenant} and kind = ${job.kind} and unique_key = ${job.uniqueKey}
    and unique_key is not null and state = 'waiting' and id <> ${job.id}`.execute(writer);
}

export async function removeWaiting(
  writer: Writer,
  { tenant, kind, uniqueKey }: Pick<NewJob, 'tenant' | 'kind'> & { uniqueKey: string },
): Promise<void> {
  await makeRoom(writer, { id: '', tenant, kind, uniqueKey });
}

const TRIES = 5;

/** Retries after a unique violation: another transaction may have enqueued a job with the same unique key (see `makeRoom`). */
export async function writeUnique<Result>(
  database: Database,
  tenant: Tenant,
  work: (writer: Writer) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.write(tenant, work);
    } catch (error) {
      if (tries >= TRIES || !database.syntax.isUniqueViolation(error)) throw error;
    }
  }
}

/**
 * Call this in the transaction of the job's effects, so that both commit or neither. Throws `conflict` if another worker has taken over the
 * job, which rolls the transaction back.
 */
export async function completeJob(writer: Writer, run: LeasedRun, now: number): Promise<void> {
  if (!(await updateHeld(writer, run, { state: 'done', finished_at: now, lease_until: null }))) throw leaseLost(run);
}

/** Saves a job's progress in the transaction of its effects. Throws `conflict` like `completeJob`. */
export async function changePayload(writer: Writer, run: LeasedRun, payload: Json): Promise<void> {
  if (!(await updateHeld(writer, run, { payload: JSON.stringify(payload) }))) throw leaseLost(run);
}

async function updateHeld(writer: Writer, { job, leaseId }: LeasedRun, change: Partial<JobTable>): Promise<boolean> {
  const result = await writer
    .updateTable('jobs')
    .set(change)
    .where('id', '=', job.id)
    .where('lease_id', '=', leaseId)
    .where(sql<boolean>`state = 'running'`)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

function leaseLost({ job }: LeasedRun): VarveError {
  return conflict(`The lease of job ${job.id} is lost: another worker has taken it over.`);
}

/** Restarts a dead job with all of its attempts. Returns null if there is no such job, and throws `conflict` if it is not dead. */
export async function retryJob(
  database: Database,
  id: string,
  { clock, tenant = EVERY_TENANT }: TenantFilter & { clock: Clock },
): Promise<Job | null> {
  return writeUnique(database, tenant, async (writer) => {
    const job = await findJob(writer, id, tenant);
    if (job === null) return null;
    await makeRoom(writer, job);
    const { numAffectedRows = 0n } = await sql`
      update jobs set state = 'waiting', attempts = 0, run_at = ${clock.now()}, finished_at = null
      where id = ${id} and state = 'dead'`.execute(writer);
    if (numAffectedRows > 0n) return findJob(writer, id, tenant);
    throw conflict(`Job ${id} is ${job.state}: only a dead job can be retried.`);
  });
}

// In batches, so that other writers are never blocked for long, even if the jobs of years are removed.
const BATCH = 1000;

/** Several transactions. Keeps dead jobs for an operator. */
export async function removeDoneJobs(database: Database, before: number): Promise<number> {
  let removed = 0;
  for (let batch = BATCH; batch === BATCH; removed += batch) {
    const { numAffectedRows } = await database.write(EVERY_TENANT, (writer) =>
      sql`delete from jobs where id in (
        select id from jobs where state = 'done' and finished_at < ${before}
        order by finished_at limit ${BATCH})`.execute(writer),
    );
    batch = Number(numAffectedRows ?? 0);
  }
  return removed;
}
