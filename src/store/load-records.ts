import { sql } from 'kysely';
import { saysQuoted } from '../language/words.ts';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import { type Scope, visibleOwners } from '../record/scope.ts';
import type { Quote, Tense } from '../record/statement.ts';
import { isNoLongerSo } from './block-store.ts';
import type { Database, Reader } from './database.ts';
import { snapshotsAsOf } from './history-store.ts';
import { type EventRow, fromSnapshots, isLearnedFrom, isNotForgotten, type Sources, toEvent } from './record-rows.ts';
import { allOf, chunks, isIn, isSeenFrom, ofOwnerKey, rowsBy, rowsWhere } from './rows.ts';
import { findMemory } from './read-memories.ts';

export async function loadEvents(
  reader: Reader,
  database: Database,
  { scope, rowIds }: { scope: Scope; rowIds: readonly number[] },
): Promise<Map<number, Event>> {
  if (rowIds.length === 0) return new Map();
  // An event is blank if its whole text was forgotten.
  const isSeen = sql`${isIn('row_id', rowIds)} and ${isSeenFrom(scope, database)} and trim(content) <> ''`;
  const rows = await rowsWhere(reader, 'events', isSeen);
  return new Map(rows.map((row) => [row.row_id, toEvent(row)]));
}

export interface RetiredQuote extends Quote {
  /** False if the statement was forgotten. */
  isChanged: boolean;
  /** The value that is no longer true, or the whole statement if it has none. */
  words: string;
}

/** Excludes quotes of the later turn that ended a statement, and expired plans: it is still true that the user had them. */
export async function retiredQuotes(reader: Reader, scope: Scope, turns: readonly string[]): Promise<RetiredQuote[]> {
  if (turns.length === 0) return [];
  const isEnded = sql`${isLearnedFrom(scope.tenant, turns)} and archived_at is not null and archive_reason <> 'expired'`;
  const columns = ['quotes', 'archive_reason', 'contradicted_by', 'stated_at', 'valid_to', 'value', 'content'] as const;
  const rows = await rowsWhere(reader, 'memories', isEnded, columns);
  const retired = rows.filter((row) =>
    isNoLongerSo({ archiveReason: row.archive_reason, contradictedBy: row.contradicted_by }),
  );
  if (retired.length === 0) return [];
  const events = await rowsBy(reader, scope.tenant, 'events', { id: turns }, ['id', 'occurred_at']);
  const saidAt = new Map(events.map((row) => [row.id, Number(row.occurred_at)]));
  return retired.flatMap((row) => {
    const endsIt = ({ event }: Quote): boolean => {
      const at = saidAt.get(event) ?? 0;
      return row.valid_to !== null && at >= Number(row.valid_to) && at > Number(row.stated_at);
    };
    const isChanged = row.archive_reason !== 'forgotten';
    return (JSON.parse(row.quotes) as Quote[])
      .filter((quote) => !endsIt(quote))
      .map((quote) => ({ ...quote, isChanged, words: row.value ?? row.content }));
  });
}

/**
 * Returns the ids of the statements in the user's own words that repeat what a later statement changed: "I live in Leipzig and have two
 * cats." after "I moved to Hamburg." The changed statement must quote the same words, so "My mother lives in Leipzig" does not repeat it.
 */
export async function changedStatements(
  reader: Reader,
  scope: Scope,
  statements: readonly Pick<Memory, 'id' | 'attribute' | 'content' | 'quotes'>[],
): Promise<Set<string>> {
  // A statement with an attribute is itself replaced when its value changes.
  const inOwnWords = statements.filter(({ attribute }) => attribute === null);
  const turns = new Set(inOwnWords.flatMap(({ quotes }) => quotes.map(({ event }) => event)));
  const changed = (await retiredQuotes(reader, scope, [...turns])).filter(({ isChanged }) => isChanged);
  const repeating = inOwnWords.filter(({ content, quotes }) =>
    changed.some(
      ({ event, start, end, words }) =>
        quotes.some((quote) => quote.event === event && quote.start < end && quote.end > start) &&
        saysQuoted(content, words),
    ),
  );
  return new Set(repeating.map(({ id }) => id));
}

// A longer chain of replacements must be a cycle.
const LONGEST_CHAIN = 50;

/** Returns null if the chain of replacements ends at an archived memory or at one that the handle does not see. */
export async function liveVersion(reader: Reader, scope: Scope, id: string): Promise<Memory | null> {
  let next: string | null = id;
  for (let step = 0; step < LONGEST_CHAIN && next !== null; step += 1) {
    const memory: Memory | null = await findMemory(reader, scope, next);
    if (memory === null || memory.archivedAt === null) return memory;
    next = memory.contradictedBy;
  }
  return null;
}

export async function rowsAboutNamed(
  reader: Reader,
  { syntax }: Database,
  { scope, slugs }: { scope: Scope; slugs: readonly string[] },
): Promise<number[]> {
  // With a cross join, SQLite keeps the order of the tables. Otherwise it might begin with all links of the tenant.
  const { rows } = await sql<{ rowId: number }>`select distinct memories.row_id as "rowId"
    from entity_names as name cross join memory_entities as link cross join memories
    where name.tenant_id = ${scope.tenant} and ${syntax.isAnyOf('name.owner_key', visibleOwners(scope))}
      and ${syntax.isAnyOf('name.slug', slugs)} and link.tenant_id = name.tenant_id and link.entity_id = name.entity_id
      and memories.tenant_id = link.tenant_id and memories.id = link.memory_id and memories.archived_at is null
      and ${syntax.isAnyOf('memories.owner_key', visibleOwners(scope))}
    order by memories.row_id desc limit 500`.execute(reader);
  return rows.map(({ rowId }) => rowId);
}

export interface EventForRecall extends Pick<EventRow, 'id' | 'kind' | 'origin' | 'speaker' | 'content'> {
  rowId: number;
  user: string | null;
  session: string | null;
  connection: string | null;
  metadata: string | null;
  occurredAt: number;
  recordedAt: number;
}

export async function eventsForRecall(
  reader: Reader,
  tenant: string,
  owner: string,
  afterVersion: number,
): Promise<EventForRecall[]> {
  const { rows } = await sql<EventForRecall>`
    select row_id as "rowId", id, user_id as "user", session_id as session, connection_id as connection, kind, origin, speaker,
      content, case when kind = 'decision' then metadata end as metadata, occurred_at as "occurredAt",
      recorded_at as "recordedAt"
    from events where ${ofOwnerKey(tenant, owner)} and sequence > ${afterVersion} order by sequence`.execute(reader);
  return rows;
}

export interface MemoryForRecall extends Pick<
  Memory,
  'id' | 'type' | 'title' | 'content' | 'subject' | 'attribute' | 'value' | 'category'
> {
  rowId: number;
  session: string;
  connection: string;
  isPermanent: boolean;
  /**
   * The events that say the same as the memory: those that it quotes or, without quotes, its sources. Empty for memories from
   * consolidation: they combine many events, so recall also shows the events.
   */
  sources: string[];
  time: number;
  /** The due time, or else the start of validity. Null if neither was stated. */
  day: number | null;
  /** For the tenses `holds` and `habit`: when the statement stopped being true, or Infinity. Null for past events and plans. */
  until: number | null;
  isArchived: boolean;
  expiresAt: number | null;
  successor: string | null;
}

export async function memoriesForRecall(
  reader: Reader,
  tenant: string,
  owner: string,
  afterVersion: number,
): Promise<MemoryForRecall[]> {
  return (await memoriesWithSources(reader, tenant, owner, { afterVersion })).map(({ memory }) => memory);
}

const COLUMNS = [
  'row_id as rowId',
  'id',
  'session_id as session',
  'connection_id as connection',
  'type',
  'title',
  'content',
  'subject',
  'attribute',
  'value',
  'category',
  'permanent',
  'quotes',
  'source_events as sourceEvents',
  'source_type as sourceType',
  'valid_from as validFrom',
  'valid_to as validTo',
  'due_at as dueAt',
  'tense',
  'stated_at as statedAt',
  'archived_at as archivedAt',
  'expires_at as expiresAt',
  'contradicted_by as successor',
] as const;

async function memoriesWithSources(
  reader: Reader,
  tenant: string,
  owner: string,
  { afterVersion = -1, createdUntil }: { afterVersion?: number; createdUntil?: Date },
): Promise<{ memory: MemoryForRecall; sources: Sources }[]> {
  const isMeant = allOf([
    ofOwnerKey(tenant, owner),
    sql`sequence > ${afterVersion}`,
    createdUntil && sql`created_at <= ${createdUntil.getTime()} and ${isNotForgotten}`,
  ]);
  const rows = await reader.selectFrom('memories').select(COLUMNS).where(isMeant).orderBy('sequence').execute();
  return rows.map(
    ({
      validFrom,
      validTo,
      dueAt,
      tense,
      statedAt,
      archivedAt,
      permanent,
      quotes,
      sourceEvents,
      sourceType,
      ...row
    }) => {
      const sources: Sources = { quotes: JSON.parse(quotes), sourceEvents: JSON.parse(sourceEvents) };
      const memory = {
        ...row,
        isPermanent: permanent === 1,
        sources: tellingEvents({ ...sources, sourceType }),
        time: validFrom ?? statedAt,
        day: dueAt ?? validFrom,
        until: LASTING.has(tense) ? (validTo ?? archivedAt ?? Infinity) : null,
        isArchived: archivedAt !== null,
      };
      return { memory, sources };
    },
  );
}

const LASTING: ReadonlySet<string> = new Set<Tense>(['holds', 'habit']);

function tellingEvents({ quotes, sourceEvents, sourceType }: Sources & { sourceType: string }): string[] {
  if (sourceType === 'consolidation') return [];
  return quotes.length > 0 ? [...new Set(quotes.map(({ event }) => event))] : sourceEvents;
}

export async function memoriesAsOf(
  reader: Reader,
  tenant: string,
  owner: string,
  time: Date,
): Promise<MemoryForRecall[]> {
  const current = await memoriesWithSources(reader, tenant, owner, { createdUntil: time });
  const found: MemoryForRecall[] = [];
  for (const some of chunks(current, SNAPSHOTS_AT_ONCE)) {
    const ids = some.map(({ memory }) => memory.id);
    const past = await snapshotsAsOf(reader, tenant, ids, time);
    for (const { memory, sources } of some) {
      const snapshots = past.get(memory.id);
      found.push(snapshots === undefined ? memory : { ...memory, ...thenOf(fromSnapshots(snapshots, sources)) });
    }
  }
  return found.filter((memory) => !memory.isArchived);
}

const SNAPSHOTS_AT_ONCE = 500;

function thenOf(memory: Memory): Omit<MemoryForRecall, 'rowId' | 'id'> {
  return {
    session: memory.scope.session ?? '',
    connection: memory.scope.connection ?? '',
    type: memory.type,
    title: memory.title,
    content: memory.content,
    subject: memory.subject,
    attribute: memory.attribute,
    value: memory.value,
    category: memory.category,
    sources: tellingEvents(memory),
    isPermanent: memory.permanent,
    time: (memory.validFrom ?? memory.statedAt).getTime(),
    day: (memory.dueAt ?? memory.validFrom)?.getTime() ?? null,
    until: LASTING.has(memory.tense) ? (memory.validTo?.getTime() ?? Infinity) : null,
    isArchived: memory.archivedAt !== null,
    expiresAt: memory.expiresAt?.getTime() ?? null,
    successor: null,
  };
}
