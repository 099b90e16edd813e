import { type RawBuilder, sql } from 'kysely';
import { VarveError } from '../../errors.ts';
import type { Clock } from '../../record/clock.ts';
import { parse, type TimeInput, timeSchema } from '../../record/parse.ts';
import { type Database, EVERY_TENANT, type Tenant, type Writer } from '../database.ts';
import type { JobTable } from '../schema.ts';
import { type Job, type Json, type LeasedRun, type NewJob, type TenantFilter, toJob } from './job.ts';

/** How a run ended. `returned`: a stop has aborted the run, which does not count as an attempt. */
export type Outcome =
  | { type: 'done' }
  | { type: 'retried'; runAt: number; error: string }
  | { type: 'dead'; error: string }
  | { type: 'postponed'; runAt: number; error: string }
  | { type: 'returned' };

export interface EndedRun {
  job: Job;
  leaseId: string;
  outcome: Outcome;
  /** Whether the handler has called complete(). If the run can then no longer be settled, the job is done and not lost. */
  completed: boolean;
}

/**
 * Records the outcomes of runs. Only runs that still have their lease are recorded, because the other jobs are done already or were taken
 * over by another worker. Returns the recorded runs.
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

/** The rows that have the lease of one of the runs. */
export function holds(runs: readonly Pick<EndedRun, 'job' | 'leaseId'>[]): RawBuilder<boolean> {
  const pairs = runs.map((run) => sql`(${run.job.id}, ${run.leaseId})`);
  return sql<boolean>`(id, lease_id) in (values ${sql.join(pairs)})`;
}

async function settleUndone(writer: Writer, run: EndedRun, now: number): Promise<boolean> {
  const { job, outcome } = run;
  if (!(await takeHold(writer, run))) return false;
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

/** Locks the row if this worker still has the lease. Only then may jobs with the same unique key be removed. */
async function takeHold(writer: Writer, { job, leaseId }: EndedRun): Promise<boolean> {
  const result = await writer
    .updateTable('jobs')
    .set((column) => ({ lease_until: column.ref('lease_until') }))
    .where('id', '=', job.id)
    .where('lease_id', '=', leaseId)
    .where(sql<boolean>`state = 'running'`)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Before a job with a unique key waits again, a job that was enqueued with the same key meanwhile is removed, because the earlier job is
 * kept. A row of a transaction that is still open is not removed: the update that follows then fails with a unique violation.
 */
async function makeRoom(writer: Writer, job: Pick<Job, 'id' | 'tenant' | 'kind' | 'uniqueKey'>): Promise<void> {
  if (job.uniqueKey === null) return;
  await writer
    .deleteFrom('jobs')
    .where('tenant_id', '=', job.tenant)
    .where('kind', '=', job.kind)
    .where('unique_key', '=', job.uniqueKey)
    .where(sql<boolean>`unique_key is not null and state = 'waiting'`)
    .where('id', '<>', job.id)
    .execute();
}

/** Removes a job that still waits, because its work was done in another way. */
export async function removeWaiting(
  writer: Writer,
  { tenant, kind, uniqueKey }: Pick<NewJob, 'tenant' | 'kind'> & { uniqueKey: string },
): Promise<void> {
  await makeRoom(writer, { id: '', tenant, kind, uniqueKey });
}

const TRIES = 5;

/**
 * Runs a transaction that returns jobs to the waiting state, and repeats it after a unique violation: another transaction may have enqueued
 * a job with the same unique key meanwhile, see `makeRoom`.
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
 * Marks a job as done within the transaction of its effects, so that both are committed or neither. Throws `conflict`, which rolls the
 * transaction back, when another worker has taken over the job.
 */
export async function completeJob(writer: Writer, run: LeasedRun, now: number): Promise<void> {
  await updateHeld(writer, run, { state: 'done', finished_at: now, lease_until: null });
}

/**
 * Changes the payload of a job that continues, within the transaction of its effects. Throws `conflict` when another worker has taken over
 * the job.
 */
export async function changePayload(writer: Writer, run: LeasedRun, payload: Json): Promise<void> {
  await updateHeld(writer, run, { payload: JSON.stringify(payload) });
}

async function updateHeld(
  writer: Writer,
  { job, leaseId }: LeasedRun,
  change: Partial<Pick<JobTable, 'state' | 'finished_at' | 'lease_until' | 'payload'>>,
): Promise<void> {
  const result = await writer
    .updateTable('jobs')
    .set(change)
    .where('id', '=', job.id)
    .where('lease_id', '=', leaseId)
    .where(sql<boolean>`state = 'running'`)
    .executeTakeFirst();
  if (result.numUpdatedRows > 0n) return;
  throw new VarveError(`The lease of job ${job.id} is lost: another worker has taken it over.`, { code: 'conflict' });
}

/**
 * Makes a dead job run again, at once and with all of its attempts. Its last error stays until the next one. Returns null if the job does
 * not exist, and throws `conflict` if it is not dead.
 */
export async function retryJob(
  database: Database,
  id: string,
  { clock, tenant = EVERY_TENANT }: TenantFilter & { clock: Clock },
): Promise<Job | null> {
  return writeUnique(database, tenant, async (writer) => {
    const query = writer.selectFrom('jobs').selectAll().where('id', '=', id);
    const row = await (tenant === EVERY_TENANT ? query : query.where('tenant_id', '=', tenant)).executeTakeFirst();
    if (row === undefined) return null;
    const change = { state: 'waiting', attempts: 0, run_at: clock.now(), finished_at: null };
    await makeRoom(writer, toJob(row));
    const result = await writer
      .updateTable('jobs')
      .set(change)
      .where('id', '=', id)
      .where('state', '=', 'dead')
      .executeTakeFirst();
    if (result.numUpdatedRows > 0n) return toJob({ ...row, ...change });
    throw new VarveError(`Job ${id} is ${row.state}: only a dead job can be retried.`, { code: 'conflict' });
  });
}

// Small enough that removing the jobs of years does not block other writers.
const BATCH = 1000;

interface RemoveEndedJobs extends TenantFilter {
  /** Jobs that ended before this time. */
  before: TimeInput;
  /** Default: done jobs only. Dead jobs are kept until an operator has looked at them. */
  states?: readonly ('done' | 'dead')[];
}

/** Removes jobs that have ended, in several transactions. Returns the number of removed jobs. */
export async function removeEndedJobs(database: Database, options: RemoveEndedJobs): Promise<number> {
  const { tenant = EVERY_TENANT, states = ['done'] } = options;
  const before = parse(timeSchema, options.before, 'The time').getTime();
  let removed = 0;
  for (const state of states) {
    for (let batch = BATCH; batch === BATCH; removed += batch) {
      batch = await removeBatch(database, { tenant, state, before });
    }
  }
  return removed;
}

async function removeBatch(
  database: Database,
  { tenant, state, before }: { tenant: TenantFilter['tenant'] & {}; state: string; before: number },
): Promise<number> {
  const result = await database.write(tenant, (writer) =>
    writer
      .deleteFrom('jobs')
      .where('id', 'in', (from) => {
        const ended = from
          .selectFrom('jobs')
          .select('id')
          .where('state', '=', state)
          .where('finished_at', '<', before)
          .orderBy('finished_at')
          .limit(BATCH);
        return tenant === EVERY_TENANT ? ended : ended.where('tenant_id', '=', tenant);
      })
      .executeTakeFirst(),
  );
  return Number(result.numDeletedRows);
}
