import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Database, EVERY_TENANT, type Reader, type Writer } from '../store/database.ts';
import type { JobTable } from '../store/schema.ts';
import { type FairTurns, pickFairly } from './fair-turns.ts';
import { type Job, type LeasedRun, type RunningJob, toJob } from './job.ts';
import { type EndedRun, holds, settleJobs } from './settle-jobs.ts';

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

/** What a worker brings to the database at one time. */
export interface Turn extends LeaseRequest {
  ended: readonly EndedRun[];
  renew: readonly RunningJob[];
}

/** What it takes away. */
export interface TurnResult {
  settled: ReadonlySet<EndedRun>;
  lost: RunningJob[];
  leased: Job[];
}

// A unique key can be enqueued in the very moment in which a job with that key goes back to wait.
const TRIES = 5;

/**
 * Settles what has ended, renews what runs and takes new jobs, in one transaction: a flush to the disk costs
 * more than all the rest, so that small jobs are as fast as many of them share one.
 */
export async function takeTurn(turn: Turn): Promise<TurnResult> {
  const { database, ended, renew, now } = turn;
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.write(EVERY_TENANT, async (writer) => {
        const settled = await settleJobs(writer, ended, now);
        const lost = await renewLeases(writer, renew, turn);
        const leased = await leaseJobs(writer, turn);
        return { settled, lost, leased };
      });
    } catch (error) {
      if (tries >= TRIES || !database.syntax.isUniqueViolation(error)) throw error;
    }
  }
}

/** Whether a turn would do anything. Only reads, so that an idle worker is in nobody's way. */
export async function isTurnNeeded({ database, ended, renew, limit, kinds, now }: Turn): Promise<boolean> {
  if (ended.length > 0 || renew.length > 0) return true;
  return limit > 0 && database.read(EVERY_TENANT, (reader) => isAnythingDue(reader, kinds, now));
}
