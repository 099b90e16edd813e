import { sql } from 'kysely';
import { contentStems, indexWords } from '../../language/words.ts';
import type { Event } from '../../record/event.ts';
import { yieldToEventLoop } from '../../record/event-loop.ts';
import { normalValue, type Quote } from '../../record/statement.ts';
import { type EventRow, memoryType } from '../record-rows.ts';
import type { Memory } from '../../record/memory.ts';
import { type Scope, visibleOwners } from '../../record/scope.ts';
import type { Parts, Writer } from '../database.ts';
import { eraseRefusals } from '../history-store.ts';
import { memoriesFrom } from '../read-memories.ts';
import { type CutSpan, hiddenSpans, quotesMeet } from './forgotten-store.ts';
import {
  distinctiveStems,
  hideInEvent,
  type Hiding,
  longNumbers,
  type Sayer,
  spansToHide,
  tellingSentences,
} from './hide-words.ts';
import { namingTests } from './name-forgotten.ts';
import type { Says } from './redact-blocks.ts';
import { isIn, ofOwnerKey, rowsBy, rowsWhere } from '../rows.ts';

export interface Request {
  event: Event;
  quotes: readonly Quote[];
}

/** A statement to hide, or words of a turn (`memory` is null). */
export interface Item {
  memory: Memory | null;
  text: string;
  quotes: readonly Quote[];
  sayer: Sayer;
  spans: CutSpan[];
  /** The rest of the quoted sentences stays. */
  isByClause: boolean;
}

/** For a user without an agent, includes the owners of this user with each agent. */
export async function ownersAround(writer: Writer, owner: Scope): Promise<string[]> {
  const visible = visibleOwners(owner);
  if (owner.agent !== null || owner.user === null) return visible;
  const rows = await rowsBy(writer, owner.tenant, 'owners', { user_id: [owner.user] }, ['owner_key']);
  return [...new Set([...visible, ...rows.map((row) => row.owner_key)])];
}

const MOST_HITS = 1000;

export async function rowsWith(
  writer: Writer,
  parts: Parts,
  kind: 'memory' | 'event',
  { items, owner, archived = false }: { items: readonly Item[]; owner: Scope; archived?: boolean },
): Promise<number[]> {
  const found = new Set<number>();
  const owners = await ownersAround(writer, owner);
  for (const { memory, text, sayer } of items) {
    const words = [...new Set(indexWords(sayer.isTelling ? `${memory?.value ?? ''}` : text))].slice(0, 30);
    const search = { tenant: owner.tenant, kind, owners, words, archived, limit: MOST_HITS };
    for (const { rowId } of await parts.database.text.search(writer, search)) found.add(rowId);
  }
  return [...found];
}

function sourcesOf({ memory, quotes }: Item, { memoryTypes }: Parts): string[] {
  const isForgettable = memory !== null && memoryType(memoryTypes, memory.type).forgettable;
  return [...new Set([...quotes.map(({ event }) => event), ...(isForgettable ? memory.sourceEvents : [])])];
}

interface HiddenItems {
  items: readonly Item[];
  owner: Scope;
  at: Date;
  request: Request | null;
  isEverything: boolean;
}

/** Skips other people's turns, and documents, which were stored on purpose. */
async function echoesOf(writer: Writer, parts: Parts, items: readonly Item[], owner: Scope): Promise<EventRow[]> {
  const values = await rowsWith(writer, parts, 'event', { items, owner });
  const hits = await rowsBy(writer, owner.tenant, 'events', { row_id: values });
  return hits.filter(({ user_id, kind }) => user_id === owner.user && kind !== 'document_chunk');
}

async function laterTurns(writer: Writer, owner: Scope, at: Date): Promise<EventRow[]> {
  const isUsers = owner.user === null ? sql`user_id is null` : sql`user_id = ${owner.user}`;
  const isLater = sql`tenant_id = ${owner.tenant} and ${isIn('owner_key', await ownersAround(writer, owner))}
    and ${isUsers} and origin = 'user' and occurred_at >= ${at.getTime()}`;
  return rowsWhere(writer, 'events', isLater);
}

/** Returns the times at which the user repeated items after the request. */
export async function hideInLog(
  writer: Writer,
  parts: Parts,
  { items, owner, at, request, isEverything }: HiddenItems,
): Promise<Map<Item, Date>> {
  const { tenant } = owner;
  const places = items.flatMap((item) => sourcesOf(item, parts).map((source) => ({ item, source })));
  const bySource = Map.groupBy(places, ({ source }) => source);
  const sources = new Set(bySource.keys());
  const ids = [...sources, ...(request === null ? [] : [request.event.id])];
  const own = await rowsBy(writer, tenant, 'events', { id: ids });
  const turns = own.filter(({ origin, id }) => origin === 'user' && sources.has(id));
  const replies = isEverything ? [] : await repliesTo(writer, turns);
  const echoes = isEverything ? await laterTurns(writer, owner, at) : await echoesOf(writer, parts, items, owner);
  const rows = [...new Map([...own, ...replies, ...echoes].map((row) => [row.id, row])).values()];
  const standing = await standingStatements(writer, parts, { tenant, items, rows });
  const isReply = new Set(replies.map(({ id }) => id));
  const saidAgain = new Map<Item, Date>();
  const hidden = new Set<string>();
  const isUsers = ({ origin }: EventRow): boolean => origin === 'user';
  // Imported turns may all have the same time, so the order of the log is the tie-breaker.
  const asked = own.find(({ id }) => id === request?.event.id)?.sequence ?? Infinity;
  const isAfter = ({ occurred_at, sequence }: EventRow): boolean =>
    occurred_at > at.getTime() || (occurred_at === at.getTime() && sequence > asked);
  const hide = async (row: EventRow, names: ReadonlyMap<string, Says> | null): Promise<void> => {
    await yieldToEventLoop();
    const isRequest = request?.event.id === row.id;
    const isLater = isUsers(row) && isAfter(row) && !isRequest;
    // If everything is forgotten, each turn is compared only with its own items: comparing 1,200 turns with all items would take half a
    // minute.
    const isApart = isEverything && !isLater && !isRequest;
    const possible = isApart ? (bySource.get(row.id) ?? []).map(({ item }) => item) : items;
    const isQuoted = ({ quotes }: Item): boolean => quotes.some(({ event }) => event === row.id);
    const { quoted = [], others = [] } = Object.groupBy(possible, (item) => (isQuoted(item) ? 'quoted' : 'others'));
    if (isLater) noteRepeats(row, others, saidAgain);
    const { cut, says } = cutItems(row, isLater ? quoted : possible, {
      sources,
      standing,
      asked: isRequest ? request.quotes : [],
      isReply: isReply.has(row.id),
      names: row.origin === 'agent' ? names : null,
    });
    if (cut.length === 0) return;
    await hideInEvent(writer, parts, row, cut, (text) => says.some((each) => each(text)));
    hidden.add(row.id);
  };
  // The user's turns first: the assistant may repeat the words that these turns still contain after that.
  for (const row of rows.filter(isUsers)) await hide(row, null);
  const answers = rows.filter((row) => !isUsers(row));
  const names = isEverything ? null : await namesIn(writer, parts, owner, { answers, items });
  for (const row of answers) await hide(row, names);
  await eraseRefusals(writer, tenant, { owners: await ownersAround(writer, owner), events: hidden });
  return saidAgain;
}

function noteRepeats(row: EventRow, items: readonly Item[], saidAgain: Map<Item, Date>): void {
  if (items.length === 0) return;
  const sentences = tellingSentences(row.content);
  for (const item of items) if (sentences.some(item.sayer.says)) saidAgain.set(item, new Date(row.occurred_at));
}

async function namesIn(
  writer: Writer,
  parts: Parts,
  owner: Scope,
  { answers, items }: { answers: readonly EventRow[]; items: readonly Item[] },
): Promise<Map<string, Says>> {
  const spoken = answers.filter(({ origin }) => origin === 'agent');
  return namingTests(writer, parts, owner, {
    texts: spoken.map(({ content }) => content),
    matters: items,
    gone: new Set(items.map(({ memory }) => memory?.id)),
  });
}

/** Also adds the spans to the items; those of the request go to the first item. */
function cutItems(
  row: EventRow,
  items: readonly Item[],
  {
    sources,
    standing,
    asked,
    isReply,
    names,
  }: {
    sources: ReadonlySet<string>;
    standing: readonly Memory[];
    asked: readonly Quote[];
    isReply: boolean;
    names: ReadonlyMap<string, Says> | null;
  },
): { cut: CutSpan[]; says: Says[] } {
  const standingQuotes = standing.flatMap(({ quotes }) => quotes);
  const says: Says[] = [];
  const cut: CutSpan[] = [];
  for (const [index, item] of items.entries()) {
    const isNamed = names?.get(item.text);
    const isSaid = isReply ? takesUp(item, sources, standing) : item.sayer.says;
    const test: Says = isNamed === undefined ? isSaid : (text) => isSaid(text) || isNamed(text);
    const saysIt = row.origin === 'user' ? unlessStanding(row, test, standingQuotes) : test;
    const spans = spansOf(item, row, {
      quotes: item.quotes.filter(({ event }) => event === row.id),
      exact: index === 0 ? asked : [],
      isByClause: item.isByClause,
      stays: row.origin === 'user' ? staysBeside(item, row, standing) : undefined,
      says: saysIt,
      isSource: sources.has(row.id),
    });
    item.spans.push(...spans);
    cut.push(...spans);
    says.push(saysIt);
  }
  return { cut, says };
}

/**
 * Recognises sentences of a reply that repeat the item, or contain a distinctive word (a medicine, a name, a number) that was removed from
 * the turn before and that no other statement contains.
 */
function takesUp({ sayer, spans }: Item, sources: ReadonlySet<string>, standing: readonly Memory[]): Says {
  const cut = spans.filter(({ event, field }) => field === 'content' && sources.has(event));
  const kept = standing.map(({ content, value }) => `${content} ${value ?? ''}`).join('\n');
  const words = cut.map((span) => span.words).join('\n');
  const [keptStems, keptNumbers] = [contentStems(kept), longNumbers(kept)];
  const stems = [...distinctiveStems(words)].filter((stem) => !keptStems.has(stem));
  const numbers = [...longNumbers(words)].filter((digits) => !keptNumbers.has(digits));
  return (sentence) => {
    if (sayer.takesUp(sentence)) return true;
    const [heard, figures] = [contentStems(sentence), longNumbers(sentence)];
    return stems.some((stem) => heard.has(stem)) || numbers.some((digits) => figures.has(digits));
  };
}

/** Falls back to the whole event if the memory has no quotes and nothing in its source event matches. */
function spansOf({ memory }: Item, row: EventRow, { isSource, ...hiding }: Hiding & { isSource: boolean }): CutSpan[] {
  const spans = spansToHide(row, hiding);
  const isUnquoted = isSource && memory?.quotes.length === 0 && memory.sourceEvents.includes(row.id);
  if (spans.length > 0 || !isUnquoted) return spans;
  return spansToHide(row, { ...hiding, quotes: [{ start: 0, end: row.content.length }] });
}

/** Spares a matching sentence of the user that another live statement quotes. */
function unlessStanding(row: EventRow, test: Says, standing: readonly Quote[]): Says {
  return (text) => {
    if (!test(text)) return false;
    const start = row.content.indexOf(text);
    return start < 0 || !quotesMeet([{ event: row.id, start, end: start + text.length }], standing);
  };
}

/** Recognises clauses that another live statement needs: they contain its value, or it quotes them and the item does not. */
function staysBeside({ sayer, quotes }: Item, row: EventRow, standing: readonly Memory[]): Hiding['stays'] {
  const others = standing.filter((memory) => memory.quotes.some(({ event }) => event === row.id));
  if (others.length === 0) return undefined;
  return (clause, start) => {
    if (sayer.names(clause)) return false;
    const place = [{ event: row.id, start, end: start + clause.trimEnd().length }];
    return others.some(
      (other) =>
        (other.value !== null && ` ${normalValue(clause)} `.includes(` ${normalValue(other.value)} `)) ||
        (quotesMeet(other.quotes, place) && !quotesMeet(quotes, place)),
    );
  };
}

/** Leaves out summaries: they repeat the forgotten statements until they are redacted, after the log. */
async function standingStatements(
  writer: Writer,
  { memoryTypes }: Parts,
  { tenant, items, rows }: { tenant: string; items: readonly Item[]; rows: readonly EventRow[] },
): Promise<Memory[]> {
  const gone = new Set(items.map(({ memory }) => memory?.id));
  const ids = rows.map(({ id }) => id);
  const learned = await memoriesFrom(writer, tenant, ids);
  return learned.filter(
    ({ id, archivedAt, type, sourceType }) =>
      archivedAt === null &&
      !gone.has(id) &&
      sourceType !== 'consolidation' &&
      memoryType(memoryTypes, type).comparable,
  );
}

const LONGEST_REPLY = 6;

async function repliesTo(writer: Writer, turns: readonly EventRow[]): Promise<EventRow[]> {
  const replies: EventRow[] = [];
  for (const turn of turns) {
    if (turn.session_id === null || turn.position === null) continue;
    const isAfter = sql`${ofOwnerKey(turn.tenant_id, turn.owner_key)} and session_id = ${turn.session_id}
      and position > ${turn.position} and position <= ${turn.position + LONGEST_REPLY} order by position`;
    const after = await rowsWhere(writer, 'events', isAfter);
    const next = after.findIndex(({ origin }) => origin === 'user');
    replies.push(...(next === -1 ? after : after.slice(0, next)));
  }
  return replies;
}

/** Removes words from imported events that were forgotten after the copy was made. */
export async function hideForgottenSpans(
  writer: Writer,
  parts: Parts,
  tenant: string,
  eventIds: readonly string[],
): Promise<void> {
  for (const row of await rowsBy(writer, tenant, 'events', { id: eventIds })) {
    const cut = (await hiddenSpans(writer, tenant, row.id)).filter(({ isImported }) => isImported);
    // All of the metadata, because the record does not show which part of it contained the words.
    const metadata = cut.some(({ field }) => field === 'metadata') ? '{}' : row.metadata;
    await hideInEvent(writer, parts, { ...row, metadata }, cut, () => false);
  }
}
