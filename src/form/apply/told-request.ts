import { isOrdinary } from '../../language/names.ts';
import { detectPack, forgetPatterns, orderIn, packPattern, PACKS, plainMarks } from '../../language/packs/packs.ts';
import { splitSentences, type TextSpan } from '../../language/sentences.ts';
import { contentStems, withoutEnd } from '../../language/words.ts';
import { type PartReading, unlessUnavailable } from '../../models/embedder.ts';
import type { Evidence } from '../check/evidence.ts';
import type { MeantWords, ToldRequest } from '../statement.ts';
import { clausesBefore, clausesOf, type Heard, type HeardBefore, type TellWork } from './clauses-before.ts';
import { namedBy, type Naming, wordsOf as wordsIn } from './named-things.ts';
import { JOINED, joinedIn, partsOf } from './request-parts.ts';

/**
 * The log-odds of the reading layers above which a turn asks to forget something, or takes such a request back: together with what was said
 * before it, or a little below if it also asks when it is read alone.
 */
const ASKS = 0;
const MAY_ASK = -1.5;
/** The same for a plain order that names what was said. An order in a text of somebody else is below. */
const NAMED_MAY_ASK = -2.5;
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
/** The log-odds above which a request means a clause of its own turn, which most requests do not. */
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
  const naming = namingOf(read, read.told);
  const asked = askedBy(read, read.told, { turn: event.content, isByModel, alone, naming });
  if (asked === null) return null;
  const { own, before, orders, told } = read;
  const { asks, isCertain } = asked;
  // What says that something stays becomes no memory either.
  const asking = [...asked.asking, ...read.kept];
  const likely = likelyClauses(read, told, {
    asks,
    naming,
    names: namesIn(read.text),
  });
  // "I moved to Graz. Forget that." means what its own turn says before it.
  const bare = await bareRequestAt(event.content, work);
  const saidBefore = own.filter(({ end, text }) => end <= bare && saysMore(text));
  const best = Math.max(mostOf(told.meant, own), ...likely.map(({ odds }) => odds));
  // The layers take some ordinary turns for requests, so a weak best clause counts only after a plain order or at high log-odds of asking.
  const isPlain = orders.length > 0 ? asks > CLEAR.asks : asks > PLAINLY_ASKS;
  const isClear = isPlain && leadOf(likely) > CLEAR.ahead && best > CLEAR.least;
  const isNamed = namesExactly(naming, orders, asked);
  const isFound = isCertain || saidBefore.length > 0 || isNamed || isClear;
  const nothing = { asking, takesBack: false, words: [], memories: [], isEverything: false };
  // A plain request that means nothing surely is known as a request, so that it becomes no memory.
  if (!isFound && best < neededAmong(before.all.length, asks)) return isPlain ? nothing : null;
  const meant = allBut(read, asked) ?? meantAmong(likely, isNamed ? naming : null, alternativeFor(isByModel, asks));
  const isOwn = saidBefore.length > 0 && !isNamed && !likely.some(({ odds }) => odds > RATHER);
  return {
    asking,
    takesBack: asked.takesBack > Math.max(asks, ASKS),
    words: isOwn ? saidBefore : [...above(told.meant, own, MEANT_OWN), ...wordsOf(meant)],
    memories: isOwn ? [] : memoriesOf(meant),
    isEverything: isEverything(read, asked, isNamed ? 0 : meant.length),
  };
}

/** "Delete all my data. My name can stay.": all clauses but those that stay; null where a request does not ask for that. */
function allBut({ kept, before, isProtected }: ReadRequest, { isForAll }: AskedBy): Heard[] | null {
  return isForAll && kept.length > 0 ? before.all.filter((clause) => !isProtected(clause)) : null;
}

function isEverything({ kept, before }: ReadRequest, { isForAll }: AskedBy, meant: number): boolean {
  return kept.length === 0 && (isForAll || isNearlyAll(meant, before.all.length));
}

/** Whether what the request names decides: it is a plain order, or surely asks, and takes nothing back. */
function namesExactly({ exactly }: Naming, orders: readonly MeantWords[], { asks, takesBack }: AskedBy): boolean {
  return exactly.length > 0 && (orders.length > 0 || asks > CLEAR.asks) && takesBack < ASKS;
}

/** A clause with the log-odds that a request means it. */
interface Likely extends Heard {
  clause: Heard;
  isNamed: boolean;
  odds: number;
}

function likelyClauses(
  read: ReadRequest,
  told: PartReading,
  { asks, naming, names }: { asks: number; naming: Naming; names: readonly string[] },
): Likely[] {
  const { own, turns, before } = read;
  const heard = turns.flat();
  const said = heard.map(({ text }) => text);
  const sharing = sharingMost(namingClauses(read, told).join(' '), said);
  const latest = turns[0]?.[0]?.source;
  // Among many facts, the user's own name, city and job are meant only where the request names them, or were told in the last turn.
  const isUnnamed = ({ clause, isNamed }: { clause: Heard; isNamed: boolean }): boolean =>
    before.all.length > FEW &&
    before.identity.has(clause) &&
    !naming.isEmpty &&
    !isNamed &&
    clause.topics.length === 0 &&
    clause.source !== latest &&
    !naming.exactly.includes(clause);
  return heard
    .map((clause, index) => ({
      ...clause,
      clause,
      isNamed: sharing.hasAny(clause.text),
      odds:
        (told.meant[own.length + index] ?? -Infinity) +
        (sharing.hasMost(clause.text) ? SHARED : 0) +
        (clause.topics.length > 0 && asks > CLEAR.asks ? TOPIC : 0),
    }))
    .filter(
      ({ text, clause, isNamed }) =>
        naming.mayMean(clause) &&
        !namesAnother(text, names, before) &&
        !isSpared(clause, read, naming) &&
        !isUnnamed({ clause, isNamed }),
    );
}

/**
 * What a request names, without what it says may stay. Where the clauses that ask name nothing ("please take it out of your memory"), those
 * before them may name whom it means.
 */
function namingOf(read: ReadRequest, told: PartReading): Naming {
  const asking = namingClauses(read, told);
  const naming = namedBy(asking, read.before);
  const exactly = naming.exactly.filter((clause) => !read.isSurelyProtected(clause));
  const last = read.own.findLastIndex(({ text }) => asking.includes(text));
  // "Perpetua and I split up. Please take her out of your memory."
  const people = naming.isEmpty ? peopleIn(read, read.own.slice(0, last + 1)) : [];
  const reasons = naming.most.length === 0 ? [] : reasonsOf(read, asking);
  const isOfPeople = (clause: Heard): boolean =>
    (people.length === 0 || isAbout(clause, people)) && !isAbout(clause, reasons);
  return {
    ...naming,
    exactly,
    mayMean: (clause) => naming.mayMean(clause) && (exactly.includes(clause) || isOfPeople(clause)),
  };
}

/** The people whom only the reason of a request names: "Femke looks over my shoulder". */
function reasonsOf(read: ReadRequest, asking: readonly string[]): string[] {
  const named = new Set(asking.flatMap(wordsIn));
  const aside = read.own.filter(({ text }) => !asking.includes(text));
  return peopleIn(read, aside).filter((name) => !named.has(name));
}

function peopleIn({ before: { people } }: ReadRequest, clauses: readonly MeantWords[]): string[] {
  return clauses.flatMap(({ text }) => wordsIn(text)).filter((word) => people.includes(word));
}

function isAbout({ text }: Heard, names: readonly string[]): boolean {
  return names.length > 0 && wordsIn(text).some((word) => names.includes(word));
}

/** Whether a clause stays because the request says so, unless the request also names it exactly. */
function isSpared(clause: Heard, { isProtected, isSurelyProtected }: ReadRequest, { exactly }: Naming): boolean {
  return isSurelyProtected(clause) || (isProtected(clause) && !exactly.includes(clause));
}

/** What the best clause needs where none is surely meant. */
function alternativeFor(isByModel: boolean, asks: number): typeof BEST {
  if (isByModel) return BEST_OF_MODEL;
  return asks > SURELY_ASKS ? BEST : NONE;
}

/** What is meant: what the request names exactly decides, and the layers decide about the rest of the request. */
function meantAmong(likely: readonly Likely[], naming: Naming | null, alternative: typeof BEST): Heard[] {
  const sure = naming?.isPartly === false ? [] : surelyMeant(likely).map(({ clause }) => clause);
  const certain = [...new Set([...(naming?.exactly ?? []), ...sure])];
  return certain.length > 0 ? certain : clearlyBest(likely, alternative);
}

/**
 * The clauses of a request that may name what is meant: those that ask, and where they name nothing the ones before them. What follows is
 * a reason: "delete the pregnancy thing, Joe uses this phone too".
 */
function namingClauses({ own, orders }: ReadRequest, { asks }: PartReading): string[] {
  const most = Math.max(...own.map((_, index) => asks[index] ?? -Infinity));
  const first = own.findIndex((clause) => orders.includes(clause));
  const isAsking = own.map((clause, index) =>
    orders.length > 0
      ? orders.includes(clause) || (index > first && JOINED.test(clause.text))
      : (asks[index] ?? -Infinity) > most - NEARLY,
  );
  const asking = own.filter((_, index) => isAsking[index]).map(({ text }) => text);
  const last = isAsking.lastIndexOf(true);
  return asking.some(saysMore) ? asking : own.slice(0, last + 1).map(({ text }) => text);
}

/** A clause whose log-odds of asking are so much below those of another clause of its turn does not ask. */
const NEARLY = 6;

/** A request with the clauses that it may mean, as the reading layers see them. */
interface ReadRequest {
  /** The words of the request. */
  text: string;
  /** The clauses of the request's turn, without those that say what stays. */
  own: MeantWords[];
  /** The clauses that say what stays. */
  kept: MeantWords[];
  /** Whether a clause is named as what stays: by some words, or by all words of the clause that keeps it. */
  isProtected(clause: Heard): boolean;
  isSurelyProtected(clause: Heard): boolean;
  /** The clauses that it may mean, by turn, in the order in which the layers read them. */
  turns: Heard[][];
  before: HeardBefore;
  sharing: Sharing;
  /** The clauses that order to forget something in plain words. */
  orders: MeantWords[];
  /** Null if there are no reading layers. */
  told: PartReading | null;
}

async function readRequest(work: TellWork, evidence: Evidence, isByModel: boolean): Promise<ReadRequest> {
  const clauses = joinedIn(clausesAround(evidence, isByModel), evidence.event.content);
  const { own, kept, isCorrected } = partsOf(clauses, evidence.event.content);
  if (kept.length === 0) return readClauses(work, evidence, { own: clauses, kept: [] });
  const read = await readClauses(work, evidence, { own, kept });
  const isAsking = read.orders.length > 0 || (read.told !== null && mostOf(read.told.asks, own) > ASKS);
  const isNamed =
    !isCorrected ||
    namedBy(
      own.map(({ text }) => text),
      read.before,
    ).most.length > 0;
  // "Actually, keep it" keeps something too, but takes a request back. What corrects a request names something that was said.
  return isAsking && isNamed ? read : readClauses(work, evidence, { own: clauses, kept: [] });
}

async function readClauses(
  work: TellWork,
  evidence: Evidence,
  { own, kept }: { own: MeantWords[]; kept: MeantWords[] },
): Promise<ReadRequest> {
  const { event } = evidence;
  const parts = own.map(({ text }) => text);
  const before = await clausesBefore(work, event, parts.join(' '));
  const turns = [...Map.groupBy(before.heard, ({ source }) => source).values()];
  const said = turns.map((clauses) => clauses.map(({ text }) => text));
  const text = kept.length > 0 ? parts.join(' ') : event.content.slice(evidence.start, evidence.end);
  const sharing = sharingMost(text, said.flat());
  const orders = own.filter((clause) => isPlainOrder(clause.text, event.content, sharing));
  const told = await unlessUnavailable(work.deps.readParts(parts, { said, signal: work.signal }));
  for (const [index, clause] of told === null ? [] : own.entries()) {
    if (told !== null && orders.includes(clause)) told.asks[index] = (told.asks[index] ?? -Infinity) + ORDER;
  }
  const protectedBy = kept.length > 0 ? await protectedClauses(work, event, kept) : NOTHING_KEPT;
  return { text, own, kept, turns, before, sharing, orders, told, ...protectedBy };
}

type Protected = Pick<ReadRequest, 'isProtected' | 'isSurelyProtected'>;

const NOTHING_KEPT: Protected = { isProtected: () => false, isSurelyProtected: () => false };

/** The clauses that a request names as what stays. */
async function protectedClauses(
  work: TellWork,
  event: Evidence['event'],
  kept: readonly MeantWords[],
): Promise<Protected> {
  const texts = kept.map(({ text }) => text);
  const before = await clausesBefore(work, event, texts.join(' '));
  const { most, exactly } = namedBy(texts, before);
  const placeOf = ({ source, quote }: Heard): string => `${source} ${quote?.start}`;
  const [places, sure] = [most, exactly].map((clauses) => new Set(clauses.map(placeOf)));
  return {
    isProtected: (clause) => places?.has(placeOf(clause)) === true,
    isSurelyProtected: (clause) => sure?.has(placeOf(clause)) === true,
  };
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
  { own, orders }: ReadRequest,
  told: PartReading,
  { turn, isByModel, alone, naming }: { turn: string; isByModel: boolean; alone: number; naming: Naming },
): AskedBy | null {
  const [asks, takesBack] = [mostOf(told.asks, own), mostOf(told.takesBack, own)];
  const isForAll = asksForAll(turn);
  const isCertain = isByModel || isForAll || takesBack > ASKS;
  // "Delete the bit about the ring" asks, even if the layers doubt it: it refers to what was said, and names it.
  const isOfMemory = orders.some(({ text }) => orderIn(text, turn)?.isOfMemory === true);
  const isNamedOrder = isOfMemory && naming.exactly.length > 0 && asks > NAMED_MAY_ASK;
  const isAsking = asks > ASKS || (asks > MAY_ASK && alone > SURELY_ASKS) || isNamedOrder;
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
function withoutLayers({ orders, turns, sharing, kept, isProtected }: ReadRequest): ToldRequest | null {
  const isMeant = (clause: Heard): boolean => sharing.hasMost(clause.text) && !isProtected(clause);
  const meant = orders.length === 0 ? [] : turns.flat().filter(isMeant);
  const told = { asking: [...orders, ...kept], takesBack: false, words: wordsOf(meant), memories: memoriesOf(meant) };
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
  const isTopical = sure.some(({ topics }) => topics.length > 0);
  return sure.filter(({ topics, isNamed, odds }) => !isTopical || topics.length > 0 || isNamed || odds > RATHER);
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
 * Whether a clause names something else than a request: "that I worked at Bosch" does not mean "I work at Siemens". German capitalises all
 * nouns, so that only a name which was said counts there.
 */
function namesAnother(clause: string, names: readonly string[], { all }: HeardBefore): boolean {
  const has = (text: string): boolean => names.some((name) => text.toLowerCase().includes(name));
  if (names.length === 0 || has(clause)) return false;
  return all.some(({ text }) => has(text)) || (detectPack(clause)?.language !== 'de' && namesIn(clause).length > 0);
}

/** A turn with a request is read up to this many clauses before and after it. */
const MOST_AROUND = 12;

/** The clauses of a request. A model may find several requests in a turn, so each of them is read with its own clauses alone. */
function clausesAround({ event, start, end }: Evidence, isByModel: boolean): MeantWords[] {
  const clauses = clausesOf(event);
  if (isByModel) return clauses.filter((clause) => clause.start < end && clause.end > start);
  const first = clauses.findIndex((clause) => clause.end > start);
  return clauses.slice(Math.max(0, first - MOST_AROUND), first + MOST_AROUND);
}
