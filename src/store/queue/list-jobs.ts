import { sql } from 'kysely';
import { z } from 'zod';
import { allOf, ofTenant, type Page, pageOf, rowsWhere } from '../rows.ts';
import { parse } from '../../record/parse.ts';
import { type Database, EVERY_TENANT, type Reader, type Tenant } from '../database.ts';
import { toJob, type Job, type JobState, type TenantFilter } from './job.ts';

export interface JobFilter extends TenantFilter {
  state?: JobState;
  kind?: string;
  /** Default 50, at most 500. */
  limit?: number;
  /** The cursor of the previous page. */
  cursor?: string;
}

export interface JobCount {
  kind: string;
  state: JobState;
  count: number;
}

const pageSchema = z.object({
  state: z.enum(['waiting', 'running', 'done', 'dead']).optional(),
  kind: z.string().optional(),
  limit: z.int().min(1).max(500).default(50),
  cursor: z.string().startsWith('job_', 'expected the cursor of an earlier page').optional(),
});

export async function listJobs(database: Database, filter: JobFilter = {}): Promise<Page<Job>> {
  const { tenant = EVERY_TENANT, ...rest } = filter;
  const { state, kind, limit, cursor } = parse(pageSchema, rest, 'The filter of jobs');
  const isMeant = allOf([
    ofTenant(tenant),
    state !== undefined && sql`state = ${sql.lit(state)}`,
    kind !== undefined && sql`kind = ${kind}`,
    cursor !== undefined && sql`id < ${cursor}`,
  ]);
  const rows = await database.read(tenant, (reader) =>
    rowsWhere(reader, 'jobs', sql`${isMeant} order by id desc limit ${limit + 1}`),
  );
  return pageOf(rows, limit, toJob);
}

export async function waitingJobs(reader: Reader, kind: string, limit: number): Promise<Job[]> {
  const isWaiting = sql`state = 'waiting' and kind = ${kind} order by run_at, id limit ${limit}`;
  return (await rowsWhere(reader, 'jobs', isWaiting)).map(toJob);
}

export async function getJob(
  database: Database,
  id: string,
  { tenant = EVERY_TENANT }: TenantFilter = {},
): Promise<Job | null> {
  return database.read(tenant, (reader) => findJob(reader, id, tenant));
}

export async function findJob(reader: Reader, id: string, tenant: Tenant): Promise<Job | null> {
  const [row] = await rowsWhere(reader, 'jobs', sql`id = ${id} and ${ofTenant(tenant)}`);
  return row === undefined ? null : toJob(row);
}

export async function countJobs(database: Database, { tenant = EVERY_TENANT }: TenantFilter = {}): Promise<JobCount[]> {
  const { rows } = await database.read(tenant, (reader) =>
    sql<JobCount>`select kind, state, count(*) as count from jobs where ${ofTenant(tenant)}
      group by kind, state order by kind, state`.execute(reader),
  );
  return rows;
}
