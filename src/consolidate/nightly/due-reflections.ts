import { sql, type RawBuilder } from 'kysely';
import { enqueueJobs } from '../../store/queue/enqueue.ts';
import { knownTimeZone, nextDue } from '../../jobs/schedules.ts';
import { DAY } from '../../record/clock.ts';
import type { Scope } from '../../record/scope.ts';
import { EVERY_TENANT, type Reader, type Writer } from '../../store/database.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';

interface DueRow {
  tenant_id: string;
  owner_key: string;
  agent_id: string | null;
  user_id: string | null;
  time_zone: string | null;
  reflection_hour: number | null;
  next_reflection_at: number | null;
  created_at: number;
  has_news: number | boolean;
}

const OWNERS_AT_ONCE = 500;

/** When an owner's next reflection is due after a time: at their hour, in their time zone. */
export function nextReflection(
  settings: { hour: number; timeZone: string },
  own: { reflectionHour: number | null; timeZone: string | null },
  after: number,
): number {
  const cron = `0 ${own.reflectionHour ?? settings.hour} * * *`;
  return nextDue({ cron, timeZone: knownTimeZone(own.timeZone, settings.timeZone) }, after);
}

/**
 * Since when what was said is to be reflected on: the last reflection, however long ago that was, or the beginning. A reflection in the
 * future was noted by a clock that has been put back since: then a day ago.
 */
export function reflectedSince(reflectedUntil: number | null, now: number): number {
  if (reflectedUntil === null) return 0;
  return reflectedUntil > now ? now - DAY : reflectedUntil;
}

/**
 * The owners within a scope who have said something since their last reflection: all users of a tenant, of one agent, or one user
 * with all agents.
 */
export async function ownersWithNews(reader: Reader, scope: Scope, now: number): Promise<Scope[]> {
  const agent = scope.agent === null ? sql`1 = 1` : sql`o.agent_id = ${scope.agent}`;
  const user = scope.user === null ? sql`o.user_id is not null` : sql`o.user_id = ${scope.user}`;
  const { rows } = await sql<Pick<DueRow, 'tenant_id' | 'agent_id' | 'user_id'>>`
    select o.tenant_id, o.agent_id, o.user_id
    from owners o left join owner_progress p on p.tenant_id = o.tenant_id and p.owner_key = o.owner_key
    where o.tenant_id = ${scope.tenant} and ${agent} and ${user} and ${hasNews(now)}
    order by o.owner_key`.execute(reader);
  return rows.map(scopeOf);
}

/** Whether an owner `o` with its progress `p` has said something that was not reflected on. */
function hasNews(now: number): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from events e where e.tenant_id = o.tenant_id and e.owner_key = o.owner_key
    and e.kind = 'message' and e.recorded_at <= ${now} and e.recorded_at >
      case when p.reflected_until is null then 0 when p.reflected_until <= ${now} then p.reflected_until
        else ${now - DAY} end)`;
}

// A due time is at most a day away, or a little more when the clocks change.
const FARTHEST = 2 * DAY;

/**
 * Queues a reflection for every user whose hour has come and who has said something since the last one. The due time
 * moves on in the same transaction, so that it is used once, however many processes look.
 */
export async function queueDueReflections(deps: ConsolidateDeps): Promise<number> {
  let queued = 0;
  for (;;) {
    const { seen, enqueued } = await deps.database.write(EVERY_TENANT, (writer) => queueSome(writer, deps));
    queued += enqueued;
    if (seen < OWNERS_AT_ONCE) return queued;
  }
}

async function queueSome(writer: Writer, deps: ConsolidateDeps): Promise<{ seen: number; enqueued: number }> {
  const now = deps.clock.now();
  const { rows } = await sql<DueRow>`
    select o.tenant_id, o.owner_key, o.agent_id, o.user_id, p.time_zone, p.reflection_hour, p.next_reflection_at,
      o.created_at, ${hasNews(now)} as has_news
    from owners o left join owner_progress p on p.tenant_id = o.tenant_id and p.owner_key = o.owner_key
    where o.user_id is not null and (p.next_reflection_at is null or p.next_reflection_at <= ${now}
      or p.next_reflection_at > ${now + FARTHEST})
    order by o.tenant_id, o.owner_key limit ${OWNERS_AT_ONCE}`.execute(writer);
  const due: DueRow[] = [];
  for (const row of rows) {
    const { hour, timeZone } = deps.consolidation.nightly;
    const own = { reflectionHour: row.reflection_hour, timeZone: row.time_zone };
    const dueAt = dueTime(row, now) ?? nextReflection({ hour, timeZone }, own, beganAt(row, now));
    const isDue = dueAt <= now;
    const next = isDue ? nextReflection({ hour, timeZone }, own, now) : dueAt;
    if ((await moveOn(writer, row, next)) && isDue && Boolean(row.has_news)) due.push(row);
  }
  const jobs = due.map((row) => ({
    kind: 'reflect',
    tenant: row.tenant_id,
    ownerKey: row.owner_key,
    uniqueKey: row.owner_key,
    payload: { scope: { ...scopeOf(row) } },
  }));
  if (jobs.length > 0) await enqueueJobs(writer, jobs, deps);
  return { seen: rows.length, enqueued: jobs.length };
}

/** Null: there is none yet, or the clock was put back since. */
function dueTime({ next_reflection_at }: DueRow, now: number): number | null {
  return next_reflection_at !== null && next_reflection_at <= now + FARTHEST ? next_reflection_at : null;
}

/** One that was never looked at may have missed its first hour already. */
function beganAt({ next_reflection_at, created_at }: DueRow, now: number): number {
  return next_reflection_at === null ? Math.min(created_at, now) : now;
}

/** Only one of those who saw the same due time gets to move it. */
async function moveOn(writer: Writer, row: DueRow, next: number): Promise<boolean> {
  const result = await sql`
    insert into owner_progress (tenant_id, owner_key, agent_id, user_id, next_reflection_at, event_row, memory_row, consolidated_version)
    values (${row.tenant_id}, ${row.owner_key}, ${row.agent_id}, ${row.user_id}, ${next}, 0, 0, 0)
    on conflict (tenant_id, owner_key) do update set next_reflection_at = ${next}
      where owner_progress.next_reflection_at is null or owner_progress.next_reflection_at = ${row.next_reflection_at}
    returning owner_key`.execute(writer);
  return result.rows.length > 0;
}

function scopeOf(row: Pick<DueRow, 'tenant_id' | 'agent_id' | 'user_id'>): Scope {
  return { tenant: row.tenant_id, agent: row.agent_id, user: row.user_id, session: null, connection: null };
}
