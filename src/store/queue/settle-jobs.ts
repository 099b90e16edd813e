import { type RawBuilder, sql } from 'kysely';
import { conflict, type VarveError } from '../../errors.ts';
import type { Clock } from '../../record/clock.ts';
import { type Database, EVERY_TENANT, type Tenant, type Writer } from '../database.ts';
import type { JobTable } from '../schema.ts';
import type { Job, Json, LeasedRun, NewJob, TenantFilter } from './job.ts';
import { findJob } from './list-jobs.ts';

/** How a run ended. `returned`: it was aborted because the worker stopped, so it does not count as an attempt. */
export type Outcome =
  | { type: 'done' }
  | { type: 'retried'; runAt: number; error: string }
  | { type: 'dead'; error: string }
  | { type: 'postponed'; runAt: number; error: string }
  | { type: 'returned' };

export interface EndedRun extends LeasedRun {
  outcome: Outcome;
  /** Whether the handler has called complete(). If the run then no longer has its lease, its job is done and not lost. */
  completed: boolean;
}

/**
 * Records the outcomes of runs. Skips runs without a lease: their jobs are done already, or another worker has taken them over. Returns the
 * recorded runs.
 */
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

/** Selects the rows whose lease one of the runs has. */
export function holds(runs: readonly Pick<EndedRun, 'job' | 'leaseId'>[]): RawBuilder<boolean> {
  const pairs = runs.map((run) => sql`(${run.job.id}, ${run.leaseId})`);
  return sql<boolean>`(id, lease_id) in (values ${sql.join(pairs)})`;
}

async function settleUndone(writer: Writer, run: EndedRun, now: number): Promise<boolean> {
  const { job, outcome } = run;
  // Locks the row if this worker still has the lease. Without the lease, it must not remove other jobs with the same unique key.
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
 * Makes room before a job with a unique key waits again: removes a job that was enqueued with the same key meanwhile, because the earlier
 * job is kept. Does not see jobs of open transactions; the next update then fails with a unique violation.
 */
async function makeRoom(writer: Writer, job: Pick<Job, 'id' | 'tenant' | 'kind' | 'uniqueKey'>): Promise<void> {
  if (job.uniqueKey === null) return;
  await sql`delete from jobs where tenant_id = ${job.tenant} and kind = ${job.kind} and unique_key = ${job.uniqueKey}
    and unique_key is not null and state = 'waiting' and id <> ${job.id}`.execute(writer);
}

/** Removes a waiting job because its work is already done. */
export async function removeWaiting(
  writer: Writer,
  { tenant, kind, uniqueKey }: Pick<NewJob, 'tenant' | 'kind'> & { uniqueKey: string },
): Promise<void> {
  await makeRoom(writer, { id: '', tenant, kind, uniqueKey });
}

const TRIES = 5;

/**
 * Runs a transaction that makes jobs wait again. Repeats it after a unique violation, because another transaction may have enqueued a job
 * with the same unique key meanwhile (see `makeRoom`).
 */
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
 * Marks a job as done in the transaction of its effects, so that both are committed or neither. If another worker has taken over the job,
 * throws `conflict`, which rolls the transaction back.
 */
export async function completeJob(writer: Writer, run: LeasedRun, now: number): Promise<void> {
  if (!(await updateHeld(writer, run, { state: 'done', finished_at: now, lease_until: null }))) throw leaseLost(run);
}

/** Saves a job's progress as its payload, in the transaction of its effects. Throws `conflict` like `completeJob`. */
export async function changePayload(writer: Writer, run: LeasedRun, payload: Json): Promise<void> {
  if (!(await updateHeld(writer, run, { payload: JSON.stringify(payload) }))) throw leaseLost(run);
}

/** Changes the row of a running job. Returns false if this worker has lost the lease. */
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

/**
 * Restarts a dead job immediately, with all of its attempts. Its last error stays until the next one. Returns null if there is no such job,
 * and throws `conflict` if it is not dead.
 */
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

// Removes this many jobs at a time, so that other writers are never blocked for long, even if the jobs of years are removed.
const BATCH = 1000;

/**
 * Removes all tenants' jobs that were done before a given time, in several transactions. Keeps dead jobs until an operator has looked at
 * them. Returns how many were removed.
 */
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
