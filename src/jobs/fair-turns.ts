import { sql, type RawBuilder } from 'kysely';
import type { Database, Writer } from '../store/database.ts';

/** Whose turn it is when more jobs are due than can be run: a worker's memory between leases. */
export interface FairTurns {
  /** Tenants with due jobs, the next in turn first, each with the priorities that it has due, in order. */
  queue: { tenant: string; priorities: number[] }[];
  /** How many more leases go by this queue before it is read again. */
  left: number;
}

/** Makes an empty memory. */
export function createFairTurns(): FairTurns {
  return { queue: [], left: 0 };
}

// Reading the queue costs a few microseconds for every tenant that has jobs. A tenant that comes in between
// waits for this many leases at the most.
const LEASES_PER_READING = 16;

export interface FairPick {
  database: Database;
  writer: Writer;
  /** What a job must be to be taken, about the table `jobs`. */
  eligible: RawBuilder<boolean>;
  now: number;
  limit: number;
}

/**
 * The ids of up to `limit` due jobs, the tenants taking turns: one with ten thousand jobs gets as many as one with ten.
 * May give fewer than there are.
 */
export async function pickFairly(turns: FairTurns, pick: FairPick): Promise<string[]> {
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
    // Less than its share: nothing more of this priority, or another worker is at it.
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
 * Steps from one tenant and priority to the next in the index, instead of reading every job that waits. Not by
 * comparing both as a row: SQLite then uses the tenant only and reads all of its jobs.
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
  return inOrderOfTurn(due, before);
}

// Who was next in turn stays next, so that reading again does not begin with the same tenants every time.
function inOrderOfTurn(due: Map<string, number[]>, before: FairTurns['queue']): FairTurns['queue'] {
  const waited = before.map((turn) => turn.tenant).filter((tenant) => due.has(tenant));
  const order = new Set([...waited, ...due.keys()]);
  return [...order].map((tenant) => ({
    tenant,
    priorities: (due.get(tenant) ?? []).sort((one, other) => one - other),
  }));
}
