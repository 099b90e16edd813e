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

/** Above these log-odds of the reading layers, a plain order is a request to forget, or a turn withdraws such a request. */
const ASKS = 0;
/** The threshold for a plain order that names words of an earlier turn. It is lower, because orders in pasted texts have lower log-odds. */
const NAMED_MAY_ASK = -4.5;
/**
 * Corrections of the log-odds that a request refers to a clause. `FARTHER` lowers the odds of turns that are less similar to the request
 * than the nearest turn. `SHARED` raises the odds of the clauses that share the most words with the request. A regression on 108 requests
 * in stores of thirty messages gave these weights. Similarity cannot resolve a pronoun ("he's got a girlfriend though"). If the layers are
 * sure of a clause, low similarity therefore lowers its odds by at most `MOST_FARTHER`. `MEANT` is the threshold for a clause, which rises
 * with the number of clauses.
 */
const FARTHER = 16;
const MOST_FARTHER = 3;
const SHARED = 2;
const MEANT = { few: -1.5, most: 1.5, surely: 3, elsewhere: 5 };
/**
 * If there are many clauses, a clause next to one that the request refers to is included above these log-odds: `BESIDE` in the same turn,
 * `FOLLOWING` in the next turn.
 */
const BESIDE = -2;
const FOLLOWING = 2;
/**
 * In a turn about a topic that the request names, a clause is left out if its log-odds are this much below those of the turn's best clause.
 */
const NARROWEST = 5;
/** If a turn only probably contains a request, some clause must have higher log-odds than this. */
const DOUBTFUL = 1;
/**
 * If no clause reaches the threshold, the request may still refer to the clause with the highest log-odds. There must be many clauses, or
 * the request must name nothing. The log-odds must be above `least`, and more than `ahead` above those of all clauses in other turns.
 */
const CLEAR = { least: -3, ahead: 2 };
/**
 * If the request is certain and there are at most `FEW` clauses, a named topic adds this to the log-odds of a clause: "my salary" and "I
 * make 90k".
 */
const TOPIC = 5;
const FEW = 8;
/**
 * A request that is not a plain order needs these log-odds. Log-odds above `ASKS` suffice if they and the log-odds of the best clause add
 * up to more than `JOINTLY`.
 */
const SURELY_REQUESTS = 4.2;
const JOINTLY = 5;
/** Above these log-odds, a request refers to a clause of its own turn. Most requests refer to earlier turns. */
const MEANT_OWN = 0;

/**
 * Reads a request together with the clauses to which it may refer ("my salary" refers to "I make 90k"). Null if the turn contains no
 * request: "Marius is going to lose it".
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
  // The named clauses are used if the turn is a plain order or surely a request, and does not withdraw one.
  const isNamed = naming.exactly.length > 0 && isSure && takesBack < ASKS;
  // Doubtful requests, such as "You'll never guess who rang.", are left to the language model if one reads the turns later.
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
    // A clause about what to keep does not become a memory either.
    asking: [...asked.asking, ...kept],
    takesBack: takesBack > Math.max(asks, ASKS),
    ...(stated.length > 0 ? { words: stated, memories: [] } : { words: [...ownWords, ...words], memories }),
    isEverything: kept.length === 0 && (isForAll || (!isNamed && isNearlyAll(meant.length, before.all.length))),
    // If there are few clauses, the rest of a sentence usually belongs to the clause that is forgotten.
    isByClause: before.heard.length > FEW || naming.matter !== null,
  };
}

/**
 * A turn below these log-odds is not treated as a request, even if a model has read one from it. Of 714 requests that people outside the
 * project wrote, 7 are below this value. Of ordinary turns, 9 of 10 are below it.
 */
const MODEL_MAY_ASK = -4;

/** Checks whether a turn may ask to forget something. A model that was misled by a text from outside may quote any turn of the user. */
export async function mayAsk({ deps, signal }: FormWork, turn: string): Promise<boolean> {
  const parts = clausesIn(turn);
  const orders = parts.flatMap((text) => (orderIn(text, turn) === null ? [] : { text }));
  if (orders.length > 0) return !isForTools(turn, orders);
  const told = await unlessUnavailable(deps.readParts(parts, { signal }));
  return told === null || [...told.asks, ...told.takesBack].some((odds) => odds > MODEL_MAY_ASK);
}

/** Separates clauses into words of the log and the ids of statements that quote no words of the log. */
function placesOf(clauses: readonly Heard[]): Pick<ToldRequest, 'words' | 'memories'> {
  return {
    words: clauses.flatMap(({ quote, text }) => (quote === null ? [] : { ...quote, text })),
    memories: clauses.flatMap(({ quote, source }) => (quote === null ? source : [])),
  };
}

/** A clause, with the reading layers' log-odds that a request refers to it. */
interface ReadClause {
  clause: Heard;
  read: number;
}

/** A clause, with the corrected log-odds that a request refers to it. */
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
  // A clause about another topic is left out: "everything about my car" does not refer to the dog.
  const isOfAnother = ({ text }: Heard): boolean => {
    const own = topics.length === 0 || heard.length > FEW || sharing.hasAny(text) ? [] : topicsNamed(text, pack);
    return own.length > 0 && !own.some((topic) => topics.includes(topic));
  };
  const isSpared = (clause: Heard): boolean => read.isProtected(clause) && !exactly.includes(clause);
  // The user's own name, city and job are forgotten only if the request names them, directly follows them, or refers to them with high
  // log-odds.
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

/** Finds the clauses that a request names, without those to keep. */
function namingOf(read: ReadRequest): Naming {
  const asking = namingClauses(read);
  const naming = namedBy(asking, read.before);
  // A clause to keep is forgotten only if the request names its words, not just its topic: "forget all illnesses, but the asthma may stay".
  const sharing = sharingMost(asking.join(' '), read.heard);
  const isKept = (clause: Heard): boolean =>
    read.isSurelyProtected(clause) || (read.isProtected(clause) && !sharing.hasAny(clause.text));
  return { ...naming, exactly: naming.exactly.filter((clause) => !isKept(clause)) };
}

/**
 * Selects the clauses that the request refers to. A clause that it names exactly is always among them. For the other parts of the request,
 * the reading layers select the clauses.
 */
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
  const named = isNamed ? withoutRefuted(likely, exactly) : [];
  // If the request names everything that it refers to, the layers may add only clauses of which they are sure, and only if they confirm a
  // named clause.
  const isConfirmed = likely.some(({ clause, read }) => read > 0 && named.includes(clause));
  const enough = named.length === 0 || isPartly ? -Infinity : isConfirmed ? MEANT.surely : Infinity;
  const [highest] = likely.toSorted((one, other) => other.odds - one.odds);
  const turns = new Set(
    (named.length > 0 || highest === undefined ? named : [highest.clause]).map(({ source }) => source),
  );
  // If the request names a person, the layers rate all clauses about the person as likely. What it names of the person is therefore
  // searched for in the turns of the named clauses, or else of the best clause: "Rubén's debt" refers to "Rubén owes 18,000", and not to
  // "Rubén is a builder".
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

/**
 * Removes named clauses that the layers reject. If the layers are sure of a named clause, all named clauses that they reject are removed:
 * "what I told you about Bruno and the police" refers to only one of the clauses with the name. If the layers are sure only of other
 * clauses, and all named clauses are rejected questions, these are removed, because they only share words with the request: "off the record
 * about the interview" refers to "I'm interviewing at Halvorsen", and not to "what should I wear to an interview?".
 */
function withoutRefuted(likely: readonly Likely[], named: readonly Heard[]): readonly Heard[] {
  const sure = likely.filter(({ read }) => read > MEANT.surely);
  const refuted = new Set(likely.flatMap(({ clause, read }) => (read < UNRELATED ? clause : [])));
  if (sure.some(({ clause }) => named.includes(clause))) return named.filter((clause) => !refuted.has(clause));
  const isRefuted = ({ clause }: Likely): boolean => refuted.has(clause) && isQuestion(clause.text);
  return sure.length > 0 && likely.filter(({ clause }) => named.includes(clause)).every(isRefuted) ? [] : named;
}

/**
 * Adds the turns that refer back to the clauses to forget and are meaningless without them: after "my flatmate Tom never does the dishes",
 * also "he's got a girlfriend though". "He" refers to the nearest turn that names a person, or to the turn before. "It" refers to the turn
 * before. A pronoun never refers to another session. A request about one part of a person's life ("Owen's arrest") does not include "he has
 * two dogs".
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
  // `before.all` begins with the latest clause.
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
 * Adds clauses of the same turn that the layers prefer to the clauses to forget. What a request names of a person may be in a clause that
 * begins with somebody else.
 */
function withPreferred(meant: readonly Heard[], { heard, isProtected }: ReadRequest, { matter }: Naming): Heard[] {
  if (matter === null || heard.length > FEW) return [...meant];
  const preferred = heard.filter(({ clause, read }) => {
    const beside = heard.filter((each) => each.clause.source === clause.source && meant.includes(each.clause));
    return beside.length > 0 && read > MEANT_OWN && !isProtected(clause) && beside.every((each) => each.read < read);
  });
  return [...new Set([...meant, ...preferred.map(({ clause }) => clause)])];
}

/** Below these log-odds of the layers, "it" refers to something else. */
const UNRELATED = -5;

/** Adds the neighbouring clauses that the request probably includes, from the same turn and from the turn after it. */
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

/**
 * Returns the clauses of a request that may name what to forget: the clauses that ask or, if those name nothing, also the clauses before
 * them. A clause after them is only a reason: "delete the pregnancy thing, Joe uses this phone too".
 */
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

/** Checks whether a clause begins with words that introduce a known fact: "where Tom works", "that I live in Kiel". */
function beginsNaming(text: string, turn: string): boolean {
  const pack = detectPack(turn);
  if (pack === null) return false;
  const { ofMemory, owners } = forgetPatterns(pack);
  const plain = plainMarks(text).trimStart();
  return ofMemory.exec(plain)?.index === 0 && plain.search(owners) === 0;
}

/** A clause whose log-odds are this much below those of the best clause of its turn does not ask. */
const NEARLY = 6;

/** A clause of the request's turn, as the reading layers read it. */
interface OwnClause {
  clause: MeantWords;
  /**
   * Whether the clause is a plain order to forget, whether its words refer to memory, and whether it refers only to the fact that the user
   * spoke.
   */
  isOrder: boolean;
  isOfMemory: boolean;
  isOfSaying: boolean;
  /** The log-odds that the clause asks to forget something, that it withdraws such a request, and that it is itself to be forgotten. */
  asks: number;
  takesBack: number;
  meant: number;
}

/** A request, with the clauses to which it may refer, as the reading layers read them. */
interface ReadRequest {
  turn: string;
  pack: Pack | null;
  /** Whether a language model has found the request. */
  isByModel: boolean;
  /** The clauses of the request's turn, without those about what to keep. */
  own: OwnClause[];
  /** The clauses about what to keep. */
  kept: MeantWords[];
  /** Whether the request wants a clause kept. `isSurelyProtected`: the clause contains everything that the request names as to be kept. */
  isProtected(clause: Heard): boolean;
  isSurelyProtected(clause: Heard): boolean;
  before: HeardBefore;
  /** The clauses to which the request may refer, by turn, in the order in which the layers read them. */
  heard: ReadClause[];
  /** The calibrated similarity of each turn to the request, by the turn's id. Empty without an embedder. */
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
  // "Actually, keep it" has a clause about what to keep, but withdraws a request. A correction of a request must name words of an earlier
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
  // An order is accepted if it refers to memory, shares a word with an earlier clause, is the whole turn ("scratch that"), or names nothing
  // and ends the turn. "Forget that, my job is fine" only corrects what was said.
  const isOrder = order.isOfMemory || sharing.isAny || isAlone || endsTurn || isOfSaying;
  return { isOrder, isOfMemory: order.isOfMemory, isOfSaying };
}

/** Checks whether a clause only reports somebody's words: "'in or out', she told me". */
function isReported(text: string): boolean {
  const pack = detectPack(text);
  const quote = /(?<![\p{L}'"“„«‘])['"“„«‘][^'"“”„«»‘’]{3,}['"”“»’](?!\p{L})/u.exec(text)?.[0] ?? '';
  return pack !== null && quote.length * 3 >= text.length && packPattern(pack, 'said').test(text);
}

/**
 * Returns a function that checks whether a clause is among the given ones. It compares their places in the log, because a clause that is
 * read twice gives two objects.
 */
function isAmong(clauses: readonly Heard[] = []): (clause: Heard) => boolean {
  const placeOf = ({ source, quote }: Heard): string => `${source} ${quote?.start}`;
  const places = new Set(clauses.map(placeOf));
  return (clause) => places.has(placeOf(clause));
}

interface AskedBy {
  asks: number;
  takesBack: number;
  isForAll: boolean;
  /** Whether the turn surely contains a request: a model found it, it asks to forget everything, or it withdraws a request. */
  isCertain: boolean;
  /** Whether the turn contains a plain order, or the layers give high log-odds that it asks. */
  isSure: boolean;
  /** The clauses that ask. */
  asking: MeantWords[];
}

/** Checks whether a turn contains a request, and returns what it asks. Null if there is none. */
function askedBy(read: ReadRequest, likely: readonly Likely[], { exactly }: Naming): AskedBy | null {
  const { own, turn, isByModel } = read;
  const [asks, takesBack] = [mostOf(own, 'asks'), mostOf(own, 'takesBack')];
  const isForAll = asksForAll(turn);
  const isCertain = isByModel || isForAll || takesBack > ASKS;
  const orders = own.filter(({ isOrder }) => isOrder);
  // "Delete the bit about the ring" is a request even with low log-odds, because it refers to memory and names an earlier clause.
  const isNamedOrder = orders.some(({ isOfMemory }) => isOfMemory) && exactly.length > 0 && asks > NAMED_MAY_ASK;
  // Ordinary turns rarely exceed these thresholds. `natural-requests.slow.test.ts` counts the turns that are wrongly obeyed.
  const least = orders.length > 0 ? ASKS : SURELY_REQUESTS;
  const asking = own.flatMap((each) => (each.asks > Math.min(ASKS, asks - 1) ? each.clause : []));
  // "The neighbour gave her dog away, and Farofa at my side noticed nothing" resembles a request, but refers to no clause.
  const isJointly =
    asks > ASKS && likely.some(({ odds, read }) => odds > DOUBTFUL && asks + Math.min(odds, read) > JOINTLY);
  // "Don't save this: my husband is bankrupt. Can we pay in instalments?" is followed by a question, but does not change a plan.
  const isOfMemory = own.some(({ meant }) => meant > MEANT_OWN);
  const isElsewhere = isForTools(turn, asking) || (!isOfMemory && changesPlan(read, asking));
  const isAsking = (asks > least || isNamedOrder || isJointly) && !isElsewhere;
  const isSure = orders.length > 0 || asks > SURELY_REQUESTS;
  return isCertain || isAsking ? { asks, takesBack, isForAll, isCertain, isSure, asking } : null;
}

/** Checks whether one sentence of a turn asks to forget everything and contains nothing else: "Forget everything you know about me". */
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
 * Checks whether a request only changes a plan: "Forget the peanut sauce, what about soy?". Its clauses must not refer to memory ("my",
 * "what I told you"). The request must also be limited to the present, or be followed by a proposal, a question or an instruction.
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

/** Checks whether a request is addressed to another program of the agent: "delete all mails of Maier", "remove Jo from cc". */
function isForTools(content: string, asking: readonly Pick<MeantWords, 'text'>[]): boolean {
  const pack = detectPack(content);
  if (pack === null) return false;
  const { tools, recalls } = forgetPatterns(pack);
  return !recalls.test(plainMarks(content)) && tools.test(plainMarks(asking.map(({ text }) => text).join('')));
}

function mostOf(own: readonly OwnClause[], what: 'asks' | 'takesBack'): number {
  return Math.max(-Infinity, ...own.map((each) => each[what]));
}

/** A plain order adds this to the log-odds that a clause asks. */
const ORDER = 3;

/**
 * Reads a request without the reading layers, which a bundle does not contain. An order then refers to the clauses that share the most
 * words with it. Null if there is no order or no such clause.
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
 * Finds the clauses that a request refers to in its own turn: "I moved to Graz. Forget that.", "I weigh 90 kilos, actually forget I said
 * that". Such a request names nothing. It refers to the sentence before it or, if it is part of a longer sentence, to the clauses before it
 * in that sentence.
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
  // Read together with a request, other sentences look like a part of it to the layers, so each clause is read alone.
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

/** Checks whether, according to the layers, a request that names nothing refers to an earlier turn. */
function meansEarlier({ own, turn, similarity }: ReadRequest, likely: readonly Likely[]): boolean {
  const isOfSaying = own.some((clause) => clause.isOfSaying);
  // If there is only one earlier turn, the layers overrate it, such as "My dog is called Rex." before "I have asthma. Forget that."
  const least = endsBriefly(turn, own) ? MEANT.elsewhere : isOfSaying ? MEANT.surely : MEANT_OWN;
  const isRelated = ({ source }: Heard): boolean => (similarity.get(source) ?? 0) > RELATED;
  return likely.some(({ clause, read, odds }) => read > least || (odds > MEANT.most && isRelated(clause)));
}

/** Checks whether the last of several sentences is short and asks to forget: "I got sacked. Delete that." */
function endsBriefly(turn: string, own: readonly OwnClause[]): boolean {
  const { text = '', span } = splitSentences(turn).at(-1) ?? {};
  const most = mostOf(own, 'asks');
  const start = own.findLast(({ asks }) => asks === most)?.clause.start ?? 0;
  return span !== undefined && span.start > 0 && start >= span.start && text.length <= LONGEST_BARE;
}

/** If a sentence before a request has fewer content words than this, the request probably does not refer to it. */
const LEAST_STATED = 2;

const NOTHING_BEFORE: HeardBefore = { all: [], heard: [], people: [], values: [], namesOf: () => [] };

/** Checks whether a clause of a request names nothing: "actually forget I said that". */
function pointsBack(text: string, turn: string): boolean {
  const pack = detectPack(turn);
  return pack !== null && pack.script !== 'han' && namedBy([text], NOTHING_BEFORE, pack).isEmpty;
}

/** Checks whether an order at the end of a turn refers to what the user said without naming any of it: "pretend I didn't say that". */
function meansSaid(text: string, turn: string): boolean {
  const pack = detectPack(turn);
  if (pack === null || !pointsBack(text, turn)) return false;
  const recalled = matchesOf(plainMarks(text), everywhere(forgetPatterns(pack).recalls));
  return recalled.some(([word]) => orderIn(word, turn) === null);
}

/** Checks whether a text is incomplete without the sentence before it: "Her name is Dana.", "Oh god, …". */
function refersBack(text: string, pack: Pack | null): boolean {
  return contentStems(text).size < LEAST_STATED || followsAnother(text, pack);
}

function followsAnother(text: string, pack: Pack | null): boolean {
  const plain = plainMarks(text);
  return pack !== null && (firstOf(pack, 'followsPerson').test(plain) || firstOf(pack, 'followsThing').test(plain));
}

/**
 * `RATHER`: above these log-odds, a request may refer to the user's own name, city or job without naming it. `RELATED`: if a request names
 * nothing ("That with Levin was private. Delete it."), an earlier turn that is more similar to it than this needs only log-odds above
 * `MEANT.most`. Otherwise the layers' own log-odds must be positive, and higher if the request is a short last sentence or refers only to
 * the fact that the user spoke.
 */
const RATHER = 3;
const RELATED = 0.4;
const LONGEST_BARE = 26;
/** Read alone, a short last sentence asks to forget only above these log-odds. */
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

/** Checks whether a request refers to at least six clauses, and to at least nine tenths of all clauses before it. */
function isNearlyAll(meant: number, count: number): boolean {
  return meant >= 6 && meant >= count * 0.9;
}

/** Up to this many clauses are read before the beginning of a request, and up to as many after it. */
const MOST_AROUND = 12;

/** Returns the clauses of a request. A model may find several requests in one turn, so each is read with its own clauses only. */
function clausesAround({ event, start, end }: Evidence, isByModel: boolean): MeantWords[] {
  const clauses = clausesOf(event);
  if (isByModel) return clauses.filter((clause) => clause.start < end && clause.end > start);
  const first = clauses.findIndex((clause) => clause.end > start);
  return clauses.slice(Math.max(0, first - MOST_AROUND), first + MOST_AROUND);
}
