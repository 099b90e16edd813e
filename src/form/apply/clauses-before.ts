import { foreignSpans } from '../../language/foreign-text.ts';
import type { Pack } from '../../language/packs/pack.ts';
import {
  detectPack,
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
import { NAMED_PEOPLE } from '../../record/attributes.ts';
import type { Event } from '../../record/event.ts';
import type { Memory } from '../../record/memory.ts';
import type { Scope } from '../../record/scope.ts';
import { type Quote, USER } from '../../record/statement.ts';
import type { Reader } from '../../store/database.ts';
import { ownEvents } from '../../store/event-store.ts';
import { quotesMeet } from '../../store/forget/forgotten-store.ts';
import { listStatements, listSubjects } from '../../store/read-memories.ts';
import { type EmbedWork, nearStatements, ownerOf } from '../compare.ts';
import type { ApplyDeps, FormDeps } from '../formation-settings.ts';
import { peopleOf } from '../read/local/local-reader.ts';
import type { MeantWords } from '../statement.ts';

/** A clause that a request may mean: words of the user, with their place in the log, or a statement that quotes no words of the log. */
export interface Heard {
  text: string;
  /** The id of the turn, or of the statement. */
  source: string;
  /** Null for a statement. */
  quote: Quote | null;
  /** The topics of the request that it is about: "my salary" names the topic of "I make 90k". */
  topics: readonly string[];
}

/** What was said before a request. */
export interface HeardBefore {
  /** All clauses of the user's turns, and the statements that quote no words of the log. */
  all: readonly Heard[];
  /** Those of them that are read with the request, the latest turn first. */
  heard: readonly Heard[];
  /** Those that are the user's own words, and not pasted or quoted. */
  own: ReadonlySet<Heard>;
  /** Those that tell the user's own name, city or job. */
  identity: ReadonlySet<Heard>;
  /** The names of people in the user's life, in lower case. */
  people: readonly string[];
  /** What was said about the topics of the request: the values of statements, and clauses from which no statement was formed. */
  values: readonly string[];
  /** The names of the people with a relation to the user ("mother"), in lower case. */
  namesOf(relation: string): string[];
}

/** What reading a request needs. */
export type TellWork = EmbedWork & { deps: ApplyDeps & Pick<FormDeps, 'readParts'> };

export function clausesOf({ id, content }: Event): MeantWords[] {
  return splitClauses(content).map(({ start, end }) => ({ event: id, start, end, text: content.slice(start, end) }));
}

/** How many turns before a request are searched, how many clauses of them are read with it, and how many of these are the latest. */
const MOST_TURNS = 300;
const MOST_READ = 80;
const MOST_LATEST = 16;
const MOST_STATED = 12;

/**
 * The clauses that a request may mean, the latest turn first. In a long log these are the latest ones, and of the older ones those about a
 * topic that it names, those from which the statements were formed that are nearest to it, and those that share words with it.
 */
export async function clausesBefore(work: TellWork, event: Event, request: string): Promise<HeardBefore> {
  const { deps, scope } = work;
  const owner = ownerOf(scope);
  const near = await nearStatements(work, request, MOST_STATED);
  const { turns, subjects, named, identity } = await deps.database.read(scope.tenant, async (reader) => ({
    turns: (await turnsBefore(reader, owner, event, MOST_TURNS)).filter(({ content }) => !isGreeting(content)),
    identity: await listStatements(reader, owner, { subjects: [USER], attributes: IDENTITY, owner: 'visible' }),
    subjects: await listSubjects(reader, owner),
    named: await listStatements(reader, owner, { subjects: [USER], attributes: [...NAMED_PEOPLE], owner: 'visible' }),
  }));
  const pack = detectPack(turns.map(({ content }) => content.slice(0, 500)).join('\n'));
  const people = peopleOf(
    [...named, ...subjects.map((subject) => ({ subject, attribute: null, value: null }))],
    turns.map(({ content }) => content),
    pack,
  );
  const topics = await statedTopics(work, topicsNamed(request, pack));
  const ofTopics = topics.flatMap(({ stated }) => stated);
  const others = othersIn(people, pack);
  const topicsIn = (text: string, quote: Quote): string[] =>
    topics.flatMap(({ topic, stated, isWide }) => {
      const isStated = stated.some(
        ({ quotes, value }) =>
          quotesMeet(quotes, [quote]) && (value === null || coveredBy(contentStems(text), contentStems(value)) > 0),
      );
      const isSaid = (isWide || stated.length === 0) && topicsNamed(text, pack).includes(topic) && !others.test(text);
      return isStated || isSaid ? topic : [];
    });
  const clauses = turns.flatMap(clausesOf).map((quote): Heard => {
    const topicsOf = topicsIn(quote.text, quote);
    return { text: quote.text, source: quote.event, quote, topics: topicsOf };
  });
  const stated = [...new Map([...near, ...ofTopics].map((memory) => [memory.id, memory])).values()];
  const isRead = (memory: Memory): boolean =>
    clauses.some(({ quote }) => quote !== null && quotesMeet(memory.quotes, [quote]));
  const unread = stated
    .filter((memory) => !memory.sourceEvents.includes(event.id) && !isRead(memory))
    .map(({ id, content }): Heard => {
      const about = topics.flatMap(({ topic, stated: ofTopic }) => (ofTopic.some((one) => one.id === id) ? topic : []));
      return { text: content, source: id, quote: null, topics: about };
    });
  const all = [...clauses, ...unread];
  const heard = [...nearestOf(clauses, request, stated), ...unread];
  return {
    all,
    heard,
    own: ownAmong(all, turns),
    identity: new Set(all.filter((clause) => identity.some((memory) => isToldBy(memory, clause)))),
    people,
    values: [
      ...ofTopics.flatMap(({ value }) => value ?? []),
      ...clauses.flatMap(({ text, quote, topics: { length } }) =>
        length > 0 && quote !== null && !ofTopics.some(({ quotes }) => quotesMeet(quotes, [quote])) ? text : [],
      ),
    ],
    namesOf: (relation) => namesAmong(subjects, relation),
  };
}

/** The clauses that are the user's own words, and not pasted or quoted. */
function ownAmong(clauses: readonly Heard[], turns: readonly Event[]): Set<Heard> {
  const foreign = new Map(turns.map(({ id, content }) => [id, foreignSpans(content)]));
  const isOwn = ({ quote }: Heard): boolean =>
    quote === null || !foreign.get(quote.event)?.some(({ start, end }) => start < quote.end && end > quote.start);
  return new Set(clauses.filter(isOwn));
}

/** The names of the subjects with a relation to the user. */
function namesAmong(subjects: readonly string[], relation: string): string[] {
  const start = `User's ${relation} `;
  return subjects.flatMap((subject) => (subject.startsWith(start) ? subject.slice(start.length).toLowerCase() : []));
}

/** The user's own name, city and job, which a request means only if it names them. */
const IDENTITY = ['name', 'home_city', 'job_title', 'employer'];

/** Whether a clause says the value of a statement. */
function isToldBy({ id, quotes, value }: Memory, { text, source, quote }: Heard): boolean {
  if (quote === null) return source === id;
  return quotesMeet(quotes, [quote]) && value !== null && text.toLowerCase().includes(value.toLowerCase());
}

/** "Good morning!": a request never means such a turn. */
function isGreeting(text: string): boolean {
  if (smallTalkIn(text) === null) return false;
  return PACKS.some((pack) => packPattern(pack, 'greeting').test(plainMarks(text)));
}

/** The clauses of earlier turns that are read with a request. */
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
  /** A category of attributes ("health") is wider than any of them: what is not stated with an attribute counts by its words. */
  isWide: boolean;
  /** The user's own statements about it. */
  stated: Memory[];
}

async function statedTopics({ deps, scope }: TellWork, topics: readonly string[]): Promise<StatedTopic[]> {
  const attributesOf = (topic: string): string[] =>
    deps.attributes.names().filter((name) => deps.attributes.policyOf(name).category === topic);
  const attributes = topics.flatMap((topic) => [topic, ...attributesOf(topic)]);
  const search = { subjects: [USER], attributes, owner: 'visible' } as const;
  const stated = await deps.database.read(scope.tenant, (reader) => listStatements(reader, ownerOf(scope), search));
  return topics.map((topic) => {
    const within = [topic, ...attributesOf(topic)];
    const own = stated.filter(({ attribute }) => attribute !== null && within.includes(attribute));
    return { topic, isWide: within.length > 1, stated: own };
  });
}

/** A pattern of words for somebody else: a relative of the user, or a name of the user's people. */
function othersIn(people: readonly string[], pack: Pack | null): RegExp {
  const relatives = pack === null ? [] : [`(?:${pack.my}) (?:${relationsOf(pack)})`];
  const names = people.map((name) => name.replace(/[^\p{L}\p{N} ]/gu, '.'));
  return wordsPattern([...relatives, ...names].join('|'), pack?.script);
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
