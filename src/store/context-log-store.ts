import { sql } from 'kysely';
import type { IdSource } from '../record/id.ts';
import { ownerKey, type Scope, visibleOwners } from '../record/scope.ts';
import type { Reader, Writer } from './database.ts';
import {
  chunks,
  insertion,
  insertNew,
  isIn,
  ofOwner,
  ofSession,
  ownerColumns,
  rowsBy,
  rowsWhere,
  scopeOfRow,
  withinScope,
} from './rows.ts';
import type { ContextLogTable } from './schema.ts';

/** One section of an assembled context. */
export interface LoggedPart {
  section: string;
  tokens: number;
  /** Ids of the memories, events and blocks in the section. */
  ids: string[];
  /** Counts items without an id, and items with the same id separately. */
  items: number;
  /** The number of items that were left out. */
  dropped: number;
  /** The number of items left out for each reason. */
  reasons: Record<string, number>;
  cut: boolean;
}

/** The log entry of an assembled context: record ids and sizes, never text. */
export interface LoggedContext {
  id: string;
  scope: Scope;
  at: Date;
  layout: string;
  tokens: number;
  milliseconds: number;
  parts: LoggedPart[];
  /** Sections that failed, and why. */
  failed: { section: string; error: string }[];
}

/** Also removes the owners' entries from before `keepAfter`. */
export async function insertContexts(
  writer: Writer,
  contexts: readonly LoggedContext[],
  keepAfter: number,
): Promise<void> {
  if (contexts.length === 0) return;
  await writer.insertInto('context_log').values(contexts.map(toRow)).execute();
  for (const scope of new Map(contexts.map(({ scope }) => [ownerKey(scope), scope])).values()) {
    await sql`delete from context_log where ${ofOwner(scope)} and at < ${keepAfter}`.execute(writer);
  }
}

export async function listContexts(reader: Reader, scope: Scope, limit: number): Promise<LoggedContext[]> {
  // The index begins with the owner, which is known only if the scope names both agent and user.
  const isOwn = scope.agent !== null && scope.user !== null ? ofOwner(scope) : sql`1 = 1`;
  const latest = sql`${withinScope(scope)} and ${isOwn} order by at desc, id desc limit ${limit}`;
  const rows = await rowsWhere(reader, 'context_log', latest);
  return rows.map((row) => {
    const { parts, failed } = JSON.parse(row.parts) as Pick<LoggedContext, 'parts' | 'failed'>;
    return {
      id: row.id,
      scope: scopeOfRow(row),
      at: new Date(row.at),
      layout: row.layout,
      tokens: row.tokens,
      milliseconds: row.milliseconds,
      // Older entries have neither item counts nor reasons.
      parts: parts.map((part) => ({ ...part, items: part.items ?? part.ids.length, reasons: part.reasons ?? {} })),
      failed,
    };
  });
}

function toRow({ id, scope, at, layout, tokens, milliseconds, parts, failed }: LoggedContext): ContextLogTable {
  return {
    ...ownerColumns(scope),
    id,
    session_id: scope.session,
    at: at.getTime(),
    layout,
    tokens,
    milliseconds,
    parts: JSON.stringify({ parts, failed }),
  };
}

const MOST_CONTEXTS = 50;

/** Formation learns nothing from an agent that repeats these texts. */
export async function recalledTexts(reader: Reader, scope: Scope): Promise<string[]> {
  if (scope.session === null) return [];
  const last = sql`${ofSession(scope)} order by at desc limit ${MOST_CONTEXTS}`;
  const logged = await rowsWhere(reader, 'context_log', last, ['parts']);
  const ids = new Set<string>();
  for (const row of logged) {
    for (const part of (JSON.parse(row.parts) as Pick<LoggedContext, 'parts'>).parts) {
      for (const id of part.ids) if (id.startsWith('mem_')) ids.add(id);
    }
  }
  const latest = [...ids].slice(0, 2000);
  const rows = await rowsBy(reader, scope.tenant, 'memories', { id: latest }, ['owner_key', 'content']);
  const owners = visibleOwners(scope);
  return rows.filter(({ owner_key }) => owners.includes(owner_key)).map(({ content }) => content);
}

/** A memory that a model received and whose use has not been judged yet. */
export interface GivenMemory {
  id: string;
  memoryId: string;
  session: string | null;
  givenAt: number;
  isAlways: boolean;
}

export async function insertGiven(
  writer: Writer,
  ids: IdSource,
  scope: Scope,
  memoryIds: readonly string[],
  { now, isAlways = false }: { now: number; isAlways?: boolean },
): Promise<void> {
  const unique = [...new Set(memoryIds)];
  const rows = unique.map((memory_id) => ({
    tenant_id: scope.tenant,
    id: ids.next('giv'),
    owner_key: ownerKey(scope),
    session_id: scope.session,
    memory_id,
    given_at: now,
    always: Number(isAlways),
  }));
  await insertNew(writer, 'given_memories', rows);
}

export async function listGiven(reader: Reader, scope: Scope, limit: number): Promise<GivenMemory[]> {
  const rows = await rowsWhere(reader, 'given_memories', sql`${ofOwner(scope)} order by given_at, id limit ${limit}`);
  return rows.map((row) => ({
    id: row.id,
    memoryId: row.memory_id,
    session: row.session_id,
    givenAt: row.given_at,
    isAlways: row.always === 1,
  }));
}

/** Returns only the ids that this call removed: another run may have taken the rest. */
export async function takeGiven(writer: Writer, tenant: string, ids: readonly string[]): Promise<Set<string>> {
  const taken = new Set<string>();
  for (const some of chunks(ids)) {
    const { rows } = await sql<{ id: string }>`delete from given_memories
      where tenant_id = ${tenant} and ${isIn('id', some)} returning id`.execute(writer);
    for (const { id } of rows) taken.add(id);
  }
  return taken;
}

/** How often a memory was given, used, confirmed and corrected. */
export interface MemoryUse {
  given: number;
  used: number;
  confirmed: number;
  corrected: number;
  lastConfirmedAt: Date | null;
}

export async function findUse(reader: Reader, tenant: string, memoryId: string): Promise<MemoryUse | null> {
  const [row] = await rowsBy(reader, tenant, 'memory_use', { memory_id: [memoryId] });
  if (row === undefined) return null;
  const { given, used, confirmed, corrected } = row;
  const lastConfirmedAt = row.last_confirmed_at === null ? null : new Date(row.last_confirmed_at);
  return { given, used, confirmed, corrected, lastConfirmedAt };
}

export async function addUse(
  writer: Writer,
  scope: Scope,
  memoryId: string,
  more: Omit<MemoryUse, 'lastConfirmedAt'>,
  now: number,
): Promise<Omit<MemoryUse, 'lastConfirmedAt'>> {
  const place = { tenant_id: scope.tenant, owner_key: ownerKey(scope), memory_id: memoryId };
  const row = { ...place, ...more, last_confirmed_at: more.confirmed > 0 ? now : null };
  const { rows } = await sql<Omit<MemoryUse, 'lastConfirmedAt'>>`
    ${insertion('memory_use', [row])} on conflict (tenant_id, memory_id) do update set
      given = memory_use.given + excluded.given, used = memory_use.used + excluded.used,
      confirmed = memory_use.confirmed + excluded.confirmed, corrected = memory_use.corrected + excluded.corrected,
      last_confirmed_at = coalesce(excluded.last_confirmed_at, memory_use.last_confirmed_at)
    returning given, used, confirmed, corrected`.execute(writer);
  return rows[0]!;
}
