import { invalidInput, VarveError } from '../errors.ts';
import { formText, readText } from '../form/form-text.ts';
import { inOwnZone } from '../form/form.ts';
import type { FormDeps } from '../form/formation-settings.ts';
import { appendEvents } from '../observe/observe.ts';
import { idOfCopy, type IdPrefix } from '../record/id.ts';
import { memoryType, newMemory } from '../store/record-rows.ts';
import type { InternalMemory, Memory } from '../record/memory.ts';
import { ownerKey, ownerOf, type Scope } from '../record/scope.ts';
import { USER } from '../record/statement.ts';
import { findBlock, replaceBlock } from '../store/block-store.ts';
import type { Parts, Writer } from '../store/database.ts';
import { addRevision, ownerKeyOf, ownersOfRecords } from '../store/doors/transfer-store.ts';
import { removeFirstRevision, revisionExists } from '../store/doors/transfer-store.ts';
import { isOthersEntity, writeEntity } from '../store/entity-store.ts';
import { forget } from '../store/forget/forget.ts';
import { forgottenAmong, insertForgotten, listForgotten } from '../store/forget/forgotten-store.ts';
import { redactBlocks } from '../store/forget/redact-blocks.ts';
import { insertRefusals } from '../store/history-store.ts';
import { changeOwner } from '../store/owner-store.ts';
import { setColumns } from '../store/rows.ts';
import { findMemory } from '../store/read-memories.ts';
import { passFormation } from '../store/session-store.ts';
import { findInItsPlace, insertMemoryRow } from '../store/write-memory.ts';
import type { ParsedLine } from './record-line.ts';
import { hideForgottenSpans } from '../store/forget/hide-in-log.ts';

export type LineOutcome = 'imported' | 'known';

export interface ImportContext {
  /** Maps an entity's id in the import to its id in this store, if the two differ. */
  entities: Map<string, string>;
  check(scope: Scope): void;
}

type Line<Record extends ParsedLine['record']> = Extract<ParsedLine, { record: Record }>;

type Take<Imported extends ParsedLine> = (
  writer: Writer,
  parts: FormDeps,
  line: Imported,
  context: ImportContext,
) => Promise<LineOutcome>;

const TAKE: { [Kind in ParsedLine['record']]: Take<Line<Kind>> } = {
  header: async () => 'known',
  entity: importEntity,
  forgotten: importForgotten,
  event: importEvent,
  refusal: importRefusal,
  revision: importRevision,
  memory: importMemory,
  block: importBlock,
};

export const importLine: Take<ParsedLine> = (writer, parts, line, context) =>
  (TAKE[line.record] as Take<ParsedLine>)(writer, parts, line, context);

const IMPORTED = { reason: 'imported', actor: 'import' };

/** Returns `id` for the first record of its kind, and new ids afterwards. */
function fixedIds({ ids }: Parts, id: string): Parts['ids'] {
  const given = [id];
  const next = (prefix: IdPrefix): string =>
    (id.startsWith(`${prefix}_`) ? given.pop() : undefined) ?? ids.next(prefix);
  return { next };
}

function fixed<Fixed extends Parts>(parts: Fixed, id: string, time: Date | undefined): Fixed {
  const clock = time === undefined ? parts.clock : { now: () => time.getTime() };
  return { ...parts, ids: fixedIds(parts, id), clock, sharesFacts: false };
}

/** Another id replaces that of a record that the caller may not read, because the outcome "known" would reveal that record. */
async function ownId(
  writer: Writer,
  table: Parameters<typeof ownersOfRecords>[1],
  { id, scope }: { id: string; scope: Scope },
  context: ImportContext,
): Promise<{ id: string; exists: boolean }> {
  const { tenant } = scope;
  const [other] = await ownersOfRecords(writer, table, { tenant, ids: [id] });
  if (other === undefined || isReached(tenant, other, context)) return { id, exists: other !== undefined };
  const copy = idOfCopy(id, ownerKey(scope));
  return { id: copy, exists: (await ownersOfRecords(writer, table, { tenant, ids: [copy] })).length > 0 };
}

async function importEvent(
  writer: Writer,
  parts: Parts,
  line: Line<'event'>,
  context: ImportContext,
): Promise<LineOutcome> {
  const { scope, data, recordedAt, processedAt } = line;
  const { id, exists } = await ownId(writer, 'events', line, context);
  if (exists) return 'known';
  const { repeated } = await appendEvents(writer, parts, scope, [{ ...data, id }]);
  if (repeated > 0) return 'known';
  if (recordedAt !== undefined || processedAt) {
    const times = { recorded_at: recordedAt?.getTime(), processed_at: processedAt?.getTime() ?? null };
    await setColumns(writer, 'events', { tenant: scope.tenant, id }, times);
  }
  await hideForgottenSpans(writer, parts, scope.tenant, [id]);
  // Events that their original store has read are not read again: the import contains their memories.
  if (processedAt && scope.session !== null) await passFormation(writer, scope);
  return 'imported';
}

/** Also forgets the statement's memory in this store. A later import of an older copy does not restore it. */
async function importForgotten(
  writer: Writer,
  parts: Parts,
  line: Line<'forgotten'>,
  context: ImportContext,
): Promise<LineOutcome> {
  const { scope, as, by, at, digests } = line;
  const owner = ownerOf(scope);
  const { id, exists } = await ownId(writer, 'forgotten', line, context);
  if (exists) return 'known';
  const memory = line.memory == null ? null : await findMemory(writer, owner, line.memory);
  if (memory !== null && memory.archiveReason !== 'forgotten' && as === 'forgotten') {
    // `forget` may also record other statements with the same meaning. Only the first record gets the imported id.
    const then = { ...parts, ids: fixedIds(parts, id), clock: { now: () => at.getTime() } };
    await forget(writer, then, { scope: owner, memories: [memory], by, why: IMPORTED });
    return 'imported';
  }
  const record = {
    id,
    scope: owner,
    as,
    memory: line.memory ?? null,
    subject: USER,
    attribute: null,
    value: null,
    polarity: 'affirmed',
    tense: 'holds',
    text: '',
    by,
    request: line.request ?? null,
    reason: IMPORTED.reason,
    at,
    saidAgainAt: line.saidAgainAt ?? null,
  } as const;
  const spans = line.spans.map((span) => ({ field: 'content' as const, words: '', ...span }));
  await changeOwner(writer, owner, parts.clock.now());
  await insertForgotten(writer, record, spans, digests);
  await hideForgottenSpans(writer, parts, scope.tenant, [...new Set(spans.map(({ event }) => event))]);
  return 'imported';
}

/** Whether a memory from an older copy has been forgotten since, by its id or its content. */
async function wasForgotten(writer: Writer, memory: Memory): Promise<boolean> {
  const owner = ownerOf(memory.scope);
  if (await isForgottenId(writer, owner, memory.id)) return true;
  // Without quotes, because another statement from the same words may have been forgotten.
  const claims = [{ ...memory, text: memory.content, quotes: [] }];
  // Only `forgotten`: completed intentions are imported as history.
  const records = await listForgotten(writer, owner, { as: 'forgotten' });
  return (await forgottenAmong(writer, owner.tenant, { claims, records })).size > 0;
}

async function isForgottenId(writer: Writer, owner: Scope, memory: string): Promise<boolean> {
  return (await listForgotten(writer, owner, { memories: [memory] })).some(({ as }) => as === 'forgotten');
}

async function importMemory(
  writer: Writer,
  parts: FormDeps,
  line: Line<'memory'>,
  context: ImportContext,
): Promise<LineOutcome> {
  const { scope, reader, internal } = line;
  const { id, exists } = await ownId(writer, 'memories', line, context);
  const data: InternalMemory = { ...line.data, reader, internal, sourceType: line.data.sourceType ?? 'import' };
  const made = newMemory(fixed(parts, id, line.createdAt), scope, data);
  // The memory's level may move it to a wider scope than that of the line.
  context.check(made.scope);
  if (exists || (await wasForgotten(writer, made))) return 'known';
  if (isPlain(parts, line)) return formPlainMemory(writer, fixed(parts, id, line.createdAt), scope, data);
  const sourceEvents = await reached(writer, 'events', made.sourceEvents, { scope, context });
  const entities = made.entities.map((entity) => context.entities.get(entity) ?? entity);
  const memory: Memory = {
    ...made,
    sourceEvents,
    quotes: made.quotes.filter(({ event }) => sourceEvents.includes(event)),
    entities: await reached(writer, 'entities', entities, { scope, context }),
    contradictedBy: line.contradictedBy ?? null,
    updatedAt: line.updatedAt ?? made.createdAt,
    archivedAt: line.archivedAt ?? null,
    archiveReason: line.archivedAt ? (line.archiveReason ?? 'forgotten') : null,
    accessCount: line.accessCount ?? 0,
    lastAccessedAt: line.lastAccessedAt ?? null,
    version: line.version ?? 1,
  };
  await changeOwner(writer, memory.scope, parts.clock.now());
  // Only a live memory must not be a duplicate.
  if (memory.archivedAt === null && (await findInItsPlace(writer, parts, memory)) !== null) return 'known';
  await insertMemoryRow(writer, parts, memory);
  const { version, updatedAt: at } = memory;
  await addRevision(writer, { scope: memory.scope, recordId: id, version, at, ...IMPORTED, run: null, before: null });
  return 'imported';
}

function isPlain({ memoryTypes }: Parts, { data, version, archivedAt }: Line<'memory'>): boolean {
  const isStatement = memoryType(memoryTypes, data.type).comparable && data.attribute == null;
  return isStatement && data.sourceType === 'import' && version === undefined && !archivedAt;
}

/** The sentence passes the same stages as any statement: resolve, compare, decide. */
async function formPlainMemory(
  writer: Writer,
  deps: FormDeps,
  scope: Scope,
  memory: InternalMemory,
): Promise<LineOutcome> {
  const statedAt = memory.statedAt ?? new Date(deps.clock.now());
  const { statements } = await readText(await inOwnZone(writer, deps, scope), scope, memory.content, statedAt);
  const { type, content, importance, tags } = memory;
  const text = { type, content, importance, tags, statedAt, statedBy: 'system', sourceType: 'import' } as const;
  const written = await formText(writer, deps, { scope, memory: text, statements, readBy: 'import', why: IMPORTED });
  return written === null || written.outcome === 'unchanged' ? 'known' : 'imported';
}

async function importRefusal(writer: Writer, _parts: Parts, line: Line<'refusal'>): Promise<LineOutcome> {
  const { record: _record, text = null, detail = null, run = null, proposal = null, events = [], ...rest } = line;
  const added = await insertRefusals(writer, [{ ...rest, text, detail, run, proposal, events }]);
  return added === 0 ? 'known' : 'imported';
}

async function importBlock(
  writer: Writer,
  parts: Parts,
  line: Line<'block'>,
  context: ImportContext,
): Promise<LineOutcome> {
  const { scope, kind, content, basis, updatedAt } = line;
  const { id, exists } = await ownId(writer, 'blocks', line, context);
  if (exists || (await findBlock(writer, scope, kind)) !== null) return 'known';
  const place = { tenant: scope.tenant, id };
  // Revisions are imported before their block, but replaceBlock() writes its own first revision, so the imported one must be put back.
  const first = await removeFirstRevision(writer, place);
  await replaceBlock(writer, fixed(parts, id, updatedAt), scope, { kind, content, basis }, IMPORTED);
  if (first !== null) {
    await removeFirstRevision(writer, place);
    await addRevision(writer, { ...first, scope });
  }
  const owner = ownerOf(scope);
  const gone = (await listForgotten(writer, owner, { as: 'forgotten' })).flatMap(({ memory }) => memory ?? []);
  // An older copy of the block may contain sentences that are based on memories forgotten since.
  if (gone.length > 0) await redactBlocks(writer, owner, { says: () => false, gone: new Set(gone) });
  if (line.version !== undefined && line.version > 1) {
    const created_at = (line.createdAt ?? updatedAt)?.getTime() ?? parts.clock.now();
    await setColumns(writer, 'blocks', place, { version: line.version, created_at });
  }
  return 'imported';
}

async function importEntity(
  writer: Writer,
  parts: Parts,
  line: Line<'entity'>,
  { entities }: ImportContext,
): Promise<LineOutcome> {
  const owner = ownerOf(line.scope);
  // If another owner's entity has this id, this entity silently gets another one, so that the result does not reveal the other entity.
  const id = (await isOthersEntity(writer, owner, line.id)) ? idOfCopy(line.id, ownerKey(owner)) : line.id;
  const entity = await writeEntity(writer, fixed(parts, id, undefined), owner, line.data);
  // Only changed ids, so that memory use does not grow with the import.
  if (entity.id !== line.id) entities.set(line.id, entity.id);
  return entity.createdAt.getTime() === entity.updatedAt.getTime() && entity.id === id ? 'imported' : 'known';
}

async function importRevision(
  writer: Writer,
  _parts: Parts,
  line: Line<'revision'>,
  context: ImportContext,
): Promise<LineOutcome> {
  const { scope, version } = line;
  const table = line.recordId.startsWith('blk_') ? 'blocks' : 'memories';
  const { id: recordId } = await ownId(writer, table, { id: line.recordId, scope }, context);
  // The history of a forgotten memory contains its words.
  if (await isForgottenId(writer, ownerOf(scope), recordId)) return 'known';
  const place = { tenant: scope.tenant, id: recordId };
  const owner = await ownerKeyOf(writer, place);
  if (owner === null || owner === ownerKey(scope))
    return (await addRevision(writer, { ...line, recordId, run: line.run ?? null })) ? 'imported' : 'known';
  if (await revisionExists(writer, place, version)) return 'known';
  // The revision would occupy the version number of the next change of another scope's record.
  throw invalidInput(
    `Version ${version} of ${recordId} has another scope than the record ${recordId}. Both must have the same scope.`,
  );
}

/** Keeps only ids that exist and that the caller may read, so that an imported memory has no dangling references. */
async function reached(
  writer: Writer,
  table: 'events' | 'entities',
  ids: readonly string[],
  { scope: { tenant }, context }: { scope: Scope; context: ImportContext },
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await ownersOfRecords(writer, table, { tenant, ids });
  const found = new Set(rows.filter((owner) => isReached(tenant, owner, context)).map(({ id }) => id));
  return ids.filter((id) => found.has(id));
}

function isReached(tenant: string, { agent, user }: Pick<Scope, 'agent' | 'user'>, { check }: ImportContext): boolean {
  try {
    check(ownerOf({ tenant, agent, user }));
    return true;
  } catch (error) {
    if (VarveError.isInstance(error, 'outside_scope')) return false;
    throw error;
  }
}
