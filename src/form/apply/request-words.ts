import type { Pack } from '../../language/packs/pack.ts';
import {
  detectPack,
  forgetPatterns,
  isFunctionWord,
  listPattern,
  orderIn,
  packPattern,
  PACKS,
  plainMarks,
  relationsOf,
  smallTalkIn,
  topicPatterns,
  topicsNamed,
  wordsOfAll,
  wordsPattern,
} from '../../language/packs/packs.ts';
import { contentStems, coveredBy, words } from '../../language/words.ts';
import type { MeantWords } from '../statement.ts';
import { foreignSpans } from '../../language/foreign-text.ts';
import { splitClauses } from '../../language/sentences.ts';
import { attributesWith } from '../../record/attributes.ts';
import type { Event } from '../../record/event.ts';
import type { Memory } from '../../record/memory.ts';
import { ownerOf, type Scope } from '../../record/scope.ts';
import { type Quote, USER } from '../../record/statement.ts';
import type { Reader } from '../../store/database.ts';
import { ownEvents } from '../../store/event-store.ts';
import { quotesMeet } from '../../store/forget/forgotten-store.ts';
import { listStatements, listSubjects } from '../../store/read-memories.ts';
import { nearStatements } from '../compare.ts';
import type { FormWork } from '../formation-settings.ts';
import { peopleOf } from '../read/local/local-reader.ts';

/** The clauses of a request to forget: those that ask, and those that name what stays. */
export interface RequestParts {
  /** The clauses that ask, and the clauses around them. */
  own: MeantWords[];
  /**
   * The clauses that name what stays ("my job can stay", "not my sister"), and those that a correction replaces. The words that mean
   * "stays" are removed.
   */
  kept: MeantWords[];
  /** Whether the request corrects itself. */
  isCorrected: boolean;
}

/**
 * Sorts the clauses of a request: "Delete my address. My job can stay." asks for the first clause and keeps the second. "Delete my mail,
 * no wait, my number" asks for the number and keeps the mail.
 */
export function partsOf(clauses: readonly MeantWords[], turn: string): RequestParts {
  const unsorted = { own: [...clauses], kept: [], isCorrected: false };
  const detected = detectPack(turn);
  const packs = (detected === null ? PACKS : [detected]).filter(({ script }) => script === 'latin');
  const split = clauses.flatMap((clause) => splitPart(clause, packs));
  const isOrder = (part: MeantWords): boolean => orderIn(part.text, turn) !== null && !isSparing(part, packs);
  const first = split.findIndex(isOrder);
  const left = split.map((part, index) =>
    isOrder(part)
      ? null
      : withoutKeeping(part, packs, { hasOrder: first !== -1, isAfterOrder: first !== -1 && index > first }),
  );
  // "Delete my number. No, keep it" withdraws the request.
  if (left.some((part) => part !== null && !saysAnything(part.text))) return unsorted;
  const isKept = split.map((part, index) => left[index] !== null || (!isOrder(part) && isListed(split, left, index)));
  const kept = split.flatMap((part, index) => (isKept[index] === true ? (left[index] ?? part) : []));
  const own = split.filter((_, index) => isKept[index] === false);
  const corrected = correctedAmong(own, packs, isOrder);
  const all = [...kept, ...corrected.replaced];
  return all.length === 0 ? unsorted : { own: corrected.own, kept: all, isCorrected: corrected.replaced.length > 0 };
}

/** Whether a part belongs to the same list as a part that is kept: "The Welsh and the rest can stay". */
function isListed(split: readonly MeantWords[], left: readonly (MeantWords | null)[], index: number): boolean {
  const [part, next] = [split[index], split[index + 1]];
  const isOpen = (one: MeantWords | undefined): boolean => one !== undefined && /[^,;:.!?…]$/u.test(one.text.trimEnd());
  const isBefore = left[index + 1] != null && isOpen(part) && next !== undefined && JOINED.test(next.text);
  const isAfter = left[index - 1] != null && isOpen(split[index - 1]) && part !== undefined && JOINED.test(part.text);
  return isBefore || isAfter;
}

/** Matches the beginning of a clause that continues the one before it: "… and my address". */
export const JOINED: RegExp = new RegExp(`^(?:${wordsOfAll('and', 'latin')}) `, 'iu');

/** Joins clauses that were split at a word of another language: "ma" is "but" in Italian and "my" in French ("oublie ma grossesse"). */
export function joinedIn(clauses: readonly MeantWords[], turn: string): MeantWords[] {
  const pack = detectPack(turn);
  if (pack === null || pack.script !== 'latin') return [...clauses];
  const breaks = listPattern(pack, 'clauseBreak');
  const joined: MeantWords[] = [];
  for (const clause of clauses) {
    const last = joined.at(-1);
    const isBroken =
      last?.end === clause.start && /[^,;:.!?…]\s$/u.test(last.text) && breaks.exec(clause.text)?.index !== 0;
    if (last !== undefined && isBroken)
      joined[joined.length - 1] = { ...last, end: clause.end, text: last.text + clause.text };
    else joined.push(clause);
  }
  return joined;
}

/** Whether a clause orders not to forget something: "Don't forget my birthday". */
function isSparing({ text }: MeantWords, packs: readonly Pack[]): boolean {
  return packs.some((pack) => forgetPatterns(pack).spares.test(plainMarks(text)));
}

/** A clause without the words that say that something stays. Null for a clause that does not say so. */
function withoutKeeping(
  part: MeantWords,
  packs: readonly Pack[],
  { hasOrder, isAfterOrder }: { hasOrder: boolean; isAfterOrder: boolean },
): MeantWords | null {
  const text = plainMarks(part.text);
  if (/\?[\s"'»”]*$/u.test(text)) return null;
  for (const pack of packs) {
    const { keeps, stays, spares, excepts, nots } = forgetPatterns(pack);
    const isDenied = listPattern(pack, 'negation').test(text);
    const excepted = excepts.exec(text);
    const isExcepted = excepted !== null && !saysAnything(text.slice(0, excepted.index));
    const plain = isDenied ? null : (keeps.exec(text) ?? stays.exec(text));
    const limited = isAfterOrder ? (isExcepted ? excepted : nots.exec(text)) : null;
    const found = plain ?? (hasOrder ? spares.exec(text) : null) ?? limited;
    if (found === null) continue;
    return { ...part, text: `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}` };
  }
  return null;
}

/** Splits a clause at a word such as "except", or at the beginning of a correction. */
function splitPart(clause: MeantWords, packs: readonly Pack[]): MeantWords[] {
  const text = plainMarks(clause.text);
  const places = packs.flatMap((pack) => {
    const { excepts, corrects } = forgetPatterns(pack);
    return [excepts, corrects].flatMap((pattern) => pattern.exec(text)?.index ?? []);
  });
  const at = Math.min(...places);
  if (places.length === 0 || !saysAnything(text.slice(0, at))) return [clause];
  return [
    { ...clause, end: clause.start + at, text: clause.text.slice(0, at) },
    { ...clause, start: clause.start + at, text: clause.text.slice(at) },
  ];
}

export function saysAnything(text: string): boolean {
  return contentStems(text).size > 0;
}

/** Applies a correction: `own` has the order with the words after the correction, and `replaced` has the words before it. */
function correctedAmong(own: readonly MeantWords[], packs: readonly Pack[], isOrder: (part: MeantWords) => boolean) {
  const none = { own: [...own], replaced: [] };
  const ordered = own.findIndex(isOrder);
  const order = own[ordered];
  if (order === undefined) return none;
  for (const pack of packs) {
    const { corrects, meant } = forgetPatterns(pack);
    const at = own.findIndex(
      ({ text }, index) => index > ordered && (corrects.test(plainMarks(text)) || meant.test(plainMarks(text))),
    );
    if (at === -1) continue;
    const without = (text: string): string => plainMarks(text).replace(corrects, ' ').replace(meant, ' ');
    const after = own.slice(at).map((part) => ({ ...part, text: without(part.text) }));
    const telling = after.findIndex(({ text }) => saysAnything(text));
    const target = after[telling];
    if (target === undefined) continue;
    const asked = isOrder(target)
      ? target.text
      : `${orderOf(order.text, pack)} ${target.text.replace(/^[\s,;.…]+/u, '')}`;
    const replaced = [...own.slice(ordered, at), ...after.slice(0, telling)];
    return { own: [{ ...target, text: asked }, ...after.slice(telling + 1)], replaced };
  }
  return none;
}

/** The words of an order without its object: "delete". */
function orderOf(text: string, pack: Pack): string {
  const plain = plainMarks(text).trim();
  const found = forgetPatterns(pack).order.exec(plain);
  if (found === null) return '';
  return found.slice(1).reduce<string>((left, group) => (group ? left.replace(group, '') : left), found[0]);
}

/** What a request names: a person, a topic of the language pack, or another word. */
interface Thing {
  isPerson: boolean;
  /** The clauses that mention it. Empty for a word that was never said. */
  covers: ReadonlySet<Heard>;
}

/** The earlier clauses that a request names. */
export interface Naming {
  /** For each part of the request, the clauses that contain everything that the part names. */
  exactly: Heard[];
  /** For each part of the request, the clauses that contain most of what the part names. */
  most: Heard[];
  /** Whether the request names nothing. */
  isEmpty: boolean;
  /** Whether a part has a word that was never said, or words that no single clause contains. The reading layers then decide about it. */
  isPartly: boolean;
}

/**
 * Finds the clauses that a request names. "Forget the christmas present for anneke" names the clauses that contain all these words, and
 * "forget tom" all clauses with that name, in any case. Each part of a request is searched alone: "forget tom and my phone number".
 */
export function namedBy(asking: readonly string[], before: HeardBefore): Naming {
  const pack = detectPack(asking.join(' '), detectPack(before.all.map(({ text }) => text).join('\n')));
  if (pack === null || pack.script === 'han') return { exactly: [], most: [], isEmpty: true, isPartly: true };
  const joined = everywhere(wordsPattern(pack.lists['and'] ?? '', pack.script));
  const parts = asking.flatMap((text) => plainMarks(text).split(joined));
  const named = parts.map((text) => thingsIn(text, pack, before)).filter(({ length }) => length > 0);
  // "Bruno and the police" means the clauses about both if there are any, and "my address and my number" means the clauses about either.
  const joint = named.length > 1 ? bestOf(named.flat(), before) : null;
  const found = joint?.isExact === true ? [joint] : named.map((things) => bestOf(things, before));
  return {
    exactly: [...new Set(found.flatMap(({ best, isExact }) => (isExact ? best : [])))],
    most: [...new Set(found.flatMap(({ best }) => best))],
    isEmpty: found.length === 0,
    isPartly: found.some(({ isExact }) => !isExact),
  };
}

/**
 * The clauses that contain the most of the named things, and whether they contain all of them. If a request names a thing beside a person
 * ("the clinic of Gonzalo"), the name may be in another clause of the same turn.
 */
function bestOf(named: readonly Thing[], { all }: HeardBefore): { best: Heard[]; isExact: boolean } {
  const isOfThing = new Set(named.flatMap(({ isPerson, covers }) => (isPerson ? [] : [...covers])));
  const widened = ({ isPerson, covers }: Thing): Thing => {
    const turns = new Set([...covers].map(({ source }) => source));
    const beside = isPerson ? all.filter((clause) => isOfThing.has(clause) && turns.has(clause.source)) : [];
    return { isPerson, covers: new Set([...covers, ...beside]) };
  };
  const things = named.filter(({ covers }) => covers.size > 0).map(widened);
  const counts = new Map<Heard, number>();
  for (const { covers } of things) for (const clause of covers) counts.set(clause, (counts.get(clause) ?? 0) + 1);
  const people = things.filter(({ isPerson }) => isPerson);
  const ofPeople = [...counts].filter(([clause]) => people.every(({ covers }) => covers.has(clause)));
  const among = ofPeople.length > 0 ? ofPeople : [...counts];
  const most = Math.max(0, ...among.map(([, count]) => count));
  return { best: among.flatMap(([clause, count]) => (count === most ? clause : [])), isExact: most === named.length };
}

function thingsIn(text: string, pack: Pack, before: HeardBefore): Thing[] {
  const plain = plainMarks(text);
  const { topics, matched } = topicsIn(plain, pack, before);
  const { order, ofMemory } = forgetPatterns(pack);
  const framing = [everywhere(ofMemory), everywhere(packPattern(pack, 'request:polite')), ...matched];
  const rest = framing.reduce<string>((left, pattern) => left.replace(pattern, ' '), withoutOrder(plain, order));
  const naming = wordsOf(rest).filter((word) => isRelation(word, pack) || !isFunctionWord(word, pack));
  const said = naming.map((word): Thing => {
    const isPerson = before.people.includes(word) || isRelation(word, pack);
    return { isPerson, covers: new Set(saying(word, isPerson, pack, before)) };
  });
  return [...topics, ...said];
}

/** A request without the words of its order. Words inside the order stay: "my number" in "take my number out of your notes". */
function withoutOrder(text: string, order: RegExp): string {
  const match = order.exec(text);
  return match === null ? text : `${match.slice(1).join(' ')} ${text.slice(match[0].length)}`;
}

/**
 * The topics that a text names, each with the clauses about it. A word such as "epilepsy" belongs to the topic "health", but names only the
 * condition if the user has mentioned it.
 */
function topicsIn(text: string, pack: Pack, { all, values }: HeardBefore): { topics: Thing[]; matched: string[] } {
  const found = new Map<string, Set<Heard>>();
  const said = values.flatMap(wordsOf);
  for (const [topic, pattern] of topicPatterns(pack)) {
    const { 0: match, index = 0 } = pattern.exec(text) ?? {};
    if (match === undefined || isTheirs(text.slice(0, index), pack)) continue;
    // The first word of a topic is its name ("health"). The other words may name a part of the topic.
    const name = /^[^|()]*/u.exec(pack.topics[topic] ?? '')?.[0] ?? '';
    const isName = wordsPattern(name, pack.script).test(match);
    const isValue = wordsOf(match).some((word) => said.some((each) => each === word || isAlike(word, each)));
    const covers = all.filter(({ topics }) => topics.includes(topic));
    if ((isValue && !isName) || covers.length === 0) continue;
    found.set(match, new Set([...(found.get(match) ?? []), ...covers]));
  }
  const topics = [...found.values()].map((covers): Thing => ({ isPerson: false, covers }));
  return { topics, matched: [...found.keys()] };
}

/** Whether the word before a topic makes it a topic of another person: "her name". */
function isTheirs(before: string, pack: Pack): boolean {
  const last = before.trimEnd().split(' ').at(-1) ?? '';
  return forgetPatterns(pack).theirs.exec(last)?.[0].length === last.length && last !== '';
}

/** The clauses that contain a word: in the same form, otherwise in another form, otherwise as a part of a longer word. */
function saying(word: string, isPerson: boolean, pack: Pack, { all, namesOf }: HeardBefore): Heard[] {
  const stem = stemOf(word);
  const having = (isSame: (said: string) => boolean): Heard[] =>
    all.filter(({ isOwn, text }) => isOwn && wordsOf(text).some(isSame));
  if (isPerson) {
    const relation = relationOf(word, pack);
    const names = relation === null ? [] : namesOf(relation);
    const found = having((said) => stemOf(said) === stem || names.includes(said));
    return relation === null ? found : found.filter((clause) => !isOfNamesake(clause, { relation, names, pack, all }));
  }
  const ways = [
    (said: string) => said === word,
    (said: string) => stemOf(said) === stem,
    (said: string) => isAlike(word, said),
  ];
  return ways.map(having).find(({ length }) => length > 0) ?? [];
}

/**
 * Whether a clause with a name is about another person of that name: "my colleague Anja" is not the sister Anja. For a clause that has only
 * the name, the latest earlier clause with the relation, or with the name after another relation, decides.
 */
function isOfNamesake(
  clause: Heard,
  of: { relation: string; names: readonly string[]; pack: Pack; all: readonly Heard[] },
): boolean {
  const { relation, names, pack, all } = of;
  // `all` begins with the latest clause.
  for (const { text } of [clause, ...all.slice(all.indexOf(clause) + 1)]) {
    const said = wordsOf(text);
    const relations = said.flatMap((word) => relationOf(word, pack) ?? []);
    if (relations.includes(relation)) return false;
    const isNamed = said.some(
      (word, index) => names.includes(word) && relationOf(said[index - 1] ?? '', pack) !== null,
    );
    if (isNamed) return true;
  }
  return false;
}

/** The English word for a relation. Null for any other word. */
function relationOf(word: string, { relations }: Pack): string | null {
  const plain = (): string | undefined => Object.keys(relations).find((each) => wordsOf(each)[0] === word);
  return relations[word] ?? relations[word.replace(/s$/u, '')] ?? relations[plain() ?? ''] ?? null;
}

const SHORTEST_PART = 5;
const SHORTEST_START = 6;

/** Whether two words are forms or parts of each other: "pregnancy" and "pregnant", "Schuld" and "Steuerschuld". */
function isAlike(word: string, said: string): boolean {
  const [short, long] = word.length < said.length ? [word, said] : [said, word];
  if (short.length >= SHORTEST_PART && (long.startsWith(short) || said.endsWith(word))) return true;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same += 1;
  return same >= SHORTEST_START && same * 3 >= long.length * 2;
}

function isRelation(word: string, pack: Pack): boolean {
  const pattern = wordsPattern(relationsOf(pack), pack.script);
  return pattern.exec(word)?.[0].length === word.length || pattern.exec(word.replace(/s$/u, '')) !== null;
}

function everywhere(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, 'giu');
}

function stemOf(word: string): string {
  return words(word)[0] ?? word;
}

/**
 * The words of a text in lower case and without accents. "burn-out" is one word, and "l'accident" and "kev's" are reduced to their nouns.
 */
function wordsOf(text: string): string[] {
  const plain = plainMarks(text)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/(?<=\p{L})-(?=\p{L})/gu, '');
  return (plain.match(/[\p{L}\p{N}]+(?:'[\p{L}\p{N}]+)*/gu) ?? []).flatMap((word) => {
    const [first = '', last = ''] = [word.split("'")[0], word.split("'").at(-1)];
    return last.length > first.length || last.length > 2 ? last : first;
  });
}

/**
 * A clause that a request to forget may mean: words of the user, with their place in the log, or a statement that quotes no words of the
 * log.
 */
export interface Heard {
  text: string;
  /** The id of the turn, or of the statement. */
  source: string;
  /** Null for a statement. */
  quote: Quote | null;
  /** The session of the turn. Null for a statement, and for a turn without a session. */
  session: string | null;
  /** The topics that the request names and that the clause is about: "my salary" names the topic of "I make 90k". */
  topics: readonly string[];
  /** Whether the clause is in the user's own words, and not pasted or quoted. */
  isOwn: boolean;
  /** Whether the clause states the user's own name, city, job or employer. */
  isIdentity: boolean;
}

/** The clauses before a request, and the names and values in them. */
export interface HeardBefore {
  /** All clauses of the user's turns, and the statements that quote no words of the log. */
  all: readonly Heard[];
  /** The clauses of `all` that are read together with the request, the latest turn first. */
  heard: readonly Heard[];
  /** The names of people in the user's life, in lower case. */
  people: readonly string[];
  /** What is known about the topics of the request: the values of statements, and clauses from which no statement was formed. */
  values: readonly string[];
  /** Returns the names of the people with a given relation to the user ("mother"), in lower case. */
  namesOf(relation: string): string[];
}

export function clausesOf({ id, content }: Event): MeantWords[] {
  return splitClauses(content).map(({ start, end }) => ({ event: id, start, end, text: content.slice(start, end) }));
}

/** The maximum number of turns that are searched. */
const MOST_TURNS = 300;
/** The maximum number of clauses that are read with the request. */
const MOST_READ = 80;
/** The number of latest clauses that are always among them. */
const MOST_LATEST = 16;
/** The maximum number of statements nearest to the request. */
const MOST_STATED = 12;

/**
 * Finds the clauses that a request may mean, the latest turn first. In a long log, these are the latest clauses, and the best of the older
 * ones: clauses about a topic that the request names, clauses from which the statements nearest to the request were formed, and clauses
 * that share words with the request.
 */
export async function clausesBefore(work: FormWork, event: Event, request: string): Promise<HeardBefore> {
  const near = await nearStatements(work, request, { most: MOST_STATED, policy: 'forgettable' });
  const { turns, subjects, named, identity } = await loadBefore(work, event);
  const texts = turns.map(({ content }) => content);
  const pack = detectPack(texts.map((text) => text.slice(0, 500)).join('\n'));
  const labelled = subjects.map((subject) => ({ subject, attribute: null, value: null }));
  const people = peopleOf([...named, ...labelled], texts, pack, work.deps.attributes);
  const topics = await statedTopics(work, topicsNamed(request, pack));
  const ofTopics = topics.flatMap(({ stated }) => stated);
  const others = othersIn(people, pack);
  const isAbout = (quote: MeantWords, { topic, stated, isWide }: StatedTopic): boolean => {
    const { text } = quote;
    const isSaid = (isWide || stated.length === 0) && topicsNamed(text, pack).includes(topic) && !others.test(text);
    return isSaid || stated.some((memory) => isStatedIn(quote, memory));
  };
  const clauses = turns.flatMap((turn) => {
    const foreign = foreignSpans(turn.content);
    return clausesOf(turn).map((quote) => ({
      text: quote.text,
      source: turn.id,
      quote,
      session: turn.scope.session,
      topics: topics.flatMap((each) => (isAbout(quote, each) ? each.topic : [])),
      isOwn: !foreign.some(({ start, end }) => start < quote.end && end > quote.start),
      isIdentity: identity.some((memory) => isToldIn(quote, memory)),
    }));
  });
  const stated = [...new Map([...near, ...ofTopics].map((memory) => [memory.id, memory])).values()];
  const isRead = ({ quotes }: Memory): boolean => clauses.some(({ quote }) => quotesMeet(quotes, [quote]));
  const unread = stated
    .filter((memory) => !memory.sourceEvents.includes(event.id) && !isRead(memory))
    .map(({ id, content }) => ({
      text: content,
      source: id,
      quote: null,
      session: null,
      topics: topics.flatMap(({ topic, stated: ofTopic }) => (ofTopic.some((one) => one.id === id) ? topic : [])),
      isOwn: true,
      isIdentity: identity.some((memory) => memory.id === id),
    }));
  const isFormed = (quote: Quote): boolean => ofTopics.some(({ quotes }) => quotesMeet(quotes, [quote]));
  const values = ofTopics.flatMap(({ value }) => value ?? []);
  const said = clauses.flatMap(({ text, quote, topics: of }) => (of.length > 0 && !isFormed(quote) ? text : []));
  return {
    all: [...clauses, ...unread],
    heard: [...nearestOf(clauses, request, stated), ...unread],
    people,
    values: [...values, ...said],
    namesOf(relation) {
      const start = `User's ${relation} `;
      return subjects.flatMap((each) => (each.startsWith(start) ? each.slice(start.length).toLowerCase() : []));
    },
  };
}

/** Loads the turns before a request, the subjects of the owner's statements, and the statements about the user's people and identity. */
function loadBefore({ deps, scope }: FormWork, event: Event) {
  const owner = ownerOf(scope);
  const search = (trait: 'identity' | 'close') =>
    ({ subjects: [USER], attributes: attributesWith(trait, deps.attributes), owner: 'visible' }) as const;
  return deps.database.read(scope.tenant, async (store) => ({
    turns: (await turnsBefore(store, owner, event, MOST_TURNS)).filter(({ content }) => !isGreeting(content)),
    identity: await listStatements(store, owner, search('identity')),
    subjects: await listSubjects(store, owner),
    named: await listStatements(store, owner, search('close')),
  }));
}

/** Whether a statement was formed from a clause, and its value, if it has one, shares a word with the clause. */
function isStatedIn(quote: MeantWords, { quotes, value }: Memory): boolean {
  if (!quotesMeet(quotes, [quote])) return false;
  return value === null || coveredBy(contentStems(quote.text), contentStems(value)) > 0;
}

/** Whether a clause contains the whole value of a statement that was formed from it. */
function isToldIn(quote: MeantWords, { quotes, value }: Memory): boolean {
  return quotesMeet(quotes, [quote]) && value !== null && quote.text.toLowerCase().includes(value.toLowerCase());
}

/** Whether a turn is only a greeting ("Good morning!"), which a request never means. */
function isGreeting(text: string): boolean {
  return smallTalkIn(text) !== null && PACKS.some((pack) => packPattern(pack, 'greeting').test(plainMarks(text)));
}

/** Selects the clauses of earlier turns that are read together with a request. */
function nearestOf(clauses: readonly Heard[], request: string, stated: readonly Memory[]): Heard[] {
  if (clauses.length <= MOST_READ) return [...clauses];
  const stems = contentStems(request);
  const nearness = ({ text, quote, topics }: Heard, index: number): number =>
    (index < MOST_LATEST ? 100 : 0) +
    (topics.length > 0 ? 2 : 0) +
    (quote !== null && stated.some(({ quotes }) => quotesMeet(quotes, [quote])) ? 2 : 0) +
    [...contentStems(text)].filter((stem) => stems.has(stem)).length;
  const ranked = clauses
    .map((clause, index) => ({ clause, nearness: nearness(clause, index) }))
    .toSorted((one, other) => other.nearness - one.nearness)
    .slice(0, MOST_READ);
  const taken = new Set(ranked.map(({ clause }) => clause));
  return clauses.filter((clause) => taken.has(clause));
}

interface StatedTopic {
  topic: string;
  /**
   * Whether the topic is a category of attributes ("health"). A clause is then also about the topic if its words name the topic, even if no
   * statement was formed from it.
   */
  isWide: boolean;
  /** The user's own statements about the topic. */
  stated: Memory[];
}

async function statedTopics({ deps, scope }: FormWork, topics: readonly string[]): Promise<StatedTopic[]> {
  const attributesOf = (topic: string): string[] =>
    deps.attributes.names().filter((name) => deps.attributes.policyOf(name).category === topic);
  const attributes = topics.flatMap((topic) => [topic, ...attributesOf(topic)]);
  const search = { subjects: [USER], attributes, owner: 'visible' } as const;
  const stated = await deps.database.read(scope.tenant, (store) => listStatements(store, ownerOf(scope), search));
  return topics.map((topic) => {
    const within = [topic, ...attributesOf(topic)];
    const own = stated.filter(({ attribute }) => attribute !== null && within.includes(attribute));
    return { topic, isWide: within.length > 1, stated: own };
  });
}

/** A pattern of the words for other people: the user's relatives, and the names of people in the user's life. */
function othersIn(people: readonly string[], pack: Pack | null): RegExp {
  const relatives = pack === null ? [] : [`(?:${pack.my}) (?:${relationsOf(pack)})`];
  const names = people.map((name) => name.replace(/[^\p{L}\p{N} ]/gu, '.'));
  return wordsPattern([...relatives, ...names].join('|'), pack?.script);
}

/** The user's turns before the given one, the latest first. */
async function turnsBefore(store: Reader, owner: Scope, event: Event, limit: number): Promise<Event[]> {
  const heard = await ownEvents(store, owner, {
    kind: 'message',
    origins: ['user'],
    limit,
    occurred: { upTo: event.occurredAt.getTime() },
    order: 'newest',
  });
  // The list is cut by position, because all turns that the application logs in one call may have the same time.
  return heard.slice(heard.findIndex(({ id }) => id === event.id) + 1);
}
