import { entitySlug } from '../language/entities.ts';
import { words, wordSet } from '../language/words.ts';
import { type AttributeTable, hasTrait } from '../record/attributes.ts';
import type { MemoryType, MemoryTypeTable } from '../record/memory-types.ts';
import { ownerKey, type Scope, visibleOwners } from '../record/scope.ts';
import type { Database, IndexedKind, Reader } from '../store/database.ts';
import { rowsThat } from '../store/indexing.ts';
import { rowsAboutNamed } from '../store/load-records.ts';
import type { QueryAnalysis } from './analyze-query.ts';
import { relativesIn } from './candidate-signals.ts';
import { MARK, type RecallDocument } from './recall-document.ts';
import { coverageOf, type LexicalMatch } from './lexical-index.ts';
import { filterCondition, type RecallFilter } from '../store/record-filter.ts';
import { RECALL_SOURCES, type RecallOptions } from './recall-options.ts';
import type { RecallView } from './recall-view.ts';

export async function allowedDocuments(
  reader: Reader,
  database: Database,
  { scope, view, options, now }: { scope: Scope; view: RecallView; options: RecallOptions; now: number },
): Promise<Uint8Array> {
  const connections = new Set([...(options.connections ?? []), scope.connection].filter((name) => name !== null));
  const ownSession = `${ownerKey(scope)} ${scope.session}`;
  const mayFind = (document: RecallDocument): boolean =>
    (document.staysInSession !== true || (scope.user === null && document.session === ownSession)) &&
    (document.expiresAt === null || document.expiresAt > now) &&
    (document.connection === null || connections.has(document.connection)) &&
    (document.kind === 'event' || document.session === null || document.session === scope.session);
  const { restricted, documents } = view;
  const allowed = ofSources(view, options.sources);
  for (const ordinal of restricted) if (!mayFind(documents[ordinal] as RecallDocument)) allowed[ordinal] = 0;
  const filter = wholeFilter(options);
  const isOfType = filter === null ? null : typeTest(filter);
  if (isOfType !== null) {
    for (const [ordinal, document] of documents.entries()) if (!isOfType(document)) allowed[ordinal] = 0;
  } else if (filter !== null) await narrow(reader, database, { scope, view, allowed, filter });
  return allowed;
}

/**
 * Excludes "ok", "Noted." and "thanks!", unless they contain all words of the query, or answer a matching question of another speaker
 * (courtesies never do).
 */
export function leaveOutSmallTalk(
  allowed: Uint8Array,
  { marks, isMemory, previous, voices }: RecallView,
  match: LexicalMatch,
): void {
  for (let ordinal = 0; ordinal < allowed.length; ordinal += 1) {
    const mark = marks[ordinal] as number;
    if ((mark & MARK.isSmallTalk) === 0 || isMemory[ordinal] === 1) continue;
    const before = previous[ordinal] as number;
    const isAsked = before >= 0 && ((marks[before] as number) & MARK.endsAsking) !== 0 && match.termMasks[before] !== 0;
    const isAnswer = isAsked && (mark & MARK.isCourtesy) === 0 && voices[before] !== voices[ordinal];
    if (!isAnswer && coverageOf(match.termMasks[ordinal] as number, match) < 1) allowed[ordinal] = 0;
  }
}

function ofSources({ live, sources }: RecallView, wanted: RecallOptions['sources']): Uint8Array {
  const allowed = live.slice();
  if (wanted === undefined) return allowed;
  const isWanted = Uint8Array.from(RECALL_SOURCES, (source) => (wanted.includes(source) ? 1 : 0));
  for (let ordinal = 0; ordinal < allowed.length; ordinal += 1) {
    allowed[ordinal] = (allowed[ordinal] as number) & (isWanted[sources[ordinal] as number] as number);
  }
  return allowed;
}

function wholeFilter({ filter, minimumImportance }: RecallOptions): RecallFilter | null {
  if (minimumImportance === undefined) return filter ?? null;
  return { and: [{ minimumImportance }, ...(filter === undefined ? [] : [filter])] };
}

/** A filter that names only types needs no database query. Null for any other filter. */
function typeTest({ types, not, ...others }: RecallFilter): ((document: RecallDocument) => boolean) | null {
  const { types: left, ...othersLeft } = not ?? { types: [] };
  if (left === undefined) return null;
  if ([...Object.values(others), ...Object.values(othersLeft)].some((value) => value !== undefined)) return null;
  return ({ type }) => (types === undefined || types.includes(type)) && !left.includes(type);
}

async function narrow(
  reader: Reader,
  database: Database,
  { scope, view, allowed, filter }: { scope: Scope; view: RecallView; allowed: Uint8Array; filter: RecallFilter },
): Promise<void> {
  const owners = visibleOwners(scope);
  const rowsOf = (kind: IndexedKind): Promise<Set<number>> => {
    const condition = filterCondition(filter, kind, database.syntax);
    return rowsThat(reader, { tenant: scope.tenant, owners, kind, condition });
  };
  const kept = { memory: await rowsOf('memory'), event: await rowsOf('event') };
  for (const [ordinal, { kind, rowId }] of view.documents.entries()) {
    if (!kept[kind].has(rowId)) allowed[ordinal] = 0;
  }
}

/** Words in a question that do not name its topic. */
const NEUTRAL: ReadonlySet<string> = new Set(
  words(
    'name call now current today day still usual thing kind type tell know remember suggest recommend good idea want need make get',
  ),
);

/**
 * Permanent facts whose attributes a question asks for. The question must contain all words of the attribute's name: "name" asks for
 * `name`, not for `pet_name`. If it has another topic, it asks for something else ("Who lives in the spare room?"): in the data set
 * `lives`, only 10 of 69 English questions with an attribute's word ask for that attribute. The neutral words are English, so the topic is
 * not checked in other languages.
 */
export function askedFacts(
  { terms, isOtherLanguage, times }: Pick<QueryAnalysis, 'terms' | 'isOtherLanguage' | 'times'>,
  view: RecallView,
  attributes: AttributeTable,
): Set<number> {
  const relatives = relativesIn(terms);
  // "What is his wife's name?" asks for an attribute whose name contains "wife". "Where does his mother live?" does not ask for an
  // attribute of the user.
  const telling = new Set(relatives.length > 0 ? relatives : terms);
  const topic = isOtherLanguage ? [] : terms.filter((term) => !NEUTRAL.has(term));
  const isAsked = (attribute: string): boolean => {
    const phrases = phrasesOf(attribute, attributes);
    return (
      phrases.some((phrase) => phrase.every((word) => telling.has(word))) &&
      topic.every((term) => phrases.some((phrase) => phrase.includes(term)))
    );
  };
  const found = view.keyed.filter((ordinal) => {
    const attribute = view.documents[ordinal]?.attribute ?? null;
    return attribute !== null && view.live[ordinal] === 1 && isAsked(attribute);
  });
  return new Set(times.length === 0 ? found : trueThen(found, view, times));
}

/**
 * "Where did I live in March?" does not ask for the present city. Without a value that is known to have been true then, all are kept,
 * because a value may have been true before it was mentioned.
 */
function trueThen(facts: readonly number[], view: RecallView, times: QueryAnalysis['times']): number[] {
  const wasTrue = (ordinal: number): boolean => {
    const { time, until } = view.documents[ordinal] as RecallDocument;
    return times.some(({ from, to }) => time < to && (until ?? Infinity) > from);
  };
  const attributeOf = (ordinal: number): string | null => view.documents[ordinal]?.attribute ?? null;
  const known = new Set(facts.filter(wasTrue).map(attributeOf));
  return facts.filter((ordinal) => wasTrue(ordinal) || !known.has(attributeOf(ordinal)));
}

const PARTS_OF_NAMES: ReadonlySet<string> = new Set(words('first last full middle maiden family given surname'));

/** A name is similar to every question about a person, so the user's own names are excluded unless the question asks for them. */
export function leaveOutNames(
  allowed: Uint8Array,
  view: RecallView,
  attributes: AttributeTable,
  { terms, match, asked }: { terms: readonly string[]; match: LexicalMatch; asked: ReadonlySet<number> },
): void {
  const topic = terms.filter((term) => !NEUTRAL.has(term));
  if (topic.every((term) => PARTS_OF_NAMES.has(term))) return;
  for (const ordinal of view.keyed) {
    const isName = hasTrait(view.documents[ordinal]?.attribute ?? null, 'own', attributes);
    const isAsked = asked.has(ordinal) || coverageOf(match.looseMasks[ordinal] as number, match) >= 0.5;
    if (isName && !isAsked) allowed[ordinal] = 0;
  }
}

const phrasesByTable = new WeakMap<AttributeTable, Map<string, string[][]>>();

/** Each as a list of stems. */
function phrasesOf(attribute: string, attributes: AttributeTable): string[][] {
  const known = phrasesByTable.get(attributes) ?? new Map<string, string[][]>();
  phrasesByTable.set(attributes, known);
  const before = known.get(attribute);
  if (before !== undefined) return before;
  const { labels, synonyms, askedWith } = attributes.policyOf(attribute);
  const names = [attribute, ...Object.values(labels), ...synonyms.filter((name) => !AMBIGUOUS.has(name))];
  // An unknown attribute has no synonyms, so "Who is my boss?" asks for `boss_name`.
  if (!attributes.isKnown(attribute)) names.push(attribute.replace(/_names?$/, ''));
  const phrases = [
    ...names.map((name) => words(name.replaceAll('_', ' '))),
    ...words(askedWith.join(' ')).map((word) => [word]),
  ];
  const kept = phrases.filter((phrase) => phrase.length > 0);
  known.set(attribute, kept);
  return kept;
}

/** Synonyms that mean something else in a question: "call the dentist" does not ask for a nickname. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['called', 'from', 'role', 'field', 'position']);

/** A kind of memory that questions ask for by name, not by content. */
interface AskedKind {
  names: ReadonlySet<string>;
  has(document: RecallDocument, type: MemoryType | undefined): boolean;
}

const FAMILY = wordSet(`
  mother mom mum father dad parent parents sister sisters brother brothers sibling siblings twin twins son sons daughter
  daughters child children kid kids baby wife husband spouse partner girlfriend boyfriend fiance fiancee grandmother grandma
  grandfather grandpa grandparents grandson granddaughter aunt uncle cousin cousins niece nephew family`);
const HOW_TO_ANSWER =
  /\b(?:the agent|answers?|answered|repl(?:y|ies)|responses?|explanations?|tone|style|format|bullet points?|paragraphs?|emojis?|jargon|to be called)\b/i;

const KINDS: readonly AskedKind[] = [
  kind(
    'preference preferences prefer like likes taste tastes favorite favourite favorites favourites',
    ({ category }) => category === 'preference',
  ),
  kind(
    'communication communicate style format formatting tone answer answers respond response reply write instruction instructions',
    ({ attribute, text }, type) =>
      attribute?.startsWith('answer_') === true || (type?.personal === true && HOW_TO_ANSWER.test(text)),
  ),
  kind('family relative relatives', ({ text }) =>
    text
      .toLowerCase()
      .split(/[^\p{L}-]+/u)
      .some((word) => FAMILY.has(word)),
  ),
  kind('know remember background profile overview everything summary information info facts', () => true),
];

function kind(names: string, has: AskedKind['has']): AskedKind {
  return { names: new Set(words(names)), has };
}

const kindsByTable = new WeakMap<MemoryTypeTable, AskedKind[]>();

function typeKinds(memoryTypes: MemoryTypeTable): AskedKind[] {
  const before = kindsByTable.get(memoryTypes);
  if (before !== undefined) return before;
  const kinds = [...memoryTypes]
    .filter(([, { recalled }]) => recalled)
    .map(([name, { askedFor }]) =>
      kind([name.replaceAll('_', ' '), ...askedFor].join(' '), ({ type }) => type === name),
    );
  kindsByTable.set(memoryTypes, kinds);
  return kinds;
}

export function askedDocuments(
  analysis: QueryAnalysis,
  view: RecallView,
  { attributes, memoryTypes }: { attributes: AttributeTable; memoryTypes: MemoryTypeTable },
): Set<number> {
  return new Set([
    ...askedFacts(analysis, view, attributes),
    // "My plans for next week" asks for that week's plans, not for all plans.
    ...(analysis.agenda.length > 0 ? [] : askedKinds(analysis.terms, view, memoryTypes)),
    ...askedChanges(analysis, view, memoryTypes),
    ...askedDays(analysis, view),
  ]);
}

/** For "What has changed since May?": memories that happened, became true or ended in that time. */
function askedChanges(
  { wants, times }: Pick<QueryAnalysis, 'wants' | 'times'>,
  view: RecallView,
  memoryTypes: MemoryTypeTable,
): Set<number> {
  if (!wants.changes) return new Set();
  const isIn = (time: number): boolean => times.some(({ from, to }) => time >= from && time < to);
  return liveMemories(view, ({ type, time, until }) => {
    const hasChanged = isIn(time) || (until !== null && isIn(until));
    return hasChanged && memoryTypes.get(type)?.section !== 'summaries';
  });
}

function liveMemories(
  { documents, isMemory, live }: RecallView,
  test: (document: RecallDocument) => boolean,
): Set<number> {
  const found = new Set<number>();
  for (const [ordinal, document] of documents.entries()) {
    if (isMemory[ordinal] === 1 && live[ordinal] === 1 && test(document)) found.add(ordinal);
  }
  return found;
}

/** For "What have I got on this week?": memories with a day in that time. */
function askedDays({ agenda }: Pick<QueryAnalysis, 'agenda'>, view: RecallView): Set<number> {
  if (agenda.length === 0) return new Set();
  return liveMemories(view, ({ day }) => day != null && agenda.some(({ from, to }) => day >= from && day < to));
}

// Words in a question that do not name a kind of memory.
const FILLERS: ReadonlySet<string> = new Set(words('user person tell give list show all current general main please'));

/** "User preferences", "communication style" or "What do you know about me?" share no word with the memories that they ask for. */
export function askedKinds(terms: readonly string[], view: RecallView, memoryTypes: MemoryTypeTable): Set<number> {
  const telling = terms.filter((term) => !FILLERS.has(term));
  const asked = [...KINDS, ...typeKinds(memoryTypes)].filter(({ names }) => telling.some((term) => names.has(term)));
  if (asked.length === 0 || !telling.every((term) => asked.some(({ names }) => names.has(term)))) return new Set();
  return liveMemories(view, (document) => asked.some(({ has }) => has(document, memoryTypes.get(document.type))));
}

const LONGEST_NAME = 4;
const MOST_WORDS = 40;

export async function documentsAboutNamed(
  reader: Reader,
  database: Database,
  { scope, query, view }: { scope: Scope; query: string; view: RecallView },
): Promise<Set<number>> {
  const rows = await rowsAboutNamed(reader, database, { scope, slugs: possibleSlugs(query) });
  return new Set([...rows].flatMap((row) => view.ordinalOf('memory', row) ?? []));
}

/** Any n-gram of up to four words may be a name. */
function possibleSlugs(query: string): string[] {
  const parts = entitySlug(query).split('-').filter(Boolean).slice(0, MOST_WORDS);
  const names: string[] = [];
  for (let start = 0; start < parts.length; start += 1) {
    for (let length = 1; length <= LONGEST_NAME && start + length <= parts.length; length += 1) {
      names.push(parts.slice(start, start + length).join('-'));
    }
  }
  return names;
}
