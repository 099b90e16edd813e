import type { Pack } from '../../language/packs/pack.ts';
import {
  detectPack,
  forgetPatterns,
  orderIn,
  packPattern,
  PACKS,
  plainMarks,
  relationsOf,
  smallTalkIn,
  topicsNamed,
  wordsPattern,
} from '../../language/packs/packs.ts';
import { clausesIn, splitSentences } from '../../language/sentences.ts';
import { contentStems, matchesOf, withoutEnd } from '../../language/words.ts';
import { unlessUnavailable } from '../../models/embedder.ts';
import { quotedWords } from '../check/evidence.ts';
import { nearnessTo } from '../compare.ts';
import type { FormWork } from '../formation-settings.ts';
import { usesModel } from '../read/reader.ts';
import type { Evidence, MeantWords, ToldRequest } from '../statement.ts';
import { FARTHEST_BACK, firstOf } from './request-owners.ts';
import { clausesBefore, clausesOf, type Heard, type HeardBefore } from './request-clauses.ts';
import {
  everywhere,
  isQuestion,
  packOfRequest,
  JOINED,
  joinedIn,
  namedBy,
  type Naming,
  partsOf,
  type RequestParts,
  saysAnything,
} from './request-words.ts';

/** The log-odds of the reading layers above which a plain order is a request to forget, or a turn withdraws such a request. */
const ASKS = 0;
/** The same threshold for a plain order that names words of an earlier turn. Orders in pasted texts have lower log-odds. */
const NAMED_MAY_ASK = -4.5;
/**
 * Corrections of the log-odds that a request means a clause. `FARTHER` lowers the odds of turns that are less similar to the request than
 * the nearest turn. `SHARED` raises the odds of the clauses that share the most words with the request. A regression on 108 requests in
 * stores of thirty messages gave these weights. Similarity cannot resolve a pronoun ("he's got a girlfriend though"). If the layers are
 * sure of a clause, it therefore lowers the odds of the clause by at most `MOST_FARTHER`. `MEANT` is the threshold, which rises with the
 * number of clauses.
 */
const FARTHER = 16;
const MOST_FARTHER = 3;
const SHARED = 2;
const MEANT = { few: -1.5, most: 1.5, surely: 3, elsewhere: 5 };
/** Among many clauses, the log-odds of the layers above which a clause is meant beside another one: in the same turn, and in the next one. */
const BESIDE = -2;
const FOLLOWING = 2;
/**
 * In a turn about a topic that the request names, a clause is not meant if its log-odds are this much below the best clause of the turn.
 */
const NARROWEST = 5;
/** A turn that only probably contains a request needs a clause with higher log-odds than this. */
const DOUBTFUL = 1;
/**
 * If no clause reaches the threshold, the request may still mean the clause with the highest log-odds. There must be many clauses, or the
 * request must name nothing. The log-odds must be above `least` and exceed those of the clauses of all other turns by more than `ahead`.
 */
const CLEAR = { least: -3, ahead: 2 };
/**
 * What a named topic adds to the log-odds of a clause, if the request is certain and at most `FEW` clauses can be meant: "my salary" and "I
 * make 90k".
 */
const TOPIC = 5;
const FEW = 8;
/**
 * The log-odds that a request needs if it is not a plain order. Log-odds above `ASKS` suffice if their sum with the log-odds of the best
 * clause, as the layers read it, is above `JOINTLY`.
 */
const SURELY_REQUESTS = 4.2;
const JOINTLY = 5;
/** The log-odds above which a request means a clause of its own turn. Most requests mean earlier turns. */
const MEANT_OWN = 0;

/**
 * Reads a request together with the clauses that it may mean ("my salary" means "I make 90k"). Null if the turn contains no request:
 * "Marius is going to lose it".
 */
export async function tellRequest(work: FormWork, evidence: Evidence): Promise<ToldRequest | null> {
  const read = await readRequest(work, evidence);
  const { own, kept, before, isProtected, isByModel } = read;
  const naming = namingOf(read);
  if (!read.hasLayers) return withoutLayers(read, naming);
  const likely = likelyClauses(read, naming);
  const asked = askedBy(read, likely, naming);
  if (asked === null) return null;
  const { asks, takesBack, isForAll, isSure } = asked;
  // The named words decide, provided that the turn is a plain order or a certain request and does not withdraw a request.
  const isNamed = naming.exactly.length > 0 && isSure && takesBack < ASKS;
  // If a language model reads the turns later, it decides about doubtful requests: "You'll never guess who rang."
  if (!asked.isCertain && !isSure && usesModel(work.deps, 'read')) return null;
  const meant =
    isForAll && kept.length > 0
      ? // "Delete all my data. My name can stay." means all clauses except those that stay.
        before.all.filter((clause) => !isProtected(clause))
      : withFollowUps(meantAmong(likely, naming, { isNamed, isByModel }), read, naming);
  const ownWords = own.flatMap(({ clause, meant: odds }) => (odds > MEANT_OWN ? clause : []));
  const isEarlier = isNamed || ownWords.length > 0 || meansEarlier(read, likely);
  const stated = isEarlier ? [] : await statedBefore(read, work);
  const { words, memories } = placesOf(withPreferred(meant, read, naming));
  return {
    // A clause that says what stays does not become a memory either.
    asking: [...asked.asking, ...kept],
    takesBack: takesBack > Math.max(asks, ASKS),
    ...(stated.length > 0 ? { words: stated, memories: [] } : { words: [...ownWords, ...words], memories }),
    isEverything: kept.length === 0 && (isForAll || (!isNamed && isNearlyAll(meant.length, before.all.length))),
    // Among few clauses, the rest of a sentence usually belongs to the clause that is meant.
    isByClause: before.heard.length > FEW || naming.matter !== null,
  };
}

/**
 * The log-odds from which a turn may be the request that a model has read from it. Of 714 requests that people outside the project wrote, 7
 * are below this value. Of ordinary turns, 9 of 10 are below it.
 */
const MODEL_MAY_ASK = -4;

/** Whether a turn may ask to forget something. A model that was misled by a text from outside may quote any turn of the user. */
export async function mayAsk({ deps, signal }: FormWork, turn: string): Promise<boolean> {
  const parts = clausesIn(turn);
  const orders = parts.flatMap((text) => (orderIn(text, turn) === null ? [] : { text }));
  if (orders.length > 0) return !isForTools(turn, orders);
  const told = await unlessUnavailable(deps.readParts(parts, { signal }));
  return told === null || [...told.asks, ...told.takesBack].some((odds) => odds > MODEL_MAY_ASK);
}

/** Splits the meant clauses into words of the log and ids of statements that quote no words of the log. */
function placesOf(clauses: readonly Heard[]): Pick<ToldRequest, 'words' | 'memories'> {
  return {
    words: clauses.flatMap(({ quote, text }) => (quote === null ? [] : { ...quote, text })),
    memories: clauses.flatMap(({ quote, source }) => (quote === null ? source : [])),
  };
}

/** A clause with the log-odds of the reading layers that a request means it. */
interface ReadClause {
  clause: Heard;
  read: number;
}

/** A clause with the corrected log-odds that a request means it. */
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
  // A clause about another topic is not meant: "everything about my car" does not mean the dog.
  const isOfAnother = ({ text }: Heard): boolean => {
    const own = topics.length === 0 || heard.length > FEW || sharing.hasAny(text) ? [] : topicsNamed(text, pack);
    return own.length > 0 && !own.some((topic) => topics.includes(topic));
  };
  const isSpared = (clause: Heard): boolean => read.isProtected(clause) && !exactly.includes(clause);
  // The user's own name, city and job are meant only if the request names them, directly follows them, or means them with high log-odds.
  const isUnnamed = (clause: Heard): boolean =>
    clause.isIdentity &&
    !isEmpty &&
    clause.source !== heard[0]?.clause.source &&
    clause.topics.length === 0 &&
    !exactly.includes(clause);
  const isTopical = heard.length <= FEW && mostOf(read.own, 'asks') > SURELY_REQUESTS;
  const fartherOf = (clause: Heard, odds: number): number => {
    // The similarity to words that name nothing ("scratch that") carries no information.
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

/** The clauses that a request names, without those that may stay. */
function namingOf(read: ReadRequest): Naming {
  const asking = namingClauses(read);
  const naming = namedBy(asking, read.before);
  // Clauses that may stay are named only by their words, and not by a topic: "forget all illnesses, but the asthma may stay".
  const sharing = sharingMost(asking.join(' '), read.heard);
  const isKept = (clause: Heard): boolean =>
    read.isSurelyProtected(clause) || (read.isProtected(clause) && !sharing.hasAny(clause.text));
  return { ...naming, exactly: naming.exactly.filter((clause) => !isKept(clause)) };
}

/**
 * The clauses that the request means. It always means the clauses that it names exactly. The reading layers decide about the parts of the
 * request that name no clause exactly.
 */
function meantAmong(
  likely: readonly Likely[],
  { exactly, isEmpty, isPartly, matter }: Naming,
  { isNamed, isByModel }: { isNamed: boolean; isByModel: boolean },
): Heard[] {
  const least = Math.min(MEANT.most, MEANT.few + Math.log(likely.length));
  /** The highest log-odds of each turn. */
  const best = new Map<string, number>();
  for (const { clause, odds } of likely) best.set(clause.source, Math.max(odds, best.get(clause.source) ?? -Infinity));
  const topical = new Set(likely.filter(({ clause }) => clause.topics.length > 0).map(({ clause }) => clause.source));
  const isNarrow = ({ clause: { source }, odds }: Likely): boolean =>
    likely.length > FEW || !topical.has(source) || odds > (best.get(source) ?? 0) - NARROWEST;
  const named = isNamed ? withoutRefuted(likely, exactly) : [];
  // Where the request names everything that it means, the layers add only what they are sure of, and only if they agree about a named clause.
  const isConfirmed = likely.some(({ clause, read }) => read > 0 && named.includes(clause));
  const enough = named.length === 0 || isPartly ? -Infinity : isConfirmed ? MEANT.surely : Infinity;
  const [highest] = likely.toSorted((one, other) => other.odds - one.odds);
  const turns = new Set(
    (named.length > 0 || highest === undefined ? named : [highest.clause]).map(({ source }) => source),
  );
  // If the request names a person, the layers rate all clauses about the person as likely. A matter of the person is therefore looked for
  // in the turns of the named clauses or else of the best clause: "Rubén's debt" means "Rubén owes 18,000", and not "Rubén is a builder".
  const isElsewhere = ({ clause, read }: Likely): boolean =>
    matter !== null && !turns.has(clause.source) && (matter === 'relative' || read <= MEANT.elsewhere);
  const over = likely.filter((each) => each.odds > least && each.read > enough && isNarrow(each) && !isElsewhere(each));
  // A request that names nothing means the latest turn, and others only if the layers are sure of them.
  const isLatest = ({ clause }: Likely): boolean => clause.source === likely[0]?.clause.source;
  const sure =
    isEmpty && over.some(isLatest) ? over.filter((each) => isLatest(each) || each.read > MEANT.surely) : over;
  const meant = [...new Set([...named, ...sure.map(({ clause }) => clause)])];
  const [first, second] = [...best.values()].toSorted((one, other) => other - one);
  const isLeading =
    (likely.length > FEW || isEmpty) && first! > CLEAR.least && first! - (second ?? -Infinity) > CLEAR.ahead;
  // A request that a language model has found always means at least one clause.
  if (meant.length === 0 && (isByModel || isLeading))
    meant.push(...likely.filter(({ odds }) => odds === first).map(({ clause }) => clause));
  return likely.length > FEW ? withRest(meant, likely, matter !== null) : meant;
}

/**
 * Named clauses without those that the layers refute. If the layers are sure of a named clause, the named clauses that they refute are left
 * out: "what I told you about Bruno and the police" means only one of the clauses with the name. If the layers are sure of other clauses
 * only, and all named clauses are refuted questions, these are left out, because they only share words with the request: "off the record
 * about the interview" means "I'm interviewing at Halvorsen", and not "what should I wear to an interview?".
 */
function withoutRefuted(likely: readonly Likely[], named: readonly Heard[]): readonly Heard[] {
  const sure = likely.filter(({ read }) => read > MEANT.surely);
  const refuted = new Set(likely.flatMap(({ clause, read }) => (read < UNRELATED ? clause : [])));
  if (sure.some(({ clause }) => named.includes(clause))) return named.filter((clause) => !refuted.has(clause));
  const isRefuted = ({ clause }: Likely): boolean => refuted.has(clause) && isQuestion(clause.text);
  return sure.length > 0 && likely.filter(({ clause }) => named.includes(clause)).every(isRefuted) ? [] : named;
}

/**
 * Meant clauses with the turns that refer back to them and say nothing without them: "my flatmate Tom never does the dishes", "he's got a
 * girlfriend though". "He" refers to the nearest turn that names a person, or to the turn before, and "it" to the turn before. A pronoun
 * refers to no turn of another session. A request for one matter of a person ("Owen's arrest") does not mean "he has two dogs".
 */
function withFollowUps(
  meant: readonly Heard[],
  { before, heard, isProtected }: ReadRequest,
  { matter }: Naming,
): Heard[] {
  const all = new Set(meant);
  const pack = packOfRequest([], before.all);
  if (pack === null) return [...all];
  const namesPerson = (turn: readonly Heard[]): boolean => {
    const text = plainMarks(turn.map((clause) => clause.text).join(''));
    const isNamed = before.people.some((name) => text.toLowerCase().includes(name));
    return isNamed || packPattern(pack, 'they').test(text) || wordsPattern(relationsOf(pack)).test(text);
  };
  const oddsOf = (turn: readonly Heard[]): number =>
    Math.max(-Infinity, ...heard.flatMap(({ clause, read }) => (turn.includes(clause) ? read : [])));
  // The latest clause is the first of `before.all`.
  const turns = [...Map.groupBy(before.all, ({ source }) => source).values()].toReversed();
  for (const [index, turn] of turns.entries()) {
    const nearby = turns
      .slice(Math.max(0, index - FARTHEST_BACK), index)
      .filter(([first]) => first?.session === turn[0]?.session);
    const last = nearby.at(-1);
    const text = plainMarks(turn.map((clause) => clause.text).join(''));
    const isOfPerson = firstOf(pack, 'followsPerson').test(text) && (matter === null || oddsOf(turn) > MEANT.surely);
    const isOfThing = firstOf(pack, 'followsThing').test(text) && !namesPerson(turn) && oddsOf(turn) > UNRELATED;
    const antecedent = isOfPerson ? (nearby.findLast(namesPerson) ?? last) : isOfThing ? last : undefined;
    if (antecedent?.some((clause) => all.has(clause)) !== true) continue;
    for (const clause of turn) if (!isProtected(clause)) all.add(clause);
  }
  return [...all];
}

/**
 * Meant clauses with the clauses of the same turn that the layers prefer to them. The matter of a person may be told in a clause that begins
 * with somebody else.
 */
function withPreferred(meant: readonly Heard[], { heard, isProtected }: ReadRequest, { matter }: Naming): Heard[] {
  if (matter === null || heard.length > FEW) return [...meant];
  const preferred = heard.filter(({ clause, read }) => {
    const beside = heard.filter((each) => each.clause.source === clause.source && meant.includes(each.clause));
    return beside.length > 0 && read > MEANT_OWN && !isProtected(clause) && beside.every((each) => each.read < read);
  });
  return [...new Set([...meant, ...preferred.map(({ clause }) => clause)])];
}

/** The log-odds of the layers below which "it" refers to something else. */
const UNRELATED = -5;

/** Meant clauses with the clauses beside them that are probably meant as well, of the same turn and of the turn after it. */
function withRest(meant: readonly Heard[], likely: readonly Likely[], isMatter: boolean): Heard[] {
  const turns = [...new Set(likely.map(({ clause }) => clause.source))];
  const isMeant = (source: string | undefined): boolean => meant.some((clause) => clause.source === source);
  const rest = likely.filter(({ clause: { source }, read }) => {
    // The latest turn is the first.
    const before = turns[turns.indexOf(source) + 1];
    // Most clauses about a person are likely if the request names the person.
    const [beside, following] = isMatter ? [MEANT.surely, MEANT.surely] : [BESIDE, FOLLOWING];
    return (isMeant(source) && read > beside) || (isMeant(before) && read > following);
  });
  return [...new Set([...meant, ...rest.map(({ clause }) => clause)])];
}

/**
 * The clauses of a request that may name what is meant: the clauses that ask or, if those name nothing, also the clauses before them. A
 * clause after them is a reason: "delete the pregnancy thing, Joe uses this phone too".
 */
function namingClauses({ own, before }: ReadRequest): string[] {
  const most = Math.max(...own.map(({ asks }) => asks));
  const first = own.findIndex(({ isOrder }) => isOrder);
  const isAsking = own.map(({ clause, isOrder, asks }, index) =>
    first === -1 ? asks > most - NEARLY : isOrder || (index > first && JOINED.test(clause.text)),
  );
  const texts = own.map(({ clause }) => clause.text);
  // In German, a comma precedes the words that name what is meant: "Vergiss bitte, wo Tom arbeitet".
  const isNamedNext =
    first !== -1 &&
    namedBy(texts.slice(first, first + 1), before).isEmpty &&
    beginsNaming(texts[first + 1] ?? '', texts.join(' '));
  if (isNamedNext) isAsking[first + 1] = true;
  const asking = texts.filter((_, index) => isAsking[index]);
  return asking.some(saysAnything) ? asking : texts.slice(0, isAsking.lastIndexOf(true) + 1);
}

/** Whether a clause begins with words that name what is known: "where Tom works", "that I live in Kiel". */
function beginsNaming(text: string, turn: string): boolean {
  const pack = detectPack(turn);
  if (pack === null) return false;
  const { ofMemory, owners } = forgetPatterns(pack);
  const plain = plainMarks(text).trimStart();
  return ofMemory.exec(plain)?.index === 0 && plain.search(owners) === 0;
}

/** A clause does not ask if its log-odds of asking are this much below those of the best clause of its turn. */
const NEARLY = 6;

/** A clause of the request's turn, as the reading layers read it. */
interface OwnClause {
  clause: MeantWords;
  /** Whether the clause is a plain order to forget, whether its words refer to memory, and whether it means only that the user spoke. */
  isOrder: boolean;
  isOfMemory: boolean;
  isOfSaying: boolean;
  /** The log-odds that the clause asks to forget something, that it withdraws such a request, and that it is itself meant. */
  asks: number;
  takesBack: number;
  meant: number;
}

/** A request with the clauses that it may mean, as the reading layers read them. */
interface ReadRequest {
  turn: string;
  pack: Pack | null;
  /** Whether a language model has found the request. */
  isByModel: boolean;
  /** The clauses of the request's turn, without those that say what stays. */
  own: OwnClause[];
  /** The clauses that say what stays. */
  kept: MeantWords[];
  /**
   * Whether the request says that a clause stays. `isSurelyProtected`: the clause contains everything that the request names as staying.
   */
  isProtected(clause: Heard): boolean;
  isSurelyProtected(clause: Heard): boolean;
  before: HeardBefore;
  /** The clauses that the request may mean, by turn, in the order in which the layers read them. */
  heard: ReadClause[];
  /** The calibrated similarity of each turn to the request, by the id of the turn. Empty without an embedder. */
  similarity: ReadonlyMap<string, number>;
  sharing: Sharing;
  hasLayers: boolean;
}

async function readRequest(work: FormWork, evidence: Evidence): Promise<ReadRequest> {
  const clauses = joinedIn(clausesAround(evidence, work.reader.kind === 'model'), evidence.event.content);
  const parts = partsOf(clauses, evidence.event.content);
  const read = await readClauses(work, evidence, parts);
  if (parts.kept.length === 0) return read;
  const isAsking = read.own.some(({ isOrder, asks }) => isOrder || asks > ASKS);
  const texts = parts.own.map(({ text }) => text);
  const isNamed = !parts.isCorrected || namedBy(texts, read.before).most.length > 0;
  // "Actually, keep it" has a clause that keeps something, but withdraws a request. A correction of a request must name words of an earlier
  // turn.
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
  const stays = kept.map(({ text }) => text);
  const keeping = kept.length === 0 ? null : namedBy(stays, await clausesBefore(work, event, stays.join(' ')));
  return {
    turn: event.content,
    pack: detectPack(event.content),
    isByModel: work.reader.kind === 'model',
    own: own.map((clause, index) => {
      const odds = told?.asks[index] ?? -Infinity;
      const order = readOrder(clause, event.content, { sharing, odds });
      const asks = order.isOrder ? odds + ORDER : isReported(clause.text) ? -Infinity : odds;
      return {
        clause,
        ...order,
        asks: order.isOfSaying ? Math.max(asks, SURELY_REQUESTS) : asks,
        takesBack: told?.takesBack[index] ?? -Infinity,
        meant: told?.meant[index] ?? -Infinity,
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

function readOrder(
  { text, start, end }: MeantWords,
  turn: string,
  { sharing, odds }: { sharing: Sharing; odds: number },
): Pick<OwnClause, 'isOrder' | 'isOfMemory' | 'isOfSaying'> {
  const order = orderIn(text, turn);
  if (order === null) return { isOrder: false, isOfMemory: false, isOfSaying: false };
  const isOfSaying = meansSaid(turn.slice(start), turn);
  const endsTurn = start > 0 && !saysAnything(turn.slice(end)) && odds > ASKS && pointsBack(text, turn);
  const isAlone = turn.length <= LONGEST_BARE;
  // An order counts if it refers to memory, shares a word with an earlier clause, is all that the turn says ("scratch that"), or names
  // nothing and ends the turn. "Forget that, my job is fine" only corrects what was said.
  const isOrder = order.isOfMemory || sharing.isAny || isAlone || endsTurn || isOfSaying;
  return { isOrder, isOfMemory: order.isOfMemory, isOfSaying };
}

/** Whether a clause only reports the words of somebody: "'in or out', she told me". */
function isReported(text: string): boolean {
  const pack = detectPack(text);
  const quote = /(?<![\p{L}'"“„«‘])['"“„«‘][^'"“”„«»‘’]{3,}['"”“»’](?!\p{L})/u.exec(text)?.[0] ?? '';
  return pack !== null && quote.length * 3 >= text.length && packPattern(pack, 'said').test(text);
}

/** Tests whether a clause is among the given ones, by its place. The objects may differ, because clauses are read more than once. */
function isAmong(clauses: readonly Heard[] = []): (clause: Heard) => boolean {
  const placeOf = ({ source, quote }: Heard): string => `${source} ${quote?.start}`;
  const places = new Set(clauses.map(placeOf));
  return (clause) => places.has(placeOf(clause));
}

interface AskedBy {
  asks: number;
  takesBack: number;
  isForAll: boolean;
  /** Whether the turn certainly contains a request: a model found it, it asks to forget everything, or it withdraws a request. */
  isCertain: boolean;
  /** Whether the turn is a plain order, or the layers give high log-odds that it asks. */
  isSure: boolean;
  /** The clauses that ask. */
  asking: MeantWords[];
}

/** Decides whether a turn contains a request. Null if it does not. */
function askedBy(read: ReadRequest, likely: readonly Likely[], { exactly }: Naming): AskedBy | null {
  const { own, turn, isByModel } = read;
  const [asks, takesBack] = [mostOf(own, 'asks'), mostOf(own, 'takesBack')];
  const isForAll = asksForAll(turn);
  const isCertain = isByModel || isForAll || takesBack > ASKS;
  const orders = own.filter(({ isOrder }) => isOrder);
  // "Delete the bit about the ring" is a request even if its log-odds are low, because it refers to memory and names an earlier clause.
  const isNamedOrder = orders.some(({ isOfMemory }) => isOfMemory) && exactly.length > 0 && asks > NAMED_MAY_ASK;
  // Ordinary turns rarely reach these thresholds. `natural-requests.slow.test.ts` counts the turns that are wrongly obeyed.
  const least = orders.length > 0 ? ASKS : SURELY_REQUESTS;
  const asking = own.flatMap((each) => (each.asks > Math.min(ASKS, asks - 1) ? each.clause : []));
  // "The neighbour gave her dog away, and Farofa at my side noticed nothing" resembles a request, but means no clause.
  const isJointly =
    asks > ASKS && likely.some(({ odds, read }) => odds > DOUBTFUL && asks + Math.min(odds, read) > JOINTLY);
  // "Don't save this: my husband is bankrupt. Can we pay in instalments?" is followed by a question, and changes no plan.
  const isOfMemory = own.some(({ meant }) => meant > MEANT_OWN);
  const isElsewhere = isForTools(turn, asking) || (!isOfMemory && changesPlan(read, asking));
  const isAsking = (asks > least || isNamedOrder || isJointly) && !isElsewhere;
  const isSure = orders.length > 0 || asks > SURELY_REQUESTS;
  return isCertain || isAsking ? { asks, takesBack, isForAll, isCertain, isSure, asking } : null;
}

/** Whether a sentence of a turn asks to forget everything and says nothing else: "Forget everything you know about me". */
function asksForAll(turn: string): boolean {
  return splitSentences(turn).some(({ text }) => {
    const words = withoutEnd(plainMarks(text), ' \n.!?…。！？').trim();
    // All languages are tried, because such a sentence has too few words to detect its language.
    return PACKS.some((pack) => forgetPatterns(pack).everything.test(words));
  });
}

/** A question with fewer words is only a tag: "ok?", "right?". */
const SHORTEST_QUESTION = 3;

/**
 * Whether a request only changes a plan: "Forget the peanut sauce, what about soy?". Its clauses have no word that refers to memory ("my",
 * "what I told you"). In addition, the request is limited to the present, or a proposal, a question or an instruction follows it.
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

/** Whether a request is an order to another program of the agent: "delete all mails of Maier", "remove Jo from cc". */
function isForTools(content: string, asking: readonly Pick<MeantWords, 'text'>[]): boolean {
  const pack = detectPack(content);
  if (pack === null) return false;
  const { tools, recalls } = forgetPatterns(pack);
  return !recalls.test(plainMarks(content)) && tools.test(plainMarks(asking.map(({ text }) => text).join('')));
}

function mostOf(own: readonly OwnClause[], what: 'asks' | 'takesBack'): number {
  return Math.max(-Infinity, ...own.map((each) => each[what]));
}

/** What a plain order adds to the log-odds that a clause asks. */
const ORDER = 3;

/**
 * The result without reading layers, which a bundle does not contain: an order means the clauses that share the most words with it. Null if
 * there is no order or no such clause.
 */
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
  };
}

/**
 * The clauses that a request means in its own turn: "I moved to Graz. Forget that.", "I weigh 90 kilos, actually forget I said that". Such
 * a request names nothing. It means the sentence before it or, if it is part of a longer sentence, the clauses before it in that sentence.
 */
async function statedBefore({ own, turn, pack }: ReadRequest, work: FormWork): Promise<MeantWords[]> {
  const namesNothing = ({ clause }: OwnClause): boolean => pointsBack(clause.text, turn);
  const most = mostOf(own, 'asks');
  const last = own.findLastIndex(({ isOrder, asks }) => isOrder || asks === most);
  const first = own.findLastIndex((each, index) => index <= last && !namesNothing(each)) + 1;
  const begin = own[first];
  if (begin === undefined || first > last) return [];
  const asksAlone = async (text: string): Promise<number> =>
    (await unlessUnavailable(work.deps.readParts([text], { signal: work.signal })))?.asks[0] ?? -Infinity;
  // The layers classify sentences that are read together with a request as part of the request, so each clause is read alone.
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
  // "I should not have told you. Forget it.", "That was private. Delete it." speak of earlier turns.
  const words = stated.map(({ text }) => text).join('');
  const isOfEarlier = pack !== null && forgetPatterns(pack).recalls.test(plainMarks(words));
  return isOfEarlier || (stated.length > 0 && followsAnother(words, pack)) ? [] : stated;
}

/** Whether a request that names nothing means an earlier turn, according to the layers. */
function meansEarlier({ own, turn, similarity }: ReadRequest, likely: readonly Likely[]): boolean {
  const isOfSaying = own.some((clause) => clause.isOfSaying);
  // The layers overrate the only earlier turn, such as "My dog is called Rex." before "I have asthma. Forget that."
  const least = endsBriefly(turn, own) ? MEANT.elsewhere : isOfSaying ? MEANT.surely : MEANT_OWN;
  const isRelated = ({ source }: Heard): boolean => (similarity.get(source) ?? 0) > RELATED;
  return likely.some(({ clause, read, odds }) => read > least || (odds > MEANT.most && isRelated(clause)));
}

/** Whether the last sentence of several is short and asks: "I got sacked. Delete that." */
function endsBriefly(turn: string, own: readonly OwnClause[]): boolean {
  const { text = '', span } = splitSentences(turn).at(-1) ?? {};
  const most = mostOf(own, 'asks');
  const start = own.findLast(({ asks }) => asks === most)?.clause.start ?? 0;
  return span !== undefined && span.start > 0 && start >= span.start && text.length <= LONGEST_BARE;
}

/** The number of content words below which a sentence before a request is probably not what the request means. */
const LEAST_STATED = 2;

const NOTHING_BEFORE: HeardBefore = { all: [], heard: [], people: [], values: [], namesOf: () => [] };

/** Whether a clause of a request names nothing: "actually forget I said that". */
function pointsBack(text: string, turn: string): boolean {
  const pack = detectPack(turn);
  return pack !== null && pack.script !== 'han' && namedBy([text], NOTHING_BEFORE, pack).isEmpty;
}

/** Whether an order at the end of a turn refers to what the user said without naming any of it: "pretend I didn't say that". */
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
 * The log-odds and the similarity above which a request that names nothing means a clause of an earlier turn: "That with Levin was private.
 * Delete it." Positive log-odds of the layers are enough. If the request is a short last sentence or means only that the user spoke, they
 * must be above `MEANT.surely`.
 */
const RATHER = 3;
const RELATED = 0.4;
const LONGEST_BARE = 26;
/** The log-odds above which a short last sentence, read alone, asks to forget. */
const BARELY_ASKS = 2;

interface Sharing {
  /** Whether a clause shares the most content words with the request, and at least one. */
  hasMost(clause: string): boolean;
  hasAny(clause: string): boolean;
  /** Whether any clause shares a content word with the request. */
  isAny: boolean;
}

/** Finds the clauses that share the most content words with a request ("take Mustard out of your notes"). */
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

/** Whether a request means at least six clauses, and at least nine tenths of all clauses before it. */
function isNearlyAll(meant: number, count: number): boolean {
  return meant >= 6 && meant >= count * 0.9;
}

/** How many clauses before and after the beginning of a request are read. */
const MOST_AROUND = 12;

/** The clauses of a request. A model may find several requests in one turn, so each of its requests is read with its own clauses alone. */
function clausesAround({ event, start, end }: Evidence, isByModel: boolean): MeantWords[] {
  const clauses = clausesOf(event);
  if (isByModel) return clauses.filter((clause) => clause.start < end && clause.end > start);
  const first = clauses.findIndex((clause) => clause.end > start);
  return clauses.slice(Math.max(0, first - MOST_AROUND), first + MOST_AROUND);
}
