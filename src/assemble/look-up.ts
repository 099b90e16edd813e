import { z } from 'zod';
import { asksOfKnown, mayAskForPast } from '../recall/analyze-query.ts';
import { dayOf, zoneOf } from '../language/calendar.ts';
import { redactSensitive } from '../language/privacy-policy.ts';
import { english } from '../language/packs/en.ts';
import {
  asksFor,
  detectPack,
  isFunctionWord,
  isQuestion,
  listPattern,
  perPack,
  smallTalkIn,
  wordsOfAll,
} from '../language/packs/packs.ts';
import { findDates } from '../language/resolve-dates.ts';
import { splitSentences, withBlanks } from '../language/sentences.ts';
import { contentStems, indexWords, withoutEnd } from '../language/words.ts';
import { definePrompt, fence, type PromptTemplate, renderPrompt } from '../models/prompt.ts';
import type { RecallOptions, RecallResult, Recalled } from '../recall/recall-options.ts';
import { recall, type RecallDeps } from '../recall/recall.ts';
import { CHANGED_LATER, textOf, trustOfTurn } from '../recall/results.ts';
import type { Event } from '../record/event.ts';
import { typesThat } from '../record/memory-types.ts';
import { type Memory, plannedFor } from '../record/memory.ts';
import type { Scope } from '../record/scope.ts';
import { lengthOf } from '../record/statement.ts';
import { memoriesByTag } from '../store/context-rows.ts';
import { changedStatements, type RetiredQuote, retiredQuotes } from '../store/load-records.ts';
import { findEvents } from '../store/event-store.ts';
import { DEFAULT_TIMEOUT, type Gathering, LONGEST_QUERY } from './assemble-deps.ts';
import type { ContextOptions, Intent } from './context-options.ts';
import type { Lookup } from './context-report.ts';
import { oneLine, textByTrust } from '../language/inert-text.ts';
import type { Layout } from './layout.ts';
import { applicationItem, type Item, type Material, markedChanged, memoryItem, turnItem } from './section.ts';

/** The result of the application's own function replaces that of the rules, field by field. */
export async function chooseIntent({ options, message, attempt }: Gathering): Promise<Intent> {
  const { services, intent: hook } = options;
  const byRules = intentOf(message, services);
  if (hook === undefined) return byRules;
  return attempt('intent', async () => ({ ...byRules, ...(await hook(message, byRules)) }), byRules);
}

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

// Matches words such as in "And what about hers?", which cannot be understood without the preceding turn.
const REFERS_BACK = new RegExp(`\\b(?:${wordsOfAll('refersBack')})\\b`, 'i');
const FEW_WORDS = 6;

/** If the model fails, the rules choose. */
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

// The request is usually at the beginning or at the end of a long message; the middle is often pasted text.
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

/** If recall abstains and the message asks for a fact about the user, the question becomes the section `unknown`. */
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
    const showsTurns = how.sources === undefined || how.sources.includes('events');
    const behind = await attempt('recall', () => readBehind(deps, scope, near.results, showsTurns), NOTHING_BEHIND);
    const telling = tellingResults(near.results, message);
    const order = layout.recall?.order;
    const items = evidenceItems(telling, behind, { order, isAboutPast: mayAskForPast(message), timeZone });
    span.set({ 'gen_ai.memory.record.count': items.length });
    return { recall: items, unknown: isUnknown ? [unknownItem(message)] : [] };
  });
}

/** Keeps the results that can be understood without the turns around them, except the user's questions on other topics. */
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
// In the evaluation gate, recall wrongly abstains on 4 of 100 answerable questions. With these limits, the evidence shares are the same as
// with all 60 results.
const NEAREST_ONLY: RecallOptions = { abstain: false, limit: 5, minimumRelevance: 0.05 };
// More results are read than shown, so that enough remain after removing those that other sections contain.
const LOOKED_AT = 40;

export function mostRecalled({ recall }: Layout, { recallLimit }: ContextOptions): number {
  return recallLimit ?? recall?.limit ?? MOST_RESULTS;
}

function recallHow({ layout, options, on, deps: { memoryTypes } }: Gathering): RecallOptions {
  const { withoutSections = [], order: _order, ...how } = layout.recall ?? {};
  // The section `summaries` shows the summaries, so recall leaves out their types.
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

interface Search extends Gathering {
  queries: readonly string[];
  /** Whether the queries are the user's own message rather than written by a model. */
  isOfUser: boolean;
}

type Found = Pick<Recalled, 'results' | 'abstained' | 'degraded'>;
const NOTHING_BEHIND: Behind = { turns: new Map(), retired: [], changed: new Set() };
const NOTHING_FOUND: Found = { results: [], abstained: false, degraded: [] };

// Recall returns results however poor they are. The prompt omits those below this relevance, unless the layout sets a minimum.
const WORTH_A_LINE = 0.05;

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

/** If a semantic search finds nothing, searches by words, unless the options set a minimum similarity. */
async function recallOnce(search: Search, query: string, given: RecallOptions): Promise<Recalled> {
  const { deps, scope, options, now, timeZone, isOfUser } = search;
  const how = { connections: options.connections, timeZone, now, ...given };
  const recalled = await recall(deps, scope, query, how, { isOfUser });
  const byWords = how.mode === 'semantic' && how.minimumSimilarity === undefined && recalled.results.length === 0;
  if (!byWords) return recalled;
  const { results } = await recall(deps, scope, query, { ...how, mode: 'text' }, { isOfUser });
  return { ...recalled, results };
}

// Of the notes, more are read than shown, because some are left out.
export const RELEVANT_NOTES: RecallOptions = {
  sources: ['notes'],
  mode: 'semantic',
  limit: 10,
  minimumSimilarity: 0.6,
  recencyBoost: true,
};

export const RELEVANT_SUMMARIES: RecallOptions = { ...RELEVANT_NOTES, sources: ['summaries'], limit: 2 };

async function noteSection(search: Search): Promise<Item[]> {
  const items = await recallMemories(search, RELEVANT_NOTES);
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

export interface Behind {
  turns: ReadonlyMap<string, Event>;
  /** The quotes from recalled turns that are no longer true. */
  retired: readonly RetiredQuote[];
  /** The ids of the recalled statements that repeat what was changed later. */
  changed: ReadonlySet<string>;
}

async function readBehind(
  { database, privacy }: RecallDeps,
  scope: Scope,
  results: readonly RecallResult[],
  showsTurns: boolean,
): Promise<Behind> {
  if (results.length === 0) return NOTHING_BEHIND;
  const memories = results.flatMap(({ memory }) => memory ?? []);
  const pieces = memories.flatMap((memory) => (showsTurns && isPiece(memory) ? memory.sourceEvents : []));
  const recalled = results.flatMap(({ event }) => event?.id ?? []);
  return database.readReplica(scope, async (reader) => {
    const found = await findEvents(reader, scope, [...new Set(pieces)]);
    const turns = new Map(found.map((turn) => [turn.id, { ...turn, content: redactSensitive(turn.content, privacy) }]));
    const retired = await retiredQuotes(reader, scope, [...new Set([...pieces, ...recalled])]);
    return { turns, retired, changed: await changedStatements(reader, scope, memories) };
  });
}

// A reply with fewer content words than this says nothing by itself: "Ha!", "What a pity.", "Lovely. Which days?"
const FEWEST_WORDS = 4;
// Matches a JSON object, or a JSON list that does not begin with a number. It may follow its key.
const JSON_TEXT = /(?:^|: )[{[]["{[].*[}\]]\s*$/su;

/**
 * An agent's short reply needs the turns around it, but is shown if the message asks what the agent said. A short outcome ("4 replies")
 * needs its decision. An observation in JSON belongs to the section of structured data.
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

// A question at least this relevant may show what the user had in mind. In the data set `lives`, none below it is evidence.
const SAME_QUESTION = 0.2;

/** A user's turn that is only a question on a different topic contains no information about the user. */
function isUnrelatedQuestion({ kind, origin, content }: Event, relevance: number): boolean {
  if (kind !== 'message' || origin !== 'user' || relevance >= SAME_QUESTION) return false;
  return splitSentences(content).every(({ text }) => isQuestion(text) || contentStems(text).size === 0);
}

interface EvidenceOrder {
  order?: 'relevance' | 'time';
  /** If true, outdated statements are shown with a mark. Otherwise, they are left out. */
  isAboutPast: boolean;
  /** The time zone for turns that have none of their own. */
  timeZone: string;
}

/** If a statement is only a quotation, its turn is shown instead. Results of low trust come last. */
function evidenceItems(
  results: readonly RecallResult[],
  behind: Behind,
  { order = 'relevance', isAboutPast, timeZone }: EvidenceOrder,
): Item[] {
  const items = new Map<string, Item>();
  for (const result of results) {
    const turn = result.kind === 'event' ? result.event : turnOf(result.memory, behind, isAboutPast);
    const key = turn?.id ?? result.id;
    const item = items.get(key) ?? itemOf(result, turn, { timeZone, changed: behind.changed });
    items.set(key, result.kind === 'memory' && turn !== null ? withStatement(item, result.memory) : item);
  }
  const place = ({ date, score }: Item): number => (order === 'time' ? (date?.getTime() ?? 0) : -score);
  return [...items.values()]
    .flatMap((item) => withStanding(item, behind.retired, isAboutPast))
    .sort((one, other) => Number(one.trust === 'low') - Number(other.trust === 'low') || place(one) - place(other));
}

function itemOf(
  result: RecallResult,
  turn: Event | null,
  { timeZone: otherwise, changed }: Pick<EvidenceOrder, 'timeZone'> & Pick<Behind, 'changed'>,
): Item {
  if (turn === null) {
    const memory = result.memory as Memory;
    return memoryItem(changed.has(memory.id) ? markedChanged(memory) : memory, result.score);
  }
  const passage = result.kind === 'event' ? result.passage : null;
  const trust = trustOfTurn(turn, passage);
  const text = textByTrust(textOf(turn, passage), trust);
  const timeZone = zoneOf(turn, otherwise);
  const item = turnItem(turn, result.score);
  return { ...item, text, trust, timeZone, label: item.speaker ?? turn.origin };
}

/** Whether a statement is only a quotation, not a sentence that can be understood by itself. */
function isPiece({ reader, attribute, sourceEvents }: Memory): boolean {
  return reader === 'local' && attribute === null && sourceEvents.length === 1;
}

// In characters. The statement of a longer turn is shown instead of the whole turn.
const SHORT_TURN = 600;

function turnOf(memory: Memory, { turns, retired }: Behind, isAboutPast: boolean): Event | null {
  const turn = isPiece(memory) ? turns.get(memory.sourceEvents[0] ?? '') : undefined;
  if (turn === undefined || turn.origin !== 'user' || turn.content.length > SHORT_TURN) return null;
  // The statement still holds, but its turn would be left out.
  if (!isAboutPast && isMostlyGone(turn.content, quotesFrom(turn.id, retired))) return null;
  // Beside a pasted text, the user's own statement is shown by itself. In its turn, it would be marked as unverified.
  return trustOfTurn(turn) === 'low' ? null : turn;
}

/** Adds the statement's day to its turn, if the turn is from another day. */
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

/** Marks a turn if part of it is no longer true. Leaves it out if that is most of it, unless the question is about the past. */
function withStanding(item: Item, retired: readonly RetiredQuote[], isAboutPast: boolean): Item[] {
  const quotes = item.kind === 'event' ? quotesFrom(item.id, retired) : [];
  if (quotes.length === 0) return [item];
  if (!isAboutPast && isMostlyGone(item.text, quotes)) return [];
  return [quotes.some(({ isChanged }) => isChanged) ? { ...item, text: item.text + CHANGED_LATER } : item];
}

function quotesFrom(turn: string | null, retired: readonly RetiredQuote[]): RetiredQuote[] {
  return retired.filter(({ event }) => event === turn);
}

function isMostlyGone(text: string, quotes: readonly RetiredQuote[]): boolean {
  return quotes.length > 0 && lengthOf(quotes) * 2 >= text.length;
}

async function asksForKnown({ deps, scope, message }: Gathering): Promise<boolean> {
  const view = await deps.database.readReplica(scope, (reader) => deps.views.open(reader, scope));
  return asksOfKnown(message, { view, scope, attributes: deps.attributes });
}

const agendaTerms = perPack(({ questions: { agenda = '' } }) => new Set(indexWords(agenda.replaceAll('|', ' '))));

/** Whether a message asks only what is due, after a greeting or not: "Hello, anything on for me today?" */
export function asksForDue(message: string, now: number, timeZone: string): boolean {
  const questions = splitSentences(message).filter(({ text }) => isQuestion(text));
  return questions.every(({ text }) => {
    const pack = detectPack(text) ?? english;
    const days = findDates(text, pack, { now: new Date(now), timeZone, prefer: 'future' });
    const rest = withBlanks(text, days).replace(listPattern(pack, 'greets'), ' ');
    const isAgenda = (word: string): boolean => agendaTerms(pack).has(indexWords(word)[0] ?? '');
    const topic = rest.toLowerCase().match(/\p{L}+(?:['’]\p{L}+)*/gu) ?? [];
    return topic.some(isAgenda) && topic.every((word) => isAgenda(word) || isFunctionWord(word, pack));
  });
}

const LONGEST_QUESTION = 200;

function unknownItem(message: string): Item {
  const question = oneLine(message);
  return applicationItem(
    question.length <= LONGEST_QUESTION ? question : `${question.slice(0, LONGEST_QUESTION).trimEnd()}…`.toWellFormed(),
  );
}
