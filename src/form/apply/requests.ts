import { detectPack, plainMarks } from '../../language/packs/packs.ts';
import type { Pack } from '../../language/packs/pack.ts';
import { splitSentences } from '../../language/sentences.ts';
import { withoutEnd } from '../../language/words.ts';
import { calibratedSimilarity, dot } from '../../models/calibration.ts';
import { unlessUnavailable } from '../../models/embedder.ts';
import type { Event } from '../../record/event.ts';
import type { Forgotten } from '../../record/forgotten.ts';
import { normalValue } from '../../record/attributes.ts';
import { type ArchiveReason, mayStillChange, type Memory } from '../../record/memory.ts';
import type { Change } from '../../record/revision.ts';
import { ownerKey, type Scope } from '../../record/scope.ts';
import { lowestTrust, type Quote, trustOf } from '../../record/statement.ts';
import type { Parts, Reader, Writer } from '../../store/database.ts';
import { ownEvents } from '../../store/event-store.ts';
import { forget, unforget } from '../../store/forget/forget.ts';
import { clausesOf } from '../../store/forget/hide-words.ts';
import { listForgotten, quotesMeet } from '../../store/forget/forgotten-store.ts';
import { findMemory, listMemories, memoriesFrom } from '../../store/read-memories.ts';
import { archiveMemory, laterOf, restoreOrKeepAsHistory, reviseMemory } from '../../store/write-memory.ts';
import { toDate } from '../check/check.ts';
import { type CheckContext, type Evidence, locateOwnWords } from '../check/evidence.ts';
import { changeableOwners, embedTexts, type EmbedWork, ownerOf } from '../compare.ts';
import { maySupersede } from '../decide/precedence.ts';
import { type Refusal, refusal } from '../formation-result.ts';
import type { Meanable } from '../matter.ts';
import {
  ANY,
  type AskedIn,
  HALF,
  isMoreThanGreeting,
  isWide,
  meantByRequest,
  namesNothing,
  staysIn,
  withRepeats,
} from '../meant-by-request.ts';
import { asksForAll } from '../forget-phrases.ts';
import type { Reading } from '../read/reader.ts';
import type { CheckedForget, CheckedRequests, ToldRequest } from '../statement.ts';

/**
 * Checks ends and requests to forget by their quotes, because only the user's own words end or forget anything, and finds the sentences that
 * requests mean.
 */
export async function checkRequests(
  work: MeantWork,
  { ends, forgets }: Pick<Reading, 'ends' | 'forgets'>,
  context: Pick<CheckContext, 'events' | 'known' | 'isLocal' | 'userNames'>,
): Promise<CheckedRequests> {
  const checked: CheckedRequests = { ends: [], forgets: [], refused: [] };
  for (const { known, quote, on } of ends) {
    const target = context.known[known - 1];
    const evidence = locateOwnWords(quote, context);
    if (target === undefined) checked.refused.push(refusal('end', 'unknown_target', quote.words));
    else if (evidence === null) checked.refused.push(refusal('end', 'quote_not_found', quote.words));
    else checked.ends.push({ target, evidence, on: toDate(on) });
  }
  for (const request of forgets) {
    const evidence = locateOwnWords(request.quote, context);
    const targets = request.known.flatMap((number) => context.known[number - 1] ?? []);
    if (evidence === null) checked.refused.push(refusal('forget', 'quote_not_found', request.quote.words));
    else {
      const isByModel = !context.isLocal;
      checked.forgets.push({ request, evidence, targets, isByModel, isEverything: isWish(evidence) });
    }
  }
  return { ...checked, forgets: await withTold(work, checked.forgets) };
}

/** The results of the ends and requests of a formation. */
export interface AppliedRequests {
  /** Known statements that ended. */
  retired: string[];
  forgotten: Forgotten[];
  /** Memories that were restored because the user withdrew a request. */
  restored: string[];
  refused: Refusal[];
}

/** Applies ends and requests to forget. */
export async function applyRequests(
  writer: Writer,
  deps: Parts,
  { ends, forgets }: CheckedRequests,
  where: { scope: Scope; turns: readonly Event[]; why: Change },
): Promise<AppliedRequests> {
  const retired = await applyEnds(writer, deps, ends, where);
  return { retired, ...(await applyForgets(writer, deps, forgets, where)) };
}

/** "Forget everything you know about me": whether the whole sentence of a request is that wish. */
function isWish({ event: { content }, start }: Evidence): boolean {
  const sentence = splitSentences(content).find(({ span }) => span.end > start);
  return sentence !== undefined && asksForAll(sentence.text);
}

/** Ends known statements that the user says are over: they are kept as history, with the turn that ended them. */
async function applyEnds(
  writer: Writer,
  deps: Parts,
  ends: CheckedRequests['ends'],
  { scope, why }: { scope: Scope; why: Change },
): Promise<string[]> {
  const ended: string[] = [];
  const owners = changeableOwners(deps, scope);
  for (const { target, evidence, on } of ends) {
    const now = await findMemory(writer, scope, target.id);
    const { event } = evidence;
    const claim = {
      sourceType: 'explicit',
      trust: lowestTrust([trustOf(event.origin)]),
      statedAt: event.occurredAt,
      validFrom: null,
    } as const;
    if (now === null || !mayStillChange(now) || !owners.includes(ownerKey(now.scope)) || !maySupersede(claim, now))
      continue;
    const reason = { ...why, reason: 'the user says that it is over' };
    // "I leave on 1 April": the statement holds until then, and upkeep archives it afterwards.
    const isAhead = on !== null && on > event.occurredAt && now.archivedAt === null;
    const change = { quotes: [quoteOf(evidence)], ...(isAhead ? { validTo: laterOf(now.validFrom, on) } : {}) };
    const quoted = await reviseMemory(writer, deps, now, { change, why: reason });
    if (isAhead) continue;
    await archiveMemory(writer, deps, quoted, { reason: 'contradicted', until: event.occurredAt, why: reason });
    ended.push(now.id);
  }
  return ended;
}

/** A request that matches more memories than this was misread, or needs `erase`. */
const MOST_AT_ONCE = 20;
const MOST_KNOWN = 1000;

/**
 * Forgets what the user asks to forget, as `findMeant` finds it. Words from which no memory was formed are removed from the log. A request
 * that means nothing, or more than `MOST_AT_ONCE`, is refused.
 */
async function applyForgets(
  writer: Writer,
  deps: Parts,
  forgets: readonly CheckedForget[],
  { scope, turns, why }: { scope: Scope; turns: readonly Event[]; why: Change },
): Promise<Omit<AppliedRequests, 'retired'>> {
  const applied: Omit<AppliedRequests, 'retired'> = { forgotten: [], restored: [], refused: [] };
  const owner = ownerOf(scope);
  const forgetting = { writer, deps, owner, turns, why };
  const obeyed = new Set<string>();
  for (const asked of forgets) {
    const { request, evidence } = asked;
    // "Forget what I said about the therapist. I'd rather you didn't keep that.": the second sentence repeats the request.
    const isSaidAgain = obeyed.has(evidence.event.id);
    if (request.takenBack === true) {
      applied.restored.push(...(await takeBack(forgetting, asked)));
      continue;
    }
    const isEverything = asked.isEverything === true;
    const { memories, words } = isEverything
      ? await findEverything(forgetting, evidence.event)
      : await findMeant(forgetting, isSaidAgain ? { ...asked, told: null, nearest: [] } : asked);
    const count = memories.length + words.length;
    if (count === 0 && isSaidAgain) continue;
    if (count === 0 || (count > MOST_AT_ONCE && !isEverything)) {
      applied.refused.push(refusal('forget', count === 0 ? 'unknown_target' : 'excess', request.quote.words));
      continue;
    }
    const forgotten = await forget(writer, deps, {
      scope: owner,
      memories,
      words,
      by: 'user',
      request: { event: evidence.event, quotes: [quoteOf(evidence)] },
      why: { ...why, reason: 'the user asked to forget it' },
    });
    applied.forgotten.push(...forgotten);
    obeyed.add(evidence.event.id);
  }
  return applied;
}

/** What the requests of a formation are applied with. */
interface Forgetting {
  writer: Writer;
  deps: Parts;
  owner: Scope;
  turns: readonly Event[];
  why: Change;
}

/**
 * "Actually, keep it" restores what the last request of the conversation removed. Where the words name something ("keep the phone number"),
 * only that is restored, even if an earlier request removed it.
 */
async function takeBack(forgetting: Forgetting, { request: { about }, evidence }: CheckedForget): Promise<string[]> {
  const { writer, deps, owner, turns, why } = forgetting;
  const { event } = evidence;
  const earlier = new Set([...turnsBefore(turns, event), event].map(({ id }) => id));
  const asked = (await listForgotten(writer, owner, { as: 'forgotten' }))
    .filter(({ request }) => request !== null)
    .map((record) => ({ ...record, content: record.text, statedAt: record.at }));
  const here = asked.filter(({ request }) => earlier.has(request ?? ''));
  const named = [here, asked].map((some) =>
    meantByRequest(about, some, { attributes: deps.attributes, pack: detectPack(event.content), least: 1 }),
  );
  const records = named.find(({ length }) => length > 0) ?? here;
  const last = records[0]?.request;
  const restored: string[] = [];
  for (const record of records.filter(({ request }) => request === last)) {
    await unforget(writer, deps, record);
    const memory = record.memory === null ? null : await findMemory(writer, owner, record.memory);
    if (memory?.archiveReason !== 'forgotten') continue;
    const reason = { ...why, reason: 'the user took the request to forget it back' };
    const { archivedAt } = await restoreOrKeepAsHistory(writer, deps, memory, reason);
    if (archivedAt === null) restored.push(memory.id);
  }
  return restored;
}

/** What a request means: statements, and words of turns from which no statement was formed. */
interface Meant {
  memories: Memory[];
  words: Quote[];
}

/** All statements of the user that may be changed here, and all that the user has said before: of whatever kind it is, the user means it. */
async function findEverything(forgetting: Forgetting, event: Event): Promise<Meant> {
  const { writer, owner } = forgetting;
  const memories = await forgettable(forgetting, [], true);
  const said = await saidBefore(writer, owner, event, MOST_KNOWN);
  const whole = await withStatements(
    writer,
    memories,
    said.map(({ quote }) => quote),
  );
  return { memories, words: whole.words };
}

/** What a request means, by its words and by the reading layers. */
async function findMeant(forgetting: Forgetting, asking: CheckedForget): Promise<Meant> {
  const { writer, deps, owner, turns } = forgetting;
  const { request, evidence, targets, told = null, nearest = [] } = asking;
  const { event } = evidence;
  // "Remove all about my medication. The allergy should stay."
  const stays = staysIn(event.content, { attributes: deps.attributes });
  const open = (await forgettable(forgetting, targets)).filter((memory) => !stays(memory));
  const since = new Set(turns.slice(turnsBefore(turns, event).length + 1).map(({ id }) => id));
  const later = new Set(open.filter((memory) => isSaidSince(memory, event, since)));
  const replacing = new Set([...later].map(({ id }) => id));
  // What a later turn has replaced still held when the user asked.
  const own = open
    .filter((memory) => !later.has(memory))
    .map((memory) => (replacing.has(memory.contradictedBy ?? '') ? { ...memory, archivedAt: null } : memory));
  const said = (await saidBefore(writer, owner, event)).filter((sentence) => !stays(sentence));
  const { isAll = false, isToldBefore = false } = request;
  const pack = detectPack(evidence.event.content);
  const asked = { attributes: deps.attributes, pack, isAll, least: isToldBefore ? ANY : HALF };
  const isNarrow = !isAll && !isToldBefore && !isWide(request.about, asked);
  const isBeside = (memory: Memory): boolean =>
    isNarrow && isInOtherClause(memory, said, { ...asked, about: request.about });
  const apart = own.filter((memory) => !isBeside(memory));
  const named = own.filter(({ id }) => targets.some((target) => target.id === id));
  const following = named.length === 0 ? wordsAfterColon(request.about, evidence) : null;
  if (following !== null) return withStatements(writer, open, [following]);
  const byWords = await meantByWords(forgetting, asking, { own, open, apart, named, said, asked, isNarrow });
  const meant = told === null ? byWords : await decideMeant(writer, apart, { byWords, asked: { ...asking, told } });
  if (meant.memories.length + meant.words.length > 0) return meant;
  return withStatements(writer, open, request.isDenial === true ? besideRequest(evidence) : nearest);
}

/** "Don't write this down, but my sister is pregnant": the sentence of a request not to keep something that was not said before. */
function besideRequest({ event, start }: Evidence): Quote[] {
  const sentence = splitSentences(event.content).find(({ span }) => span.end > start);
  return sentence === undefined ? [] : [{ event: event.id, ...sentence.span }];
}

/** What the words of a request mean by fields, by words in common, or by pointing back. */
async function meantByWords(
  forgetting: Forgetting,
  { request, evidence, isByModel }: CheckedForget,
  {
    own,
    open,
    apart,
    named,
    said,
    asked,
    isNarrow,
  }: Record<'own' | 'open' | 'apart' | 'named', readonly Memory[]> & {
    said: readonly SaidSentence[];
    asked: AskedIn & { least: number; isAll: boolean };
    isNarrow: boolean;
  },
): Promise<Meant> {
  if (request.isLikely === true) return { memories: [], words: [] };
  // "My PIN is 1234. Don't keep that.": the request means its own turn.
  const isOwnTurn = request.isToldBefore !== true && isAboutOwnTurn(request.about, evidence);
  if (isOwnTurn || (request.isToldBefore !== true && namesNothing(request.about, asked)))
    return saidJustBefore(forgetting, evidence, { named, own: open });
  const memoriesMeant =
    isByModel && named.length > 0 ? withRepeats(named, own) : meantByRequest(request.about, own, asked);
  const found = new Set<Meanable>(
    isNarrow && memoriesMeant.length > 0
      ? memoriesMeant
      : [...named, ...meantByRequest(request.about, [...own, ...said], asked)],
  );
  const quotes = said.filter((sentence) => found.has(sentence)).map(({ quote }) => quote);
  const withSaid = await withStatements(forgetting.writer, apart, quotes);
  const memories = own.filter((memory) => found.has(memory) || withSaid.memories.includes(memory));
  return { ...withSaid, memories: withSameWords(memories, apart) };
}

/** How much it counts, beside the log-odds of the reading layers, that the words of a request mean a sentence, or only others. */
const BY_WORDS = 5;
const ONLY_OTHERS = 4;
/** The log-odds above which an earlier sentence is meant rather than the turn of the request. */
const RATHER = 5;
/** Below these log-odds the phrase of a request is probably none. */
const DOUBTED = -6;

/**
 * What is meant by the words of a request and by the reading layers together. What was said earlier than the layers have read is decided by
 * the words alone.
 */
async function decideMeant(
  writer: Writer,
  own: readonly Memory[],
  { byWords, asked }: { byWords: Meant; asked: CheckedForget & { told: ToldRequest } },
): Promise<Meant> {
  const { request, evidence, told, isByModel } = asked;
  const places = quotesOf(byWords);
  const isOwnTurn = places.some(({ event }) => event === evidence.event.id);
  if (isOwnTurn && !told.sentences.some(({ odds }) => odds > RATHER)) return byWords;
  // "Marius is going to lose it": a phrase that the layers take for no request means at most one matter.
  if (told.asks < DOUBTED && !isByModel && mattersOf(byWords).size > 1) return { memories: [], words: [] };
  const isFound = (quote: Quote): boolean => !isOwnTurn && quotesMeet([quote], places);
  // The layers' log-odds of a sentence are low where they take the turn for no request, although the words of the turn say that it is one.
  const isPhrased = request.isLikely !== true;
  const asRequest = isPhrased ? Math.max(0, -told.asks) : 0;
  const needed = neededAmong(told.sentences.length) + (isOwnTurn || places.length === 0 ? 0 : ONLY_OTHERS);
  const chosen = told.sentences
    .filter(({ quote, odds }) => (isFound(quote) ? odds + asRequest + BY_WORDS > 0 : told.asks > ASKS && odds > needed))
    .map(({ quote }) => quote);
  const seen = told.sentences.map(({ quote }) => quote);
  const isChosen = (quotes: readonly Quote[]): boolean => quotesMeet(quotes, chosen) || !quotesMeet(quotes, seen);
  const added = await withStatements(
    writer,
    own,
    chosen.filter((quote) => !isFound(quote)),
  );
  if (isOwnTurn) return added;
  const kept = byWords.memories.filter(({ quotes }) => isChosen(quotes));
  return {
    memories: [...new Set([...kept, ...added.memories])],
    words: [...byWords.words.filter((quote) => isChosen([quote])), ...added.words],
  };
}

/** The log-odds that a sentence needs to be meant without the words of the request: of many sentences some come near by chance. */
function neededAmong(sentences: number): number {
  return Math.min(4.6, Math.max(0, 3.2 * (Math.log(sentences) - 1)));
}

/** The matters that a request would forget: an attribute of somebody, which may be stated in several turns, or else a turn. */
function mattersOf({ memories, words }: Meant): Set<string> {
  const ofAttribute = memories.filter(({ attribute }) => attribute !== null);
  const stated = ofAttribute.flatMap(({ quotes }) => quotes);
  const turns = [
    ...memories.filter(({ attribute }) => attribute === null).flatMap(({ quotes }) => quotes),
    ...words,
  ].filter((quote) => !quotesMeet([quote], stated));
  return new Set([
    ...ofAttribute.map(({ subject, attribute }) => `${subject} ${attribute}`),
    ...turns.map(({ event }) => event),
  ]);
}

function quotesOf({ memories, words }: Meant): Quote[] {
  return [...memories.flatMap(({ quotes }) => quotes), ...words];
}

/** "I live in Oslo and work at Equinor": whether a request means one clause of a sentence, and the value of a statement is in another. */
function isInOtherClause(
  { value, quotes }: Memory,
  said: readonly SaidSentence[],
  { about, ...asked }: { about: string; attributes: Parts['attributes']; pack: Pack | null },
): boolean {
  if (value === null) return false;
  return said
    .filter(({ quote }) => quotesMeet([quote], quotes))
    .some((sentence) => {
      const clauses = clausesOf(sentence.content).map(({ from, end }) => sentence.content.slice(from, end));
      const means = (content: string): boolean =>
        meantByRequest(about, [{ ...sentence, content }], { ...asked, least: 1 }).length > 0;
      const own = clauses.find((clause) => normalValue(clause).includes(normalValue(value)));
      return own !== undefined && !means(own) && clauses.some(means);
    });
}

/**
 * The statements that a request can mean: those that hold, those that were replaced or ended, and the ones that the reader names, however
 * old they are. A draft that was read again is left out: its words belong to the statements of the second reading.
 */
async function forgettable(
  { writer, deps, owner }: Forgetting,
  targets: readonly Memory[],
  isEverything = false,
): Promise<Memory[]> {
  const types = [...deps.memoryTypes].filter(([, type]) => type.forgettable).map(([name]) => name);
  const list = (filter: { archiveReasons?: ArchiveReason[] }): ReturnType<typeof listMemories> =>
    listMemories(writer, owner, { types, limit: MOST_KNOWN, ...filter }, { now: deps.clock.now() });
  const live = await list({});
  const past = await list({ archiveReasons: ['superseded', 'contradicted'] });
  const replaced = past.items.filter(
    ({ archiveReason, contradictedBy }) => isEverything || archiveReason === 'contradicted' || contradictedBy !== null,
  );
  const found = new Map([...live.items, ...replaced].map((memory) => [memory.id, memory]));
  for (const { id } of targets) {
    const memory = found.get(id) ?? (await findMemory(writer, owner, id));
    if (memory !== null && memory.archiveReason !== 'forgotten' && types.includes(memory.type)) found.set(id, memory);
  }
  const owners = changeableOwners(deps, owner);
  return [...found.values()].filter((memory) => owners.includes(ownerKey(memory.scope)));
}

/** Statements, and others that quote only words of one of them: "Javier has coeliac disease" from "Javier is a coeliac". */
function withSameWords(memories: readonly Memory[], own: readonly Memory[]): Memory[] {
  const whole = memories.filter(({ attribute }) => attribute === null).flatMap(({ quotes }) => quotes);
  const isInside = (quote: Quote): boolean =>
    whole.some(({ event, start, end }) => event === quote.event && start <= quote.start && end >= quote.end);
  const inside = own.filter(({ quotes }) => quotes.length > 0 && quotes.every(isInside));
  return [...new Set([...memories, ...inside])];
}

function isAboutOwnTurn(about: string, { event, start }: Evidence): boolean {
  const plain = (words: string): string => withoutEnd(plainMarks(words), ' \t\n,;.:!?–—…、，。');
  return about !== '' && plain(event.content.slice(0, start)) === plain(about);
}

/** "Don't keep this: I take sertraline.": the place of the words after the colon of a request; null if `about` does not follow the colon. */
function wordsAfterColon(about: string, { event, end }: Evidence): Quote | null {
  const colon = /^\s*[:：]\s*/u.exec(event.content.slice(end))?.[0].length ?? 0;
  const start = end + colon;
  const isThere = colon > 0 && about !== '' && event.content.startsWith(about, start);
  return isThere ? { event: event.id, start, end: start + about.length } : null;
}

/** "That": what the turn itself says before the request, otherwise the user's previous turn, with all statements that were formed from it. */
async function saidJustBefore(
  { writer, turns }: Forgetting,
  { event, start }: Evidence,
  { named, own }: Record<'named' | 'own', readonly Memory[]>,
): Promise<Meant> {
  const isOwnTurn = isMoreThanGreeting(event.content.slice(0, start));
  const isSaid = ({ origin, kind, content }: Event): boolean =>
    origin === 'user' && kind === 'message' && content.trim() !== '';
  const before = isOwnTurn ? event : turnsBefore(turns, event).findLast(isSaid);
  if (before === undefined) return { memories: [...named], words: [] };
  const words = { event: before.id, start: 0, end: isOwnTurn ? start : before.content.length };
  const meant = await withStatements(writer, own, [words]);
  return { ...meant, memories: [...new Set([...named, ...meant.memories])] };
}

/** Words of turns, with the statements that were read from them. */
async function withStatements(writer: Writer, own: readonly Memory[], words: readonly Quote[]): Promise<Meant> {
  const [tenant] = own.map(({ scope }) => scope.tenant);
  if (tenant === undefined || words.length === 0) return { memories: [], words: [...words] };
  const events = words.map(({ event }) => event);
  const learned = await memoriesFrom(writer, tenant, events);
  const isMeant = ({ quotes }: Memory): boolean => quotes.length === 0 || quotesMeet(quotes, words);
  const ids = new Set(learned.filter(isMeant).map(({ id }) => id));
  const memories = own.filter(({ id }) => ids.has(id));
  // Words that a statement quotes, except for a final full stop, are removed together with the statement.
  const isQuoted = ({ event, start, end }: Quote): boolean =>
    memories.some(({ quotes }) =>
      quotes.some((quote) => quote.event === event && quote.start <= start && quote.end >= end - 1),
    );
  return { memories, words: words.filter((each) => !isQuoted(each)) };
}

/** The turns before one of them. The times do not tell: all turns that the application logs in one call may have the same time. */
function turnsBefore(turns: readonly Event[], { id }: Event): readonly Event[] {
  return turns.slice(
    0,
    turns.findIndex((turn) => turn.id === id),
  );
}

/** Whether a memory was stated in the turn of the request alone, or in one of the turns `since` then. */
function isSaidSince({ statedAt, sourceEvents }: Memory, request: Event, since: ReadonlySet<string>): boolean {
  return (
    statedAt > request.occurredAt ||
    sourceEvents.some((id) => since.has(id)) ||
    (sourceEvents.length === 1 && sourceEvents[0] === request.id)
  );
}

function quoteOf({ event, start, end }: Evidence): Quote {
  return { event: event.id, start, end };
}

/** A sentence of the user's own, and where it stands. */
interface SaidSentence extends Meanable {
  quote: Quote;
}

const MOST_TURNS = 200;

/** The user's sentences before a turn, the latest turn first, including those from which no memory was formed. */
async function saidBefore(reader: Reader, owner: Scope, event: Event, limit = MOST_TURNS): Promise<SaidSentence[]> {
  const turns = await ownEvents(reader, owner, {
    kind: 'message',
    origins: ['user'],
    occurred: { upTo: event.occurredAt.getTime() },
    order: 'newest',
    limit,
  });
  const before = turns.slice(turns.findIndex(({ id }) => id === event.id) + 1);
  return before.flatMap(({ id, content, occurredAt }) =>
    splitSentences(content).map(({ text, span }) => ({
      attribute: null,
      value: null,
      content: text,
      statedAt: occurredAt,
      quote: { event: id, start: span.start, end: span.end },
    })),
  );
}

const MOST_COMPARED = 40;
/**
 * The least similarity between a request and the sentence that it means, and its least lead over the second-best sentence. Below these the
 * request is ambiguous.
 */
const NEAR = 0.6;
const AHEAD = 0.05;
/** The log-odds above which a turn without the phrase of a request is one, given what was said before it. */
const ASKS = 2;
/** Below these log-odds the phrase of a request in a sentence that may quote somebody is not obeyed. */
const DENIED = -7;
const QUOTING = /[“”„«»「」『』【】":：]/u;

type MeantWork = EmbedWork & { deps: Parts };

/**
 * Adds to each request what the reading layers make of it beside the user's sentences before it: "my salary" means "I make 90k". A request
 * that only the layers recognise is dropped if they find nothing that it means.
 */
async function withTold(work: MeantWork, forgets: readonly CheckedForget[]): Promise<CheckedForget[]> {
  const { deps, scope } = work;
  const found: CheckedForget[] = [];
  for (const asked of forgets) {
    const { request, evidence } = asked;
    const isNamedByModel = asked.isByModel && asked.targets.length > 0;
    if (request.takenBack === true || isNamedByModel || asked.isEverything === true) {
      found.push(asked);
      continue;
    }
    const { event } = evidence;
    const stays = staysIn(event.content, deps);
    const before = await deps.database.read(scope.tenant, (reader) => saidBefore(reader, ownerOf(scope), event));
    const said = before.filter((sentence) => !stays(sentence)).slice(0, MOST_COMPARED);
    const told = said.length === 0 ? null : await tellRequest(work, asked, said);
    const isMeant =
      told !== null && told.asks > ASKS && (request.isDenial === true || told.sentences.some(({ odds }) => odds > 0));
    const isDenied = told !== null && told.asks < DENIED && QUOTING.test(request.quote.words);
    if (request.isLikely === true ? !isMeant : isDenied) continue;
    found.push({ ...asked, told, nearest: told === null ? await nearestOf(work, asked, said) : [] });
  }
  return found;
}

/** How the reading layers read a request beside the sentences that it may mean; null without layers that could. */
async function tellRequest(
  work: MeantWork,
  asked: CheckedForget,
  said: readonly SaidSentence[],
): Promise<ToldRequest | null> {
  const { deps, scope, signal } = work;
  const embedder = await deps.database.read(scope.tenant, (reader) => deps.embedding.forQueries(reader));
  if (embedder?.readParts === undefined) return null;
  const parts = sentencesAround(asked.evidence);
  const turns = [...Map.groupBy(said, ({ quote }) => quote.event).values()];
  const told = await unlessUnavailable(
    embedder.readParts(
      parts.map(({ text }) => text),
      { said: turns.map((sentences) => sentences.map(({ content }) => content)), signal },
    ),
  );
  if (told === null) return null;
  return {
    asks: Math.max(-Infinity, ...told.request.slice(0, parts.length)),
    sentences: turns.flat().map(({ quote }, index) => ({ quote, odds: told.request[parts.length + index] ?? 0 })),
  };
}

const MOST_AROUND = 6;

/** The sentences of a request and its neighbours: a long turn has more than can be read beside what was said before. */
function sentencesAround({ event, start }: Evidence): { text: string }[] {
  const sentences = splitSentences(event.content);
  const first = sentences.findIndex(({ span }) => span.end > start);
  return sentences.slice(Math.max(0, first - MOST_AROUND), first + MOST_AROUND);
}

/** For other embedders: the sentence that is nearest in meaning, unless the request is ambiguous. */
async function nearestOf(
  work: MeantWork,
  { request: { about } }: CheckedForget,
  said: readonly SaidSentence[],
): Promise<Quote[]> {
  const isNamed = said.length > 0 && !namesNothing(about, work.deps);
  const vectors = isNamed ? await embedTexts(work, [about, ...said.map(({ content }) => content)]) : null;
  const query = vectors?.of[0];
  if (vectors === null || query === undefined) return [];
  const [first, second] = said
    .map(({ quote }, index) => {
      const cosine = dot(vectors.of[index + 1] as Float32Array, query);
      return { quote, similarity: calibratedSimilarity(cosine, vectors.calibration) };
    })
    .toSorted((left, right) => right.similarity - left.similarity);
  const isClear = (first?.similarity ?? 0) >= NEAR && (first?.similarity ?? 0) >= (second?.similarity ?? 0) + AHEAD;
  return isClear && first !== undefined ? [first.quote] : [];
}
