import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Database, Reader, Writer } from '../store/database.ts';
import type { JobTable } from '../store/schema.ts';
import { pickFairly, type FairTurns } from './fair-turns.ts';
import { toJob, type Job } from './job.ts';

/** What a worker can take. */
export interface LeaseRequest {
  database: Database;
  /** The kinds that it has handlers for: others wait for a worker that knows them. */
  kinds: readonly string[];
  limit: number;
  now: number;
  leaseId: string;
  leaseUntil: number;
  turns: FairTurns;
}

/** Takes jobs whose lease ran out and jobs that are due, at most `limit`, and counts an attempt for each. */
export async function leaseJobs(writer: Writer, request: LeaseRequest): Promise<Job[]> {
  if (request.limit <= 0 || request.kinds.length === 0) return [];
  const expired = await pickExpired(writer, request);
  const due = await pickDue(writer, { ...request, limit: request.limit - expired.length });
  const ids = [...expired, ...due];
  if (ids.length === 0) return [];
  const { rows } = await sql<Selectable<JobTable>>`
    update jobs set state = 'running', attempts = attempts + 1,
      lease_id = ${request.leaseId}, lease_until = ${request.leaseUntil}
    where id in (${sql.join(ids)}) returning *`.execute(writer);
  const place = new Map(ids.map((id, index) => [id, index]));
  return rows.sort((one, other) => (place.get(one.id) ?? 0) - (place.get(other.id) ?? 0)).map(toJob);
}

/** Whether a lease would find something, without taking the lock that writing takes. */
export async function isAnythingDue(reader: Reader, kinds: readonly string[], now: number): Promise<boolean> {
  if (kinds.length === 0) return false;
  const { rows } = await sql<{ found: number }>`
    select 1 as found where exists (
        select 1 from jobs where state = 'waiting' and run_at <= ${now} and ${eligible(kinds)})
      or exists (
        select 1 from jobs where state = 'running' and lease_until <= ${now} and ${ofKinds(kinds)})`.execute(reader);
  return rows.length > 0;
}

async function pickExpired(writer: Writer, { database, kinds, limit, now }: LeaseRequest): Promise<string[]> {
  const { rows } = await sql<Pick<JobTable, 'id' | 'attempts' | 'max_attempts'>>`
    select id, attempts, max_attempts from jobs
    where state = 'running' and lease_until <= ${now} and ${ofKinds(kinds)}
    order by lease_until limit ${limit} ${database.syntax.skipLocked}`.execute(writer);
  const hopeless = rows.filter((row) => row.attempts >= row.max_attempts).map((row) => row.id);
  if (hopeless.length > 0) {
    await sql`
      update jobs set state = 'dead', finished_at = ${now}, lease_id = null, lease_until = null,
        last_error = 'The worker ended, or lost touch with the database, in the middle of the last attempt.'
      where id in (${sql.join(hopeless)})`.execute(writer);
  }
  return rows.map((row) => row.id).filter((id) => !hopeless.includes(id));
}

async function pickDue(writer: Writer, request: LeaseRequest): Promise<string[]> {
  const { database, kinds, limit, now, turns } = request;
  if (limit <= 0) return [];
  const { rows } = await sql<{ id: string }>`
    select id from jobs where state = 'waiting' and run_at <= ${now} and ${eligible(kinds)}
    order by run_at, id limit ${limit} ${database.syntax.skipLocked}`.execute(writer);
  const oldest = rows.map((row) => row.id);
  // All that is due fits: nobody has to wait for a turn.
  if (oldest.length < limit) return oldest;
  const inTurn = await pickFairly(turns, { database, writer, eligible: eligible(kinds), now, limit });
  return [...new Set([...inTurn, ...oldest])].slice(0, limit);
}

// Without statistics, as in a queue that has just filled, PostgreSQL takes a plain condition on the kind for so rare
// that it reads and sorts all due jobs instead of the first few in the index. It guesses one in two for this form.
function ofKinds(kinds: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`coalesce(kind in (${sql.join(kinds)}), false)`;
}

// Of two jobs with one unique key, the second starts when the first has ended.
function eligible(kinds: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`${ofKinds(kinds)} and (unique_key is null or not exists (
    select 1 from jobs as other where other.state = 'running' and other.unique_key is not null
      and other.tenant_id = jobs.tenant_id and other.kind = jobs.kind and other.unique_key = jobs.unique_key))`;
}
