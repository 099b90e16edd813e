import type { Pack } from '../../language/packs/pack.ts';
import {
  detectPack,
  forgetPatterns,
  orderIn,
  packPattern,
  PACKS,
  plainMarks,
  smallTalkIn,
  topicsNamed,
} from '../../language/packs/packs.ts';
import { clausesIn, splitSentences } from '../../language/sentences.ts';
import { contentStems, matchesOf, withoutEnd } from '../../language/words.ts';
import { unlessUnavailable } from '../../models/embedder.ts';
import { quotedWords } from '../check/evidence.ts';
import { nearnessTo } from '../compare.ts';
import type { FormWork } from '../formation-settings.ts';
import { usesModel } from '../read/reader.ts';
import type { Event } from '../../record/event.ts';
import type { Quote } from '../../record/statement.ts';
import type { Evidence, MeantWords, ToldRequest } from '../statement.ts';
import { firstOf } from './request-owners.ts';
import { clausesBefore, clausesOf, type Heard, type HeardBefore, type ReadClause } from './request-clauses.ts';
import { correctionsOf, SURELY_MEANT, UNRELATED, withFollowUps } from './request-follow-ups.ts';
import {
  everywhere,
  isQuestion,
  packOfRequest,
  JOINED,
  namedBy,
  type Naming,
  partsOf,
  type RequestParts,
  saysAnything,
} from './request-words.ts';

/** Log-odds of the reading layers above which a plain order is a request to forget. */
const ASKS = 0;
/** Lower threshold for an order that names an earlier clause: orders in pasted texts have lower log-odds. */
const NAMED_MAY_ASK = -4.5;
/**
 * Corrections of a clause's log-odds, from a regression on 108 requests in stores of thirty messages. `FARTHER` is the penalty per unit of
 * similarity below the nearest turn. `MOST_FARTHER` caps it where the layers are sure of a clause, because similarity cannot resolve a
 * pronoun ("he's got a girlfriend though"). `SHARED` is the bonus of the clauses that share the most words with the request. The threshold
 * for a clause rises with the number of clauses, from `MEANT.few` to `MEANT.most`.
 */
const FARTHER = 16;
const MOST_FARTHER = 3;
const SHARED = 2;
const MEANT = { few: -1.5, most: 1.5, surely: SURELY_MEANT, elsewhere: 5 };
/** Among many clauses, a neighbour is added above these log-odds: `BESIDE` in the same turn, `FOLLOWING` in the next. */
const BESIDE = -2;
const FOLLOWING = 2;
/** In a turn about a topic that the request names, a clause this far below the turn's best clause is left out. */
const NARROWEST = 5;
/** If a turn only probably contains a request, some clause must have higher log-odds than this. */
const DOUBTFUL = 0;
/** If no clause reaches the threshold, the best one still counts if its log-odds are above `least` and `ahead` of every other turn. */
const CLEAR = { least: -3, ahead: 2 };
/** Bonus for a topic that a certain request names, among at most `FEW` clauses: "my salary" and "I make 90k". */
const TOPIC = 5;
const FEW = 8;
/** Without a plain order, a request needs log-odds above `SURELY_REQUESTS`, or a sum with the best clause's log-odds above `JOINTLY`. */
const SURELY_REQUESTS = 4.2;
const JOINTLY = 4;
/** Log-odds above which a request refers to a clause of its own turn. Most requests refer to earlier turns. */
const MEANT_OWN = 0;

/** Resolves what a request to forget refers to: "my salary" is "I make 90k". Null if the turn contains no request. */
export async function tellRequest(work: FormWork, evidence: Evidence): Promise<ToldRequest | null> {
  const read = await readRequest(work, evidence);
  const { own, kept, before, isProtected, isByModel } = read;
  const naming = namingOf(read);
  if (!read.hasLayers) return withoutLayers(read, naming);
  const likely = likelyClauses(read, naming);
  const asked = askedBy(read, likely, naming);
  if (asked === null) return null;
  const { asks, takesBack, isForAll, isSure } = asked;
  const isNamed = naming.exactly.length > 0 && isSure && takesBack < ASKS;
  // Doubtful requests, such as "You'll never guess who rang.", wait for the language model if one reads the turns later.
  if (!asked.isCertain && !isSure && usesModel(work.deps, 'read')) return null;
  const meant =
    isForAll && kept.length > 0
      ? // "Delete all my data. My name can stay." means all clauses except those that stay.
        before.all.filter((clause) => !isProtected(clause))
      : withFollowUps(meantAmong(likely, naming, { isNamed, isByModel }), read, naming.matter);
  const ownWords = own.flatMap(({ clause, meant: odds }) => (odds > MEANT_OWN ? clause : []));
  const isEarlier = isNamed || ownWords.length > 0 || meansEarlier(read, likely);
  const stated = isEarlier ? [] : await statedBefore(read, work);
  const { words, memories } = placesOf(withPreferred(meant, read, naming));
  return {
    // A clause about what to keep does not become a memory either.
    asking: [...asked.asking, ...kept],
    takesBack: takesBack > Math.max(asks, ASKS),
    ...(stated.length > 0 ? { words: stated, memories: [] } : { words: [...ownWords, ...words], memories }),
    isEverything: kept.length === 0 && (isForAll || (!isNamed && isNearlyAll(meant.length, before.all.length))),
    // If there are few clauses, the rest of a sentence usually belongs to the clause that is forgotten.
    isByClause: before.heard.length > FEW || naming.matter !== null,
    topics: topicsNamed(namingClauses(read).join(' '), packOfRequest([], before.all)),
  };
}

/**
 * A request that a model found in a turn below these log-odds is refused. Of 714 requests by people outside the project, 7 are below this
 * value; of ordinary turns, 9 of 10 are.
 */
const MODEL_MAY_ASK = -4;

/** A guard against prompt injection: a model that a text from outside misled may quote any turn of the user as a request. */
export async function mayAsk({ deps, signal }: FormWork, turn: string): Promise<boolean> {
  const parts = clausesIn(turn);
  const orders = parts.flatMap((text) => (orderIn(text, turn) === null ? [] : { text }));
  if (orders.length > 0) return !isForTools(turn, orders);
  const told = await unlessUnavailable(deps.readParts(parts, { signal }));
  return told === null || [...told.asks, ...told.takesBack].some((odds) => odds > MODEL_MAY_ASK);
}

function placesOf(clauses: readonly Heard[]): Pick<ToldRequest, 'words' | 'memories'> {
  return {
    words: clauses.flatMap(({ quote, text }) => (quote === null ? [] : { ...quote, text })),
    memories: clauses.flatMap(({ quote, source }) => (quote === null ? source : [])),
  };
}

/** `odds`: the log-odds after the corrections for similarity, shared words and topics. */
interface Likely extends ReadClause {
  odds: number;
}

function likelyClauses(read: ReadRequest, { exactly, isEmpty, mayMean, hasOnlyOwner }: Naming): Likely[] {
  const { heard, before, similarity } = read;
  const nearest = Math.max(0, ...similarity.values());
  const asked = namingClauses(read).join(' ');
  const pack = packOfRequest([asked], before.all);
  const topics = topicsNamed(asked, pack);
  const sharing = sharingMost(asked, heard);
  // "Everything about my car" does not refer to the dog.
  const isOfAnother = ({ text }: Heard): boolean => {
    const own = topics.length === 0 || heard.length > FEW || sharing.hasAny(text) ? [] : topicsNamed(text, pack);
    return own.length > 0 && !own.some((topic) => topics.includes(topic));
  };
  const isSpared = (clause: Heard): boolean => read.isProtected(clause) && !exactly.includes(clause);
  // The user's own name, city and job are forgotten only if the request names them, directly follows them, or has high log-odds.
  const isUnnamed = (clause: Heard): boolean =>
    clause.isIdentity &&
    !isEmpty &&
    clause.source !== heard[0]?.clause.source &&
    clause.topics.length === 0 &&
    !exactly.includes(clause);
  const isTopical = heard.length <= FEW && mostOf(read.own, 'asks') > SURELY_REQUESTS;
  const fartherOf = (clause: Heard, odds: number): number => {
    // If the request names nothing ("scratch that"), similarity to its words carries no information.
    if (isEmpty) return 0;
    const farther = FARTHER * (nearest - (similarity.get(clause.source) ?? nearest));
    return odds > MEANT.surely ? Math.min(farther, MOST_FARTHER) : farther;
  };
  return heard
    .map((each) => ({
      ...each,
      odds:
        each.read -
        fartherOf(each.clause, each.read) +
        (sharing.hasMost(each.clause.text) ? SHARED : 0) +
        (isTopical && each.clause.topics.length > 0 ? TOPIC : 0),
    }))
    .filter(({ clause, odds, read: told }) => {
      const isExcluded =
        isSpared(clause) || !mayMean(clause) || (told <= MEANT.surely && (isOfAnother(clause) || hasOnlyOwner(clause)));
      return !isExcluded && (odds > RATHER || !isUnnamed(clause));
    });
}

function namingOf(read: ReadRequest): Naming {
  const asking = namingClauses(read);
  const naming = namedBy(asking, read.before);
  // "Forget all illnesses, but the asthma may stay": a clause to keep is forgotten only if the request names its words, not just its topic.
  const sharing = sharingMost(asking.join(' '), read.heard);
  const isKept = (clause: Heard): boolean =>
    read.isSurelyProtected(clause) || (read.isProtected(clause) && !sharing.hasAny(clause.text));
  return { ...naming, exactly: naming.exactly.filter((clause) => !isKept(clause)) };
}

function meantAmong(
  likely: readonly Likely[],
  { exactly, isEmpty, isPartly, matter }: Naming,
  { isNamed, isByModel }: { isNamed: boolean; isByModel: boolean },
): Heard[] {
  const least = Math.min(MEANT.most, MEANT.few + Math.log(likely.length));
  const best = new Map<string, number>();
  for (const { clause, odds } of likely) best.set(clause.source, Math.max(odds, best.get(clause.source) ?? -Infinity));
  const topical = new Set(likely.filter(({ clause }) => clause.topics.length > 0).map(({ clause }) => clause.source));
  const isNarrow = ({ clause: { source }, odds }: Likely): boolean =>
    likely.length > FEW || !topical.has(source) || odds > (best.get(source) ?? 0) - NARROWEST;
  const named = isNamed ? withoutRefuted(likely, exactly, isPartly) : [];
  // If the request names all that it refers to, the layers may add only clauses of which they are sure, and only if they confirm a named
  // one.
  const isConfirmed = likely.some(({ clause, read }) => read > 0 && named.includes(clause));
  const enough = named.length === 0 || isPartly ? -Infinity : isConfirmed ? MEANT.surely : Infinity;
  const [highest] = likely.toSorted((one, other) => other.odds - one.odds);
  const turns = new Set(
    (named.length > 0 || highest === undefined ? named : [highest.clause]).map(({ source }) => source),
  );
  // The layers rate all clauses about a named person as likely, so the matter is searched for in the turns of the named clauses, or else of
  // the best one: "Rubén's debt" refers to "Rubén owes 18,000", and not to "Rubén is a builder".
  const isElsewhere = ({ clause, read }: Likely): boolean =>
    matter !== null && !turns.has(clause.source) && (matter === 'relative' || read <= MEANT.elsewhere);
  const over = likely.filter((each) => each.odds > least && each.read > enough && isNarrow(each) && !isElsewhere(each));
  // A request that names nothing refers to the latest turn, and to others only if the layers are sure of them.
  const isLatest = ({ clause }: Likely): boolean => clause.source === likely[0]?.clause.source;
  const sure =
    isEmpty && over.some(isLatest) ? over.filter((each) => isLatest(each) || each.read > MEANT.surely) : over;
  const meant = [...new Set([...named, ...sure.map(({ clause }) => clause)])];
  const [first, second] = [...best.values()].toSorted((one, other) => other - one);
  const isLeading =
    (likely.length > FEW || isEmpty) && first! > CLEAR.least && first! - (second ?? -Infinity) > CLEAR.ahead;
  // A request that a language model has found always refers to at least one clause.
  if (meant.length === 0 && (isByModel || isLeading))
    meant.push(...likely.filter(({ odds }) => odds === first).map(({ clause }) => clause));
  return likely.length > FEW ? withRest(meant, likely, matter !== null) : meant;
}

/** The same for a request whose words are not all found: a clause may share only the name with it. */
const UNLIKELY = -4;

/**
 * Removes named clauses that the layers reject, if the layers are sure of another named clause: "what I told you about Bruno and the
 * police". If they are sure only of other clauses, rejected questions are removed: "off the record about the interview" does not refer to
 * "what should I wear to an interview?".
 */
function withoutRefuted(likely: readonly Likely[], named: readonly Heard[], isPartly: boolean): readonly Heard[] {
  const sure = likely.filter(({ read }) => read > MEANT.surely);
  // "Tom and me breaking up" names Tom, but means the clauses about the words that nobody said.
  const least = isPartly ? UNLIKELY : UNRELATED;
  const refuted = new Set(likely.flatMap(({ clause, read }) => (read < least ? clause : [])));
  if (sure.some(({ clause }) => named.includes(clause))) return named.filter((clause) => !refuted.has(clause));
  const isRefuted = ({ clause }: Likely): boolean => refuted.has(clause) && isQuestion(clause.text);
  return sure.length > 0 && likely.filter(({ clause }) => named.includes(clause)).every(isRefuted) ? [] : named;
}

/** Adds clauses of the same turn that the layers prefer, because a person's matter may be in a clause that begins with somebody else. */
function withPreferred(meant: readonly Heard[], { heard, isProtected }: ReadRequest, { matter }: Naming): Heard[] {
  if (matter === null || heard.length > FEW) return [...meant];
  const preferred = heard.filter(({ clause, read }) => {
    const beside = heard.filter((each) => each.clause.source === clause.source && meant.includes(each.clause));
    return beside.length > 0 && read > MEANT_OWN && !isProtected(clause) && beside.every((each) => each.read < read);
  });
  return [...new Set([...meant, ...preferred.map(({ clause }) => clause)])];
}

/** Adds neighbouring clauses that the request probably includes. See `BESIDE` and `FOLLOWING`. */
function withRest(meant: readonly Heard[], likely: readonly Likely[], isMatter: boolean): Heard[] {
  const turns = [...new Set(likely.map(({ clause }) => clause.source))];
  const isMeant = (source: string | undefined): boolean => meant.some((clause) => clause.source === source);
  const rest = likely.filter(({ clause: { source }, read }) => {
    // `turns` begins with the latest turn.
    const before = turns[turns.indexOf(source) + 1];
    // If the request names a person, most clauses about the person are likely, so the threshold is higher.
    const [beside, following] = isMatter ? [MEANT.surely, MEANT.surely] : [BESIDE, FOLLOWING];
    return (isMeant(source) && read > beside) || (isMeant(before) && read > following);
  });
  return [...new Set([...meant, ...rest.map(({ clause }) => clause)])];
}

/** A clause after the order is only a reason: "delete the pregnancy thing, Joe uses this phone too". */
function namingClauses({ own, before }: ReadRequest): string[] {
  const most = Math.max(...own.map(({ asks }) => asks));
  const first = own.findIndex(({ isOrder }) => isOrder);
  const isAsking = own.map(({ clause, isOrder, asks }, index) =>
    first === -1 ? asks > most - NEARLY : isOrder || (index > first && JOINED.test(clause.text)),
  );
  const texts = own.map(({ clause }) => clause.text);
  // In German, the words that name what to forget come after a comma: "Vergiss bitte, wo Tom arbeitet".
  const isNamedNext =
    first !== -1 &&
    namedBy(texts.slice(first, first + 1), before).isEmpty &&
    beginsNaming(texts[first + 1] ?? '', texts.join(' '));
  if (isNamedNext) isAsking[first + 1] = true;
  const asking = texts.filter((_, index) => isAsking[index]);
  return asking.some(saysAnything) ? asking : texts.slice(0, isAsking.lastIndexOf(true) + 1);
}

/** Whether a clause introduces a known fact: "where Tom works", "that I live in Kiel". */
function beginsNaming(text: string, turn: string): boolean {
  const pack = detectPack(turn);
  if (pack === null) return false;
  const { ofMemory, doers } = forgetPatterns(pack);
  const plain = plainMarks(text).trimStart();
  return ofMemory.exec(plain)?.index === 0 && plain.search(doers) === 0;
}

/** A clause this far below the best clause of its turn does not ask. */
const NEARLY = 6;

interface OwnClause {
  clause: MeantWords;
  /** `isOfSaying`: the order refers only to the fact that the user spoke ("pretend I didn't say that"). */
  isOrder: boolean;
  isOfMemory: boolean;
  isOfSaying: boolean;
  /** Log-odds, as `takesBack` and `meant`. */
  asks: number;
  takesBack: number;
  meant: number;
}

interface ReadRequest {
  turn: string;
  pack: Pack | null;
  isByModel: boolean;
  own: OwnClause[];
  kept: MeantWords[];
  /** `isSurelyProtected`: the clause contains everything that the request names as to be kept. */
  isProtected(clause: Heard): boolean;
  isSurelyProtected(clause: Heard): boolean;
  before: HeardBefore;
  /** Latest turn first. */
  heard: ReadClause[];
  /** Calibrated similarity to the request, by turn id. Empty without an embedder. */
  similarity: ReadonlyMap<string, number>;
  sharing: Sharing;
  hasLayers: boolean;
}

async function readRequest(work: FormWork, evidence: Evidence): Promise<ReadRequest> {
  const clauses = clausesAround(evidence, work.reader.kind === 'model');
  const parts = partsOf(clauses, evidence.event.content);
  const read = await readClauses(work, evidence, parts);
  if (parts.kept.length === 0) return read;
  const isAsking = read.own.some(({ isOrder, asks }) => isOrder || asks > ASKS);
  const texts = parts.own.map(({ text }) => text);
  const isNamed = !parts.isCorrected || namedBy(texts, read.before).most.length > 0;
  // "Actually, keep it" has a clause about what to keep, but withdraws a request. A correction must name words of an earlier turn.
  return isAsking && isNamed ? read : readClauses(work, evidence, { own: clauses, kept: [] });
}

async function readClauses(
  work: FormWork,
  evidence: Evidence,
  { own, kept }: Pick<RequestParts, 'own' | 'kept'>,
): Promise<ReadRequest> {
  const { event } = evidence;
  const parts = own.map(({ text }) => text);
  const asked = parts.join(' ');
  const before = await clausesBefore(work, event, asked);
  const turns = [...Map.groupBy(before.heard, ({ source }) => source).values()];
  const said = turns.map((clauses) => clauses.map(({ text }) => text));
  const told = await unlessUnavailable(work.deps.readParts(parts, { said, signal: work.signal }));
  const heard = turns.flat().map((clause, index) => ({ clause, read: told?.meant[own.length + index] ?? -Infinity }));
  const sharing = sharingMost(kept.length > 0 ? asked : quotedWords(evidence), heard);
  const earlier = said.map((texts) => texts.join(''));
  const nearness = told === null ? null : await nearnessTo(work, asked, earlier);
  const back = restoringIn(event.content);
  const stays = kept.map(({ text }) => text);
  const keeping = kept.length === 0 ? null : await namedToStay(work, event, stays);
  return {
    turn: event.content,
    pack: detectPack(event.content),
    isByModel: work.reader.kind === 'model',
    own: own.map((clause, index): OwnClause => {
      const [odds, meant] = [told?.asks[index] ?? -Infinity, told?.meant[index] ?? -Infinity];
      if (back !== null && clause.start < back.end && clause.end > back.start)
        return { clause, ...NO_ORDER, asks: -Infinity, takesBack: SURELY_REQUESTS, meant };
      const order = readOrder(clause, event.content, { sharing, odds });
      const asks = order.isOrder ? odds + ORDER : isReported(clause.text) ? -Infinity : odds;
      return {
        clause,
        ...order,
        asks: order.isOfSaying ? Math.max(asks, SURELY_REQUESTS) : asks,
        takesBack: told?.takesBack[index] ?? -Infinity,
        meant,
      };
    }),
    kept,
    isProtected: isAmong(keeping?.most),
    isSurelyProtected: isAmong(keeping?.exactly),
    before,
    heard,
    similarity: new Map(nearness?.map(({ similarity }, index) => [turns[index]?.[0]?.source ?? '', similarity])),
    sharing,
    hasLayers: told !== null,
  };
}

/** What the words after "keep" name, with the turns that correct it. */
async function namedToStay(work: FormWork, event: Event, stays: readonly string[]): Promise<Naming> {
  const before = await clausesBefore(work, event, stays.join(' '));
  const naming = namedBy(stays, before);
  const pack = packOfRequest([], before.all);
  const withCorrections = (clauses: readonly Heard[]): Heard[] => [...clauses, ...correctionsOf(clauses, before, pack)];
  return { ...naming, most: withCorrections(naming.most), exactly: withCorrections(naming.exactly) };
}

/** Where a turn asks to put back what was forgotten. Such words contain the verb of a request to forget. */
function restoringIn(turn: string): Pick<Quote, 'start' | 'end'> | null {
  const detected = detectPack(turn);
  for (const pack of detected === null ? PACKS : [detected]) {
    const found = forgetPatterns(pack).restores.exec(plainMarks(turn));
    if (found !== null && !isForTools(turn, [{ text: turn }]))
      return { start: found.index, end: found.index + found[0].length };
  }
  return null;
}

const NO_ORDER = { isOrder: false, isOfMemory: false, isOfSaying: false } as const;

function readOrder(
  { text, start, end }: MeantWords,
  turn: string,
  { sharing, odds }: { sharing: Sharing; odds: number },
): Pick<OwnClause, 'isOrder' | 'isOfMemory' | 'isOfSaying'> {
  const order = orderIn(text, turn);
  if (order === null) return NO_ORDER;
  const isOfSaying = meansSaid(turn.slice(start), turn);
  const endsTurn = start > 0 && !saysAnything(turn.slice(end)) && odds > ASKS && pointsBack(text, turn);
  const isAlone = turn.length <= LONGEST_BARE;
  // "Forget that, my job is fine" only corrects what was said.
  const isOrder = order.isOfMemory || sharing.isAny || isAlone || endsTurn || isOfSaying;
  return { isOrder, isOfMemory: order.isOfMemory, isOfSaying };
}

/** Whether a clause only reports somebody's words: "'in or out', she told me". */
function isReported(text: string): boolean {
  const pack = detectPack(text);
  const quote = /(?<![\p{L}'"“„«‘])['"“„«‘][^'"“”„«»‘’]{3,}['"”“»’](?!\p{L})/u.exec(text)?.[0] ?? '';
  return pack !== null && quote.length * 3 >= text.length && packPattern(pack, 'said').test(text);
}

/** Compares clauses by place, because a clause that is read twice gives two objects. */
function isAmong(clauses: readonly Heard[] = []): (clause: Heard) => boolean {
  const placeOf = ({ source, quote }: Heard): string => `${source} ${quote?.start}`;
  const places = new Set(clauses.map(placeOf));
  return (clause) => places.has(placeOf(clause));
}

interface AskedBy {
  asks: number;
  takesBack: number;
  isForAll: boolean;
  /** A model found the request, it asks to forget everything, or it withdraws a request. */
  isCertain: boolean;
  isSure: boolean;
  asking: MeantWords[];
}

function askedBy(read: ReadRequest, likely: readonly Likely[], { exactly }: Naming): AskedBy | null {
  const { own, turn, isByModel } = read;
  const [asks, takesBack] = [mostOf(own, 'asks'), mostOf(own, 'takesBack')];
  const isForAll = asksForAll(turn);
  const isCertain = isByModel || isForAll || takesBack > ASKS;
  const orders = own.filter(({ isOrder }) => isOrder);
  // "Delete the bit about the ring" is a request even with low log-odds, because it refers to memory and names an earlier clause.
  const isNamedOrder = orders.some(({ isOfMemory }) => isOfMemory) && exactly.length > 0 && asks > NAMED_MAY_ASK;
  // `natural-requests.slow.test.ts` counts the ordinary turns that are wrongly obeyed at these thresholds.
  const least = orders.length > 0 ? ASKS : SURELY_REQUESTS;
  const asking = own.flatMap((each) =>
    each.asks > Math.min(ASKS, asks - 1) || each.takesBack > Math.max(each.asks, ASKS) ? each.clause : [],
  );
  // "The neighbour gave her dog away, and Farofa at my side noticed nothing" resembles a request, but refers to no clause.
  const isJointly =
    asks > ASKS && likely.some(({ odds, read }) => odds > DOUBTFUL && asks + Math.min(odds, read) > JOINTLY);
  // "Don't save this: my husband is bankrupt. Can we pay in instalments?" is followed by a question, but does not change a plan.
  const isOfMemory = own.some(({ meant }) => meant > MEANT_OWN);
  const ordering = orders.length > 0 ? orders.map(({ clause }) => clause) : asking;
  const isElsewhere = isForTools(turn, asking) || (!isOfMemory && changesPlan(read, ordering));
  const isAsking = (asks > least || isNamedOrder || isJointly) && !isElsewhere;
  const isSure = orders.length > 0 || asks > SURELY_REQUESTS;
  return isCertain || isAsking ? { asks, takesBack, isForAll, isCertain, isSure, asking } : null;
}

/** Whether one whole sentence asks to forget everything: "Forget everything you know about me". */
function asksForAll(turn: string): boolean {
  return splitSentences(turn).some(({ text }) => {
    const words = withoutEnd(plainMarks(text), ' \n.!?…。！？').trim();
    // Such a sentence is too short to detect its language, so all languages are tried.
    return PACKS.some((pack) => forgetPatterns(pack).everything.test(words));
  });
}

/** A question with fewer words is only a tag: "ok?", "right?". */
const SHORTEST_QUESTION = 3;

/**
 * Whether a request only changes a plan: "Forget the peanut sauce, what about soy?". It must not refer to memory, and must be limited to
 * the present or be followed by a proposal, a question or an instruction.
 */
function changesPlan({ turn, pack }: ReadRequest, asking: readonly MeantWords[]): boolean {
  const last = asking.at(-1);
  if (pack === null || last === undefined) return false;
  const { ofMemory, forNow, goesOn } = forgetPatterns(pack);
  const own = plainMarks(asking.map(({ text }) => text).join(''));
  if (ofMemory.test(own.replace(forNow, ' '))) return false;
  const rest = plainMarks(turn.slice(last.end)).replace(/^[\s,;.!?–—。，、！？-]+/u, '');
  const isQuestionNext = isQuestion(rest) && (rest.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) >= SHORTEST_QUESTION;
  return forNow.test(own) || goesOn.test(rest) || (isQuestionNext && !packPattern(pack, 'request:polite').test(rest));
}

/** Whether a request is addressed to another program of the agent: "delete all mails of Maier", "remove Jo from cc". */
function isForTools(content: string, asking: readonly Pick<MeantWords, 'text'>[]): boolean {
  const pack = detectPack(content);
  if (pack === null) return false;
  const { tools, recalls } = forgetPatterns(pack);
  return !recalls.test(plainMarks(content)) && tools.test(plainMarks(asking.map(({ text }) => text).join('')));
}

function mostOf(own: readonly OwnClause[], what: 'asks' | 'takesBack'): number {
  return Math.max(-Infinity, ...own.map((each) => each[what]));
}

/** Bonus of a plain order on the log-odds that a clause asks. */
const ORDER = 3;

/** Fallback for bundles without the reading layers: an order refers to the clauses that share the most words with it. */
function withoutLayers(
  { own, heard, sharing, kept, isProtected }: ReadRequest,
  { mayMean }: Naming,
): ToldRequest | null {
  const orders = own.flatMap(({ clause, isOrder }) => (isOrder ? clause : []));
  const meant = heard.flatMap(({ clause }) =>
    sharing.hasMost(clause.text) && mayMean(clause) && !isProtected(clause) ? clause : [],
  );
  if (orders.length === 0 || meant.length === 0) return null;
  return {
    asking: [...orders, ...kept],
    takesBack: false,
    ...placesOf(meant),
    isEverything: false,
    isByClause: false,
    topics: [],
  };
}

/** "I moved to Graz. Forget that." refers to the sentence before it or, within a longer sentence, to the clauses before it. */
async function statedBefore({ own, turn, pack }: ReadRequest, work: FormWork): Promise<MeantWords[]> {
  const namesNothing = ({ clause }: OwnClause): boolean => pointsBack(clause.text, turn);
  const most = mostOf(own, 'asks');
  const last = own.findLastIndex(({ isOrder, asks }) => isOrder || asks === most);
  const first = own.findLastIndex((each, index) => index <= last && !namesNothing(each)) + 1;
  const begin = own[first];
  if (begin === undefined || first > last) return [];
  const asksAlone = async (text: string): Promise<number> =>
    (await unlessUnavailable(work.deps.readParts([text], { signal: work.signal })))?.asks[0] ?? -Infinity;
  // Each clause is read alone: beside a request, the layers take other sentences for a part of it.
  const asked = turn.slice(begin.clause.start, own[last]?.clause.end);
  if (own[last]?.isOrder !== true && (await asksAlone(asked)) <= BARELY_ASKS) return [];
  const stated: MeantWords[] = [];
  for (const { text, span } of splitSentences(turn).toReversed()) {
    const here = own.filter(
      ({ clause }) => clause.start >= span.start && clause.end <= Math.min(span.end, begin.clause.start),
    );
    if (stated.length > 0 && !refersBack(turn.slice(stated[0]?.start, begin.clause.start), pack)) break;
    if (isQuestion(text) || smallTalkIn(text) !== null) continue;
    const said: MeantWords[] = [];
    for (const { clause } of here)
      if (saysAnything(clause.text) && (await asksAlone(clause.text)) <= ASKS) said.push(clause);
    stated.unshift(...said);
  }
  // "I should not have told you. Forget it." and "That was private. Delete it." refer to earlier turns.
  const words = stated.map(({ text }) => text).join('');
  const isOfEarlier = pack !== null && forgetPatterns(pack).recalls.test(plainMarks(words));
  return isOfEarlier || (stated.length > 0 && followsAnother(words, pack)) ? [] : stated;
}

function meansEarlier({ own, turn, similarity }: ReadRequest, likely: readonly Likely[]): boolean {
  const isOfSaying = own.some((clause) => clause.isOfSaying);
  // The layers overrate a lone earlier turn, such as "My dog is called Rex." before "I have asthma. Forget that."
  const least = endsBriefly(turn, own) ? MEANT.elsewhere : isOfSaying ? MEANT.surely : MEANT_OWN;
  const isRelated = ({ source }: Heard): boolean => (similarity.get(source) ?? 0) > RELATED;
  return likely.some(({ clause, read, odds }) => read > least || (odds > MEANT.most && isRelated(clause)));
}

/** Whether the last of several sentences is a request that is short or names nothing: "I got sacked. Delete that." */
function endsBriefly(turn: string, own: readonly OwnClause[]): boolean {
  const { text = '', span } = splitSentences(turn).at(-1) ?? {};
  const most = mostOf(own, 'asks');
  const start = own.findLast(({ asks }) => asks === most)?.clause.start ?? 0;
  const isBare = text.length <= LONGEST_BARE || pointsBack(text, turn);
  return span !== undefined && span.start > 0 && start >= span.start && isBare;
}

/** A text with fewer content words is incomplete without the sentence before it. */
const LEAST_STATED = 2;

const NOTHING_BEFORE: HeardBefore = { all: [], heard: [], people: [], values: [], namesOf: () => [] };

/** Whether a clause of a request names nothing: "actually forget I said that". */
function pointsBack(text: string, turn: string): boolean {
  const pack = detectPack(turn);
  return pack !== null && pack.script !== 'han' && namedBy([text], NOTHING_BEFORE, pack).isEmpty;
}

/** Whether an order refers to what the user said without naming any of it: "pretend I didn't say that". */
function meansSaid(text: string, turn: string): boolean {
  const pack = detectPack(turn);
  if (pack === null || !pointsBack(text, turn)) return false;
  const recalled = matchesOf(plainMarks(text), everywhere(forgetPatterns(pack).recalls));
  return recalled.some(([word]) => orderIn(word, turn) === null);
}

/** Whether a text is incomplete without the sentence before it: "Her name is Dana.", "Oh god, …". */
function refersBack(text: string, pack: Pack | null): boolean {
  return contentStems(text).size < LEAST_STATED || followsAnother(text, pack);
}

function followsAnother(text: string, pack: Pack | null): boolean {
  const plain = plainMarks(text);
  return pack !== null && (firstOf(pack, 'followsPerson').test(plain) || firstOf(pack, 'followsThing').test(plain));
}

/**
 * `RATHER`: log-odds above which a request may refer to the user's own name, city or job without naming it. `RELATED`: similarity above
 * which an earlier turn needs only log-odds above `MEANT.most` if the request names nothing ("That with Levin was private. Delete it.").
 * `LONGEST_BARE`: characters of a turn or sentence that is nothing but a request.
 */
const RATHER = 3;
const RELATED = 0.4;
const LONGEST_BARE = 26;
/** Read alone, a short last sentence asks to forget only above these log-odds. */
const BARELY_ASKS = 2;

interface Sharing {
  /** Shares the most content words with the request, and at least one. */
  hasMost(clause: string): boolean;
  hasAny(clause: string): boolean;
  isAny: boolean;
}

function sharingMost(request: string, heard: readonly ReadClause[]): Sharing {
  const common = new Set(detectPack(request)?.common.split('|'));
  const words = (request.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !common.has(word));
  const stems = contentStems(words.join(' '));
  const shared = (clause: string): number => [...contentStems(clause)].filter((stem) => stems.has(stem)).length;
  const most = Math.max(0, ...heard.map(({ clause }) => shared(clause.text)));
  return {
    hasMost: (clause) => shared(clause) === Math.max(1, most),
    hasAny: (clause) => shared(clause) > 0,
    isAny: most > 0,
  };
}

function isNearlyAll(meant: number, count: number): boolean {
  return meant >= 6 && meant >= count * 0.9;
}

/** Clauses that are read before the beginning of a request, and as many after it. */
const MOST_AROUND = 12;

/** A model may find several requests in one turn, so each is read with its own clauses only. */
function clausesAround({ event, start, end }: Evidence, isByModel: boolean): MeantWords[] {
  const clauses = clausesOf(event);
  if (isByModel) return clauses.filter((clause) => clause.start < end && clause.end > start);
  const first = clauses.findIndex((clause) => clause.end > start);
  return clauses.slice(Math.max(0, first - MOST_AROUND), first + MOST_AROUND);
}
