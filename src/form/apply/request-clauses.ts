import { foreignSpans } from '../../language/foreign-text.ts';
import type { Pack } from '../../language/packs/pack.ts';
import {
  detectPack,
  listPattern,
  packPattern,
  PACKS,
  plainMarks,
  relationsOf,
  smallTalkIn,
  topicsNamed,
  wordsPattern,
} from '../../language/packs/packs.ts';
import { splitClauses } from '../../language/sentences.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import { attributesWith, hasTrait } from '../../record/attributes.ts';
import type { Event } from '../../record/event.ts';
import type { Memory } from '../../record/memory.ts';
import { ownerOf, type Scope } from '../../record/scope.ts';
import { isUser, type Quote, USER } from '../../record/statement.ts';
import type { Reader } from '../../store/database.ts';
import { ownEvents } from '../../store/event-store.ts';
import { quotesMeet } from '../../store/forget/forgotten-store.ts';
import { listStatements, listSubjects } from '../../store/read-memories.ts';
import { nearStatements } from '../compare.ts';
import type { FormWork } from '../formation-settings.ts';
import { peopleOf } from '../read/local/known-names.ts';
import type { MeantWords } from '../statement.ts';
import { type Owned, ownersIn, ownersOf } from './request-owners.ts';

/** A clause that a request may refer to: words of the log, or a statement that quotes none. */
export interface Heard extends Owned {
  source: string;
  /** Null for a statement. */
  quote: Quote | null;
  /** Topics that both the request and the clause name: "my salary" names the topic of "I make 90k". */
  topics: readonly string[];
  /** False for pasted and quoted text. */
  isOwn: boolean;
  /** States the user's own name, city, job or employer. */
  isIdentity: boolean;
}

export interface HeardBefore {
  /** All clauses of the user's turns, and the statements that quote no words of the log. */
  all: readonly Heard[];
  /** The clauses that the reading layers read together with the request, latest turn first. */
  heard: readonly Heard[];
  /** In lower case. */
  people: readonly string[];
  /** The values of statements about the request's topics and, where no statement was formed, the clauses themselves. */
  values: readonly string[];
  /** The names, in lower case, of the people with a relation such as "mother". */
  namesOf(relation: string): string[];
}

/** `read`: the log-odds that a request means the clause. */
export interface ReadClause {
  clause: Heard;
  read: number;
}

export function clausesOf({ id, content }: Event): MeantWords[] {
  const clauses = splitClauses(content).map(({ start, end }) => ({
    event: id,
    start,
    end,
    text: content.slice(start, end),
  }));
  return joinedIn(clauses, content);
}

/** Rejoins clauses that were split at a word of another language: "ma" is "but" in Italian, but "my" in French ("oublie ma grossesse"). */
function joinedIn(clauses: readonly MeantWords[], turn: string): MeantWords[] {
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

const MOST_TURNS = 300;
const MOST_READ = 80;
/** The latest clauses are always among the `MOST_READ`. */
const MOST_LATEST = 16;
const MOST_STATED = 12;

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
  const isFormed = (quote: Quote): boolean => ofTopics.some(({ quotes }) => quotesMeet(quotes, [quote]));
  const split = turns.map((turn) =>
    clausesOf(turn).map((quote) => ({ text: quote.text, session: turn.scope.session, quote })),
  );
  const owners = pack === null ? null : ownersOf(split, { pack, people });
  // A statement that names a close person ("my partner is called Jussara") is also about that person, so the user does not own its clause.
  const own = ofTopics.filter(({ attribute }) => !hasTrait(attribute, 'close', work.deps.attributes));
  const userOf = (quote: Quote): string[] => (own.some(({ quotes }) => quotesMeet(quotes, [quote])) ? [USER] : []);
  const clauses = turns.flatMap((turn, index) => {
    const foreign = foreignSpans(turn.content);
    return (split[index] ?? []).map(({ text, session, quote }, place) => ({
      text,
      session,
      source: turn.id,
      quote,
      owners: [...(owners?.[index]?.[place] ?? []), ...userOf(quote)],
      topics: topics.flatMap((each) => (isAbout(quote, each, { pack, others }) ? each.topic : [])),
      isOwn: !foreign.some(({ start, end }) => start < quote.end && end > quote.start),
      isIdentity: identity.some((memory) => isToldIn(quote, memory)),
    }));
  });
  const stated = [...new Map([...near, ...ofTopics].map((memory) => [memory.id, memory])).values()];
  const isRead = ({ quotes }: Memory): boolean => clauses.some(({ quote }) => quotesMeet(quotes, [quote]));
  const unread = stated
    .filter((memory) => !memory.sourceEvents.includes(event.id) && !isRead(memory))
    .map((memory) => ({
      text: memory.content,
      source: memory.id,
      quote: null,
      session: null,
      owners: ownersOfStatement(memory, pack, people),
      topics: topics.flatMap(({ topic, stated: ofTopic }) => (ofTopic.some(({ id }) => id === memory.id) ? topic : [])),
      isOwn: true,
      isIdentity: identity.some(({ id }) => id === memory.id),
    }));
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

function ownersOfStatement(
  { subject, attribute, content }: Memory,
  pack: Pack | null,
  people: readonly string[],
): string[] {
  const others = pack === null ? [] : ownersIn(isUser(subject) ? content : subject, { pack, people }, 'clause');
  return isUser(subject) && attribute !== null ? [...others, USER] : others;
}

function loadBefore({ deps, scope }: FormWork, event: Event) {
  const owner = ownerOf(scope);
  const search = (trait: 'identity' | 'close') =>
    ({ subjects: [USER], attributes: attributesWith(trait, deps.attributes), owner: 'visible' }) as const;
  return deps.database.read(scope.tenant, async (store) => ({
    turns: (await userTurnsBefore(store, owner, event, MOST_TURNS)).filter(({ content }) => !isGreeting(content)),
    identity: await listStatements(store, owner, search('identity')),
    subjects: await listSubjects(store, owner),
    named: await listStatements(store, owner, search('close')),
  }));
}

function isAbout(
  quote: MeantWords,
  { topic, stated, isWide }: StatedTopic,
  { pack, others }: { pack: Pack | null; others: RegExp },
): boolean {
  const { text } = quote;
  const isSaid = (isWide || stated.length === 0) && topicsNamed(text, pack).includes(topic) && !others.test(text);
  return isSaid || stated.some((memory) => isStatedIn(quote, memory));
}

/** Whether the statement was formed from the clause. If it has a value, the clause must share a word with it. */
function isStatedIn(quote: MeantWords, { quotes, value }: Memory): boolean {
  if (!quotesMeet(quotes, [quote])) return false;
  return value === null || coveredBy(contentStems(quote.text), contentStems(value)) > 0;
}

/** Stricter than `isStatedIn`: the clause must contain the whole value. */
function isToldIn(quote: MeantWords, { quotes, value }: Memory): boolean {
  return quotesMeet(quotes, [quote]) && value !== null && quote.text.toLowerCase().includes(value.toLowerCase());
}

/** A request never refers to a greeting ("Good morning!"). */
function isGreeting(text: string): boolean {
  return smallTalkIn(text) !== null && PACKS.some((pack) => packPattern(pack, 'greeting').test(plainMarks(text)));
}

/** In a long log: the latest clauses, and older ones about a named topic, behind the nearest statements, or with words of the request. */
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
  /** The topic is a category of attributes ("health"). A clause that names it counts even if no statement was formed from it. */
  isWide: boolean;
  stated: Memory[];
}

async function statedTopics({ deps, scope }: FormWork, topics: readonly string[]): Promise<StatedTopic[]> {
  const { policyOf, names } = deps.attributes;
  const within = topics.map((topic) => [topic, ...names().filter((name) => policyOf(name).category === topic)]);
  const search = { subjects: [USER], attributes: within.flat(), owner: 'visible' } as const;
  const stated = await deps.database.read(scope.tenant, (store) => listStatements(store, ownerOf(scope), search));
  return within.map(([topic = '', ...others]) => ({
    topic,
    isWide: others.length > 0,
    stated: stated.filter(({ attribute }) => attribute === topic || others.includes(attribute ?? '')),
  }));
}

function othersIn(people: readonly string[], pack: Pack | null): RegExp {
  const relatives = pack === null ? [] : [`(?:${pack.my}) (?:${relationsOf(pack)})`];
  const names = people.map((name) => name.replace(/[^\p{L}\p{N} ]/gu, '.'));
  return wordsPattern([...relatives, ...names].join('|'), pack?.script);
}

/** Latest first. */
export async function userTurnsBefore(store: Reader, owner: Scope, event: Event, limit: number): Promise<Event[]> {
  const heard = await ownEvents(store, owner, {
    kind: 'message',
    origins: ['user'],
    limit,
    occurred: { upTo: event.occurredAt.getTime() },
    order: 'newest',
  });
  // Cut at the turn itself and not by time, because turns that the application logs in one call may all have the same time.
  return heard.slice(heard.findIndex(({ id }) => id === event.id) + 1);
}
