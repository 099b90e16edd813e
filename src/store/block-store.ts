import { type Selectable, sql } from 'kysely';
import { conflict } from '../errors.ts';
import { bareStatement, replaceStatements, statementsIn, timedRendering } from '../language/sentences.ts';
import {
  type Basis,
  type Block,
  BLOCK_KINDS,
  type BlockKindName,
  blockWordLimit,
  serializeBlock,
} from '../record/block.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import { ARCHIVED_AS, hasEnded, hasOutcome, type Memory } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts, Reader, Writer } from './database.ts';
import { recordRevisions, snapshotsAsOf } from './history-store.ts';
import { memoriesFrom } from './read-memories.ts';
import { toMemory } from './record-rows.ts';
import { changeOwner } from './owner-store.ts';
import { insertion, ofOwner, ofSession, ownerColumns, rowsBy, rowsWhere, scopeOfRow } from './rows.ts';
import type { BlockTable } from './schema.ts';
import { contentHash } from '../record/id.ts';
import { countWords } from '../record/parse.ts';

type BlockRow = Selectable<BlockTable>;

export function toBlock(row: BlockRow): Block {
  return {
    id: row.id,
    scope: scopeOfRow(row),
    kind: row.kind,
    // A block of a kind that this version does not know is kept as text.
    content: isJson(row.kind) ? (JSON.parse(row.content) as unknown) : row.content,
    // Snapshots from older versions have no basis.
    basis: JSON.parse((row.basis as string | undefined) ?? '{}') as Basis,
    version: row.version,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

function isJson(kind: BlockKindName): boolean {
  return BLOCK_KINDS[kind]?.format === 'json';
}

/** Reads the block of exactly this scope, without inheritance from wider scopes. */
export async function findBlock(
  reader: Reader,
  scope: Scope,
  kind: BlockKindName,
  asOf: Date | null = null,
): Promise<Block | null> {
  const row = await findRow(reader, scope, kind);
  if (row === undefined) return null;
  if (asOf === null) return toBlock(row);
  if (row.created_at > asOf.getTime()) return null;
  const before = (await snapshotsAsOf(reader, scope.tenant, [row.id], asOf)).get(row.id)?.at(-1);
  return toBlock(before === undefined ? row : (JSON.parse(before) as BlockRow));
}

async function findRow(reader: Reader, scope: Scope, kind: BlockKindName): Promise<BlockRow | undefined> {
  const isMeant = sql`${ofSession(scope)} and connection_id = ${scope.connection ?? ''} and kind = ${kind}`;
  return (await rowsWhere(reader, 'blocks', isMeant))[0];
}

interface BlockReplacement {
  kind: BlockKindName;
  content: unknown;
  /** By default, unchanged sentences and entries keep their sources. */
  basis?: Basis;
  /**
   * For optimistic locking: the version that the caller has read, or 0 if there was no block. A mismatch throws `conflict`. Default: no
   * check.
   */
  expectedVersion?: number;
}

/** Keeps earlier versions in the history. Idempotent: the same content and basis write no revision. */
export async function replaceBlock(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  replacement: BlockReplacement,
  change: Change,
): Promise<Block> {
  const { kind, expectedVersion } = replacement;
  const content = serializeBlock(kind, scope, replacement.content);
  const now = parts.clock.now();
  await changeOwner(writer, scope, now);
  const before = await findRow(writer, scope, kind);
  const version = before?.version ?? 0;
  if (expectedVersion !== undefined && expectedVersion !== version) {
    throw conflict(`The block ${kind} is at version ${version}, not ${expectedVersion}. Read it again.`, {
      retryable: true,
      details: { kind, version, expectedVersion },
    });
  }
  const basis = JSON.stringify(replacement.basis ?? JSON.parse(before?.basis ?? '{}'));
  if (before !== undefined && before.content === content && before.basis === basis) return toBlock(before);
  const row: BlockRow = {
    ...ownerColumns(scope),
    id: before?.id ?? parts.ids.next('blk'),
    session_id: scope.session ?? '',
    connection_id: scope.connection ?? '',
    kind,
    content,
    basis,
    version: version + 1,
    created_at: before?.created_at ?? now,
    updated_at: now,
  };
  await sql`${insertion('blocks', [row])} on conflict (tenant_id, owner_key, session_id, connection_id, kind)
    do update set content = ${content}, basis = ${basis}, version = ${version + 1}, updated_at = ${now}`.execute(
    writer,
  );
  const snapshot = before === undefined ? null : JSON.stringify(before);
  await recordRevisions(writer, [{ scope, recordId: row.id, version: row.version, at: now, change, before: snapshot }]);
  return toBlock(row);
}

/** Replaces or removes sentences that repeat a memory's old text verbatim. A model's own wording stays until a model rewrites the block. */
export async function restateInBlocks(
  writer: Writer,
  parts: Parts,
  { before, after, change }: { before: Memory; after: Memory | null; change: Change },
): Promise<void> {
  const rows = await rowsWhere(
    writer,
    'blocks',
    sql`${ofOwner(before.scope)} and kind in ('working_memory', 'profile', 'reflections', 'scaffold')`,
  );
  const why = { ...change, reason: `no longer so: ${change.reason}`.slice(0, 500) };
  for (const block of rows.map(toBlock)) {
    const content = restated(block, bareStatement(before.content), after);
    if (content !== block.content) await replaceBlock(writer, parts, block.scope, { kind: block.kind, content }, why);
  }
}

function restated({ kind, scope, content, basis }: Block, old: string, after: Memory | null): unknown {
  if (isJson(kind)) return withoutItems(content, old);
  const text = content as string;
  // Sentences with a basis are skipped: `staleKeys` hides them, and the next consolidation rewrites them.
  const isOld = (statement: string): boolean =>
    bareStatement(statement) === old && basis[contentHash(statement)] === undefined;
  const without = replaceStatements(text, (statement) => (isOld(statement) ? null : statement));
  // Text from a tool or a page must not enter a block this way.
  if (without === text || after === null || after.trust === 'low') return without;
  const now = `${after.content.replace(/\.$/, '')}.`;
  if (statementsIn(text).some((statement) => bareStatement(statement) === bareStatement(now))) return without;
  const next = replaceStatements(text, (statement, { isListed }) => {
    if (!isOld(statement)) return statement;
    // A list item begins with the date of the old statement, so the new text would get a wrong date.
    return isListed ? null : now;
  });
  const limit = blockWordLimit(kind, scope);
  return limit !== null && countWords(next) > limit ? without : next;
}

function withoutItems(content: unknown, old: string): unknown {
  if (Array.isArray(content)) {
    const left = content
      .filter((item) => typeof item !== 'string' || bareStatement(item) !== old)
      .map((item) => withoutItems(item, old));
    return left.length === content.length && left.every((item, index) => item === content[index]) ? content : left;
  }
  if (typeof content !== 'object' || content === null) return content;
  const left = Object.entries(content).map(([key, value]) => [key, withoutItems(value, old)] as const);
  return left.every(([key, value]) => value === (content as Record<string, unknown>)[key])
    ? content
    : Object.fromEntries(left);
}

/** Excludes drafts that a later reading has replaced, because they were not wrong. */
export function isNoLongerSo({
  archiveReason,
  contradictedBy,
}: Pick<Memory, 'archiveReason' | 'contradictedBy'>): boolean {
  if (archiveReason === 'superseded' && contradictedBy === null) return false;
  return archiveReason !== null && ARCHIVED_AS[archiveReason].ended;
}

export function eventsGone(formed: readonly Memory[]): Set<string> {
  const holding = new Set(formed.filter((memory) => !isNoLongerSo(memory)).flatMap(({ sourceEvents }) => sourceEvents));
  return new Set(formed.flatMap(({ sourceEvents }) => sourceEvents).filter((id) => !holding.has(id)));
}

type StandingBlock = Pick<Block, 'kind' | 'content' | 'basis'>;

/**
 * Returns the keys of stale sentences and entries. One is stale if:
 * - a statement behind it was replaced, ended, forgotten, erased or reworded, has reached an outcome, or is unverified,
 * - an event behind it was erased or redacted, or supports no statement that still holds,
 * - or its own time is over.
 *
 * Computed at every read and never stored: changing a statement does not have to update blocks, and restoring it restores its sentences.
 */
export async function staleKeys(
  reader: Reader,
  tenant: string,
  blocks: readonly StandingBlock[],
  { now, memoryTypes }: { now: number; memoryTypes: MemoryTypeTable },
): Promise<Set<string>> {
  const entries = blocks.flatMap(({ basis }) => Object.entries(basis)).filter(([key]) => key !== '');
  const ids = [...new Set(entries.flatMap(([, { rests }]) => Object.keys(rests)))];
  const stale = new Set<string>();
  if (entries.length === 0) return stale;
  const rows = await rowsBy(reader, tenant, 'memories', { id: ids });
  const memories = new Map(rows.map((row) => [row.id, toMemory(row)]));
  const others = ids.filter((id) => !memories.has(id));
  const turns = await rowsBy(reader, tenant, 'events', { id: others }, ['id', 'content']);
  const events = new Map(turns.map(({ id, content }) => [id, contentHash(content)]));
  for (const id of eventsGone(await memoriesFrom(reader, tenant, [...events.keys()]))) events.delete(id);
  const holds = (id: string, hash: string): boolean => {
    const memory = memories.get(id);
    if (memory === undefined) return events.has(id) && (hash === '' || hash === events.get(id));
    const isOver = memory.tense !== 'happened' && hasEnded(memory, now);
    const isUnverified = memory.trust === 'low';
    if (isUnverified || isOver || isNoLongerSo(memory) || hasOutcome(memory, memoryTypes.get(memory.type)))
      return false;
    return hash === '' || hash === contentHash(timedRendering(memory));
  };
  for (const [key, { rests, until }] of entries) {
    const isSound = Object.entries(rests).every(([id, hash]) => holds(id, hash));
    if (!isSound || (until !== undefined && until <= now)) stale.add(key);
  }
  return stale;
}

export function withoutStale({ kind, content, basis }: StandingBlock, stale: ReadonlySet<string>): unknown {
  const keys = Object.keys(basis).filter((key) => stale.has(key));
  if (keys.length === 0) return content;
  if (isJson(kind)) {
    return Object.fromEntries(Object.entries(content as object).filter(([key]) => !stale.has(key)));
  }
  return replaceStatements(content as string, (statement) => (stale.has(contentHash(statement)) ? null : statement));
}

/** One sentence of a text, or one entry of a JSON document, with its sources. */
export interface RestingSentence {
  text: string;
  /** The ids of the statements and events that support the text. Empty for text that a person wrote. */
  restsOn: string[];
  /** Whether one of the sources is no longer true. Prompts omit stale sentences. */
  stale: boolean;
}

export function restingSentences(
  { kind, content, basis }: StandingBlock,
  stale: ReadonlySet<string>,
): RestingSentence[] {
  const parts = isJson(kind)
    ? Object.keys(typeof content === 'object' && content !== null ? content : {}).map((key) => ({ text: key, key }))
    : statementsIn(String(content))
        .filter((text) => !text.startsWith('#'))
        .map((text) => ({ text, key: contentHash(text) }));
  return parts.map(({ text, key }) => ({
    text,
    restsOn: Object.keys(basis[key]?.rests ?? {}),
    stale: stale.has(key),
  }));
}

/** By id. Excludes blocks of a session or a connection. */
export async function staleBlocks(
  reader: Reader,
  search: { tenant: string; kind: string; before: number; after: string; limit: number },
): Promise<Pick<Selectable<BlockTable>, 'id' | 'agent_id' | 'user_id'>[]> {
  const { tenant, kind, before, after, limit } = search;
  const isStale = sql`tenant_id = ${tenant} and kind = ${kind} and session_id = '' and connection_id = '' and content <> ''
    and updated_at <= ${before} and id > ${after} order by id limit ${limit}`;
  return rowsWhere(reader, 'blocks', isStale, ['id', 'agent_id', 'user_id']);
}
