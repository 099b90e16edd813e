import { contentStems } from '../../language/words.ts';
import { yieldToEventLoop } from '../../record/event-loop.ts';
import { lengthOf, normalValue, type Quote, trustOf } from '../../record/statement.ts';
import type { Event } from '../../record/event.ts';
import { typesThat } from '../../record/memory-types.ts';
import type { Forgotten } from '../../record/forgotten.ts';
import { type ArchiveReason, mayStillChange, type Memory } from '../../record/memory.ts';
import { ownerKey, type Scope } from '../../record/scope.ts';
import { findEvents, ownEvents } from '../../store/event-store.ts';
import { forget, unforget } from '../../store/forget/forget.ts';
import { listForgotten, quotesMeet } from '../../store/forget/forgotten-store.ts';
import { findMemory, listMemories } from '../../store/read-memories.ts';
import { archiveMemory, laterOf, restoreOrKeepAsHistory, reviseMemory } from '../../store/write-memory.ts';
import { toDate } from '../check/check.ts';
import {
  type CheckContext,
  locateOwnWords,
  quotedIn,
  quoteOf,
  saidWith,
  trustOfWords,
  unrelatedChanges,
  unrelatedTarget,
} from '../check/evidence.ts';
import { changeableOwners, ownerOf } from '../compare.ts';
import { maySupersede } from '../decide/decide.ts';
import { type Reading, refusal } from '../read/reader.ts';
import type { FormWork, Writing } from '../formation-settings.ts';
import type { CheckedForget, CheckedRequests, MeantWords } from '../statement.ts';
import { tellRequest } from './told-request.ts';

/**
 * Checks ends and requests to forget by their quotes, because only the user's own words end or forget anything, and finds the words that
 * requests mean. A turn that asks nothing after all is left out.
 */
export async function checkRequests(work: FormWork, read: Reading, context: CheckContext): Promise<CheckedRequests> {
  const checked = await checkEnds(work, read, context);
  for (const request of read.forgets) {
    await yieldToEventLoop();
    const evidence = locateOwnWords(request.quote, context);
    const targets = request.known.flatMap((number) => context.known[number - 1] ?? []);
    const isNamed = targets.length > 0 || request.takenBack === true;
    if (evidence === null || (request.known.length > 0 && !isNamed)) {
      const reason = evidence === null ? 'quote_not_found' : 'unknown_target';
      checked.refused.push(refusal('forget', reason, request.quote.words));
      continue;
    }
    const told = isNamed ? null : await tellRequest(work, evidence, !context.isLocal);
    if (told !== null || !context.isLocal) checked.forgets.push({ request, evidence, targets, told });
  }
  return checked;
}

/** Checks ends. A model's ends whose words have nothing to do with the statement that they end are refused. */
async function checkEnds(work: FormWork, { ends }: Reading, context: CheckContext): Promise<CheckedRequests> {
  const checked: CheckedRequests = { ends: [], forgets: [], refused: [] };
  for (const { known, quote, on } of ends) {
    const target = context.known[known - 1];
    const evidence = locateOwnWords(quote, context, target);
    if (target === undefined) checked.refused.push(refusal('end', 'unknown_target', quote.words));
    else if (evidence === null) checked.refused.push(refusal('end', 'quote_not_found', quote.words));
    else {
      const trust = trustOfWords(evidence, target.subject, context.userNames);
      checked.ends.push({ target, evidence, on: toDate(on), trust });
    }
  }
  if (context.isLocal) return checked;
  const changes = checked.ends.map((end) => ({ ...end, said: saidWith([end.evidence.event], context) }));
  const unrelated = await unrelatedChanges(work, changes);
  checked.refused.push(...unrelated.map(({ target, evidence }) => unrelatedTarget(target, [evidence.event])));
  return { ...checked, ends: changes.filter((end) => !unrelated.includes(end)) };
}

/** Applies ends and requests to forget. */
export async function applyRequests(
  writing: Writing & Pick<FormWork, 'earlier'>,
  asked: CheckedRequests,
): Promise<void> {
  await applyEnds(writing, asked.ends);
  const turns = [...writing.earlier, ...writing.events];
  const forgetting = { ...writing, owner: ownerOf(writing.scope), turns };
  for (const each of asked.forgets) {
    await yieldToEventLoop();
    const takesBack = each.request.takenBack === true || each.told?.takesBack === true;
    await (takesBack ? takeBack(forgetting, each) : applyForget(forgetting, each));
  }
}

/** Ends known statements that the user says are over: they are kept as history, with the turn that ended them. */
async function applyEnds(writing: Writing, ends: CheckedRequests['ends']): Promise<void> {
  const { writer, deps, scope, result } = writing;
  const why = { ...writing.why, reason: IT_IS_OVER };
  for (const { target, evidence, on, trust = trustOf(evidence.event.origin) } of ends) {
    const now = await findMemory(writer, scope, target.id);
    const { event } = evidence;
    if (now === null || !isOpen(now, writing)) continue;
    if (!mayEnd(now, trust, event.occurredAt)) {
      result.refused.push(refusal('end', 'outranked', now.content, { events: [event] }));
      continue;
    }
    // "I leave on 1 April": the statement holds until then, and upkeep archives it afterwards.
    const isAhead = on !== null && on > event.occurredAt && now.archivedAt === null;
    const change = { quotes: [quoteOf(evidence)], ...(isAhead ? { validTo: laterOf(now.validFrom, on) } : {}) };
    const quoted = await reviseMemory(writer, deps, now, { change, why });
    if (isAhead) continue;
    await archiveMemory(writer, deps, quoted, { reason: 'contradicted', until: event.occurredAt, why });
    result.retired.push(now.id);
  }
}

const IT_IS_OVER = 'the user says that it is over';

/** Whether a statement has not ended and may be changed by its owners. */
function isOpen(memory: Memory, { deps, scope }: Pick<Writing, 'deps' | 'scope'>): boolean {
  return mayStillChange(memory) && changeableOwners(deps, scope).includes(ownerKey(memory.scope));
}

/** Whether the claim that a statement is over has enough trust and is late enough to end it. */
function mayEnd(memory: Memory, trust: Memory['trust'], statedAt: Date): boolean {
  return maySupersede({ sourceType: 'explicit', trust, statedAt, validFrom: null }, memory);
}

/** Ends a known statement that a text from outside the log makes untrue. */
export async function endStatement(
  { writer, deps, scope, why }: Omit<Writing, 'result'>,
  { id, by, at }: { id: string; by: Event['origin']; at: Date },
): Promise<void> {
  const memory = await findMemory(writer, scope, id);
  if (memory === null || memory.archivedAt !== null || !isOpen(memory, { deps, scope })) return;
  if (!mayEnd(memory, trustOf(by), at)) return;
  const reason = { ...why, reason: IT_IS_OVER };
  await archiveMemory(writer, deps, memory, { reason: 'contradicted', until: at, why: reason });
}

/** A request that means more than this was misread, or needs `erase`. */
const MOST_AT_ONCE = 60;

/** Forgets what the user asks to forget. A request that means nothing, or more than `MOST_AT_ONCE`, is refused. */
async function applyForget(forgetting: Forgetting, asked: CheckedForget): Promise<void> {
  const { writer, deps, owner, result, why } = forgetting;
  const { request, evidence, told } = asked;
  const { memories, words } = await findMeant(forgetting, asked);
  const isEverything = told?.isEverything === true;
  const count = memories.length + words.length;
  if (count === 0 || (count > MOST_AT_ONCE && !isEverything)) {
    result.refused.push(refusal('forget', count === 0 ? 'unknown_target' : 'excess', request.quote.words));
    return;
  }
  const isWhole = told === null || told.asking.length === 0 || isEverything;
  const forgotten = await forget(writer, deps, {
    scope: owner,
    memories,
    words,
    isEverything,
    isByClause: told?.isByClause === true,
    by: 'user',
    request: { event: evidence.event, quotes: isWhole ? [quoteOf(evidence)] : told.asking },
    why: { ...why, reason: 'the user asked to forget it' },
  });
  result.forgotten.push(...forgotten.map(({ id }) => id));
}

interface Forgetting extends Writing {
  owner: Scope;
  /** The turns of the formation, with those before them. */
  turns: readonly Event[];
}

/** The statements and words that a request means. */
async function findMeant(forgetting: Forgetting, asked: CheckedForget) {
  const { turns } = forgetting;
  const { targets, told, evidence } = asked;
  const since = turns.slice(turns.findIndex(({ id }) => id === evidence.event.id) + 1);
  const isSaidAgain = ({ sourceEvents, value, content }: Memory): boolean =>
    since.some(
      (turn) =>
        sourceEvents.includes(turn.id) ||
        (turn.origin === 'user' && normalValue(turn.content).includes(normalValue(value ?? content))),
    );
  const known = await forgettable(forgetting, asked);
  const open = known.filter((memory) => !isSaidAgain(memory));
  const named = open.filter(({ id }) => targets.some((target) => target.id === id));
  if (named.length > 0 || told === null) return { memories: named, words: [] };
  if (told.isEverything) return { memories: open, words: await allWords(forgetting, evidence.event) };
  const ids = told.words.map(({ event }) => event);
  const sources = await findEvents(forgetting.writer, forgetting.owner, ids);
  const memories = open.flatMap((memory) =>
    told.memories.includes(memory.id) ? memory : (withinWords(memory, told.words, sources) ?? []),
  );
  const quotes = memories.flatMap((memory) => memory.quotes);
  const isQuoted = ({ event, start, end }: Quote): boolean =>
    quotes.some((quote) => quote.event === event && quote.start <= start && quote.end >= end - 1);
  return { memories, words: told.words.filter((each) => !isQuoted(each)) };
}

/**
 * A statement, if it says what is meant. Of "I live in Oslo and work at Equinor" a request may mean one clause, while both statements quote
 * the whole sentence: then the value decides. Of a value that the reader has put into words of its own ("physics teacher" for "I teach
 * physics"), so that no quote has it, one word decides. A statement without a value counts with the meant words alone, so that the rest
 * stays.
 */
function withinWords(memory: Memory, words: readonly MeantWords[], sources: readonly Event[]): Memory | null {
  const { quotes, value } = memory;
  const meant = words.filter((each) => quotesMeet(quotes, [each]));
  if (meant.length === 0) return null;
  if (lengthOf(meant) * WHOLE >= lengthOf(quotes)) return memory;
  const said = meant.map(({ text }) => text.trim()).join(' ');
  if (value === null) return { ...memory, content: said, quotes: meant };
  const isQuoted = normalValue(quotedIn(quotes, sources).join(' ')).includes(normalValue(value));
  const isMeant = isQuoted
    ? normalValue(said).includes(normalValue(value))
    : [...contentStems(value)].some((stem) => contentStems(said).has(stem));
  return isMeant ? { ...memory, quotes: meant } : null;
}

/** Of a statement that quotes up to this many times the words that are meant, all is meant. */
const WHOLE = 1.25;

/** All words of all speakers before the turn of the request. Of turns at the same time, only those that were recorded earlier count. */
async function allWords({ writer, owner }: Forgetting, { occurredAt, id }: Event): Promise<Quote[]> {
  const heard = await ownEvents(writer, owner, { occurred: { upTo: occurredAt.getTime() } });
  const own = heard.findIndex((event) => event.id === id);
  return heard
    .filter((event, index) => event.kind !== 'document_chunk' && (index < own || event.occurredAt < occurredAt))
    .map((event) => ({ event: event.id, start: 0, end: event.content.length }));
}

const MOST_KNOWN = 1000;

/**
 * The statements that a request can mean: those that hold, those that were replaced or ended, and the ones that the reader names, however
 * old they are. A draft that was read again is left out: its words belong to the statements of the second reading.
 */
async function forgettable({ writer, deps, owner }: Forgetting, { targets, told }: CheckedForget): Promise<Memory[]> {
  const isEverything = told?.isEverything === true;
  const types = typesThat(deps.memoryTypes, ({ forgettable }) => forgettable);
  const list = async (archiveReasons?: ArchiveReason[]): Promise<Memory[]> => {
    const listed: Memory[] = [];
    let cursor: string | undefined;
    do {
      const filter = { types, limit: MOST_KNOWN, archiveReasons, cursor };
      const page = await listMemories(writer, owner, filter, { now: deps.clock.now() });
      listed.push(...page.items);
      cursor = page.cursor ?? undefined;
    } while (isEverything && cursor !== undefined);
    return listed;
  };
  const live = await list();
  const past = await list(['superseded', 'contradicted']);
  const replaced = past.filter(
    ({ archiveReason, contradictedBy }) => isEverything || archiveReason === 'contradicted' || contradictedBy !== null,
  );
  const found = new Map([...live, ...replaced].map((memory) => [memory.id, memory]));
  for (const { id } of targets) {
    const memory = found.get(id) ?? (await findMemory(writer, owner, id));
    if (memory !== null && memory.archiveReason !== 'forgotten' && types.includes(memory.type)) found.set(id, memory);
  }
  const owners = changeableOwners(deps, owner);
  return [...found.values()].filter((memory) => owners.includes(ownerKey(memory.scope)));
}

/**
 * "Actually, keep it" restores what the last request of the conversation removed. Where its words name something that a request has
 * removed ("keep the phone number"), only that is restored, even if an earlier request removed it.
 */
async function takeBack(forgetting: Forgetting, { request: { about }, evidence }: CheckedForget): Promise<void> {
  const { writer, deps, owner, turns, result, why } = forgetting;
  const { event } = evidence;
  const earlier = new Set(turns.slice(0, turns.findIndex(({ id }) => id === event.id) + 1).map(({ id }) => id));
  const stems = contentStems(about);
  const names = ({ attribute, text, value }: Forgotten): boolean =>
    [...contentStems(`${(attribute ?? '').replaceAll('_', ' ')} ${value ?? text}`)].some((stem) => stems.has(stem));
  const asked = (await listForgotten(writer, owner, { as: 'forgotten' })).filter(({ request }) => request !== null);
  const here = asked.filter(({ request }) => earlier.has(request ?? ''));
  const named = [here, asked].map((records) => records.filter(names)).find(({ length }) => length > 0);
  const records = named ?? here.filter(({ request }) => request === here[0]?.request);
  for (const record of records) {
    await unforget(writer, deps, record);
    const memory = record.memory === null ? null : await findMemory(writer, owner, record.memory);
    if (memory?.archiveReason !== 'forgotten') continue;
    const reason = { ...why, reason: 'the user took the request to forget it back' };
    const { archivedAt } = await restoreOrKeepAsHistory(writer, deps, memory, reason);
    if (archivedAt === null) result.restored.push(memory.id);
  }
}
