import { splitSentences } from '../language/sentences.ts';
import { indexWords } from '../language/words.ts';
import type { Event } from '../record/event.ts';
import type { Forgotten } from '../record/forgotten.ts';
import { memoryType } from '../record/memory-types.ts';
import type { Memory } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import { ownerKey, visibleOwners, type Scope } from '../record/scope.ts';
import { USER, type Quote } from '../record/statement.ts';
import { chunks, type Writer } from './database.ts';
import { derivedOf } from './derivation-store.ts';
import { beginEpoch } from './erase-records.ts';
import type { EventRow } from './event-store.ts';
import {
  deleteForgotten,
  insertForgotten,
  insertSpans,
  listForgotten,
  markSaidAgain,
  quotesMeet,
  type CutSpan,
} from './forgotten-store.ts';
import { hideInEvent, showWords, spansToHide } from './hide-words.ts';
import { memoriesFrom } from './load-records.ts';
import { toMemory } from './memory-rows.ts';
import { changeOwner } from './owner-store.ts';
import type { Parts } from './parts.ts';
import { redactDocuments, redactHistory, redactText, type Says } from './redact-documents.ts';
import { eraseRefusals } from './refusal-store.ts';
import { sayerOf, type Sayer } from './says-forgotten.ts';
import { archiveMemory, reviseMemory } from './write-memory.ts';

/** What is to be forgotten, and who asks. */
export interface Forgetting {
  /** The owner. */
  scope: Scope;
  memories: readonly Memory[];
  /** Words of turns that never became a memory. */
  words?: readonly Quote[];
  /** Who asks: `user`, `agent`, `application`. */
  by: string;
  /** The turn that asks, and its words that do. */
  request?: { event: Event; quotes: readonly Quote[] } | null;
  why: Change;
}

/** One thing that is to be out of sight. */
interface Item {
  memory: Memory | null;
  text: string;
  quotes: readonly Quote[];
  sayer: Sayer;
  spans: CutSpan[];
}

/**
 * Forgets: takes statements out of sight everywhere, and keeps them until they are erased. In one transaction the memories are
 * archived, the words that say so leave the log (the user's turns, the assistant's echoes, the request), the documents and whatever
 * was derived, and a record says what it was, who asked and when. All that reads turns obeys, because the words are not there; work
 * that is under way finds another incarnation of the owner and starts again.
 */
export async function forget(writer: Writer, parts: Parts, work: Forgetting): Promise<Forgotten[]> {
  const now = parts.clock.now();
  const owner = { ...work.scope, session: null, connection: null };
  await changeOwner(writer, owner, now);
  const at = work.request?.event.occurredAt ?? new Date(now);
  const items = await itemsOf(writer, parts, work, owner);
  if (items.length === 0) return [];
  const saidAgain = await hideWords(writer, parts, { items, owner, at, request: work.request ?? null });
  const forgotten: Forgotten[] = [];
  for (const item of items) {
    if (item.memory !== null) await archiveMemory(writer, parts, item.memory, { reason: 'forgotten', why: work.why });
    const record = recordOf(item, { work, owner, id: parts.ids.next('fgt'), at, saidAgainAt: saidAgain.get(item) });
    await insertForgotten(writer, record, item.spans);
    forgotten.push({ ...record, spans: item.spans.filter(({ field }) => field === 'content').map(toQuote) });
  }
  await hideInDerived(writer, parts, { items, owner, why: work.why });
  await beginEpoch(writer, owner.tenant, [owner, ...items.flatMap(({ memory }) => memory?.scope ?? [])]);
  return forgotten;
}

/** An intention that is done or dismissed: the turns keep their words, and no reader makes an intention of them again. */
export async function closeIntention(
  writer: Writer,
  parts: Parts,
  memory: Memory,
  { as, by, why }: { as: 'done' | 'dismissed'; by: string; why: Change },
): Promise<void> {
  const owner = { ...memory.scope, session: null, connection: null };
  const item = {
    memory,
    text: memory.content,
    quotes: memory.quotes,
    sayer: sayerOf({ value: null, texts: [] }),
    spans: [],
  };
  const record = recordOf(item, {
    work: { scope: owner, memories: [memory], by, why },
    owner,
    id: parts.ids.next('fgt'),
    at: new Date(parts.clock.now()),
  });
  const spans = memory.quotes.map((quote): CutSpan => ({ ...quote, field: 'content', words: '' }));
  await insertForgotten(writer, { ...record, as }, spans);
}

/** Takes a forgetting back: the words are in the log again. The caller restores the memory. */
export async function unforget(writer: Writer, parts: Parts, record: Forgotten): Promise<void> {
  const { tenant } = record.scope;
  await changeOwner(writer, record.scope, parts.clock.now());
  if (record.as === 'forgotten') await showWords(writer, parts, tenant, record.id);
  await deleteForgotten(writer, tenant, [record.id]);
  await beginEpoch(writer, tenant, [record.scope]);
}

/**
 * What comes in after something was forgotten: an agent or a tool that repeats it is not heard, until the user says it again.
 */
export async function hideEchoes(writer: Writer, parts: Parts, scope: Scope, events: readonly Event[]): Promise<void> {
  const spoken = events.filter(({ kind }) => kind === 'message' || kind === 'tool_result' || kind === 'observation');
  if (spoken.length === 0) return;
  const owner = { ...scope, session: null, connection: null };
  const active = (await listForgotten(writer, owner)).filter(
    ({ as, saidAgainAt }) => as === 'forgotten' && saidAgainAt === null,
  );
  if (active.length === 0) return;
  let open = active.map((record) => ({ record, sayer: sayerOf({ value: record.value, texts: [record.text] }) }));
  for (const event of spoken) {
    const sentences = splitSentences(event.content).map(({ text }) => text);
    const saying = open.filter(({ sayer }) => sentences.some(sayer.says));
    if (event.origin === 'user') {
      await markSaidAgain(
        writer,
        scope.tenant,
        saying.map(({ record }) => record.id),
        event.occurredAt.getTime(),
      );
      open = open.filter((each) => !saying.includes(each));
      continue;
    }
    for (const { record, sayer } of open) {
      const [row] = await rowsOf(writer, scope.tenant, [event.id]);
      if (row === undefined) continue;
      const spans = spansToHide(row, { quotes: [], says: sayer.says });
      await hideInEvent(writer, parts, row, spans, sayer.says);
      await insertSpans(writer, scope.tenant, record.id, spans);
    }
  }
}

async function itemsOf(writer: Writer, parts: Parts, work: Forgetting, owner: Scope): Promise<Item[]> {
  const { tenant } = owner;
  const quoted = [...work.memories.flatMap(({ quotes }) => quotes), ...(work.words ?? [])];
  const rows = new Map(
    (
      await rowsOf(
        writer,
        tenant,
        quoted.map(({ event }) => event),
      )
    ).map((row) => [row.id, row]),
  );
  const wordsOf = ({ event, start, end }: Quote): string => rows.get(event)?.content.slice(start, end) ?? '';
  const itemOf = (memory: Memory): Item => ({
    memory,
    text: memory.content,
    quotes: memory.quotes,
    sayer: sayerOf({ value: memory.value, texts: [memory.content, ...memory.quotes.map(wordsOf)] }),
    spans: [],
  });
  const items = work.memories.map(itemOf);
  const repeats = await repeatsOf(writer, parts, items, owner);
  const words = (work.words ?? []).map((quote): Item => {
    const text = wordsOf(quote);
    return { memory: null, text, quotes: [quote], sayer: sayerOf({ value: null, texts: [text] }), spans: [] };
  });
  return [...items, ...repeats.map(itemOf), ...words.filter(({ text }) => text.trim() !== '')];
}

const MOST_HITS = 200;

/** The rows of an owner and of those around it that have the words of what is forgotten. */
async function rowsWith(
  writer: Writer,
  parts: Parts,
  kind: 'memory' | 'event',
  { items, owner, archived = false }: { items: readonly Item[]; owner: Scope; archived?: boolean },
): Promise<number[]> {
  const found = new Set<number>();
  for (const { memory, text, sayer } of items) {
    const words = [...new Set(indexWords(sayer.isTelling ? `${memory?.value ?? ''}` : text))].slice(0, 30);
    const search = { tenant: owner.tenant, kind, owners: visibleOwners(owner), words, archived, limit: MOST_HITS };
    for (const { rowId } of await parts.database.text.search(writer, search)) found.add(rowId);
  }
  return [...found];
}

/** Live statements without an attribute that say one of the items in other words: "Halden had a party". */
async function repeatsOf(writer: Writer, parts: Parts, items: readonly Item[], owner: Scope): Promise<Memory[]> {
  const telling = items.filter(({ sayer }) => sayer.isTelling);
  if (telling.length === 0) return [];
  const known = new Set(items.map(({ memory }) => memory?.id));
  const memories = await memoriesOfRows(
    writer,
    owner.tenant,
    await rowsWith(writer, parts, 'memory', { items: telling, owner }),
  );
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

/** Takes the words out of the log. Gives back when the user has said an item again since. */
async function hideWords(
  writer: Writer,
  parts: Parts,
  { items, owner, at, request }: { items: readonly Item[]; owner: Scope; at: Date; request: Forgetting['request'] },
): Promise<Map<Item, Date>> {
  const { tenant } = owner;
  const sources = items.flatMap(({ memory, quotes }) => [
    ...quotes.map(({ event }) => event),
    ...(memory === null || !memoryType(parts.memoryTypes, memory.type).forgettable ? [] : memory.sourceEvents),
  ]);
  const own = await rowsOf(writer, tenant, [...sources, ...(request == null ? [] : [request.event.id])]);
  const replies = await repliesTo(
    writer,
    own.filter(({ origin, id }) => origin === 'user' && sources.includes(id)),
  );
  const echoes = await eventRows(writer, tenant, await rowsWith(writer, parts, 'event', { items, owner }));
  const rows = [...new Map([...own, ...replies, ...echoes].map((row) => [row.id, row])).values()];
  const standing = await standingQuotes(writer, tenant, { items, rows });
  const isReply = new Set(replies.map(({ id }) => id));
  const saidAgain = new Map<Item, Date>();
  const hidden: string[] = [];
  for (const row of rows.filter(({ kind }) => kind !== 'document_chunk')) {
    const asked = request?.event.id === row.id ? request.quotes : [];
    const isLater = row.origin === 'user' && row.occurred_at > at.getTime() && row.id !== request?.event.id;
    const says: Says[] = [];
    const cut: CutSpan[] = [];
    for (const [index, item] of items.entries()) {
      const quotes = item.quotes.filter(({ event }) => event === row.id);
      if (isLater && quotes.length === 0) {
        if (splitSentences(row.content).some(({ text }) => item.sayer.says(text)))
          saidAgain.set(item, new Date(row.occurred_at));
        continue;
      }
      const test = isReply.has(row.id) ? item.sayer.takesUp : item.sayer.says;
      const saysFreely: Says = row.origin === 'user' ? unlessStanding(row, test, standing) : test;
      const isWhole = quotes.length === 0 && (item.memory?.sourceEvents.includes(row.id) ?? false);
      let spans = spansToHide(row, { quotes: [...quotes, ...(index === 0 ? asked : [])], says: saysFreely });
      if (isWhole && spans.length === 0 && sources.includes(row.id) && item.memory?.quotes.length === 0)
        spans = spansToHide(row, { quotes: [{ start: 0, end: row.content.length }], says: saysFreely });
      item.spans.push(...spans);
      cut.push(...spans);
      says.push(saysFreely);
    }
    if (cut.length === 0) continue;
    await hideInEvent(writer, parts, row, cut, (text) => says.some((each) => each(text)));
    hidden.push(row.id);
  }
  await eraseRefusals(writer, tenant, { owners: visibleOwners(owner), events: new Set(hidden) });
  return saidAgain;
}

/** A sentence of the user's that another statement rests on stays, although it names the same thing. */
function unlessStanding(row: EventRow, test: Says, standing: readonly Quote[]): Says {
  return (text) => {
    if (!test(text)) return false;
    const start = row.content.indexOf(text);
    return start < 0 || !quotesMeet([{ event: row.id, start, end: start + text.length }], standing);
  };
}

/** The words that live statements rest on which are not forgotten now. */
async function standingQuotes(
  writer: Writer,
  tenant: string,
  { items, rows }: { items: readonly Item[]; rows: readonly EventRow[] },
): Promise<Quote[]> {
  const gone = new Set(items.map(({ memory }) => memory?.id));
  const learned = await memoriesFrom(
    writer,
    tenant,
    rows.map(({ id }) => id),
  );
  return learned.filter(({ id, archivedAt }) => archivedAt === null && !gone.has(id)).flatMap(({ quotes }) => quotes);
}

const LONGEST_REPLY = 6;

/** What was said right after some turns, up to the user's next one. */
async function repliesTo(writer: Writer, turns: readonly EventRow[]): Promise<EventRow[]> {
  const replies: EventRow[] = [];
  for (const turn of turns) {
    if (turn.session_id === null || turn.position === null) continue;
    const after = await writer
      .selectFrom('events')
      .selectAll()
      .where('tenant_id', '=', turn.tenant_id)
      .where('owner_key', '=', turn.owner_key)
      .where('session_id', '=', turn.session_id)
      .where('position', '>', turn.position)
      .where('position', '<=', turn.position + LONGEST_REPLY)
      .orderBy('position')
      .execute();
    const next = after.findIndex(({ origin }) => origin === 'user');
    replies.push(...(next === -1 ? after : after.slice(0, next)));
  }
  return replies;
}

/**
 * Memories that were made of what is forgotten: those of nothing else go with it, the others lose its sentences. What was archived
 * before and says it is out of sight as of the past, too.
 */
async function hideInDerived(
  writer: Writer,
  parts: Parts,
  { items, owner, why }: { items: readonly Item[]; owner: Scope; why: Change },
): Promise<void> {
  const { tenant } = owner;
  const says: Says = (text) => items.some(({ sayer }) => sayer.says(text));
  const gone = items.flatMap(({ memory }) => memory?.id ?? []);
  const derived = await derivedOf(writer, tenant, gone);
  const hits = await memoriesOfRows(
    writer,
    tenant,
    await rowsWith(writer, parts, 'memory', { items, owner, archived: true }),
  );
  const made = hits.filter(
    ({ reader, sourceType, attribute }) => (reader !== null || sourceType === 'consolidation') && attribute === null,
  );
  const found = [...made, ...(await memoriesById(writer, tenant, [...derived.keys()]))];
  for (const memory of new Map(found.map((each) => [each.id, each])).values()) {
    if (gone.includes(memory.id)) continue;
    const isAlone = derived.get(memory.id)?.every((id) => gone.includes(id)) ?? false;
    const content = isAlone || says(memory.title ?? '') ? '' : redactText(memory.content, says);
    if (content === memory.content) continue;
    if (content.trim() === '' || memory.archivedAt !== null) {
      await archiveMemory(writer, parts, memory, { reason: 'forgotten', why });
      continue;
    }
    await reviseMemory(writer, parts, memory, { change: { content }, why });
    await redactHistory(writer, tenant, memory.id, (before) => ({
      ...before,
      content: redactText(before.content, says),
    }));
  }
  await redactDocuments(writer, owner, { says, gone: new Set(gone) });
}

function recordOf(
  { memory, text }: Item,
  {
    work,
    owner,
    id,
    at,
    saidAgainAt = null,
  }: { work: Forgetting; owner: Scope; id: string; at: Date; saidAgainAt?: Date | null },
): Omit<Forgotten, 'spans'> {
  return {
    id,
    scope: memory === null ? owner : { ...memory.scope, session: null, connection: null },
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
    saidAgainAt,
  };
}

function toQuote({ event, start, end }: CutSpan): Quote {
  return { event, start, end };
}

async function rowsOf(writer: Writer, tenant: string, ids: readonly string[]): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  for (const some of chunks([...new Set(ids)])) {
    const found = await writer
      .selectFrom('events')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where('id', 'in', some)
      .execute();
    rows.push(...found);
  }
  return rows;
}

async function eventRows(writer: Writer, tenant: string, rowIds: readonly number[]): Promise<EventRow[]> {
  if (rowIds.length === 0) return [];
  return writer
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('row_id', 'in', [...rowIds])
    .execute();
}

async function memoriesOfRows(writer: Writer, tenant: string, rowIds: readonly number[]): Promise<Memory[]> {
  if (rowIds.length === 0) return [];
  const rows = await writer
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('row_id', 'in', [...rowIds])
    .execute();
  return rows.map(toMemory);
}

async function memoriesById(writer: Writer, tenant: string, ids: readonly string[]): Promise<Memory[]> {
  if (ids.length === 0) return [];
  const rows = await writer
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', 'in', [...ids])
    .execute();
  return rows.map(toMemory);
}
