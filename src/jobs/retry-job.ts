import { VarveError } from '../errors.ts';
import type { Clock } from '../record/clock.ts';
import { EVERY_TENANT, type Database } from '../store/database.ts';
import { toJob, type Job, type TenantFilter } from './job.ts';
import { makeRoom } from './settle-jobs.ts';

/**
 * Lets a dead job run again, at once and with all its attempts. Its last error stays until the next.
 * Null if there is no such job; throws `conflict` if it is not dead.
 */
export async function retryJob(
  database: Database,
  id: string,
  { clock, tenant = EVERY_TENANT }: TenantFilter & { clock: Clock },
): Promise<Job | null> {
  return database.write(tenant, async (writer) => {
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
