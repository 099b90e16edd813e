import { sql } from 'kysely';
import { VarveError } from '../errors.ts';
import type { Writer } from '../store/database.ts';
import type { LeasedRun } from './renew-leases.ts';

/**
 * Marks a job as done within the transaction of its effects: both happen, or neither.
 * Throws `conflict`, and so takes the work back, when another worker has taken the job over.
 */
export async function completeJob(writer: Writer, { job, leaseId }: LeasedRun, now: number): Promise<void> {
  const result = await writer
    .updateTable('jobs')
    .set({ state: 'done', finished_at: now, lease_until: null })
    .where('id', '=', job.id)
    .where('lease_id', '=', leaseId)
    .where(sql<boolean>`state = 'running'`)
    .executeTakeFirst();
  if (result.numUpdatedRows > 0n) return;
  throw new VarveError(`The lease of job ${job.id} is lost: another worker has taken it over.`, { code: 'conflict' });
}
