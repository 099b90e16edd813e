import { z } from 'zod';
import { asksOfKnown, mayAskForPast } from '../recall/analyze-query.ts';
import { dayOf, zoneOf } from '../language/calendar.ts';
import { redactSensitive } from '../language/privacy-policy.ts';
import { asksFor, detectPack, isQuestion, smallTalkIn, wordsOfAll } from '../language/packs/packs.ts';
import { splitSentences } from '../language/sentences.ts';
import { contentStems, indexWords, withoutEnd } from '../language/words.ts';
import { definePrompt, fence, type PromptTemplate, renderPrompt } from '../models/prompt.ts';
import type { RecallOptions, RecallResult, Recalled } from '../recall/recall-options.ts';
import { recall, type RecallDeps } from '../recall/recall.ts';
import { CHANGED_LATER, textOf, trustOfTurn } from '../recall/results.ts';
import type { Event } from '../record/event.ts';
import { typesThat } from '../record/memory-types.ts';
import { type Memory, plannedFor } from '../record/memory.ts';
import type { Scope } from '../record/scope.ts';
import { memoriesByTag } from '../store/context-rows.ts';
import { type RetiredQuote, retiredQuotes } from '../store/load-records.ts';
import { findEvents } from '../store/event-store.ts';
import { DEFAULT_TIMEOUT, type Gathering } from './assemble-deps.ts';
import type { ContextOptions, Intent } from './context-options.ts';
import type { Lookup } from './context-report.ts';
import { oneLine, textByTrust } from '../language/inert-text.ts';
import type { Layout } from './layout.ts';
import { applicationItem, type Item, type Material, memoryItem, turnItem } from './section.ts';

/** Determines a message's intent by rules, and then by the application's own function if there is one. */
export async function chooseIntent({ options, message, attempt }: Gathering): Promise<Intent> {
  const { services, intent: hook } = options;
  const byRules = intentOf(message, services);
  if (hook === undefined) return byRules;
  return attempt('intent', async () => ({ ...byRules, ...(await hook(message, byRules)) }), byRules);
}

/** Classifies a message by rules: it needs a service if it contains one of the service's topics. */
function intentOf(message: string, services: Readonly<Record<string, { about: readonly string[] }>> = {}): Intent {
  const words = [...new Set(indexWords(message))];
  const said = new Set(words);
  const needed = Object.entries(services).filter(([name, { about }]) =>
    [name, ...about].some((topic) => {
      const parts = indexWords(topic);
      return parts.length > 0 && parts.every((word) => said.has(word));
    }),
  );
  return { services: needed.map(([name]) => name), words, smallTalk: smallTalkIn(message) !== null };
}

interface LookupInput {
  message: string;
  intent: Intent;
  /** The user's earlier messages, newest last. */
  earlier: readonly string[];
}

/** A message longer than this is shortened to a query of this length. */
const LONGEST_QUERY = 1500;
// Matches words such as in "And what about hers?", which cannot be understood without the preceding turn.
const REFERS_BACK = new RegExp(`\\b(?:${wordsOfAll('refersBack')})\\b`, 'i');
const FEW_WORDS = 6;

/** Chooses whether to look something up, and with which queries: by rules, or by a model. If the model fails, the rules are used. */
export async function chooseLookup(gathering: Gathering, input: LookupInput): Promise<Lookup> {
  const mode = gathering.options.lookup ?? 'rules';
  if (input.message.trim() === '') return { queries: [], by: 'rules', reason: 'there is no message' };
  if (mode === 'never') return { queries: [], by: 'never', reason: 'switched off' };
  if (mode === 'always') return { queries: [shortened(input.message)], by: 'always', reason: 'always on' };
  if (mode === 'rules') return byRules(input);
  const chosen = await gathering.attempt('lookup', () => byModel(gathering, input), null);
  return chosen ?? { ...byRules(input), failed: gathering.failed.find(({ section }) => section === 'lookup')?.error };
}

function byRules({ message, intent, earlier }: LookupInput): Lookup {
  if (intent.smallTalk) return { queries: [], by: 'rules', reason: 'small talk' };
  const before = earlier.at(-1);
  const leansBack = message.split(/\s+/u).length <= FEW_WORDS && REFERS_BACK.test(message);
  if (leansBack && before !== undefined) {
    return { queries: [shortened(`${before}\n${message}`)], by: 'rules', reason: 'refers to the turn before' };
  }
  return { queries: [shortened(message)], by: 'rules', reason: 'a message with content' };
}

const lookupSchema = z.object({
  lookup: z.boolean().describe('Whether long-term memory can help with this message'),
  queries: z.array(z.string()).max(3).describe('What to search for, each a full phrase that stands alone'),
});

const LOOKUP_PROMPT: PromptTemplate<LookupInput> = definePrompt<LookupInput>({
  task: 'lookup',
  version: 1,
  system: `You decide whether an assistant should search its long-term memory of the user before it answers.
Search when the answer may depend on who the user is, what they said, did, own, prefer or plan, or on earlier work.
Do not search for greetings, thanks, general knowledge, or what the conversation already says.
Write up to three queries that stand alone: replace "it", "there" and "she" by what they mean.`,
  render: ({ message, earlier }) =>
    [fence('earlier_turns', earlier.slice(-4).join('\n')), fence('message', message)].join('\n\n'),
});

async function byModel({ deps, scope, options }: Gathering, input: LookupInput): Promise<Lookup> {
  const { lookupModel, timeout = DEFAULT_TIMEOUT } = options;
  if (lookupModel === undefined) throw new Error('no lookupModel is set');
  const prompt = renderPrompt(LOOKUP_PROMPT, { ...input, message: shortened(input.message) });
  const { data } = await deps.ledger.metered({ scope, operation: 'recall', foreground: true }, (meter) =>
    meter.languageModel(lookupModel).generate({ task: 'lookup', prompt, schema: lookupSchema, timeout }),
  );
  const queries = data.lookup ? data.queries.map(shortened).filter((query) => query.trim() !== '') : [];
  return { queries, by: 'model', reason: data.lookup ? 'the model asks for it' : 'the model needs no lookup' };
}

// Shortens a long message to its beginning and its end, which usually contain the request; the middle is often pasted text.
function shortened(text: string): string {
  if (text.length <= LONGEST_QUERY) return text;
  const half = LONGEST_QUERY / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`.toWellFormed();
}

export async function lookUp(gathering: Gathering, { queries, by }: Lookup): Promise<Material> {
  if (queries.length === 0) return {};
  const { on, attempt } = gathering;
  const search: Search = { ...gathering, queries, isOfUser: by !== 'model' };
  const [recalled, notes, summaries, savedItems] = await Promise.all([
    on.has('recall') ? recallSection(search) : {},
    on.has('notes') ? attempt('notes', () => noteSection(search), []) : [],
    on.has('summaries') ? attempt('summaries', () => summarySection(search), []) : [],
    on.has('savedItems') ? attempt('savedItems', () => savedItemSection(search), []) : [],
  ]);
  return { ...recalled, notes, summaries, savedItems };
}

/**
 * Gathers the recalled records. If recall abstains and the message asks for a fact about the user, the question becomes the section
 * `unknown`.
 */
function recallSection(search: Search): Promise<Material> {
  const { deps, scope, layout, on, message, timeZone, attempt, failed } = search;
  const { tracing } = deps.assembling;
  const attributes = {
    'gen_ai.operation.name': 'search_memory',
    'gen_ai.memory.store.id': scope.tenant,
    ...(tracing.content ? { 'gen_ai.memory.query.text': search.queries.join('\n') } : {}),
  };
  return tracing.span('search_memory', attributes, async (span) => {
    const how = recallHow(search);
    const answer = await attempt('recall', () => recallBest(search, how), NOTHING_FOUND);
    // A message that asks nothing cannot have an unknown answer.
    const isUnanswered =
      answer.abstained && on.has('unknown') && splitSentences(message).some(({ text }) => isQuestion(text));
    const isUnknown = isUnanswered && (await attempt('recall', () => asksForKnown(search), false));
    // If the question has no answer, the nearest results may still help, provided that they are not presented as an answer.
    const near = isUnanswered
      ? await attempt('recall', () => recallBest(search, { ...how, ...NEAREST_ONLY }), NOTHING_FOUND)
      : answer;
    failed.push(...near.degraded.map((error) => ({ section: 'recall' as const, error })));
    // If the sources include turns, a turn can be shown in place of its statement.
    const behind =
      how.sources === undefined || how.sources.includes('events')
        ? await attempt('recall', () => readBehind(deps, scope, near.results), NOTHING_BEHIND)
        : NOTHING_BEHIND;
    const telling = tellingResults(near.results, message);
    const order = layout.recall?.order;
    const items = evidenceItems(telling, behind, { order, isAboutPast: mayAskForPast(message), timeZone });
    span.set({ 'gen_ai.memory.record.count': items.length });
    return { recall: items, unknown: isUnknown ? [unknownItem(message)] : [] };
  });
}

/** Returns the results that can be understood without the turns around them, except the user's questions on other topics. */
function tellingResults(results: readonly RecallResult[], message: string): RecallResult[] {
  const relevant = results.filter(({ relevance }) => relevance >= WORTH_A_LINE);
  // Equal decisions appear as one result. An outcome is therefore shown with any relevant decision, not only with its own.
  const isOfDecision = relevant.some(({ event }) => event?.kind === 'decision');
  return results.filter((result) => {
    const { event, relevance } = result;
    if (event === null) return true;
    if (event.kind === 'outcome' && (isOfDecision || relevant.includes(result))) return true;
    return standsAlone(event, message) && !isUnrelatedQuestion(event, relevance);
  });
}

const MOST_RESULTS = 10;
// In the evaluation gate, recall wrongly abstains on 4 of 100 questions that have an answer. With this limit, the evidence shares are the
// same as with all 60 results.
const NEAREST_ONLY: RecallOptions = { abstain: false, limit: 5, minimumRelevance: 0.05 };
// More results are read than shown, so that enough remain after removing those that other sections contain.
const LOOKED_AT = 40;

export function mostRecalled({ recall }: Layout, { recallLimit }: ContextOptions): number {
  return recallLimit ?? recall?.limit ?? MOST_RESULTS;
}

function recallHow({ layout, options, on, deps: { memoryTypes } }: Gathering): RecallOptions {
  const { withoutSections = [], order: _order, ...how } = layout.recall ?? {};
  // If the section `summaries` is on, it shows the summaries, so recall leaves out their types.
  const elsewhere = on.has('summaries') ? [...withoutSections, 'summaries'] : withoutSections;
  const types = typesThat(memoryTypes, ({ section }) => elsewhere.includes(section));
  return {
    minimumRelevance: WORTH_A_LINE,
    ...how,
    sources: options.recallSources ?? how.sources,
    limit: Math.max(mostRecalled(layout, options), LOOKED_AT),
    ...(types.length === 0 ? {} : { filter: { not: { types } } }),
  };
}

/** The input for the sections that searches fill. */
interface Search extends Gathering {
  queries: readonly string[];
  /** Whether the queries are the user's own message rather than written by a model. */
  isOfUser: boolean;
}

type Found = Pick<Recalled, 'results' | 'abstained' | 'degraded'>;
const NOTHING_BEHIND: Behind = { turns: new Map(), retired: [] };
const NOTHING_FOUND: Found = { results: [], abstained: false, degraded: [] };

// Recall returns the best results, however poor they are. The prompt omits results whose relevance is below this value, unless the layout
// sets its own minimum.
const WORTH_A_LINE = 0.05;

/** Recalls for every query and returns the best results. `abstained` is true only if every query abstained. */
async function recallBest(search: Search, how: RecallOptions): Promise<Found> {
  const answers = await Promise.all(search.queries.map((query) => recallOnce(search, query, how)));
  const best = new Map<string, RecallResult>();
  for (const { results } of answers) {
    for (const result of results) {
      if ((best.get(result.id)?.score ?? -Infinity) < result.score) best.set(result.id, result);
    }
  }
  return {
    results: [...best.values()].sort((one, other) => other.score - one.score).slice(0, how.limit ?? MOST_RESULTS),
    abstained: answers.every(({ abstained }) => abstained),
    degraded: [...new Set(answers.flatMap(({ degraded }) => degraded))],
  };
}

/** Recalls for one query. If a semantic search finds nothing, searches by words, unless the options set a minimum similarity. */
async function recallOnce(search: Search, query: string, given: RecallOptions): Promise<Recalled> {
  const { deps, scope, options, now, timeZone, isOfUser } = search;
  const how = { connections: options.connections, timeZone, now, ...given };
  const recalled = await recall(deps, scope, query, how, { isOfUser });
  const byWords = how.mode === 'semantic' && how.minimumSimilarity === undefined && recalled.results.length === 0;
  if (!byWords) return recalled;
  const { results } = await recall(deps, scope, query, { ...how, mode: 'text' }, { isOfUser });
  return { ...recalled, results };
}

/** Finds the two nearest notes for a turn, with a boost for recent ones. */
export const RELEVANT_NOTES: RecallOptions = {
  sources: ['notes'],
  mode: 'semantic',
  limit: 2,
  minimumSimilarity: 0.6,
  recencyBoost: true,
};

/** Finds summaries of earlier conversations for a turn. */
export const RELEVANT_SUMMARIES: RecallOptions = { ...RELEVANT_NOTES, sources: ['summaries'] };

/** Returns the two nearest notes, except notes whose title begins with `summary:` or `research:`. */
async function noteSection(search: Search): Promise<Item[]> {
  const items = await recallMemories(search, { ...RELEVANT_NOTES, limit: 10 });
  return items.filter(({ title }) => !/^(summary|research):/i.test(title ?? '')).slice(0, 2);
}

async function summarySection(search: Search): Promise<Item[]> {
  const items = await recallMemories(search, RELEVANT_SUMMARIES);
  return items.map((item) => ({ ...item, title: item.title?.replace(/^summary:\s*/i, '') }));
}

async function recallMemories(search: Search, how: RecallOptions): Promise<Item[]> {
  const { results } = await recallBest(search, how);
  return results.flatMap(({ memory, score }) => (memory === null ? [] : memoryItem(memory, score)));
}

/** Finds up to three saved items that share a tag with the message, those that share most tags first. */
async function savedItemSection({ deps, scope, message }: Search): Promise<Item[]> {
  const tags = possibleTags(message);
  const types = typesThat(deps.memoryTypes, ({ section }) => section === 'saved_items');
  const found = await deps.database.readReplica(scope, (reader) =>
    memoriesByTag(reader, scope, { types, tags, limit: 50 }),
  );
  const said = new Set(tags);
  const shared = ({ tags }: Memory): number => tags.filter((tag) => said.has(tag)).length;
  return found
    .sort((one, other) => shared(other) - shared(one))
    .slice(0, 3)
    .map((memory, rank) => memoryItem(memory, -rank));
}

const MOST_WORDS = 200;

/** Returns a message's words and pairs of words, as tags spell them. */
function possibleTags(message: string): string[] {
  const said = (message.toLowerCase().match(/[\p{L}\p{N}+#.]+/gu) ?? [])
    .slice(0, MOST_WORDS)
    .flatMap((word) => withoutEnd(word, '.') || []);
  const tags = said.flatMap((word, index) => {
    const next = said[index + 1];
    const singular = word.length > 3 && word.endsWith('s') ? [word.slice(0, -1)] : [];
    return [
      word,
      ...singular,
      ...(next === undefined ? [] : [`${word}-${next}`, `${word} ${next}`, `${word}_${next}`]),
    ];
  });
  return [...new Set(tags)];
}

/** What the recalled results are based on. */
export interface Behind {
  /** The turns from which recalled statements were read. */
  turns: ReadonlyMap<string, Event>;
  /** The quotes from recalled turns that are no longer true. */
  retired: readonly RetiredQuote[];
}

/** Reads the source turns of statements that are quotations, and the outdated quotes of all recalled turns. */
async function readBehind(
  { database, privacy }: RecallDeps,
  scope: Scope,
  results: readonly RecallResult[],
): Promise<Behind> {
  const pieces = results.flatMap(({ memory }) => (memory !== null && isPiece(memory) ? memory.sourceEvents : []));
  const recalled = results.flatMap(({ event }) => event?.id ?? []);
  if (pieces.length + recalled.length === 0) return NOTHING_BEHIND;
  return database.readReplica(scope, async (reader) => {
    const found = await findEvents(reader, scope, [...new Set(pieces)]);
    const turns = new Map(found.map((turn) => [turn.id, { ...turn, content: redactSensitive(turn.content, privacy) }]));
    return { turns, retired: await retiredQuotes(reader, scope, [...new Set([...pieces, ...recalled])]) };
  });
}

// A reply with fewer content words than this says nothing by itself: "Ha!", "What a pity.", "Lovely. Which days?"
const FEWEST_WORDS = 4;
// Matches a JSON object, or a JSON list that does not begin with a number. It may follow its key.
const JSON_TEXT = /(?:^|: )[{[]["{[].*[}\]]\s*$/su;

/**
 * Checks whether a recalled event can be understood without the turns around it. An agent's short reply cannot, but it is shown if the
 * message asks what the agent said. A short outcome ("4 replies") cannot be understood without its decision. An observation in JSON is not
 * shown, because it belongs to the section of structured data.
 */
function standsAlone({ kind, origin, content }: Event, message: string): boolean {
  if (kind === 'observation') return !JSON_TEXT.test(content);
  const isLong = contentStems(content).size >= FEWEST_WORDS;
  if (kind === 'outcome') return isLong;
  if (kind !== 'message' || origin !== 'agent') return true;
  // A date or a number may be the answer.
  if (isLong || /\p{N}/u.test(content)) return true;
  return asksFor(message, 'agentSaid', detectPack(message));
}

// A question at least this relevant may show what the user had in mind. In the data set `lives`, no question below this relevance is
// evidence.
const SAME_QUESTION = 0.2;

/**
 * Checks whether a user's turn is only a question, and on a different topic than the message. Such a turn contains no information about the
 * user.
 */
function isUnrelatedQuestion({ kind, origin, content }: Event, relevance: number): boolean {
  if (kind !== 'message' || origin !== 'user' || relevance >= SAME_QUESTION) return false;
  return splitSentences(content).every(({ text }) => isQuestion(text) || contentStems(text).size === 0);
}

interface EvidenceOrder {
  order?: 'relevance' | 'time';
  /** Whether the question is about the past. If so, outdated statements are shown with a mark. Otherwise, they are left out. */
  isAboutPast: boolean;
  /** The time zone for turns that have none of their own. */
  timeZone: string;
}

/**
 * Converts recalled results to items without duplicates. If a statement is only a quotation, its turn is shown instead. Results of low
 * trust come last.
 */
function evidenceItems(
  results: readonly RecallResult[],
  { turns, retired }: Behind,
  { order = 'relevance', isAboutPast, timeZone }: EvidenceOrder,
): Item[] {
  const items = new Map<string, Item>();
  for (const result of results) {
    const turn = result.kind === 'event' ? result.event : turnOf(result.memory, turns);
    const key = turn?.id ?? result.id;
    const item = items.get(key) ?? itemOf(result, turn, timeZone);
    items.set(key, result.kind === 'memory' && turn !== null ? withStatement(item, result.memory) : item);
  }
  const place = ({ date, score }: Item): number => (order === 'time' ? (date?.getTime() ?? 0) : -score);
  return [...items.values()]
    .flatMap((item) => withStanding(item, retired, isAboutPast))
    .sort((one, other) => Number(one.trust === 'low') - Number(other.trust === 'low') || place(one) - place(other));
}

function itemOf(result: RecallResult, turn: Event | null, otherwise: string): Item {
  if (turn === null) return memoryItem(result.memory as Memory, result.score);
  const passage = result.kind === 'event' ? result.passage : null;
  const trust = trustOfTurn(turn, passage);
  const text = textByTrust(textOf(turn, passage), trust);
  const timeZone = zoneOf(turn, otherwise);
  const item = turnItem(turn, result.score);
  return { ...item, text, trust, timeZone, label: item.speaker ?? turn.origin };
}

/** Checks whether a statement is only a quotation, not a sentence that can be understood by itself. */
function isPiece({ reader, attribute, sourceEvents }: Memory): boolean {
  return reader === 'local' && attribute === null && sourceEvents.length === 1;
}

// If a turn is longer than this, its statement is shown and not the whole turn.
const SHORT_TURN = 600;

/** Returns the turn to show in place of a statement, or null to show the statement itself. */
function turnOf(memory: Memory, turns: Behind['turns']): Event | null {
  const turn = isPiece(memory) ? turns.get(memory.sourceEvents[0] ?? '') : undefined;
  if (turn === undefined || turn.origin !== 'user' || turn.content.length > SHORT_TURN) return null;
  // Beside a pasted text, the user's own statement is shown by itself. In its turn, it would be marked as unverified.
  return trustOfTurn(turn) === 'low' ? null : turn;
}

/** Adds the statement's date to the turn that is shown in its place, if the turn has another date. */
function withStatement(item: Item, memory: Memory): Item {
  const day = plannedFor(memory) ?? (memory.tense === 'happened' ? memory.validFrom : null);
  const isOpen = day !== null && (item.date === undefined || dayOf(memory, day) !== dayOf(memory, item.date));
  const mark = isOpen ? ` (${memory.tense === 'planned' ? 'planned for ' : ''}${dayOf(memory, day)})` : '';
  return {
    ...item,
    text: item.text.endsWith(mark) ? item.text : item.text + mark,
    statements: [...(item.statements ?? []), memory.id],
  };
}

/** Marks a turn if part of it is no longer true. Leaves the turn out if that is most of it, unless the question is about the past. */
function withStanding(item: Item, retired: readonly RetiredQuote[], isAboutPast: boolean): Item[] {
  const quotes = item.kind === 'event' ? retired.filter(({ event }) => event === item.id) : [];
  if (quotes.length === 0) return [item];
  const gone = quotes.reduce((sum, { start, end }) => sum + end - start, 0);
  if (gone * 2 >= item.text.length && !isAboutPast) return [];
  return [quotes.some(({ isChanged }) => isChanged) ? { ...item, text: item.text + CHANGED_LATER } : item];
}

/** Checks whether a message asks for a fact that only memory can contain. */
async function asksForKnown({ deps, scope, message }: Gathering): Promise<boolean> {
  const view = await deps.database.readReplica(scope, (reader) => deps.views.open(reader, scope));
  return asksOfKnown(message, { view, scope, attributes: deps.attributes });
}

const LONGEST_QUESTION = 200;

/** Creates the item for a question that memory cannot answer. The layout writes the notice around the question. */
function unknownItem(message: string): Item {
  const question = oneLine(message);
  return applicationItem(
    question.length <= LONGEST_QUESTION ? question : `${question.slice(0, LONGEST_QUESTION).trimEnd()}…`.toWellFormed(),
  );
}
