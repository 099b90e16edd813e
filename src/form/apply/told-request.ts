import {
  detectPack,
  forgetPatterns,
  orderIn,
  packPattern,
  PACKS,
  plainMarks,
  topicsNamed,
} from '../../language/packs/packs.ts';
import { splitSentences, type TextSpan } from '../../language/sentences.ts';
import { contentStems, withoutEnd } from '../../language/words.ts';
import { type PartReading, unlessUnavailable } from '../../models/embedder.ts';
import type { Evidence } from '../check/evidence.ts';
import { nearnessTo } from '../compare.ts';
import type { FormWork } from '../formation-settings.ts';
import type { MeantWords, ToldRequest } from '../statement.ts';
import { clausesBefore, clausesOf, type Heard, type HeardBefore } from './clauses-before.ts';
import { JOINED, joinedIn, namedBy, type Naming, partsOf, saysAnything } from './request-words.ts';

/** The log-odds of the reading layers above which an order in plain words asks to forget something, or a turn takes such a request back. */
const ASKS = 0;
/** The same for a plain order that names what was said. An order in a text of somebody else is below. */
const NAMED_MAY_ASK = -4;
/**
 * What counts beside the log-odds that a request means a clause: a turn that is less similar to the request than another one, and the clause
 * that shares the most words with it. A regression on 108 requests in stores of thirty messages gives these weights. The more clauses
 * there are, the more certain one has to be.
 */
const FARTHER = 16;
const SHARED = 2;
const MEANT = { few: -1.5, most: 1.5 };
/** Beside a clause about a topic that the request names, one that is so much less certain is not meant: the narrowest reading counts. */
const NARROWEST = 5;
/** The log-odds of the best clause that a turn needs which only probably asks. */
const DOUBTFUL = 1;
/** Among many clauses: the log-odds that the best one needs where none is certain enough, and its lead over those of other turns. */
const CLEAR = { least: -2.5, ahead: 3 };
/** The log-odds that a topic which a plain request names adds, where few clauses can be meant: "my salary" and "I make 90k". */
const TOPIC = 5;
const FEW = 8;
/** The log-odds of asking that a request needs which is no order in plain words: among few clauses, and among many. */
const AMONG_FEW = 1.5;
const SURELY_REQUESTS = 3.65;
/** The log-odds above which a request means a clause of its own turn, which most requests do not. */
const MEANT_OWN = 0;

/**
 * Reads a request together with the clauses that it may mean ("my salary" means "I make 90k"). Null if the turn asks nothing: "Marius is
 * going to lose it".
 */
export async function tellRequest(work: FormWork, evidence: Evidence, isByModel: boolean): Promise<ToldRequest | null> {
  const { event } = evidence;
  const read = await readRequest(work, evidence, isByModel);
  if (read.told === null) return withoutLayers(read);
  const naming = namingOf(read, read.told);
  const asked = askedBy(read, read.told, { turn: event.content, isByModel, naming });
  if (asked === null) return null;
  const { own, orders, told } = read;
  const { asks } = asked;
  const isNamed = namesExactly(naming, orders, asked);
  const likely = likelyClauses(read, told, { asks, naming });
  // "The neighbour gave her dog away, and Farofa at my side noticed nothing" is odd, but asks nothing.
  const isDoubtful = !asked.isCertain && orders.length === 0 && asks <= SURELY_REQUESTS;
  if (isDoubtful && !likely.some(({ odds }) => odds > DOUBTFUL)) return null;
  const meant = allBut(read, asked) ?? meantAmong(likely, isNamed ? naming : null, isByModel);
  const stated = isNamed ? [] : await statedBefore(own, event.content, work);
  const isElsewhere = likely.some(
    ({ clause, odds }) => odds > RATHER && (read.similarity.get(clause.source) ?? 0) > RELATED,
  );
  const isOwn = stated.length > 0 && !isElsewhere;
  return {
    // What says that something stays becomes no memory either.
    asking: [...asked.asking, ...read.kept],
    takesBack: asked.takesBack > Math.max(asks, ASKS),
    words: isOwn ? stated : [...above(told.meant, own, MEANT_OWN), ...wordsOf(meant)],
    memories: isOwn ? [] : memoriesOf(meant),
    isEverything: isEverything(read, asked, isNamed ? 0 : meant.length),
    // Among few clauses, the rest of a sentence mostly belongs to what is meant.
    isByClause: read.before.heard.length > FEW,
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
  return exactly.length > 0 && (orders.length > 0 || asks > SURELY_REQUESTS) && takesBack < ASKS;
}

/** A clause with the log-odds that a request means it. */
interface Likely {
  clause: Heard;
  odds: number;
}

function likelyClauses(
  read: ReadRequest,
  told: PartReading,
  { asks, naming }: { asks: number; naming: Naming },
): Likely[] {
  const { own, turns, before, similarity } = read;
  const heard = turns.flat();
  const nearest = Math.max(0, ...similarity.values());
  const asked = namingClauses(read, told).join(' ');
  const pack = detectPack(asked, detectPack(before.all.map(({ text }) => text).join('\n')));
  const topics = topicsNamed(asked, pack);
  const sharing = sharingMost(
    asked,
    heard.map(({ text }) => text),
  );
  // "Everything about my car" does not mean the dog.
  const isOfAnother = ({ text }: Heard): boolean => {
    const own = topics.length === 0 || heard.length > FEW || sharing.hasAny(text) ? [] : topicsNamed(text, pack);
    return own.length > 0 && !own.some((topic) => topics.includes(topic));
  };
  const isTopical = heard.length <= FEW && asks > SURELY_REQUESTS;
  return heard
    .map((clause, index) => ({
      clause,
      odds:
        (told.meant[own.length + index] ?? -Infinity) -
        FARTHER * (nearest - (similarity.get(clause.source) ?? nearest)) +
        (sharing.hasMost(clause.text) ? SHARED : 0) +
        (isTopical && clause.topics.length > 0 ? TOPIC : 0),
    }))
    .filter(
      ({ clause, odds }) =>
        !isSpared(clause, read, naming) && !isOfAnother(clause) && (odds > RATHER || !isUnnamed(clause, read, naming)),
    );
}

/** The user's own name, city and job are meant only where the request names them, was made right after them, or surely means them. */
function isUnnamed(clause: Heard, { before, turns }: ReadRequest, { isEmpty, exactly }: Naming): boolean {
  const isLatest = clause.source === turns[0]?.[0]?.source;
  return (
    before.identity.has(clause) && !isEmpty && !isLatest && clause.topics.length === 0 && !exactly.includes(clause)
  );
}

/** What a request names, without what it says may stay. */
function namingOf(read: ReadRequest, told: PartReading): Naming {
  const naming = namedBy(namingClauses(read, told), read.before);
  return { ...naming, exactly: naming.exactly.filter((clause) => !read.isSurelyProtected(clause)) };
}

/** Whether a clause stays because the request says so, unless the request also names it exactly. */
function isSpared(clause: Heard, { isProtected, isSurelyProtected }: ReadRequest, { exactly }: Naming): boolean {
  return isSurelyProtected(clause) || (isProtected(clause) && !exactly.includes(clause));
}

/** What is meant: what the request names exactly decides, and the layers decide about the rest of the request. */
function meantAmong(likely: readonly Likely[], naming: Naming | null, isByModel: boolean): Heard[] {
  const least = Math.min(MEANT.most, MEANT.few + Math.log(likely.length));
  const best = bestOf(likely);
  const topical = new Set(likely.filter(({ clause }) => clause.topics.length > 0).map(({ clause }) => clause.source));
  const isNarrow = ({ clause: { source }, odds }: Likely): boolean =>
    likely.length > FEW || !topical.has(source) || odds > (best.get(source) ?? 0) - NARROWEST;
  const sure = naming?.isPartly === false ? [] : likely.filter((each) => each.odds > least && isNarrow(each));
  const meant = [...new Set([...(naming?.exactly ?? []), ...sure.map(({ clause }) => clause)])];
  if (meant.length > 0) return meant;
  const [first, second] = [...best.values()].toSorted((one, other) => other - one);
  // A request that a language model has found certainly means something.
  const isLeading = likely.length > FEW && first! > CLEAR.least && first! - (second ?? -Infinity) > CLEAR.ahead;
  return isByModel || isLeading ? likely.filter(({ odds }) => odds === first).map(({ clause }) => clause) : [];
}

/** The highest log-odds of each turn. */
function bestOf(likely: readonly Likely[]): Map<string, number> {
  const best = new Map<string, number>();
  for (const { clause, odds } of likely) best.set(clause.source, Math.max(odds, best.get(clause.source) ?? -Infinity));
  return best;
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
  return asking.some(saysAnything) ? asking : own.slice(0, last + 1).map(({ text }) => text);
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
  /** The calibrated similarity of each turn to the request, by the turn's id; empty without an embedder. */
  similarity: ReadonlyMap<string, number>;
  sharing: Sharing;
  /** The clauses that order to forget something in plain words. */
  orders: MeantWords[];
  /** Null if there are no reading layers. */
  told: PartReading | null;
}

async function readRequest(work: FormWork, evidence: Evidence, isByModel: boolean): Promise<ReadRequest> {
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
  work: FormWork,
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
  const isBare = event.content.length <= LONGEST_BARE;
  // An order refers to memory, has a word of an earlier clause, or is all that the turn says: "scratch that".
  const orders = own.filter(({ text: clause }) => {
    const order = orderIn(clause, event.content);
    return order !== null && (order.isOfMemory || sharing.isAny || isBare);
  });
  const told = await unlessUnavailable(work.deps.readParts(parts, { said, signal: work.signal }));
  for (const [index, clause] of told === null ? [] : own.entries()) {
    if (told !== null && orders.includes(clause)) told.asks[index] = (told.asks[index] ?? -Infinity) + ORDER;
  }
  const protectedBy = kept.length > 0 ? await protectedClauses(work, event, kept) : NOTHING_KEPT;
  const similarity = told === null ? new Map<string, number>() : await similarities(work, parts.join(' '), turns);
  return { text, own, kept, turns, before, similarity, sharing, orders, told, ...protectedBy };
}

async function similarities(work: FormWork, request: string, turns: readonly Heard[][]): Promise<Map<string, number>> {
  const texts = turns.map((clauses) => clauses.map(({ text }) => text).join(''));
  const nearness = (await nearnessTo(work, request, texts)) ?? [];
  return new Map(nearness.map(({ similarity }, index) => [turns[index]?.[0]?.source ?? '', similarity]));
}

type Protected = Pick<ReadRequest, 'isProtected' | 'isSurelyProtected'>;

const NOTHING_KEPT: Protected = { isProtected: () => false, isSurelyProtected: () => false };

/** The clauses that a request names as what stays. */
async function protectedClauses(
  work: FormWork,
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
  { own, orders, before }: ReadRequest,
  told: PartReading,
  { turn, isByModel, naming }: { turn: string; isByModel: boolean; naming: Naming },
): AskedBy | null {
  const [asks, takesBack] = [mostOf(told.asks, own), mostOf(told.takesBack, own)];
  const isForAll = asksForAll(turn);
  const isCertain = isByModel || isForAll || takesBack > ASKS;
  // "Delete the bit about the ring" asks, even if the layers doubt it: it refers to what was said, and names it.
  const isOfMemory = orders.some(({ text }) => orderIn(text, turn)?.isOfMemory === true);
  const isNamedOrder = isOfMemory && naming.exactly.length > 0 && asks > NAMED_MAY_ASK;
  // Of 1,288 ordinary turns of lives, all after many others, the log-odds of six are above 0, and those of one are above 3.65.
  const least = orders.length > 0 ? ASKS : before.heard.length > FEW ? SURELY_REQUESTS : AMONG_FEW;
  const isAsking = asks > least || isNamedOrder;
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

/** What an order in plain words adds to the log-odds that a clause asks. */
const ORDER = 3;

/** Without reading layers (a bundle has none), an order means the clauses that share the most words with it; null where there are none. */
function withoutLayers({ orders, turns, sharing, kept, isProtected }: ReadRequest): ToldRequest | null {
  const isMeant = (clause: Heard): boolean => sharing.hasMost(clause.text) && !isProtected(clause);
  const meant = orders.length === 0 ? [] : turns.flat().filter(isMeant);
  const told = { asking: [...orders, ...kept], takesBack: false, words: wordsOf(meant), memories: memoriesOf(meant) };
  return meant.length === 0 ? null : { ...told, isEverything: false, isByClause: false };
}

/**
 * "I moved to Graz. Forget that." means what its own turn says: the clauses before a last sentence that asks to forget something and names
 * nothing. A sentence looks like a part of the request beside it, so that each is read alone.
 */
async function statedBefore(
  own: readonly MeantWords[],
  turn: string,
  { deps, signal }: FormWork,
): Promise<MeantWords[]> {
  const sentences = splitSentences(turn);
  const last = sentences.at(-1);
  if (last === undefined || sentences.length < 2 || last.text.length > LONGEST_BARE) return [];
  const asksAlone = async (text: string): Promise<number> =>
    (await unlessUnavailable(deps.readParts([text], { signal })))?.asks[0] ?? -Infinity;
  if ((await asksAlone(last.text)) <= SURELY_ASKS) return [];
  const stated: MeantWords[] = [];
  for (const clause of own)
    if (clause.end <= last.span.start && saysAnything(clause.text) && (await asksAlone(clause.text)) <= ASKS)
      stated.push(clause);
  return stated;
}

/** The log-odds and the similarity above which such a request means an earlier clause: "That with Levin was private. Delete it." */
const RATHER = 3;
const RELATED = 0.4;
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

/** Whether a request means nearly all clauses of the turns before it. */
function isNearlyAll(meant: number, count: number): boolean {
  return meant >= 6 && meant >= count * 0.9;
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
