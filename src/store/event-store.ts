import { type Insertable, type RawBuilder, sql, type SqlBool } from 'kysely';
import { storedMessageOf } from '../errors.ts';
import { indexWords } from '../language/words.ts';
import { type Event, type EventKind, isBlank, toldText } from '../record/event.ts';
import { ownerKey, type Scope, staysInSession, visibleOwners } from '../record/scope.ts';
import type { Database, Reader, Writer } from './database.ts';
import { queueForEmbedding } from './indexing.ts';
import {
  allOf,
  chunks,
  isIn,
  ofId,
  ofOwner,
  ofOwnerKey,
  ofSession,
  ownerColumns,
  rowsBy,
  rowsWhere,
  withinReach,
} from './rows.ts';
import type { EventTable } from './schema.ts';
import { type EventRow, toEvent } from './record-rows.ts';
import type { Origin } from '../record/statement.ts';

export interface KeyedEvent {
  event: Event;
  idempotencyKey: string | null;
}

function toEventRow({ event, idempotencyKey }: KeyedEvent, sequence: number): Insertable<EventTable> {
  return {
    ...ownerColumns(event.scope),
    sequence,
    id: event.id,
    session_id: event.scope.session,
    connection_id: event.scope.connection,
    position: event.position,
    kind: event.kind,
    origin: event.origin,
    speaker: event.speaker,
    content: event.content,
    category: event.category,
    refers_to: event.refersTo,
    interaction: event.interaction,
    channel: event.channel,
    context_type: event.context?.type ?? null,
    context: event.context === null ? null : JSON.stringify(event.context),
    metadata: JSON.stringify(event.metadata),
    idempotency_key: idempotencyKey,
    occurred_at: event.occurredAt.getTime(),
    recorded_at: event.recordedAt.getTime(),
    processed_at: null,
    attempts: 0,
    last_error: null,
  };
}

// 26 columns per row: far below the parameter limits of both databases.
const ROWS_PER_INSERT = 100;

/** `version` is the owner's new version and becomes the sequence of the last event. */
export async function insertEvents(
  writer: Writer,
  database: Database,
  events: readonly KeyedEvent[],
  version: number,
): Promise<void> {
  let sequence = version - events.length;
  for (const chunk of chunks(events, ROWS_PER_INSERT)) {
    const rows = await writer
      .insertInto('events')
      .values(chunk.map((each) => toEventRow(each, (sequence += 1))))
      .returning(['row_id', 'id'])
      .execute();
    const rowIds = new Map(rows.map((row) => [row.id, row.row_id]));
    // Imported events whose words were all forgotten consist of blanks.
    const spoken = chunk.filter(({ event }) => !isBlank(event));
    if (spoken.length === 0) continue;
    const indexed = spoken.map(({ event }) => ({
      tenant: event.scope.tenant,
      owner: ownerKey(event.scope),
      kind: 'event' as const,
      rowId: rowIds.get(event.id) as number,
      version: 0,
      words: wordsOfEvent(event),
    }));
    await database.text.add(writer, 'event', indexed);
    await queueForEmbedding(writer, indexed);
  }
}

export function wordsOfEvent(event: Parameters<typeof toldText>[0] & Pick<Event, 'speaker'>): string[] {
  const text = toldText(event);
  return indexWords(event.speaker === null ? text : `${event.speaker} ${text}`);
}

export async function findByIdempotencyKey(
  reader: Reader,
  scope: Scope,
  keys: readonly string[],
): Promise<Map<string, Event>> {
  const found = new Map<string, Event>();
  if (keys.length === 0) return found;
  const rows = await rowsWhere(reader, 'events', sql`${ofOwner(scope)} and ${isIn('idempotency_key', keys)}`);
  for (const row of rows) found.set(row.idempotency_key ?? '', toEvent(row));
  return found;
}

export async function findEvent(reader: Reader, scope: Scope, id: string): Promise<Event | null> {
  const [event] = await findEvents(reader, scope, [id]);
  return event ?? null;
}

export async function findEvents(reader: Reader, scope: Scope, ids: readonly string[]): Promise<Event[]> {
  if (ids.length === 0) return [];
  const isSeen = scope.user === null ? withinReach(scope) : sql`${withinReach(scope)} and ${IS_OF_USER_OR_SHARED}`;
  const found = sql`${isIn('id', ids)} and ${isSeen} order by sequence, row_id`;
  return (await rowsWhere(reader, 'events', found)).map(toEvent);
}

/** Sequences are unique only within an owner, so the row number is the tie-breaker. */
export interface EventPlace {
  sequence: number;
  row: number;
}

interface EventFilter {
  kinds?: readonly EventKind[];
  session?: string;
  interaction?: string;
  refersTo?: readonly string[];
  waiting?: boolean;
  occurredAfter?: Date;
  occurredBefore?: Date;
  recordedBefore?: Date;
  order?: 'newest' | 'oldest';
  limit: number;
  after?: EventPlace;
}

export async function listEvents(
  reader: Reader,
  scope: Scope,
  filter: EventFilter,
): Promise<{ events: Event[]; next: EventPlace | null }> {
  const { limit } = filter;
  const sign = filter.order === 'oldest' ? 1 : -1;
  // One page per owner, each through an index. A query over all owners would sort all of their events.
  const pages = visibleOwners(scope).map(
    (owner) => sql`select * from (select * from events where ${eventsOf(scope, owner, filter)}) as page`,
  );
  const { rows } = await sql<EventRow>`${sql.join(pages, sql` union all `)}`.execute(reader);
  rows.sort((one, other) => sign * (one.sequence - other.sequence || one.row_id - other.row_id));
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { events: page.map(toEvent), next: last ? { sequence: last.sequence, row: last.row_id } : null };
}

/** A user does not see events of sessions without a user. */
const IS_OF_USER_OR_SHARED = sql<SqlBool>`(user_id is not null or session_id is null)`;

function eventsOf(scope: Scope, owner: string, filter: EventFilter): RawBuilder<unknown> {
  const { session, interaction, kinds, refersTo, after, occurredAfter, occurredBefore, recordedBefore } = filter;
  const [direction, beyond] = filter.order === 'oldest' ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`];
  const isMeant = allOf([
    ofOwnerKey(scope.tenant, owner),
    scope.user !== null && IS_OF_USER_OR_SHARED,
    staysInSession(scope) && sql`(session_id is null or session_id = ${scope.session})`,
    session !== undefined && sql`session_id = ${session}`,
    interaction !== undefined && sql`interaction = ${interaction}`,
    kinds && isIn('kind', kinds),
    refersTo && isIn('refers_to', refersTo),
    filter.waiting && sql`processed_at is null`,
    occurredAfter && sql`occurred_at >= ${occurredAfter.getTime()}`,
    occurredBefore && sql`occurred_at < ${occurredBefore.getTime()}`,
    recordedBefore && sql`recorded_at <= ${recordedBefore.getTime()}`,
    after &&
      sql`sequence ${beyond}= ${after.sequence} and (sequence ${beyond} ${after.sequence} or row_id ${beyond} ${after.row})`,
  ]);
  // Both orders are the same within a session, but its index contains positions.
  const place = sql.ref(session === undefined ? 'sequence' : 'position');
  return sql`${isMeant} order by ${place} ${direction} limit ${filter.limit + 1}`;
}

interface OwnEventFilter {
  kind?: EventKind;
  origins?: readonly Origin[];
  session?: string;
  /** Milliseconds, inclusive. */
  occurred?: { upTo: number };
  /**
   * Milliseconds. `after` is exclusive, `from` and `upTo` are inclusive. With `sequence`, also events recorded exactly at `after` with a
   * higher sequence.
   */
  recorded?: { after?: number; sequence?: number; from?: number; upTo?: number };
  /** Default `oldest`, in the order of insertion. `recorded`: by time of recording. */
  order?: 'oldest' | 'newest' | 'recorded';
  limit?: number;
}

/** Exactly one owner. For all owners that a handle sees, use `listEvents`. */
export async function ownEvents(reader: Reader, owner: Scope, filter: OwnEventFilter): Promise<Event[]> {
  return (await ownEventRows(reader, owner, filter)).map(({ event }) => event);
}

export async function ownEventRows(
  reader: Reader,
  owner: Scope,
  { kind, origins, session, occurred, recorded = {}, order = 'oldest', limit }: OwnEventFilter,
): Promise<{ event: Event; sequence: number }[]> {
  const { after, sequence = 0, from, upTo } = recorded;
  const isAtOnce = sequence > 0 ? sql`or (recorded_at = ${after} and sequence > ${sequence})` : sql``;
  const isMeant = allOf([
    ofOwner(owner),
    kind !== undefined && sql`kind = ${kind}`,
    session !== undefined && sql`session_id = ${session}`,
    origins && isIn('origin', origins),
    occurred && sql`occurred_at <= ${occurred.upTo}`,
    after !== undefined && sql`(recorded_at > ${after} ${isAtOnce})`,
    from !== undefined && sql`recorded_at >= ${from}`,
    upTo !== undefined && sql`recorded_at <= ${upTo}`,
  ]);
  const most = limit === undefined ? sql`` : sql`limit ${limit}`;
  const rows = await rowsWhere(reader, 'events', sql`${isMeant} order by ${OWN_ORDERS[order]} ${most}`);
  return rows.map((row) => ({ event: toEvent(row), sequence: row.sequence }));
}

const OWN_ORDERS: Readonly<Record<NonNullable<OwnEventFilter['order']>, RawBuilder<unknown>>> = {
  oldest: sql`sequence`,
  newest: sql`sequence desc`,
  recorded: sql`recorded_at, sequence`,
};

function isOwnObservation(owner: Scope): RawBuilder<SqlBool> {
  // Observations of a session without a user belong to that session only.
  const isShared = owner.user === null ? sql`and session_id is null` : sql``;
  return sql`${ofOwner(owner)} and kind = 'observation' ${isShared}`;
}

/** Observations that are already in the working memory, newest first, without those from documents and tools. */
export async function takenInObservations(
  reader: Reader,
  owner: Scope,
  { since, limit }: { since: number; limit: number },
): Promise<Event[]> {
  const isTakenIn = sql`${isOwnObservation(owner)} and occurred_at > ${since} and origin in ('user', 'agent', 'system')
    and processed_at is not null and (category is null or category <> 'scaffold_update')
    order by occurred_at desc, sequence desc limit ${limit}`;
  return (await rowsWhere(reader, 'events', isTakenIn)).map(toEvent);
}

/** New observations, oldest first, and then earlier ones that have failed fewer than `tries` times. */
export async function observationsAfter(
  reader: Reader,
  owner: Scope,
  { sequence, tries, limit }: { sequence: number; tries: number; limit: number },
): Promise<{ event: Event; sequence: number }[]> {
  const isNext = sql`${isOwnObservation(owner)}
    and (sequence > ${sequence} or (processed_at is null and attempts > 0 and attempts < ${tries}))
    order by attempts, sequence limit ${limit}`;
  return (await rowsWhere(reader, 'events', isNext)).map((found) => ({
    event: toEvent(found),
    sequence: found.sequence,
  }));
}

/** Also marks the event as unprocessed, so that it is read again. Returns the number of failures. */
export async function noteFailedTry(writer: Writer, tenant: string, id: string, error: string): Promise<number> {
  const { rows } = await sql<{ attempts: number }>`
    update events set attempts = attempts + 1, processed_at = null, last_error = ${storedMessageOf(error)}
    where ${ofId(tenant, id)} returning attempts`.execute(writer);
  return rows[0]?.attempts ?? 0;
}

/** An event whose processing failed too often, with its last error. */
export interface SetAside {
  event: Event;
  attempts: number;
  error: string;
}

const MOST_FAILED = 1000;

function isSetAside(owner: Scope, tries: number): RawBuilder<SqlBool> {
  return sql`${ofOwner(owner)} and processed_at is null and attempts >= ${tries}`;
}

export async function eventsSetAside(reader: Reader, owner: Scope, tries: number): Promise<SetAside[]> {
  const rows = await rowsWhere(
    reader,
    'events',
    sql`${isSetAside(owner, tries)} order by sequence limit ${MOST_FAILED}`,
  );
  return rows.map((row) => ({ event: toEvent(row), attempts: row.attempts, error: row.last_error ?? '' }));
}

export async function retrySetAside(writer: Writer, owner: Scope, id: string, tries: number): Promise<boolean> {
  // Not 0: `observationsAfter` returns earlier events only if they have failed before.
  const { numAffectedRows = 0n } = await sql`
    update events set attempts = 1 where ${isSetAside(owner, tries)} and id = ${id}`.execute(writer);
  return numAffectedRows > 0n;
}

export async function eventsById(reader: Reader, tenant: string, ids: readonly string[]): Promise<Event[]> {
  return (await rowsBy(reader, tenant, 'events', { id: ids })).map(toEvent);
}

// SQLite accepts at most 500 parts of a union.
const PARTS_AT_ONCE = 100;

/** The ids of the events at most this far from others in their sessions. `beside` is the id of the other event. */
export async function eventIdsAround(
  reader: Reader,
  events: readonly Event[],
  most: number,
): Promise<{ id: string; beside: string }[]> {
  const found: { id: string; beside: string }[] = [];
  // Other owners may have sessions with the same id, so the owner matters.
  const parts = events.flatMap(({ id, scope, position }) =>
    position === null || scope.session === null
      ? []
      : sql`select id, ${id} as beside from events
          where ${ofSession(scope)} and position >= ${position - most} and position <= ${position + most}`,
  );
  for (const some of chunks(parts, PARTS_AT_ONCE))
    found.push(...(await sql<(typeof found)[0]>`${sql.join(some, sql` union all `)}`.execute(reader)).rows);
  return found;
}
