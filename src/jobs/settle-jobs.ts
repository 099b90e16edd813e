import { sql, type RawBuilder } from 'kysely';
import type { Writer } from '../store/database.ts';
import type { Job } from './job.ts';
import type { Outcome } from './outcome.ts';

/** A run that is over, with the lease that it had. */
export interface EndedRun {
  job: Job;
  leaseId: string;
  outcome: Outcome;
  /** The handler has called complete(): if nothing is left to settle, that is why. */
  completed: boolean;
}

/**
 * Writes down how runs ended. Only what still has its lease is written: the rest was taken over by another worker.
 * Returns the runs that were written down.
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

/** Locks the row if the lease is still ours: only then may anything be removed for its sake. */
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
 * Before a job with a unique key waits again: what was enqueued with its key in the meantime goes, since the earlier
 * one is kept. Where that row's transaction is still open, this one waits for its end.
 */
export async function makeRoom(writer: Writer, job: Pick<Job, 'id' | 'tenant' | 'kind' | 'uniqueKey'>): Promise<void> {
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
