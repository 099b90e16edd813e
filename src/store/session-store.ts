import { type Selectable, sql } from 'kysely';
import { DAY } from '../record/clock.ts';
import type { Event } from '../record/event.ts';
import type { Scope } from '../record/scope.ts';
import { EMPTY_SESSION_STATE, type Session, type SessionState, type ToolSchema } from '../record/session.ts';
import { type Database, EVERY_TENANT, type Reader, type Writer } from './database.ts';
import { toEvent } from './record-rows.ts';
import type { SessionTable } from './schema.ts';
import { insertion, isIn, ofOwner, ofSession, ownerColumns, rowsWhere, scopeOfRow } from './rows.ts';

/** Milliseconds after the session's last event. */
const STATE_LIFETIME = DAY;

type SessionRow = Selectable<SessionTable>;

const PLACE = ['tenant_id', 'agent_id', 'user_id', 'session_id'] as const;
type SessionPlace = Pick<SessionRow, (typeof PLACE)[number]>;

function toSession(row: SessionRow, now: number): Session {
  const expiresAt = row.last_event_at + STATE_LIFETIME;
  return {
    scope: scopeOfRow(row),
    status: row.status,
    startedAt: new Date(row.started_at),
    lastEventAt: new Date(row.last_event_at),
    expiresAt: new Date(expiresAt),
    eventCount: row.event_count,
    formedPosition: row.formed_position,
    messagesSinceFormation: row.messages_since,
    weightedTokensSinceFormation: row.weighted_tokens_since,
    state: expiresAt <= now ? EMPTY_SESSION_STATE : (JSON.parse(row.state) as SessionState),
  };
}

export async function findSession(reader: Reader, scope: Scope, now: number): Promise<Session | null> {
  const [row] = await rowsWhere(reader, 'sessions', ofSession(scope));
  return row === undefined ? null : toSession(row, now);
}

interface SessionGrowth {
  events: number;
  messages: number;
  weightedTokens: number;
}

/** Opens or reopens a session. Returns the first of the reserved positions. */
export async function growSession(writer: Writer, scope: Scope, growth: SessionGrowth, now: number): Promise<number> {
  const row: SessionRow = {
    ...ownerColumns(scope),
    session_id: scope.session ?? '',
    status: 'open',
    started_at: now,
    last_event_at: now,
    event_count: growth.events,
    formed_position: 0,
    messages_since: growth.messages,
    weighted_tokens_since: growth.weightedTokens,
    state: JSON.stringify(EMPTY_SESSION_STATE),
  };
  const { rows } = await sql<Pick<SessionRow, 'event_count'>>`
    ${insertion('sessions', [row])} on conflict (tenant_id, owner_key, session_id) do update set
      status = excluded.status, last_event_at = excluded.last_event_at,
      event_count = sessions.event_count + excluded.event_count,
      messages_since = sessions.messages_since + excluded.messages_since,
      weighted_tokens_since = sessions.weighted_tokens_since + excluded.weighted_tokens_since
    returning event_count`.execute(writer);
  return rows[0]!.event_count - growth.events;
}

export async function updateSession(
  writer: Writer,
  scope: Scope,
  fields: { status?: Session['status']; state?: SessionState },
): Promise<void> {
  await writer
    .updateTable('sessions')
    .set({ status: fields.status, state: fields.state && JSON.stringify(fields.state) })
    .where(ofSession(scope))
    .execute();
}

/** The first event and the latest ones, at most `size` together. */
export async function sessionWindow(reader: Reader, scope: Scope, session: Session, size: number): Promise<Event[]> {
  const from = Math.max(session.eventCount - (size - 1), 1);
  const isShown = sql`${ofSession(scope)} and (position = 0 or position >= ${from}) order by position`;
  return (await rowsWhere(reader, 'events', isShown)).map(toEvent);
}

/** `to` is exclusive. */
export async function listSessionEvents(reader: Reader, scope: Scope, from: number, to: number): Promise<Event[]> {
  const isBetween = sql`${ofSession(scope)} and position >= ${from} and position < ${to} order by position`;
  return (await rowsWhere(reader, 'events', isBetween)).map(toEvent);
}

export async function markProcessed(
  writer: Writer,
  tenant: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  if (ids.length === 0) return;
  await sql`update events set processed_at = ${now}, last_error = null
    where tenant_id = ${tenant} and ${isIn('id', ids)}`.execute(writer);
}

/** Compare-and-set: returns false and changes nothing if the cursor is not at `from`, because another formation has committed first. */
export async function advanceFormation(
  writer: Writer,
  scope: Scope,
  { from, to, messages, weightedTokens }: { from: number; to: number; messages: number; weightedTokens: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update sessions set formed_position = ${to},
      messages_since = case when messages_since > ${messages} then messages_since - ${messages} else 0 end,
      weighted_tokens_since = case when weighted_tokens_since > ${weightedTokens}
        then weighted_tokens_since - ${weightedTokens} else 0 end
    where ${ofSession(scope)} and formed_position = ${from}`.execute(writer);
  return Number(numAffectedRows ?? 0) > 0;
}

/** Skips the last event, whose memory was formed in another way. Does nothing if an earlier event is still unread. */
export async function passFormation(writer: Writer, scope: Scope): Promise<void> {
  await sql`update sessions set formed_position = event_count, messages_since = 0, weighted_tokens_since = 0
    where ${ofSession(scope)} and formed_position = event_count - 1`.execute(writer);
}

/** Of all tenants, the longest idle first. */
export async function findIdleSessions(database: Database, before: number, limit: number): Promise<Scope[]> {
  const isIdle = sql`status = 'open' and last_event_at <= ${before} order by last_event_at limit ${limit}`;
  const rows = await database.read(EVERY_TENANT, (reader) => rowsWhere(reader, 'sessions', isIdle, PLACE));
  return rows.map(scopeOfRow);
}

/**
 * Unread events, but no new ones since `quietSince`. Excludes sessions whose formation is waiting or running, or has failed for good since
 * `givenUpSince`.
 */
export async function findColdSessions(
  reader: Reader,
  { quietSince, givenUpSince, limit }: { quietSince: number; givenUpSince: number; limit: number },
): Promise<Scope[]> {
  // Materialised because in a distributed store the queue is on the coordinator and the sessions are not.
  const { rows } = await sql<SessionPlace>`
    with formations as materialized (
      select tenant_id, unique_key from jobs where kind = 'form'
        and (state in ('waiting', 'running') or (state = 'dead' and finished_at >= ${givenUpSince})))
    select s.tenant_id, s.agent_id, s.user_id, s.session_id from sessions s
    where s.event_count > s.formed_position and s.last_event_at <= ${quietSince} and not exists (
      select 1 from formations f
      where f.tenant_id = s.tenant_id and f.unique_key = s.owner_key || ':' || s.session_id)
    order by s.last_event_at limit ${limit}`.execute(reader);
  return rows.map(scopeOfRow);
}

/** After `timeToLive` milliseconds, the schema is stale but stays stored. */
export async function saveToolSchema(
  writer: Writer,
  scope: Scope,
  { schema, timeToLive, now }: { schema: unknown; timeToLive: number; now: number },
): Promise<void> {
  const fields = { schema: JSON.stringify(schema), fetched_at: now, expires_at: now + timeToLive };
  await writer
    .insertInto('tool_schemas')
    .values({ ...ownerColumns(scope), connection_id: scope.connection ?? '', ...fields })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'owner_key', 'connection_id']).doUpdateSet(fields))
    .execute();
}

export async function findToolSchema(reader: Reader, scope: Scope, now: number): Promise<ToolSchema | null> {
  const ofConnection = sql`${ofOwner(scope)} and connection_id = ${scope.connection ?? ''}`;
  const [row] = await rowsWhere(reader, 'tool_schemas', ofConnection);
  if (row === undefined) return null;
  return {
    scope: { ...scope, session: null },
    schema: JSON.parse(row.schema) as unknown,
    fetchedAt: new Date(row.fetched_at),
    expiresAt: new Date(row.expires_at),
    stale: row.expires_at <= now,
  };
}

interface SessionsWithReflections {
  tenant: string;
  owner: string | null;
  types: readonly string[];
  /** Sessions without an event since this time count as ended. */
  quietSince: number;
  limit: number;
}

/** Merged reflections are blocks, single ones are memories. */
export async function sessionsWithReflections(
  reader: Reader,
  { tenant, owner, types, quietSince, limit }: SessionsWithReflections,
): Promise<Scope[]> {
  const over = sql<boolean>`exists (select 1 from sessions s where s.tenant_id = r.tenant_id
    and s.owner_key = r.owner_key and s.session_id = r.session_id
    and (s.status = 'closed' or s.last_event_at <= ${quietSince}))`;
  const whose = owner === null ? sql`1 = 1` : sql`owner_key = ${owner}`;
  const { rows } = await sql<SessionPlace>`
    select tenant_id, agent_id, user_id, session_id from blocks r
      where tenant_id = ${tenant} and ${whose} and session_id <> '' and kind = 'reflections' and content <> '' and ${over}
    union
    select tenant_id, agent_id, user_id, session_id from memories r
      where tenant_id = ${tenant} and ${whose} and session_id <> '' and type in (${sql.join(types)}) and archived_at is null and ${over}
    limit ${limit}`.execute(reader);
  return rows.map(scopeOfRow);
}
