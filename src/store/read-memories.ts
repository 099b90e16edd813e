import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { z } from 'zod';
import { invalidInput, VarveError } from '../errors.ts';
import { ARCHIVE_REASONS, type ArchiveReason, type Memory, SOURCE_TYPES, type SourceType } from '../record/memory.ts';
import { type Parsed, shareSchema, tagsSchema, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import { type Tense, TENSES } from '../record/statement.ts';
import {
  allOf,
  chunks,
  isIn,
  isSeenFrom,
  ofOwner,
  type Page,
  pageOf,
  rowsBy,
  rowsInReach,
  rowsWhere,
  visibleFrom,
  withinScope,
} from './rows.ts';
import type { Database, Reader } from './database.ts';
import { snapshotsAsOf } from './history-store.ts';
import { fromSnapshots, isLearnedFrom, isNotForgotten, isTagged, type MemoryRow, toMemory } from './record-rows.ts';

/** Conditions on memories. An absent field does not filter. */
export interface MemoryFilter {
  types?: string[];
  /** All of these tags are required. */
  tags?: string[];
  /** The subject is one of these, such as `User` or `User's sister Ana`. */
  subjects?: string[];
  /** The attribute is one of these, such as `home_city`. */
  attributes?: string[];
  /** `true`: only permanent facts. `false`: only other memories. */
  permanent?: boolean;
  categories?: string[];
  states?: string[];
  /** For example, `planned` selects statements about a future day. */
  tenses?: Tense[];
  sourceTypes?: SourceType[];
  /** Only memories learned in this session. */
  sourceSession?: string;
  minimumImportance?: number;
  createdAfter?: TimeInput;
  createdBefore?: TimeInput;
  dueBefore?: TimeInput;
  /** Default `exclude`: only live memories. If `archiveReasons` is set, the default is `only`. */
  archived?: 'exclude' | 'include' | 'only';
  archiveReasons?: ArchiveReason[];
  /** Other connections whose memories are visible as well. */
  connections?: string[];
  /**
   * `visible` (default): the memories that an agent with this handle sees. `within`, for operators: all memories of all agents, users and
   * sessions within the handle's scope.
   */
  reach?: 'visible' | 'within';
  /** Default `newest`. `important`: by importance, then by last access. */
  order?: 'newest' | 'oldest' | 'important';
  /** Default 100, at most 1,000. */
  limit?: number;
  /** The cursor of the previous page. */
  cursor?: string;
}

// Separate from `RecallFilter` in record-filter.ts, which allows nesting and also applies to events. This filter must fit into a query
// string, and must work on past versions of memories, which are not rows (`matches`).
const names = z.array(textSchema(200)).max(200).optional();

export const memoryFilterFields: Readonly<Record<keyof MemoryFilter, z.ZodType>> = {
  types: names,
  tags: tagsSchema.optional(),
  subjects: names,
  attributes: names,
  permanent: z.boolean().optional(),
  categories: names,
  states: names,
  tenses: z.array(z.enum(TENSES)).optional(),
  sourceTypes: z.array(z.enum(SOURCE_TYPES)).optional(),
  sourceSession: textSchema(200).optional(),
  minimumImportance: shareSchema.optional(),
  createdAfter: timeSchema.optional(),
  createdBefore: timeSchema.optional(),
  dueBefore: timeSchema.optional(),
  archived: z.enum(['exclude', 'include', 'only']).optional(),
  archiveReasons: z.array(z.enum(ARCHIVE_REASONS)).optional(),
  connections: names,
  reach: z.enum(['visible', 'within']).optional(),
  order: z.enum(['newest', 'oldest', 'important']).optional(),
  limit: z.int().min(1).max(1000).optional(),
  cursor: z.string().max(500).optional(),
};

export const memoryFilterSchema: z.ZodType<Parsed<MemoryFilter>, MemoryFilter> = z.strictObject(
  memoryFilterFields,
) as unknown as z.ZodType<Parsed<MemoryFilter>, MemoryFilter>;

export async function findMemory(
  reader: Reader,
  scope: Scope,
  id: string,
  asOf: Date | null = null,
): Promise<Memory | null> {
  const [row] = await rowsInReach(reader, scope, 'memories', [id]);
  if (row === undefined) return null;
  if (asOf === null) return toMemory(row);
  if (row.created_at > asOf.getTime()) return null;
  const [memory] = await memoriesThen(reader, scope.tenant, [row], asOf);
  return memory ?? null;
}

async function memoriesThen(reader: Reader, tenant: string, rows: readonly MemoryRow[], at: Date): Promise<Memory[]> {
  const ids = rows.map((row) => row.id);
  const snapshots = await snapshotsAsOf(reader, tenant, ids, at);
  return rows.map((row) => {
    const [before, now] = [snapshots.get(row.id), toMemory(row)];
    if (before === undefined) return now;
    const then = fromSnapshots(before, now);
    // What was forgotten later is hidden in views of the past as well.
    return now.archiveReason === 'forgotten' ? { ...then, archiveReason: now.archiveReason } : then;
  });
}

/**
 * A handle can read every memory within its scope by id, but it must name the user to change a user's memory. A wrong id thus never changes
 * another person's memory.
 */
export async function findChangeable(writer: Reader, scope: Scope, id: string): Promise<Memory | null> {
  const memory = await findMemory(writer, scope, id);
  if (memory === null || memory.scope.user === null || memory.scope.user === scope.user) return memory;
  throw new VarveError(
    `The memory ${id} belongs to a user. Change it through a handle that names this user: varve.for({ …, user: '…' }).`,
    { code: 'outside_scope', details: { id } },
  );
}

/** Keyed by row number. Leaves out memories of owners that the handle does not see. */
export async function loadMemories(
  reader: Reader,
  database: Database,
  { scope, rowIds, asOf = null }: { scope: Scope; rowIds: readonly number[]; asOf?: Date | null },
): Promise<Map<number, Memory>> {
  if (rowIds.length === 0) return new Map();
  // Hides memories that were forgotten since then.
  const isShown = asOf === null ? sql`1 = 1` : isNotForgotten;
  const isSeen = sql`${isIn('row_id', rowIds)} and ${isSeenFrom(scope, database)} and ${isShown}`;
  const rows = await rowsWhere(reader, 'memories', isSeen);
  const memories = asOf === null ? rows.map(toMemory) : await memoriesThen(reader, scope.tenant, rows, asOf);
  return new Map(rows.map((row, index) => [row.row_id, memories[index] as Memory]));
}

export async function listMemories(
  reader: Reader,
  scope: Scope,
  filter: Parsed<MemoryFilter>,
  { now, asOf = null }: { now: number; asOf?: Date | null },
): Promise<Page<Memory>> {
  const limit = filter.limit ?? 100;
  const base = filter.reach === 'within' ? withinScope(scope) : visibleFrom(scope, filter.connections);
  if (asOf !== null) return listPast(reader, base, { scope, filter, asOf, limit });
  const page = sql`${base} and ${isMeantBy(filter, now)} and ${inOrder(filter)} limit ${limit + 1}`;
  const rows = await rowsWhere(reader, 'memories', page);
  return pageOf(rows, limit, toMemory, (row) => writeCursor(row, filter.order ?? 'newest'));
}

/** List in the filter, column, field of the memory. */
const LISTS = [
  ['types', 'type', 'type'],
  ['subjects', 'subject', 'subject'],
  ['attributes', 'attribute', 'attribute'],
  ['categories', 'category', 'category'],
  ['states', 'state', 'state'],
  ['tenses', 'tense', 'tense'],
  ['sourceTypes', 'source_type', 'sourceType'],
  ['archiveReasons', 'archive_reason', 'archiveReason'],
] as const;

function archivedOf({ archived, archiveReasons }: Parsed<MemoryFilter>): NonNullable<MemoryFilter['archived']> {
  return archived ?? (archiveReasons ? 'only' : 'exclude');
}

/** The SQL twin of `matches`: change both together. */
export function isMeantBy(filter: Parsed<MemoryFilter>, now: number): RawBuilder<SqlBool> {
  const { permanent, sourceSession, minimumImportance, createdAfter, createdBefore, dueBefore, tags = [] } = filter;
  const archived = archivedOf(filter);
  return allOf([
    ...LISTS.map(([list, column]) => filter[list] && isIn(column, filter[list])),
    permanent !== undefined && isPermanent(permanent),
    sourceSession !== undefined && sql`source_session = ${sourceSession}`,
    minimumImportance !== undefined && sql`importance >= ${minimumImportance}`,
    createdAfter && sql`created_at > ${createdAfter.getTime()}`,
    createdBefore && sql`created_at < ${createdBefore.getTime()}`,
    dueBefore && sql`due_at < ${dueBefore.getTime()}`,
    ...tags.map((tag) => isTagged([tag])),
    archived === 'only' && sql`archived_at is not null`,
    archived === 'exclude' && sql`archived_at is null and (expires_at is null or expires_at > ${now})`,
  ]);
}

// A literal, because SQLite does not use the index of permanent facts for a parameter.
function isPermanent(permanent: boolean): RawBuilder<SqlBool> {
  return permanent ? sql<SqlBool>`permanent = 1` : sql<SqlBool>`permanent = 0`;
}

interface StatementSearch {
  subjects?: readonly string[];
  attributes?: readonly string[];
  permanent?: boolean;
  owner: 'own' | 'visible';
  now?: number;
}

export async function listStatements(reader: Reader, scope: Scope, search: StatementSearch): Promise<Memory[]> {
  const { subjects, attributes, permanent, owner, now } = search;
  const isMeant = allOf([
    visibleFrom(scope),
    sql`archived_at is null`,
    owner === 'own' && sql`owner_key = ${ownerKey(scope)}`,
    subjects && isIn('subject', subjects),
    attributes && isIn('attribute', attributes),
    permanent !== undefined && isPermanent(permanent),
    now !== undefined && sql`(expires_at is null or expires_at > ${now})`,
  ]);
  return (await rowsWhere(reader, 'memories', sql`${isMeant} order by stated_at desc, row_id desc`)).map(toMemory);
}

export async function memoriesFrom(reader: Reader, tenant: string, eventIds: readonly string[]): Promise<Memory[]> {
  const found: Memory[] = [];
  for (const ids of chunks(eventIds)) {
    const rows = await rowsWhere(reader, 'memories', isLearnedFrom(tenant, ids));
    found.push(...rows.map(toMemory));
  }
  return [...new Map(found.map((memory) => [memory.id, memory])).values()];
}

/** With `which: 'live'`, returns the live statements that are part of a merged text. */
export async function memoriesReplacedBy(
  reader: Reader,
  tenant: string,
  id: string,
  which: 'archived' | 'live' = 'archived',
): Promise<Memory[]> {
  const rows = await rowsBy(reader, tenant, 'memories', { contradicted_by: [id] });
  return rows.filter((row) => (row.archived_at === null) === (which === 'live')).map(toMemory);
}

export async function statementHistory(
  reader: Reader,
  tenant: string,
  { owners, attributes }: { owners: readonly string[]; attributes: readonly string[] },
): Promise<Memory[]> {
  const isPart = sql`tenant_id = ${tenant} and ${isIn('owner_key', owners)} and ${isIn('attribute', attributes)}
    and (archived_at is null or archive_reason in ('superseded', 'contradicted'))`;
  return (await rowsWhere(reader, 'memories', isPart)).map(toMemory);
}

export async function listSubjects(reader: Reader, scope: Scope): Promise<string[]> {
  const { rows } = await sql<Pick<MemoryRow, 'subject'>>`
    select distinct subject from memories where ${ofOwner(scope)} and archived_at is null`.execute(reader);
  return rows.map(({ subject }) => subject);
}

function inOrder({ order = 'newest', cursor }: Pick<MemoryFilter, 'order' | 'cursor'>): RawBuilder<unknown> {
  const after = readCursor(cursor, order);
  if (order === 'important') {
    const [importance = 0, accessed = 0, row = 0] = after ?? [];
    const isAfter = sql`(importance, coalesce(last_accessed_at, 0), row_id) < (${importance}, ${accessed}, ${row})`;
    return sql`${after === null ? sql`1 = 1` : isAfter}
      order by importance desc, coalesce(last_accessed_at, 0) desc, row_id desc`;
  }
  const [direction, beyond] = order === 'oldest' ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`];
  const [created = 0, row = 0] = after ?? [];
  const isAfter = sql`created_at ${beyond}= ${created} and (created_at ${beyond} ${created} or row_id ${beyond} ${row})`;
  return sql`${after === null ? sql`1 = 1` : isAfter} order by created_at ${direction}, row_id ${direction}`;
}

function writeCursor(row: MemoryRow, order: string): string {
  const place =
    order === 'important' ? [row.importance, row.last_accessed_at ?? 0, row.row_id] : [row.created_at, row.row_id];
  return Buffer.from(JSON.stringify([order, ...place])).toString('base64url');
}

function readCursor(cursor: string | undefined, order: string): number[] | null {
  if (cursor === undefined) return null;
  try {
    const [cursorOrder, ...place] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (cursorOrder === order && place.length > 1 && place.every((part) => typeof part === 'number')) return place;
  } catch (error) {
    throw invalidInput('The cursor is not valid: give the `cursor` that the previous page returned.', {
      cause: String(error),
    });
  }
  throw invalidInput('The cursor belongs to a list with another order: give the same `order` for every page.');
}

const PAST_PAGE = 500;

/** Filters in this process and not in SQL, because the conditions refer to past versions of the memories. */
async function listPast(
  reader: Reader,
  base: RawBuilder<SqlBool>,
  { scope, filter, asOf, limit }: { scope: Scope; filter: Parsed<MemoryFilter>; asOf: Date; limit: number },
): Promise<Page<Memory>> {
  const order = filter.order ?? 'newest';
  if (order === 'important')
    throw invalidInput('A list as of a past time can be ordered by `newest` or `oldest` only.');
  // Hides memories that were forgotten since then, unless archived memories are listed.
  const isHidden = filter.archived === undefined || filter.archived === 'exclude';
  const existed = allOf([base, sql`created_at <= ${asOf.getTime()}`, isHidden && isNotForgotten]);
  const items: { memory: Memory; row: MemoryRow }[] = [];
  let cursor = filter.cursor;
  for (;;) {
    const page = sql`${existed} and ${inOrder({ order, cursor })} limit ${PAST_PAGE}`;
    const rows = await rowsWhere(reader, 'memories', page);
    const memories = await memoriesThen(reader, scope.tenant, rows, asOf);
    for (const [index, row] of rows.entries()) {
      const memory = memories[index] as Memory;
      if (matches(memory, filter, asOf)) items.push({ memory, row });
      if (items.length > limit) {
        const last = items[limit - 1] as { memory: Memory; row: MemoryRow };
        return { items: items.slice(0, limit).map((item) => item.memory), cursor: writeCursor(last.row, order) };
      }
    }
    const lastRow = rows.at(-1);
    if (rows.length < PAST_PAGE || lastRow === undefined)
      return { items: items.map((item) => item.memory), cursor: null };
    cursor = writeCursor(lastRow, order);
  }
}

/** The twin of `isMeantBy` for a memory that is already loaded. */
function matches(memory: Memory, filter: Parsed<MemoryFilter>, now: Date): boolean {
  const isListed = ([list, , field]: (typeof LISTS)[number]): boolean =>
    filter[list] === undefined || (filter[list] as readonly (string | null)[]).includes(memory[field]);
  return (
    LISTS.every(isListed) &&
    (filter.permanent === undefined || memory.permanent === filter.permanent) &&
    (filter.sourceSession === undefined || memory.sourceSession === filter.sourceSession) &&
    (filter.tags ?? []).every((tag) => memory.tags.includes(tag)) &&
    memory.importance >= (filter.minimumImportance ?? 0) &&
    (filter.createdAfter === undefined || memory.createdAt > filter.createdAfter) &&
    (filter.createdBefore === undefined || memory.createdAt < filter.createdBefore) &&
    (filter.dueBefore === undefined || (memory.dueAt !== null && memory.dueAt < filter.dueBefore)) &&
    isAsArchived(memory, filter, now)
  );
}

function isAsArchived(memory: Memory, filter: Parsed<MemoryFilter>, now: Date): boolean {
  const archived = archivedOf(filter);
  if (archived === 'include') return true;
  if (archived === 'only') return memory.archivedAt !== null;
  return memory.archivedAt === null && (memory.expiresAt === null || memory.expiresAt > now);
}

export async function countAccess(writer: Reader, tenant: string, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return;
  await sql`update memories set access_count = access_count + 1, last_accessed_at = ${now}
    where tenant_id = ${tenant} and ${isIn('id', ids)}`.execute(writer);
}
