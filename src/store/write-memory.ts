import { sql } from 'kysely';
import { conflict, invalidInput } from '../errors.ts';
import { datedLine, isDated, timedRendering, withDatedNote } from '../language/sentences.ts';
import {
  checkFields,
  joinEvents,
  joinQuotes,
  memoryType,
  newMemory,
  searchableText,
  toMemory,
  toMemoryRow,
  toSnapshot,
  uniqueKey,
  redactedValue,
  withoutSecrets,
  withoutValue,
} from './record-rows.ts';
import {
  isoDay,
  ARCHIVED_AS,
  type ArchiveReason,
  hasEnded,
  type InternalChange,
  type InternalMemory,
  type Memory,
} from '../record/memory.ts';
import { withoutUndefined } from '../record/parse.ts';
import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import { normalValue } from '../record/statement.ts';
import { isNoLongerSo, restateInBlocks } from './block-store.ts';
import type { Parts, Reader, Writer } from './database.ts';
import { recordRevisions } from './history-store.ts';
import { indexMemory } from './indexing.ts';
import { changeOwner } from './owner-store.ts';
import { ofId, ofSession, rowsInReach, rowsWhere } from './rows.ts';
import { findChangeable, listStatements, memoriesFrom, memoriesReplacedBy } from './read-memories.ts';

/** The result of writing a memory. */
export interface WrittenMemory {
  memory: Memory;
  /**
   * `unchanged`: the memory existed already. `revised`: the existing memory with this title was updated. `superseded`: the new memory
   * replaced one that it contradicts, or the previous value of a permanent fact.
   */
  outcome: 'created' | 'unchanged' | 'revised' | 'superseded';
  /** The other memories, if the text makes several statements, such as "Is allergic to nuts and latex." */
  others?: Memory[];
}

/**
 * Idempotent: if the owner has a live memory with the same unique key, confirms or revises that one. Archives a memory that the new one
 * contradicts in the same transaction.
 */
export async function writeMemory(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  input: InternalMemory,
  change: Change,
): Promise<WrittenMemory> {
  const memory = newMemory(parts, scope, input);
  // A shared fact may come from conversations with other agents.
  const isShared = parts.sharesFacts === true && memory.scope.user !== null && memory.scope.agent === null;
  await assertSourcesExist(writer, isShared ? memory.scope : scope, memory);
  // Takes the owner's lock first. Otherwise two writers could both find that the memory is new.
  await changeOwner(writer, memory.scope, parts.clock.now());
  const contradicted = memory.contradicts === null ? null : await findChangeable(writer, scope, memory.contradicts);
  const known = await findLive(writer, parts, memory);
  if (known !== null) {
    const met = await meetKnown(writer, parts, { known, memory, change });
    if (contradicted === null || contradicted.id === known.id) return met;
    const until = memory.validFrom ?? memory.statedAt;
    await archiveMemory(writer, parts, contradicted, { reason: 'contradicted', by: known.id, until, why: change });
    return met;
  }
  if (contradicted !== null && contradicted.archivedAt === null) {
    const next = { old: contradicted, next: memory, reason: 'contradicted' as const, change };
    return { memory: await supersedeMemory(writer, parts, next), outcome: 'superseded' };
  }
  await insertMemory(writer, parts, memory, change);
  return { memory, outcome: 'created' };
}

async function meetKnown(
  writer: Writer,
  parts: Parts,
  { known, memory, change }: { known: Memory; memory: Memory; change: Change },
): Promise<WrittenMemory> {
  const type = memoryType(parts.memoryTypes, memory.type);
  const sourceEvents = memory.sourceEvents.filter((event) => !known.sourceEvents.includes(event));
  const { quotes } = memory;
  if (type.unique === 'title' && known.content !== memory.content) {
    const { content, tags, importance } = memory;
    const statedAt = laterOf(known.statedAt, memory.statedAt);
    const revised = await reviseMemory(writer, parts, known, {
      change: { content, sourceEvents, quotes, tags, importance, statedAt },
      why: change,
    });
    return { memory: revised, outcome: 'revised' };
  }
  if (sourceEvents.length === 0 && joinQuotes(known.quotes, quotes).length === known.quotes.length) {
    return { memory: known, outcome: 'unchanged' };
  }
  const confirmed = await reviseMemory(writer, parts, known, {
    change: { sourceEvents, quotes },
    why: { ...change, reason: `said again: ${change.reason}` },
  });
  return { memory: confirmed, outcome: 'unchanged' };
}

/** Writes a revision. Quotes and source events are added to the existing ones; other fields are replaced. */
export async function reviseMemory(
  writer: Writer,
  parts: Parts,
  before: Memory,
  { change, why }: { change: InternalChange; why: Change },
): Promise<Memory> {
  const { sourceEvents = [], quotes: added, ...fields } = change;
  const quotes = joinQuotes(before.quotes, added);
  const after: Memory = {
    ...before,
    ...cleanFields(parts, withoutUndefined(fields), before),
    quotes,
    sourceEvents: joinEvents([...before.sourceEvents, ...sourceEvents], quotes),
  };
  checkFields(after, memoryType(parts.memoryTypes, after.type));
  await assertSourcesExist(writer, before.scope, after, before);
  const revised = await replaceMemory(writer, parts, { before, after, why });
  const restated = { before, after: revised, change: why };
  if (after.content !== before.content) await restateInBlocks(writer, parts, restated);
  if (timedRendering(after) !== timedRendering(before)) await restateMerged(writer, parts, restated);
  return revised;
}

function cleanFields(
  parts: Parts,
  fields: Partial<Memory>,
  before: Pick<Memory, 'attribute' | 'value'>,
): Partial<Memory> {
  const clean = { ...fields };
  const value = fields.value ?? before.value;
  const redacted = redactedValue(parts, fields.attribute ?? before.attribute, value);
  if (typeof clean.title === 'string') clean.title = withoutSecrets(parts, clean.title);
  if (typeof clean.value === 'string') clean.value = redacted;
  if (typeof clean.content === 'string')
    clean.content = withoutValue(withoutSecrets(parts, clean.content), value, redacted);
  return clean;
}

/**
 * `until` is when the statement stopped being true, if known. An archived memory stays as it is, with two exceptions: it can still be
 * forgotten, and an expired one can be replaced by the statement of its outcome.
 */
export async function archiveMemory(
  writer: Writer,
  parts: Parts,
  before: Memory,
  { reason, by = null, until, why }: { reason: ArchiveReason; by?: string | null; until?: Date; why: Change },
): Promise<Memory> {
  const isForgotten = reason === 'forgotten' && before.archiveReason !== 'forgotten';
  if (before.archivedAt !== null && !isForgotten && !hasRunOut(before, reason)) return before;
  const archivedAt = before.archivedAt ?? new Date(parts.clock.now());
  // If the statement ended before it began, it was never true, and its end becomes its beginning.
  const validTo = until === undefined ? before.validTo : laterOf(before.validFrom, before.validTo ?? until);
  const contradictedBy = by ?? before.contradictedBy;
  const after: Memory = { ...before, archivedAt, archiveReason: reason, contradictedBy, validTo };
  const archived = await replaceMemory(writer, parts, { before, after, why });
  const restated = { before, after: null, change: why };
  if (ARCHIVED_AS[reason].leavesBlocks) await restateInBlocks(writer, parts, restated);
  // `pruned` comes only from the application here. Maintenance prunes with `archiveMemories`, which leaves merged texts unchanged.
  if (isNoLongerSo(archived) || reason === 'pruned') await restateMerged(writer, parts, restated);
  if (isNoLongerSo(archived) && reason !== 'forgotten') await dateRepetitions(writer, parts, restated);
  return archived;
}

/**
 * Adds "as of" dates to lines of summaries and reflections with a value that is no longer true. A line that uses the value for something
 * else also gets a date: harmless, because it was true on that day.
 */
async function dateRepetitions(writer: Writer, parts: Parts, { before, change }: Restated): Promise<void> {
  const { value, sourceEvents, scope } = before;
  if (value === null) return;
  // Scripts without spaces have no word boundaries.
  const space = /\p{Lo}/u.test(value) ? '' : ' ';
  const isSaid = (line: string): boolean =>
    `${space}${normalValue(line)}${space}`.includes(`${space}${normalValue(value)}${space}`);
  const why = becauseOf(change);
  for (const text of await memoriesFrom(writer, scope.tenant, sourceEvents)) {
    const section = parts.memoryTypes.get(text.type)?.section;
    if (text.archivedAt !== null || (section !== 'summaries' && section !== 'reflections')) continue;
    const lines = text.content.split('\n');
    const dated = lines.map((line) =>
      isSaid(line) && !isDated(line) ? withDatedNote(line, 'asOf', isoDay(text.statedAt)) : line,
    );
    if (lines.some((line, index) => line !== dated[index]))
      await reviseMemory(writer, parts, text, { change: { content: dated.join('\n') }, why });
  }
}

function becauseOf(change: Change): Change {
  return { ...change, reason: `a statement in it changed: ${change.reason}`.slice(0, 500) };
}

function hasRunOut({ archiveReason }: Memory, reason: ArchiveReason): boolean {
  return archiveReason === 'expired' && (reason === 'superseded' || reason === 'contradicted' || reason === 'merged');
}

export function laterOf(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other;
}

export async function restoreMemory(writer: Writer, parts: Parts, before: Memory, why: Change): Promise<Memory> {
  if (before.archivedAt === null) return before;
  const inItsPlace = await findInItsPlace(writer, parts, before);
  if (inItsPlace !== null) {
    throw conflict(
      `The memory ${before.id} cannot be restored, because ${inItsPlace.id} has replaced it. Archive that one first.`,
      { details: { id: before.id, inItsPlace: inItsPlace.id } },
    );
  }
  const after: Memory = { ...before, archivedAt: null, archiveReason: null, contradictedBy: null };
  return replaceMemory(writer, parts, { before, after, why });
}

/** Restores a forgotten memory. If it is no longer true or was replaced, it stays archived, as history. */
export async function restoreOrKeepAsHistory(
  writer: Writer,
  parts: Parts,
  before: Memory,
  why: Change,
): Promise<Memory> {
  const inItsPlace = await findInItsPlace(writer, parts, before);
  // A past event is still true after its last day.
  const isOver = before.tense !== 'happened' && hasEnded(before, parts.clock.now());
  if (inItsPlace === null && !isOver) return restoreMemory(writer, parts, before, why);
  const contradictedBy = inItsPlace?.id ?? before.contradictedBy;
  const after: Memory = { ...before, archiveReason: 'superseded', contradictedBy };
  return replaceMemory(writer, parts, { before, after, why });
}

export async function supersedeMemory(
  writer: Writer,
  parts: Parts,
  { old, next, reason, change }: { old: Memory; next: Memory; reason: ArchiveReason; change: Change },
): Promise<Memory> {
  const validTo = laterOf(old.validFrom, old.validTo ?? next.validFrom ?? next.statedAt);
  const after: Memory = { ...old, validTo, archivedAt: next.createdAt, archiveReason: reason, contradictedBy: next.id };
  await replaceMemory(writer, parts, { before: old, after, why: change });
  const replacement = { ...next, contradicts: old.id };
  await insertMemory(writer, parts, replacement, change);
  await restateInBlocks(writer, parts, { before: old, after: replacement, change });
  await restateMerged(writer, parts, { before: old, after: null, change });
  await dateRepetitions(writer, parts, { before: old, after: null, change });
  return replacement;
}

interface Restated {
  before: Memory;
  after: Memory | null;
  change: Change;
}

/**
 * Rewrites the merged text that contains a changed memory as a list of the remaining statements, until a model rewords it. If fewer than
 * two remain, the merged text is archived.
 */
export async function restateMerged(writer: Writer, parts: Parts, { before, after, change }: Restated): Promise<void> {
  if (before.contradictedBy === null || before.archivedAt !== null) return;
  const text = await findChangeable(writer, before.scope, before.contradictedBy);
  if (text === null || text.archivedAt !== null || text.sourceType !== 'consolidation') return;
  const others = (await singlesOf(writer, text)).filter(({ id }) => id !== before.id);
  const left = after === null ? others : [...others, after];
  const why = becauseOf(change);
  if (left.length >= 2) {
    await reviseMemory(writer, parts, text, { change: { content: mergedList(left) }, why });
    return;
  }
  await archiveMemory(writer, parts, text, { reason: 'superseded', why });
  for (const memory of left) await reviseMemory(writer, parts, memory, { change: { contradictedBy: null }, why });
}

export async function singlesOf(reader: Reader, { id, scope }: Memory): Promise<Memory[]> {
  return memoriesReplacedBy(reader, scope.tenant, id, 'live');
}

export function mergedList(memories: readonly Memory[]): string {
  return memories
    .toSorted((one, other) => one.statedAt.getTime() - other.statedAt.getTime())
    .map((memory) => datedLine({ text: timedRendering(memory), at: memory.statedAt }))
    .join('\n');
}

type References = Pick<Memory, 'sourceEvents' | 'entities' | 'contradicts'>;

const NO_REFERENCES: References = { sourceEvents: [], entities: [], contradicts: null };

/**
 * New references must exist, so that a memory can always be traced to its sources. Existing ones are not checked: an erasure or an earlier
 * version of Varve may have broken them.
 */
async function assertSourcesExist(
  writer: Writer,
  scope: Scope,
  memory: References,
  before: References = NO_REFERENCES,
): Promise<void> {
  for (const [table, all, known, what] of [
    ['events', memory.sourceEvents, before.sourceEvents, 'event'],
    ['entities', memory.entities, before.entities, 'entity'],
    ['memories', memory.contradicts === null ? [] : [memory.contradicts], [before.contradicts], 'memory'],
  ] as const) {
    const had = new Set<string | null>(known);
    const ids = all.filter((id) => !had.has(id));
    if (ids.length === 0) continue;
    const rows = await rowsInReach(writer, scope, table, ids, ['id']);
    const found = new Set(rows.map((row) => row.id));
    const missing = ids.find((id) => !found.has(id));
    if (missing !== undefined)
      throw invalidInput(`There is no ${what} ${missing} that this handle can refer to.`, { id: missing });
  }
}

export async function findLive(
  writer: Writer,
  { memoryTypes }: Pick<Parts, 'memoryTypes'>,
  memory: Memory,
): Promise<Memory | null> {
  const unique = uniqueKey(memory, memoryType(memoryTypes, memory.type));
  if (unique === null) return null;
  const isSame = sql`${ofSession(memory.scope)} and connection_id = ${memory.scope.connection ?? ''}
    and unique_key = ${unique} and archived_at is null`;
  const [row] = await rowsWhere(writer, 'memories', isSame);
  return row === undefined ? null : toMemory(row);
}

/** An exact duplicate, or another value of the memory's attribute. */
export async function findInItsPlace(writer: Writer, parts: Parts, memory: Memory): Promise<Memory | null> {
  const double = await findLive(writer, parts, memory);
  return double ?? findValue(writer, parts, memory);
}

/** Null if the attribute allows many values. A permanent fact with an unknown attribute allows one. */
async function findValue(writer: Writer, { attributes }: Parts, memory: Memory): Promise<Memory | null> {
  const { attribute, subject, scope, permanent } = memory;
  if (attribute === null || memory.polarity === 'denied') return null;
  const hasOne = attributes.policyOf(attribute).values === 'one' || (permanent && !attributes.isKnown(attribute));
  if (!hasOne) return null;
  const live = await listStatements(writer, scope, { subjects: [subject], attributes: [attribute], owner: 'own' });
  const isInItsPlace = (other: Memory): boolean =>
    other.polarity === memory.polarity &&
    other.tense === memory.tense &&
    other.scope.session === scope.session &&
    other.scope.connection === scope.connection;
  return live.find(isInItsPlace) ?? null;
}

export async function insertMemory(writer: Writer, parts: Parts, memory: Memory, change: Change): Promise<void> {
  await insertMemoryRow(writer, parts, memory);
  await recordRevision(writer, memory, change, null);
}

export async function insertMemoryRow(writer: Writer, parts: Parts, memory: Memory): Promise<void> {
  const type = memoryType(parts.memoryTypes, memory.type);
  const sequence = await changeOwner(writer, memory.scope, parts.clock.now());
  const { row_id } = await writer
    .insertInto('memories')
    .values(toMemoryRow(memory, type, sequence))
    .returning('row_id')
    .executeTakeFirstOrThrow();
  await indexMemory(writer, parts, row_id, memory, { tags: [], sourceEvents: [], entities: [] });
}

async function replaceMemory(
  writer: Writer,
  parts: Parts,
  { before, after, why }: { before: Memory; after: Memory; why: Change },
): Promise<Memory> {
  const now = parts.clock.now();
  const sequence = await changeOwner(writer, before.scope, now);
  const next: Memory = { ...after, version: before.version + 1, updatedAt: new Date(now) };
  const type = memoryType(parts.memoryTypes, next.type);
  // Access counters change without a revision, so the values in `before` may be outdated. The tenant is left out because a distributed
  // table refuses statements that set it.
  const {
    tenant_id: _tenant,
    access_count: _count,
    last_accessed_at: _last,
    ...row
  } = toMemoryRow(next, type, sequence);
  const updated = await writer
    .updateTable('memories')
    .set(row)
    .where(ofId(before.scope.tenant, before.id))
    .where('version', '=', before.version)
    .returning('row_id')
    .executeTakeFirst();
  if (updated === undefined) {
    throw conflict(`The memory ${before.id} has been changed since you read it. Read it again.`, {
      retryable: true,
      details: { id: before.id, version: before.version },
    });
  }
  const textChanged = searchableText(before) !== searchableText(next);
  await indexMemory(writer, parts, updated.row_id, next, before, textChanged);
  await recordRevision(writer, next, why, toSnapshot(before, next));
  return next;
}

async function recordRevision(writer: Writer, memory: Memory, change: Change, before: string | null): Promise<void> {
  const { scope, id, version, updatedAt } = memory;
  await recordRevisions(writer, [{ scope, recordId: id, version, at: updatedAt.getTime(), change, before }]);
}
