import { sql } from 'kysely';
import type { Database, Writer } from '../store/database.ts';
import type { Job } from './job.ts';
import { holds } from './settle-jobs.ts';

/** A run that is under way. */
export interface LeasedRun {
  job: Job;
  leaseId: string;
}

/** Extends leases and returns the runs that have lost theirs. */
export async function renewLeases<Run extends LeasedRun>(
  writer: Writer,
  runs: readonly Run[],
  { database, leaseUntil }: { database: Database; leaseUntil: number },
): Promise<Run[]> {
  if (runs.length === 0) return [];
  // A row that is locked is just being completed by its own handler: waiting for it could end in a deadlock.
  await sql`
    update jobs set lease_until = ${leaseUntil} where id in (
      select id from jobs where state = 'running' and ${holds(runs)} ${database.syntax.skipLocked})`.execute(writer);
  const { rows } = await sql<{ id: string; lease_id: string }>`
    select id, lease_id from jobs where state = 'running' and ${holds(runs)}`.execute(writer);
  const held = new Set(rows.map((row) => `${row.id} ${row.lease_id}`));
  return runs.filter((run) => !held.has(`${run.job.id} ${run.leaseId}`));
}
