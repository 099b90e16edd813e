import { sql } from 'kysely';
import { VarveError } from '../errors.ts';
import type { Writer } from '../store/database.ts';
import type { Json } from './job.ts';
import type { JobTable } from '../store/schema.ts';
import type { LeasedRun } from './renew-leases.ts';

/**
 * Marks a job as done within the transaction of its effects: both happen, or neither.
 * Throws `conflict`, and so takes the work back, when another worker has taken the job over.
 */
export async function completeJob(writer: Writer, run: LeasedRun, now: number): Promise<void> {
  await updateHeld(writer, run, { state: 'done', finished_at: now, lease_until: null });
}

/** Gives a job that goes on another payload within the transaction of its effects. Throws `conflict` likewise. */
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
