import { entitiesOf } from '../../language/entities.ts';
import { splitSentences } from '../../language/sentences.ts';
import { yieldToEventLoop } from '../../record/event-loop.ts';
import type { Event } from '../../record/event.ts';
import type { Forgotten } from '../../record/forgotten.ts';
import { hasTrait } from '../../record/attributes.ts';
import { memoryType } from '../record-rows.ts';
import type { Memory } from '../../record/memory.ts';
import type { Change } from '../../record/revision.ts';
import { ownerKey, ownerOf, type Scope, sharedOwner } from '../../record/scope.ts';
import { type Quote, USER } from '../../record/statement.ts';
import type { Parts, Reader, Writer } from '../database.ts';
import { findEntitiesByName, writeEntity } from '../entity-store.ts';
import { beginEpoch } from '../erase-records.ts';
import { changeOwner } from '../owner-store.ts';
import { rowsBy, setColumns } from '../rows.ts';
import { findChangeable, memoriesFrom } from '../read-memories.ts';
import { archiveMemory } from '../write-memory.ts';
import {
  activeMatters,
  contentQuotes,
  type CutSpan,
  deleteForgotten,
  insertForgotten,
  insertSpans,
  markSaidAgain,
} from './forgotten-store.ts';
import { hideInDerived, memoriesBy, removeEntities } from './hide-in-derived.ts';
import { hideInLog, type Item, type Request, rowsWith } from './hide-in-log.ts';
import { hearingOnce, hideInEvent, sayerOf, showWords, spansToHide, tellingSentences } from './hide-words.ts';
import { namingTests } from './name-forgotten.ts';
import { redactJson, type Says } from './redact-blocks.ts';

export interface Forgetting {
  scope: Scope;
  memories: readonly Memory[];
  /** Words to forget from turns that never became a memory. */
  words?: readonly Quote[];
  /** Forgets everything that the owner has said so far. No other turn can then repeat the forgotten statements. */
  isEverything?: boolean;
  /** The quotes are exactly the clauses to forget. The rest of their sentences stays. */
  isByClause?: boolean;
  /** The attributes that a request names. Absent if the statements were chosen themselves. */
  topics?: readonly string[] | undefined;
  /** `user`, `agent` or `application`. */
  by: string;
  /** The turn with the request. Absent if the request came through the API. */
  request?: Request | null;
  why: Change;
  /** Receives the ids of derived memories that became empty. */
  emptied?: string[];
}

/**
 * Hides statements everywhere, but keeps them until they are erased. In one transaction:
 * - archives the memories,
 * - removes their words from the log (the user's turns, the assistant's repetitions, the request), from blocks and from derived memories,
 * - and records the statement, who asked, and when.
 *
 * A later formation cannot read the words, because the log no longer has them. Work in progress finds a new epoch of the owner and starts
 * again.
 */
export async function forget(writer: Writer, parts: Parts, work: Forgetting): Promise<Forgotten[]> {
  const now = parts.clock.now();
  const owner = ownerOf(work.scope);
  await changeOwner(writer, owner, now);
  const at = work.request?.event.occurredAt ?? new Date(now);
  const items = await itemsOf(writer, parts, work, owner);
  if (items.length === 0) return [];
  // A fact that all the user's agents share is removed from the logs and blocks of each of them.
  const isShared = items.some(({ memory }) => memory?.scope.agent === null && memory.scope.user !== null);
  const around = isShared ? sharedOwner(owner) : owner;
  const { request = null, isEverything = false } = work;
  const saidAgain = await hideInLog(writer, parts, { items, owner: around, at, request, isEverything });
  const forgotten: Forgotten[] = [];
  for (const item of items) {
    // Reads each memory again: archiving the previous one may have changed it through a merged text that contains both.
    const memory = item.memory === null ? null : await findChangeable(writer, item.memory.scope, item.memory.id);
    if (memory !== null) await archiveMemory(writer, parts, memory, { reason: 'forgotten', why: work.why });
    const record = recordOf(item, { work, owner, id: parts.ids.next('fgt'), at, saidAgainAt: saidAgain.get(item) });
    await insertForgotten(writer, record, item.spans);
    forgotten.push({ ...record, spans: contentQuotes(item.spans) });
  }
  const emptied = await hideInDerived(writer, parts, { items, owner: around, why: work.why });
  work.emptied?.push(...emptied);
  await removeEntities(writer, parts, items);
  await beginEpoch(writer, owner.tenant, [owner, ...items.flatMap(({ memory }) => memory?.scope ?? [])]);
  return forgotten;
}

/** The turns keep their words, but no reader forms an intention from them again. */
export async function closeIntention(
  writer: Writer,
  parts: Parts,
  memory: Memory,
  { as, by, why }: { as: 'done' | 'dismissed'; by: string; why: Change },
): Promise<void> {
  const owner = ownerOf(memory.scope);
  const [id, at] = [parts.ids.next('fgt'), new Date(parts.clock.now())];
  const record = recordOf({ memory, text: memory.content }, { work: { by, why }, owner, id, at });
  const spans = memory.quotes.map((quote): CutSpan => ({ ...quote, field: 'content', words: '' }));
  await insertForgotten(writer, { ...record, as }, spans);
}

/** Puts the words back into the log. The caller restores the memory itself. */
export async function unforget(writer: Writer, parts: Parts, record: Forgotten): Promise<void> {
  const { tenant } = record.scope;
  await changeOwner(writer, record.scope, parts.clock.now());
  if (record.as === 'forgotten') await showWords(writer, parts, tenant, record.id);
  if (record.as === 'forgotten' && record.memory !== null) await absorbRest(writer, parts, record);
  if (record.as === 'forgotten' && record.memory !== null)
    await linkEntities(writer, parts, record.memory, record.scope);
  await deleteForgotten(writer, tenant, [record.id]);
  await beginEpoch(writer, tenant, [record.scope]);
}

/** A partly forgotten statement left one with the rest of its words, which it contains again. */
async function absorbRest(writer: Writer, parts: Parts, { memory: whole, scope, reason }: Forgotten): Promise<void> {
  const [forgotten] = await memoriesBy(writer, scope.tenant, { id: [whole ?? ''] });
  for (const memory of await memoriesFrom(writer, scope.tenant, forgotten?.sourceEvents ?? []))
    if (memory.archivedAt === null && memory.internal['restOf'] === whole)
      await archiveMemory(writer, parts, memory, { reason: 'absorbed', by: whole, why: { reason } });
}

/** Forgetting removes entities that no other memory mentions, so a memory that comes back or stays in part is linked again. */
export async function linkEntities(writer: Writer, parts: Parts, id: string, owner: Scope): Promise<void> {
  const [memory] = await memoriesBy(writer, owner.tenant, { id: [id] });
  if (memory === undefined) return;
  const linked = new Set(memory.entities);
  for (const entity of entitiesOf(memory.content, memory.subject, [])) {
    const [known] = await findEntitiesByName(writer, owner, [entity.name]);
    linked.add((known ?? (await writeEntity(writer, parts, owner, entity))).id);
  }
  const added = [...linked].filter((entity) => !memory.entities.includes(entity));
  if (added.length === 0) return;
  const links = added.map((entity) => ({ tenant_id: owner.tenant, entity_id: entity, memory_id: id }));
  await writer.insertInto('memory_entities').values(links).execute();
  await setColumns(writer, 'memories', { tenant: owner.tenant, id }, { entities: JSON.stringify([...linked]) });
}

/**
 * Hides repetitions of forgotten statements by an agent or a tool in new events. Once the user has made a statement again, its repetitions
 * are allowed.
 */
export async function hideEchoes(writer: Writer, parts: Parts, scope: Scope, events: readonly Event[]): Promise<void> {
  const spoken = events.filter(({ kind }) => kind === 'message' || kind === 'tool_result' || kind === 'observation');
  if (spoken.length === 0) return;
  const owner = ownerOf(scope);
  let open = await activeRecords(writer, owner);
  if (open.length === 0) return;
  for (const event of spoken) {
    await yieldToEventLoop();
    // An owner may have thousands of records, so each turn is split only once, and spans are computed only for records that it repeats.
    if (event.origin === 'user') {
      const sentences = tellingSentences(event.content);
      const saying = open.filter(({ says }) => sentences.some(says));
      const again = new Set(saying.map(({ id }) => id));
      await markSaidAgain(writer, scope.tenant, [...again], event.occurredAt.getTime());
      open = open.filter(({ id }) => !again.has(id));
      continue;
    }
    let [row] = await rowsBy(writer, scope.tenant, 'events', { id: [event.id] });
    if (row === undefined) continue;
    const { content, metadata } = row;
    const sentences = splitSentences(content).map(({ text }) => text);
    const isIn = (says: Says): boolean =>
      sentences.some(says) || (metadata !== '{}' && redactJson(metadata, says) !== metadata);
    const names =
      event.origin === 'agent' ? await namingTests(writer, parts, owner, { texts: [content], matters: open }) : null;
    const found = open.flatMap(({ id, text, says }) => {
      const test = names?.get(text);
      const isSaid: Says = test === undefined ? says : (sentence) => says(sentence) || test(sentence);
      return isIn(isSaid) ? [{ id, says: isSaid }] : [];
    });
    for (const { id, says } of found) {
      const spans: CutSpan[] = row === undefined ? [] : spansToHide(row, { quotes: [], says });
      if (row === undefined || spans.length === 0) continue;
      await hideInEvent(writer, parts, row, spans, says);
      await insertSpans(writer, scope.tenant, id, spans);
      [row] = await rowsBy(writer, scope.tenant, 'events', { id: [event.id] });
    }
  }
}

/** Statements that the user has made again do not count. */
export async function saysForgotten(reader: Reader, owner: Scope): Promise<Says> {
  const records = await activeRecords(reader, owner);
  return (text) => records.some(({ says }) => says(text));
}

interface ActiveRecord {
  id: string;
  text: string;
  says: Says;
}

async function activeRecords(reader: Reader, owner: Scope): Promise<ActiveRecord[]> {
  const heardOf = hearingOnce();
  return (await activeMatters(reader, owner)).map(({ id, value, text }) => ({
    id,
    text,
    says: sayerOf({ value, texts: [text] }, heardOf).says,
  }));
}

async function itemsOf(writer: Writer, parts: Parts, work: Forgetting, owner: Scope): Promise<Item[]> {
  const { tenant } = owner;
  const quoted = [...work.memories.flatMap(({ quotes }) => quotes), ...(work.words ?? [])];
  const events = await rowsBy(writer, tenant, 'events', { id: quoted.map(({ event }) => event) });
  const rows = new Map(events.map((row) => [row.id, row]));
  const heardOf = hearingOnce();
  const { isByClause = false, topics = [] } = work;
  // Without clauses, or if the request names the attribute ("my partner's name"), the name itself is forgotten.
  const isOfBeing = ({ attribute }: Memory): boolean =>
    isByClause && hasTrait(attribute, 'close', parts.attributes) && !topics.includes(attribute ?? '');
  const wordsOf = ({ event, start, end }: Quote): string => rows.get(event)?.content.slice(start, end) ?? '';
  const itemOf = (memory: Memory): Item => ({
    memory,
    text: memory.content,
    quotes: memory.quotes,
    sayer: sayerOf(
      { value: memory.value, texts: [memory.content, ...memory.quotes.map(wordsOf)], isOfBeing: isOfBeing(memory) },
      heardOf,
    ),
    spans: [],
    isByClause,
  });
  const items = work.memories.map(itemOf);
  const repeats = work.isEverything === true ? [] : await repeatsOf(writer, parts, items, owner);
  const words = (work.words ?? []).map((quote): Item => {
    const text = wordsOf(quote);
    const sayer = sayerOf({ value: null, texts: [text] }, heardOf);
    return { memory: null, text, quotes: [quote], sayer, spans: [], isByClause };
  });
  return [...items, ...repeats.map(itemOf), ...words.filter(({ text }) => text.trim() !== '')];
}

/** Live statements without an attribute that repeat an item in other words: "Halden had a party". */
async function repeatsOf(writer: Writer, parts: Parts, items: readonly Item[], owner: Scope): Promise<Memory[]> {
  const telling = items.filter(({ sayer }) => sayer.isTelling);
  if (telling.length === 0) return [];
  const known = new Set(items.map(({ memory }) => memory?.id));
  const rows = await rowsWith(writer, parts, 'memory', { items: telling, owner });
  const memories = await memoriesBy(writer, owner.tenant, { row_id: rows });
  return memories.filter(
    (memory) =>
      !known.has(memory.id) &&
      memory.archivedAt === null &&
      memory.attribute === null &&
      ownerKey(memory.scope) === ownerKey(owner) &&
      memoryType(parts.memoryTypes, memory.type).forgettable &&
      memory.sourceType !== 'consolidation' &&
      splitSentences(memory.content).length <= 1 &&
      telling.some(({ sayer }) => sayer.says(memory.content)),
  );
}

interface RecordFields {
  work: Pick<Forgetting, 'by' | 'request' | 'why'>;
  owner: Scope;
  id: string;
  at: Date;
  saidAgainAt?: Date;
}

function recordOf(
  { memory, text }: Pick<Item, 'memory' | 'text'>,
  { work, owner, id, at, saidAgainAt }: RecordFields,
): Omit<Forgotten, 'spans'> {
  return {
    id,
    scope: memory === null ? owner : ownerOf(memory.scope),
    as: 'forgotten',
    memory: memory?.id ?? null,
    subject: memory?.subject ?? USER,
    attribute: memory?.attribute ?? null,
    value: memory?.value ?? null,
    polarity: memory?.polarity ?? 'affirmed',
    tense: memory?.tense ?? 'holds',
    text,
    by: work.by,
    request: work.request?.event.id ?? null,
    reason: work.why.reason,
    at,
    saidAgainAt: saidAgainAt ?? null,
  };
}
