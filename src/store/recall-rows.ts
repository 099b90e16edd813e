import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Memory } from '../record/memory.ts';
import type { Quote, Tense } from '../record/statement.ts';
import { chunks, type IndexedKind, type Reader } from './database.ts';
import { fromSnapshot, isNotForgotten } from './memory-rows.ts';
import { incarnationOf } from './owner-store.ts';
import { snapshotsAsOf } from './revision-store.ts';

/** How an owner stands: what a cache compares itself with. */
export interface OwnerState {
  owner: string;
  version: number;
  /** Changes when something was removed for good, or the owner came back after that. */
  incarnation: string;
}

/** The states of owners; one that was never written to has none. */
export async function ownerStates(reader: Reader, tenant: string, owners: readonly string[]): Promise<OwnerState[]> {
  const rows = await reader
    .selectFrom('owners')
    .select(['owner_key', 'version', 'epoch', 'created_at'])
    .where('tenant_id', '=', tenant)
    .where('owner_key', 'in', [...owners])
    .execute();
  return rows.map((row) => ({
    owner: row.owner_key,
    version: row.version,
    incarnation: incarnationOf(row),
  }));
}

/** What recall has to know of an event. */
export interface EventForRecall {
  rowId: number;
  id: string;
  user: string | null;
  session: string | null;
  connection: string | null;
  kind: string;
  origin: string;
  speaker: string | null;
  content: string;
  occurredAt: number;
  recordedAt: number;
}

/** The events of an owner after a row, oldest first. */
export async function eventsForRecall(
  reader: Reader,
  tenant: string,
  owner: string,
  afterRow: number,
): Promise<EventForRecall[]> {
  return reader
    .selectFrom('events')
    .select([
      'row_id as rowId',
      'id',
      'user_id as user',
      'session_id as session',
      'connection_id as connection',
      'kind',
      'origin',
      'speaker',
      'content',
      'occurred_at as occurredAt',
      'recorded_at as recordedAt',
    ])
    .where('tenant_id', '=', tenant)
    .where('owner_key', '=', owner)
    .where('row_id', '>', afterRow)
    .orderBy('row_id')
    .execute();
}

/** What recall has to know of a memory. */
export interface MemoryForRecall {
  rowId: number;
  id: string;
  session: string;
  connection: string;
  type: string;
  title: string | null;
  content: string;
  attribute: string | null;
  category: string | null;
  isPermanent: boolean;
  /** The events that say the same: those that it quotes, or was learned from. What sums up many stands for none of them. */
  sources: string[];
  time: number;
  /** Of what lasts: when it stopped being true, infinite while it is. Null for what happened once. */
  until: number | null;
  isArchived: boolean;
  expiresAt: number | null;
  successor: string | null;
}

/** The memories of an owner that have changed after a version of the owner, archived ones too. */
export async function memoriesForRecall(
  reader: Reader,
  tenant: string,
  owner: string,
  afterVersion: number,
  createdUntil?: Date,
): Promise<MemoryForRecall[]> {
  const query = reader
    .selectFrom('memories')
    .select([
      'row_id as rowId',
      'id',
      'session_id as session',
      'connection_id as connection',
      'type',
      'title',
      'content',
      'attribute',
      'category',
      'permanent',
      'quotes',
      'source_events as sourceEvents',
      'source_type as sourceType',
      'valid_from as validFrom',
      'valid_to as validTo',
      'tense',
      'created_at as createdAt',
      'archived_at as archivedAt',
      'expires_at as expiresAt',
      'contradicted_by as successor',
    ])
    .where('tenant_id', '=', tenant)
    .where('owner_key', '=', owner)
    .where('sequence', '>', afterVersion)
    .orderBy('sequence');
  const rows = await (
    createdUntil === undefined ? query : query.where('created_at', '<=', createdUntil.getTime()).where(isNotForgotten)
  ).execute();
  return rows.map(
    ({ validFrom, validTo, tense, createdAt, archivedAt, permanent, quotes, sourceEvents, sourceType, ...row }) => ({
      ...row,
      isPermanent: permanent === 1,
      sources: tellingEvents({
        quotes: JSON.parse(quotes) as Quote[],
        sourceEvents: JSON.parse(sourceEvents) as string[],
        sourceType,
      }),
      time: validFrom ?? createdAt,
      until: LASTING.has(tense) ? (validTo ?? archivedAt ?? Infinity) : null,
      isArchived: archivedAt !== null,
    }),
  );
}

/** The tenses of what is true for a time, not at a moment. */
const LASTING: ReadonlySet<string> = new Set<Tense>(['holds', 'habit']);

function tellingEvents({ quotes, sourceEvents, sourceType }: TellingFields): string[] {
  if (sourceType === 'consolidation') return [];
  return quotes.length > 0 ? [...new Set(quotes.map(({ event }) => event))] : sourceEvents;
}

interface TellingFields extends Pick<Memory, 'quotes' | 'sourceEvents'> {
  sourceType: string;
}

/** The rows of owners for which a condition holds; its columns are under the alias `record`. */
export async function rowsThat(
  reader: Reader,
  search: { tenant: string; owners: readonly string[]; kind: IndexedKind; condition: RawBuilder<SqlBool> },
): Promise<Set<number>> {
  const table = search.kind === 'memory' ? sql`memories` : sql`events`;
  const { rows } = await sql<{ rowId: number }>`select record.row_id as "rowId" from ${table} as record
    where record.tenant_id = ${search.tenant} and record.owner_key in (${sql.join([...search.owners])})
      and ${search.condition}`.execute(reader);
  return new Set(rows.map((row) => row.rowId));
}

/** The memories of an owner that were live at a time, each as it was then. */
export async function memoriesAsOf(
  reader: Reader,
  tenant: string,
  owner: string,
  time: Date,
): Promise<MemoryForRecall[]> {
  const current = (await memoriesForRecall(reader, tenant, owner, -1, time)).map(
    (memory) => [memory.id, memory] as const,
  );
  const found = new Map<string, MemoryForRecall>(current);
  const ids = [...found.keys()];
  for (const some of chunks(ids, SNAPSHOTS_AT_ONCE)) {
    for (const [id, snapshot] of await snapshotsAsOf(reader, tenant, some, time)) {
      const now = found.get(id);
      if (now !== undefined) found.set(id, { ...now, ...thenOf(fromSnapshot(snapshot)) });
    }
  }
  return [...found.values()].filter((memory) => !memory.isArchived);
}

const SNAPSHOTS_AT_ONCE = 500;

function thenOf(memory: Memory): Omit<MemoryForRecall, 'rowId' | 'id'> {
  return {
    session: memory.scope.session ?? '',
    connection: memory.scope.connection ?? '',
    type: memory.type,
    title: memory.title,
    content: memory.content,
    attribute: memory.attribute,
    category: memory.category,
    sources: tellingEvents(memory),
    isPermanent: memory.permanent,
    time: (memory.validFrom ?? memory.createdAt).getTime(),
    until: LASTING.has(memory.tense) ? (memory.validTo?.getTime() ?? Infinity) : null,
    isArchived: memory.archivedAt !== null,
    expiresAt: memory.expiresAt?.getTime() ?? null,
    successor: null,
  };
}
