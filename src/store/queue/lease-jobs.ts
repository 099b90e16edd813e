import { type RawBuilder, type Selectable, sql } from 'kysely';
import { DAY } from '../../record/clock.ts';
import { type Database, EVERY_TENANT, type Reader, type Writer } from '../database.ts';
import type { JobTable } from '../schema.ts';
import { type Job, type LeasedRun, toJob } from './job.ts';
import { type EndedRun, holds, settleJobs, writeUnique } from './settle-jobs.ts';

/** A worker's memory of whose turn it is. Matters only when more jobs are due than can run. */
interface FairTurns {
  /** Tenants with due jobs, the next in turn first, each with the priorities of its due jobs in ascending order. */
  queue: { tenant: string; priorities: number[] }[];
  left: number;
}

export function createFairTurns(): FairTurns {
  return { queue: [], left: 0 };
}

// Reading the queue costs a few microseconds per tenant with jobs. A tenant whose first job arrives between two readings waits for at most
// this many leases.
const LEASES_PER_READING = 16;

interface FairPick {
  database: Database;
  writer: Writer;
  eligible: RawBuilder<boolean>;
  now: number;
  limit: number;
}

/** Round robin between tenants: a tenant with ten thousand jobs gets as many turns as one with ten. May return fewer jobs than are due. */
async function pickFairly(turns: FairTurns, pick: FairPick): Promise<string[]> {
  if (turns.left <= 0 || turns.queue.length === 0) {
    turns.queue = await readQueue(pick, turns.queue);
    turns.left = LEASES_PER_READING;
  }
  turns.left -= 1;
  const inTurn = turns.queue.splice(0, pick.limit);
  if (inTurn.length === 0) return [];
  const share = Math.ceil(pick.limit / inTurn.length);
  const picked = await pickShares(pick, inTurn, share);
  for (const [index, turn] of inTurn.entries()) {
    // Fewer jobs than its share: the tenant has no more jobs of this priority, or another worker is leasing them.
    if ((picked[index]?.length ?? 0) < share) turn.priorities.shift();
    if (turn.priorities.length > 0) turns.queue.push(turn);
  }
  const rounds = Array.from({ length: share }, (_, round) => picked.flatMap((ids) => ids.slice(round, round + 1)));
  return rounds.flat().slice(0, pick.limit);
}

async function pickShares(pick: FairPick, inTurn: FairTurns['queue'], share: number): Promise<string[][]> {
  const parts = inTurn.map(
    ({ tenant, priorities }, index) => sql`select * from (
      select id, ${sql.lit(index)} as place from jobs
      where state = 'waiting' and tenant_id = ${tenant} and priority = ${priorities[0]} and run_at <= ${pick.now}
        and ${pick.eligible}
      order by run_at, id limit ${share} ${pick.database.syntax.skipLocked}) as part${sql.raw(String(index))}`,
  );
  const { rows } = await sql<{ id: string; place: number }>`${sql.join(parts, sql` union all `)}`.execute(pick.writer);
  return inTurn.map((_, index) => rows.filter((row) => Number(row.place) === index).map((row) => row.id));
}

/**
 * A loose index scan: steps from one tenant and priority to the next in the index, instead of reading every waiting job. The two columns
 * are not compared as a row value, because SQLite would then use only the tenant and read all of its jobs.
 */
async function readQueue({ writer, now }: FairPick, before: FairTurns['queue']): Promise<FairTurns['queue']> {
  const { rows } = await sql<{ tenant_id: string; priority: number }>`
    with recursive head (id) as (
      select * from (
        select id from jobs where state = 'waiting' order by tenant_id, priority, run_at, id limit 1) as first_head
      union all
      select coalesce(
        (select next.id from jobs as next
          where next.state = 'waiting' and next.tenant_id = jobs.tenant_id and next.priority > jobs.priority
          order by next.priority, next.run_at, next.id limit 1),
        (select next.id from jobs as next
          where next.state = 'waiting' and next.tenant_id > jobs.tenant_id
          order by next.tenant_id, next.priority, next.run_at, next.id limit 1))
      from head join jobs on jobs.id = head.id)
    select tenant_id, priority from head join jobs on jobs.id = head.id where run_at <= ${now}`.execute(writer);
  const due = new Map<string, number[]>();
  for (const row of rows) due.set(row.tenant_id, [...(due.get(row.tenant_id) ?? []), row.priority]);
  // Keeps the order of the tenants, so that reading the queue again does not always favour the same ones.
  const waited = before.map((turn) => turn.tenant).filter((tenant) => due.has(tenant));
  const order = new Set([...waited, ...due.keys()]);
  return [...order].map((tenant) => ({
    tenant,
    priorities: (due.get(tenant) ?? []).sort((one, other) => one - other),
  }));
}

interface LeaseRequest {
  database: Database;
  kinds: readonly string[];
  limit: number;
  now: number;
  leaseId: string;
  leaseUntil: number;
  turns: FairTurns;
}

/** Leases jobs whose lease has expired first, then due ones. Adds one to the attempts of each. */
async function leaseJobs(writer: Writer, request: LeaseRequest): Promise<Job[]> {
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

async function isAnythingDue(reader: Reader, kinds: readonly string[], now: number): Promise<boolean> {
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
        last_error = 'The worker ended or lost its connection to the database during the last attempt.'
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
  // If all due jobs fit, nobody has to wait for a turn.
  if (oldest.length < limit) return oldest;
  const inTurn = await pickFairly(turns, { database, writer, eligible: eligible(kinds), now, limit });
  return [...new Set([...inTurn, ...oldest])].slice(0, limit);
}

// `coalesce` corrects PostgreSQL's estimate. Without statistics, as in a queue that has just filled, PostgreSQL expects a plain condition
// on the kind to match very few jobs, and reads and sorts all due jobs instead of the first few in the index. With `coalesce`, it expects
// half of the jobs to match.
function ofKinds(kinds: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`coalesce(kind in (${sql.join(kinds)}), false)`;
}

// Excludes a job while another one with the same unique key is running.
function eligible(kinds: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`${ofKinds(kinds)} and (unique_key is null or not exists (
    select 1 from jobs as other where other.state = 'running' and other.unique_key is not null
      and other.tenant_id = jobs.tenant_id and other.kind = jobs.kind and other.unique_key = jobs.unique_key))`;
}

/** Returns the runs that have lost their lease. */
async function renewLeases<Run extends LeasedRun>(
  writer: Writer,
  runs: readonly Run[],
  { database, leaseUntil }: { database: Database; leaseUntil: number },
): Promise<Run[]> {
  if (runs.length === 0) return [];
  // Skips locked rows: the handler of such a job is just completing it, and waiting for the lock could end in a deadlock.
  await sql`
    update jobs set lease_until = ${leaseUntil} where id in (
      select id from jobs where state = 'running' and ${holds(runs)} ${database.syntax.skipLocked})`.execute(writer);
  const { rows } = await sql<{ id: string; lease_id: string }>`
    select id, lease_id from jobs where state = 'running' and ${holds(runs)}`.execute(writer);
  const held = new Set(rows.map((row) => `${row.id} ${row.lease_id}`));
  return runs.filter((run) => !held.has(`${run.job.id} ${run.leaseId}`));
}

export interface Turn<Run extends LeasedRun> extends LeaseRequest {
  ended: readonly EndedRun[];
  renew: readonly Run[];
}

export interface TurnResult<Run extends LeasedRun> {
  settled: ReadonlySet<EndedRun>;
  lost: Run[];
  leased: Job[];
}

/** One transaction for all three, because the flush to the disk costs more than all the rest. */
export async function takeTurn<Run extends LeasedRun>(turn: Turn<Run>): Promise<TurnResult<Run>> {
  const { database, ended, renew, now } = turn;
  return writeUnique(database, EVERY_TENANT, async (writer) => {
    const settled = await settleJobs(writer, ended, now);
    const lost = await renewLeases(writer, renew, turn);
    const leased = await leaseJobs(writer, turn);
    return { settled, lost, leased };
  });
}

/** Only reads, so an idle worker takes no write lock. */
export async function isTurnNeeded({ database, ended, renew, limit, kinds, now }: Turn<LeasedRun>): Promise<boolean> {
  if (ended.length > 0 || renew.length > 0) return true;
  return limit > 0 && database.read(EVERY_TENANT, (reader) => isAnythingDue(reader, kinds, now));
}

/**
 * Repairs times after the clock was set back: moves back waiting jobs created more than `skew` milliseconds in the future, and cuts leases
 * to at most one day from now.
 */
export async function bringJobsBack(writer: Writer, { now, skew }: { now: number; skew: number }): Promise<void> {
  await sql`update jobs set run_at = run_at - (created_at - ${now}), created_at = ${now}
    where state = 'waiting' and created_at > ${now + skew}`.execute(writer);
  await sql`update jobs set lease_until = ${now + DAY}
    where state = 'running' and lease_until > ${now + DAY}`.execute(writer);
}
