import { isOrdinary } from '../../language/names.ts';
import {
  detectPack,
  forgetPatterns,
  orderIn,
  packPattern,
  PACKS,
  plainMarks,
  topicsNamed,
} from '../../language/packs/packs.ts';
import { splitClauses, splitSentences, type TextSpan } from '../../language/sentences.ts';
import { contentStems, withoutEnd } from '../../language/words.ts';
import { type PartReading, unlessUnavailable } from '../../models/embedder.ts';
import { normalValue, type Quote, USER } from '../../record/statement.ts';
import type { Event } from '../../record/event.ts';
import type { Memory } from '../../record/memory.ts';
import type { Scope } from '../../record/scope.ts';
import type { Reader } from '../../store/database.ts';
import { ownEvents } from '../../store/event-store.ts';
import { quotesMeet } from '../../store/forget/forgotten-store.ts';
import { listStatements } from '../../store/read-memories.ts';
import type { Evidence } from '../check/evidence.ts';
import { type EmbedWork, nearStatements, ownerOf } from '../compare.ts';
import type { ApplyDeps, FormDeps } from '../formation-settings.ts';
import type { MeantWords, ToldRequest } from '../statement.ts';

/** A clause that a request may mean: words of the user, with their place in the log, or a statement that quotes no words of the log. */
interface Heard {
  text: string;
  /** The id of the turn, or of the statement. */
  source: string;
  /** Null for a statement. */
  quote: Quote | null;
  /** Whether it is about a topic that the request names: "my salary" names the topic of "I make 90k". */
  isOfTopic: boolean;
}

/**
 * The log-odds of the reading layers above which a turn asks to forget something, or takes such a request back: together with what was said
 * before it, or a little below if it also asks when it is read alone.
 */
const ASKS = 0;
const MAY_ASK = -1.5;
/** The log-odds above which a request means a clause: to miss a clause is worse than to forget one too many. */
const MEANT = -0.5;
/** The log-odds that the best clause needs where none is above `MEANT`, and its lead over the clauses of other turns. */
const BEST = { least: -2.5, ahead: 2 };
/** The same for a request that a language model has found, which certainly means something. */
const BEST_OF_MODEL = { least: -8, ahead: 1 };
const NONE = { least: Infinity, ahead: 0 };
/** A clause whose log-odds are this much below those of another clause of its turn is not meant: the narrowest reading counts. */
const NARROWEST = 5;
/** Among many clauses: the log-odds of asking, of the best clause, and the best clause's lead over other turns, from which a request counts. */
const CLEAR = { asks: 4, least: -2.5, ahead: 1.5 };
/** Above these log-odds a clause is meant even if it names something else than the request. */
const SURELY = 5;
/** The same for a clause of the request's own turn, which most requests do not mean. */
const MEANT_OWN = 0;

/**
 * Reads a request together with the clauses that it may mean ("my salary" means "I make 90k"). Null if the turn asks nothing: "Marius is
 * going to lose it".
 */
export async function tellRequest(
  work: TellWork,
  evidence: Evidence,
  { isByModel, alone = -Infinity }: { isByModel: boolean; alone?: number | undefined },
): Promise<ToldRequest | null> {
  const { event } = evidence;
  const read = await readRequest(work, evidence, isByModel);
  if (read.told === null) return withoutLayers(read);
  const asked = askedBy(read, read.told, { turn: event.content, isByModel, alone });
  if (asked === null) return null;
  const { own, turns, count, sharing, orders, told } = read;
  const { asks, isCertain, asking } = asked;
  const heard = turns.flat();
  const names = namesIn(event.content.slice(evidence.start, evidence.end));
  const isSaid = heard.some(({ text }) => names.some((name) => text.toLowerCase().includes(name)));
  const likely = heard
    .map((clause, index) => ({
      ...clause,
      isNamed: sharing.hasAny(clause.text),
      odds:
        (told.meant[own.length + index] ?? -Infinity) +
        (sharing.hasMost(clause.text) ? SHARED : 0) +
        (clause.isOfTopic && asks > CLEAR.asks ? TOPIC : 0),
    }))
    .filter(({ text, odds }) => odds > SURELY || !namesAnother(text, names, isSaid));
  // "I moved to Graz. Forget that." means what its own turn says before it.
  const bare = await bareRequestAt(event.content, work);
  const before = own.filter(({ end, text }) => end <= bare && saysMore(text));
  const best = Math.max(mostOf(told.meant, own), ...likely.map(({ odds }) => odds));
  // The layers take some ordinary turns for requests, so a weak best clause counts only after a plain order or at high log-odds of asking.
  const isPlain = orders.length > 0 ? asks > CLEAR.asks : asks > PLAINLY_ASKS;
  const isClear = isPlain && leadOf(likely) > CLEAR.ahead && best > CLEAR.least;
  if (!isCertain && before.length === 0 && !isClear && best < neededAmong(count, asks)) return null;
  const sure = surelyMeant(likely);
  const meant =
    sure.length > 0 ? sure : clearlyBest(likely, isByModel ? BEST_OF_MODEL : asks > SURELY_ASKS ? BEST : NONE);
  const isOwn = before.length > 0 && !likely.some(({ odds }) => odds > RATHER);
  return {
    asking,
    takesBack: asked.takesBack > Math.max(asks, ASKS),
    words: isOwn ? before : [...above(told.meant, own, MEANT_OWN), ...wordsOf(meant)],
    memories: isOwn ? [] : memoriesOf(meant),
    isEverything: asked.isForAll || isNearlyAll(meant.length, Math.max(count, heard.length)),
  };
}

/** A request with the clauses that it may mean, as the reading layers see them. */
interface ReadRequest {
  /** The clauses of the request's turn. */
  own: MeantWords[];
  /** The clauses that it may mean, by turn, in the order in which the layers read them. */
  turns: Heard[][];
  /** How many clauses the turns before it have. */
  count: number;
  sharing: Sharing;
  /** The clauses that order to forget something in plain words. */
  orders: MeantWords[];
  /** Null if there are no reading layers. */
  told: PartReading | null;
}

async function readRequest(work: TellWork, evidence: Evidence, isByModel: boolean): Promise<ReadRequest> {
  const { event } = evidence;
  const own = clausesAround(evidence, isByModel);
  const parts = own.map(({ text }) => text);
  const { heard, count } = await clausesBefore(work, event, parts.join(' '));
  const turns = [...Map.groupBy(heard, ({ source }) => source).values()];
  const said = turns.map((clauses) => clauses.map(({ text }) => text));
  const sharing = sharingMost(event.content.slice(evidence.start, evidence.end), said.flat());
  const orders = own.filter(({ text }) => isPlainOrder(text, event.content, sharing));
  const told = await unlessUnavailable(work.deps.readParts(parts, { said, signal: work.signal }));
  for (const [index, clause] of told === null ? [] : own.entries()) {
    if (told !== null && orders.includes(clause)) told.asks[index] = (told.asks[index] ?? -Infinity) + ORDER;
  }
  return { own, turns, count, sharing, orders, told };
}

interface AskedBy {
  asks: number;
  takesBack: number;
  isForAll: boolean;
  /** Whether it is known without the reading layers that the turn asks something. */
  isCertain: boolean;
  /** The clauses that ask. */
  asking: MeantWords[];
}

/** What a turn asks; null if it asks nothing. */
function askedBy(
  { own }: ReadRequest,
  told: PartReading,
  { turn, isByModel, alone }: { turn: string; isByModel: boolean; alone: number },
): AskedBy | null {
  const [asks, takesBack] = [mostOf(told.asks, own), mostOf(told.takesBack, own)];
  const isForAll = asksForAll(turn);
  const isCertain = isByModel || isForAll || takesBack > ASKS;
  const isAsking = asks > ASKS || (asks > MAY_ASK && alone > SURELY_ASKS);
  const asking = above(told.asks, own, Math.min(ASKS, asks - 1));
  const isNothing = !isCertain && (!isAsking || changesPlan(turn, asking));
  return isNothing ? null : { asks, takesBack, isForAll, isCertain, asking };
}

/** "Forget everything you know about me": whether a sentence of a turn asks to forget everything, and says nothing else. */
function asksForAll(turn: string): boolean {
  return splitSentences(turn).some(({ text }) => {
    const words = withoutEnd(plainMarks(text), ' \n.!?…。！？').trim();
    // Such a sentence has too few words to detect its language.
    return PACKS.some((pack) => forgetPatterns(pack).everything.test(words));
  });
}

/** Fewer words are a tag: "ok?", "right?". */
const SHORTEST_QUESTION = 3;

/**
 * "Forget the peanut sauce, what about soy?": whether a request only changes a plan. Its clauses have no word that refers to memory ("my",
 * "what I told you"), and it is limited to now, or a proposal, a question or an instruction follows.
 */
function changesPlan(content: string, asking: readonly (TextSpan & { text: string })[]): boolean {
  const pack = detectPack(content);
  const last = asking.at(-1);
  if (pack === null || last === undefined) return false;
  const { ofMemory, forNow, goesOn } = forgetPatterns(pack);
  const own = plainMarks(asking.map(({ text }) => text).join(''));
  if (ofMemory.test(own)) return false;
  const rest = plainMarks(content.slice(last.end)).replace(/^[\s,;.!?–—。，、！？-]+/u, '');
  const isQuestion = /[?？]\s*$/u.test(rest) && (rest.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) >= SHORTEST_QUESTION;
  return forNow.test(own) || goesOn.test(rest) || (isQuestion && !packPattern(pack, 'request:polite').test(rest));
}

function mostOf(odds: Float32Array, own: readonly MeantWords[]): number {
  return Math.max(-Infinity, ...odds.subarray(0, own.length));
}

function above(odds: Float32Array, own: readonly MeantWords[], least: number): MeantWords[] {
  return own.filter((_, index) => (odds[index] ?? -Infinity) > least);
}

function wordsOf(clauses: readonly Heard[]): MeantWords[] {
  return clauses.flatMap(({ quote, text }) => (quote === null ? [] : { ...quote, text }));
}

function memoriesOf(clauses: readonly Heard[]): string[] {
  return clauses.flatMap(({ quote, source }) => (quote === null ? source : []));
}

/** Whether a clause orders to forget something that was said: it refers to memory, or shares a word with an earlier clause. */
function isPlainOrder(clause: string, turn: string, { isAny }: Sharing): boolean {
  const order = orderIn(clause, turn);
  return order !== null && (order.isOfMemory || isAny);
}

/** What an order in plain words adds to the log-odds that a clause asks. With 3, ten more of 659 requests are understood, and no more of 467 look-alikes are obeyed. */
const ORDER = 3;

/** Without reading layers (a bundle has none), an order means the clauses that share the most words with it; null where there are none. */
function withoutLayers({ orders, turns, sharing }: ReadRequest): ToldRequest | null {
  const meant = orders.length === 0 ? [] : turns.flat().filter(({ text }) => sharing.hasMost(text));
  const told = { asking: orders, takesBack: false, words: wordsOf(meant), memories: memoriesOf(meant) };
  return meant.length === 0 ? null : { ...told, isEverything: false };
}

/** Where a turn ends with a request that names nothing ("Forget that."), the place of that sentence; 0 where it does not. */
async function bareRequestAt(turn: string, { deps, signal }: TellWork): Promise<number> {
  const sentences = splitSentences(turn);
  const last = sentences.at(-1);
  const isShort = last !== undefined && last.text.length <= LONGEST_BARE && sentences.length > 1;
  // "Thanks." looks like a part of the request beside it, so that the sentence is read alone.
  const told = isShort ? await unlessUnavailable(deps.readParts([last.text], { signal })) : null;
  return isShort && (told?.asks[0] ?? -Infinity) > SURELY_ASKS ? last.span.start : 0;
}

/** The log-odds above which a bare request means an earlier clause rather than its own turn: "That with Levin was private. Delete it." */
const RATHER = 3;
const LONGEST_BARE = 26;
const SURELY_ASKS = 2;

interface Sharing {
  /** Whether a clause shares the most content words with the request, and at least one. */
  hasMost(clause: string): boolean;
  hasAny(clause: string): boolean;
  /** Whether any clause shares a content word with the request. */
  isAny: boolean;
}

/** Recognises the clauses that share the most content words with a request ("take Mustard out of your notes"), if any clause shares one. */
function sharingMost(request: string, clauses: readonly string[]): Sharing {
  const common = new Set(detectPack(request)?.common.split('|'));
  const words = (request.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !common.has(word));
  const stems = contentStems(words.join(' '));
  const shared = (clause: string): number => [...contentStems(clause)].filter((stem) => stems.has(stem)).length;
  const most = Math.max(0, ...clauses.map(shared));
  return {
    hasMost: (clause) => shared(clause) === Math.max(1, most),
    hasAny: (clause) => shared(clause) > 0,
    isAny: most > 0,
  };
}

/** The log-odds that a topic which a plain request names adds: "my salary" and "I make 90k". */
const TOPIC = 5;

/** The log-odds that sharing the most words adds. A regression on 414 requests gives it this weight beside the log-odds. */
const SHARED = 3;

/** The clauses that are meant for certain, without those that are much less certain than another clause of their turn. */
function surelyMeant<Clause extends Heard & { odds: number; isNamed: boolean }>(clauses: readonly Clause[]): Clause[] {
  const best = new Map<string, number>();
  for (const { source, odds } of clauses) best.set(source, Math.max(odds, best.get(source) ?? -Infinity));
  const least = clauses.length > FEW ? Math.max(-Infinity, ...best.values()) - WITHIN : -Infinity;
  const sure = clauses.filter(({ odds, source, isNamed }) => {
    const ofTurn = best.get(source) ?? 0;
    return odds > MEANT && odds > ofTurn - NARROWEST && (isNamed || ofTurn > least);
  });
  // Beside a clause about the topic that the request names, another clause has to be certain.
  const isTopical = sure.some(({ isOfTopic }) => isOfTopic);
  return sure.filter(({ isOfTopic, isNamed, odds }) => !isTopical || isOfTopic || isNamed || odds > RATHER);
}

/** Among more clauses than these, a clause that shares no word with the request has to be about as certain as the best one. */
const FEW = 8;
const WITHIN = 3.5;

/** How much more certain the best clause is than the clauses of other turns. */
function leadOf(clauses: readonly (Heard & { odds: number })[]): number {
  const [best, ...others] = clauses.toSorted((one, other) => other.odds - one.odds);
  return best === undefined
    ? -Infinity
    : best.odds - (others.find(({ source }) => source !== best.source)?.odds ?? -20);
}

function saysMore(clause: string): boolean {
  return contentStems(clause).size > 0;
}

/** The log-odds that the best clause needs: among more clauses, more come near by chance, and ordinary talk sounds like a request at times. */
function neededAmong(clauses: number, asks: number): number {
  const needed = Math.min(NEEDED.most, Math.max(NEEDED.least, NEEDED.slope * (Math.log(clauses) - 1)));
  return needed - (asks > PLAINLY_ASKS ? PLAINLY : 0);
}

/** Above these log-odds a turn plainly asks something, and so much less is needed. */
const PLAINLY_ASKS = 6;
const PLAINLY = 2;
const NEEDED = { least: -2.5, most: 7, slope: 2 };

/** The clause that a request means rather than any other, where none is surely meant. */
function clearlyBest<Clause extends Heard & { odds: number }>(
  clauses: readonly Clause[],
  { least, ahead }: typeof BEST,
): Clause[] {
  const [best, ...others] = clauses.toSorted((one, other) => other.odds - one.odds);
  const next = others.find(({ source }) => source !== best?.source)?.odds ?? -Infinity;
  return best !== undefined && best.odds > least && best.odds > next + ahead ? [best] : [];
}

/** Whether a request means nearly all clauses of the turns before it. */
function isNearlyAll(meant: number, count: number): boolean {
  return meant >= 6 && meant >= count * 0.9;
}

/** A capitalised word that does not begin a sentence and is no ordinary word of its language. In German that may be any noun. */
function namesIn(text: string): string[] {
  const pack = detectPack(text);
  const capitalised = text.match(/(?<=\p{L}[,;]? )\p{Lu}\p{Ll}{2,}(?!\p{L})/gu) ?? [];
  return capitalised.map((word) => word.toLowerCase()).filter((word) => pack === null || !isOrdinary(word, pack));
}

/**
 * Whether a clause names something else than a request: "that I worked at Bosch" does not mean "I work at Siemens". `isSaid`: a clause has
 * the name of the request, and then no other is meant. German capitalises all nouns, so that only a name which was said counts there.
 */
function namesAnother(clause: string, names: readonly string[], isSaid: boolean): boolean {
  const lower = clause.toLowerCase();
  if (names.length === 0 || names.some((name) => lower.includes(name))) return false;
  return isSaid || (detectPack(clause)?.language !== 'de' && namesIn(clause).length > 0);
}

/** What reading a request needs. */
export type TellWork = EmbedWork & { deps: ApplyDeps & Pick<FormDeps, 'readParts'> };

/** A turn with a request is read up to this many clauses before and after it. */
const MOST_AROUND = 12;

/** The clauses of a request. A model may find several requests in a turn, so each of them is read with its own clauses alone. */
function clausesAround({ event, start, end }: Evidence, isByModel: boolean): MeantWords[] {
  const clauses = clausesOf(event);
  if (isByModel) return clauses.filter((clause) => clause.start < end && clause.end > start);
  const first = clauses.findIndex((clause) => clause.end > start);
  return clauses.slice(Math.max(0, first - MOST_AROUND), first + MOST_AROUND);
}

function clausesOf({ id, content }: Event): MeantWords[] {
  return splitClauses(content).map(({ start, end }) => ({ event: id, start, end, text: content.slice(start, end) }));
}

/** How many turns before a request are searched, and how many clauses of them are read with it. */
const MOST_TURNS = 300;
const MOST_LATEST = 8;
const MOST_SIMILAR = 6;
const MOST_STATED = 8;

/**
 * The clauses that a request may mean, the latest turn first: the latest ones, and of the older ones those that share words with the request,
 * that are about a topic which it names, or from which the statements were formed that are nearest to it. The layers were trained with few
 * clauses: among thirty facts they understood half of the requests that they understand among these.
 */
async function clausesBefore(
  work: TellWork,
  event: Event,
  request: string,
): Promise<{ heard: Heard[]; count: number }> {
  const { deps, scope } = work;
  const owner = ownerOf(scope);
  const topics = topicsNamed(request);
  const near = await nearStatements(work, request, MOST_STATED);
  const { turns, ofTopic } = await deps.database.read(scope.tenant, async (reader) => ({
    turns: await turnsBefore(reader, owner, event, MOST_TURNS),
    ofTopic: await listStatements(reader, owner, { subjects: [USER], attributes: topics, owner: 'visible' }),
  }));
  const stated = [...new Map([...near, ...ofTopic].map((memory) => [memory.id, memory])).values()];
  const isOfTopic = (text: string, quote: Quote | null): boolean =>
    (ofTopic.length === 0 && topicsNamed(text).some((topic) => topics.includes(topic))) ||
    ofTopic.some(
      ({ quotes, value }) =>
        quote !== null &&
        quotesMeet(quotes, [quote]) &&
        (value === null || normalValue(text).includes(normalValue(value))),
    );
  const clauses = turns
    .flatMap(clausesOf)
    .map((quote): Heard => ({ text: quote.text, source: quote.event, quote, isOfTopic: isOfTopic(quote.text, quote) }));
  const stems = contentStems(request);
  const older = clauses.slice(MOST_LATEST);
  const shared = older
    .map((clause) => ({ clause, count: [...contentStems(clause.text)].filter((stem) => stems.has(stem)).length }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)
    .slice(0, MOST_SIMILAR)
    .map(({ clause }) => clause);
  const isQuoted = ({ quote }: Heard): boolean =>
    quote !== null && stated.some(({ quotes }) => quotesMeet(quotes, [quote]));
  const taken = new Set([
    ...clauses.slice(0, MOST_LATEST),
    ...shared,
    ...older.filter((clause) => clause.isOfTopic).slice(0, MOST_SIMILAR),
    ...older.filter(isQuoted),
  ]);
  const isRead = (memory: Memory): boolean =>
    clauses.some(({ quote }) => quote !== null && quotesMeet(memory.quotes, [quote]));
  const unread = stated
    .filter((memory) => !memory.sourceEvents.includes(event.id) && !isRead(memory))
    .map(({ id, content, attribute }): Heard => ({
      text: content,
      source: id,
      quote: null,
      isOfTopic: attribute !== null && topics.includes(attribute),
    }));
  return {
    heard: [...clauses.filter((clause) => taken.has(clause)), ...unread],
    count: clauses.length + unread.length,
  };
}

/** The user's turns before the given one, the latest first. */
async function turnsBefore(reader: Reader, owner: Scope, event: Event, limit: number): Promise<Event[]> {
  const heard = await ownEvents(reader, owner, {
    kind: 'message',
    origins: ['user'],
    limit,
    occurred: { upTo: event.occurredAt.getTime() },
    order: 'newest',
  });
  // By position: all turns that the application logs in one call may have the same time.
  return heard.slice(heard.findIndex(({ id }) => id === event.id) + 1);
}
