import { VarveError } from '../errors.ts';
import { isMostlyForeign } from '../language/foreign-text.ts';
import { type PrivacyPolicy, redactJson, redactSensitive } from '../language/privacy-policy.ts';
import { passagesOf, shownStatement, type TextSpan, withoutBlanks } from '../language/sentences.ts';
import { estimateTokens, indexWords, saysQuoted } from '../language/words.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { calibratedSimilarity, type Calibration } from '../models/embedder.ts';
import type { Reranker } from '../models/reranker.ts';
import { type Event, isBlank, toldText } from '../record/event.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import type { Memory } from '../record/memory.ts';
import type { Scope } from '../record/scope.ts';
import { type Trust, trustOf } from '../record/statement.ts';
import type { Database, Reader } from '../store/database.ts';
import { eventIdsAround, findEvents } from '../store/event-store.ts';
import { liveVersion, loadEvents, type RetiredQuote, retiredQuotes } from '../store/load-records.ts';
import { loadMemories } from '../store/read-memories.ts';
import { isAboutPast, type QueryAnalysis } from './analyze-query.ts';
import type { RecallDocument } from './recall-document.ts';
import type { Candidate } from './rank-documents.ts';
import type { Recalled, RecalledEvent, RecalledMemory, RecallOptions, RecallResult } from './recall-options.ts';
import type { RecallView } from './recall-view.ts';
import {
  ABSTENTION_THRESHOLD,
  recordSignals,
  scoreBySignals,
  DEFAULT_SCORING_WEIGHTS,
  standingOf,
  sumOf,
} from './relevance.ts';
import { comparableText } from '../record/id.ts';

export interface Loading {
  scope: Scope;
  view: RecallView;
  candidates: readonly Candidate[];
  options: RecallOptions;
  now: number;
  /** The time as of which statements are read; null means the present. */
  asOf: Date | null;
  /** Null without an embedder. */
  calibration: Calibration | null;
  analysis: Pick<QueryAnalysis, 'wants' | 'times' | 'terms'>;
  memoryTypes: MemoryTypeTable;
  most: number;
}

/** Replaced memories lead to their live version. Only the events among the best `most` are read, because their scores are known. */
export async function loadResults(reader: Reader, database: Database, loading: Loading): Promise<RecallResult[]> {
  const { scope, view, candidates, most, asOf } = loading;
  if (most === 0) return [];
  const memories = await memoryResults(reader, database, loading);
  const ranked: { score: number; result: RecallResult | null; candidate: Candidate }[] = [];
  for (const candidate of candidates) {
    const result = memories.get(candidate.ordinal) ?? null;
    if (result === null && view.isMemory[candidate.ordinal] === 1) continue;
    ranked.push({ score: result?.score ?? finalScore(candidate, null, loading).score, result, candidate });
  }
  ranked.sort((left, right) => right.score - left.score);
  const best = ranked.slice(0, most);
  const rowIds = best.flatMap(({ result, candidate }) => (result === null ? rowOf(view, candidate) : []));
  const events = await loadEvents(reader, database, { scope, rowIds });
  const ids = [...events.values()].map(({ id }) => id);
  const retired = asOf === null ? await retiredQuotes(reader, scope, ids) : [];
  const found = best.flatMap(({ result }) => result ?? []);
  const replaced = asOf === null ? await replacedBehind(reader, found, loading) : [];
  const loaded = best.flatMap(({ result, candidate }) => {
    if (result !== null)
      return [isSummary(result, loading) ? withReplaced(result, replaced, loading.analysis) : result];
    const event = events.get(rowOf(view, candidate));
    return event === undefined ? [] : [turnResult(candidate, event, retired, loading)];
  });
  return loaded.sort((left, right) => right.score - left.score);
}

/** Marks a turn if part of what it says was changed later. If that is at least half of the text, the turn ranks as outdated. */
function turnResult(
  candidate: Candidate,
  event: Event,
  retired: readonly RetiredQuote[],
  loading: Loading,
): RecallResult {
  const passage = bestPassage(event, candidate, loading.analysis.terms);
  const turn = toResult(candidate, { kind: 'event', memory: null, event, passage, foundBy: null }, loading);
  const { start, end } = passage ?? { start: 0, end: event.content.length };
  const changed = retired
    .filter((quote) => quote.isChanged && quote.event === event.id)
    .map((quote) => Math.min(quote.end, end) - Math.max(quote.start, start))
    .filter((length) => length > 0);
  if (changed.length === 0) return turn;
  const marked = { ...turn, text: turn.text + CHANGED_LATER };
  const isMostlyChanged = Math.max(...changed) * 2 >= end - start;
  return isMostlyChanged && !isAboutPast(loading.analysis) ? outdated(marked) : marked;
}

function isSummary({ memory }: RecallResult, { memoryTypes }: Pick<Loading, 'memoryTypes'>): boolean {
  return memory !== null && memoryTypes.get(memory.type)?.section === 'summaries';
}

/** Quotes from the summaries' source events that were replaced or taken back later. */
async function replacedBehind(reader: Reader, results: readonly RecallResult[], loading: Loading): Promise<string[]> {
  const summaries = results.filter((result) => isSummary(result, loading));
  const sources = [...new Set(summaries.flatMap(({ memory }) => memory?.sourceEvents ?? []))];
  const quotes = (await retiredQuotes(reader, loading.scope, sources)).filter(({ isChanged }) => isChanged);
  if (quotes.length === 0) return [];
  const turns = await findEvents(reader, loading.scope, [...new Set(quotes.map(({ event }) => event))]);
  const contents = new Map(turns.map(({ id, content }) => [id, content]));
  return quotes
    .map(({ event, start, end }) => contents.get(event)?.slice(start, end).trim() ?? '')
    .filter((words) => words !== '');
}

/** Marks lines that repeat replaced words. If every line with words of the question is marked, the summary is outdated. */
function withReplaced(result: RecallResult, replaced: readonly string[], analysis: Loading['analysis']): RecallResult {
  if (result.memory === null || replaced.length === 0) return result;
  const lines = result.memory.content.split('\n').map((text) => {
    const plain = comparableText(text.replace(/^[^“"]{0,20}: (?=[“"])|[“”"]/gu, ''));
    const isReplaced = replaced.some(
      (words) => saysQuoted(text, words) || (plain !== '' && comparableText(words).includes(plain)),
    );
    return { text, isReplaced };
  });
  if (!lines.some(({ isReplaced }) => isReplaced)) return result;
  const content = lines.map(({ text, isReplaced }) => (isReplaced ? text + CHANGED_LATER : text)).join('\n');
  const memory = { ...result.memory, content };
  const marked = { ...result, memory, text: titledStatement(memory) };
  const asked = new Set(analysis.terms);
  const answering = lines.filter(({ text }) => indexWords(text).some((word) => asked.has(word)));
  const isOutdated = answering.length > 0 && answering.every(({ isReplaced }) => isReplaced);
  return isOutdated && !isAboutPast(analysis) ? outdated(marked) : marked;
}

// On the scale of the evidence score, where a matching word adds about 1.
const OUTDATED = -2;

function outdated(result: RecallResult): RecallResult {
  const explanation = [...result.explanation, { signal: 'outdated', value: 1, weight: OUTDATED }];
  return { ...result, explanation, score: result.score + OUTDATED, relevance: result.relevance / 2 };
}

/** Marks a turn, or a summary's line, that is wholly or partly outdated. */
export const CHANGED_LATER = ' (changed later)';

function rowOf({ documents }: RecallView, { ordinal }: Candidate): number {
  return (documents[ordinal] as RecallDocument).rowId;
}

/** By ordinal. */
async function memoryResults(reader: Reader, database: Database, loading: Loading): Promise<Map<number, RecallResult>> {
  const { scope, view, candidates, analysis, asOf } = loading;
  const asksPast = analysis.wants.past || analysis.times.length > 0;
  const found = candidates.filter(({ ordinal }) => view.isMemory[ordinal] === 1);
  const rowIds = found
    .filter(({ ordinal }) => view.documents[ordinal]?.successor === null || asksPast)
    .map((candidate) => rowOf(view, candidate));
  const memories = await loadMemories(reader, database, { scope, rowIds, asOf });
  const results = new Map<number, RecallResult>();
  for (const candidate of found) {
    const { rowId, successor, id } = view.documents[candidate.ordinal] as RecallDocument;
    const own = memories.get(rowId);
    const isAnswer = own !== undefined && (successor === null ? own.archivedAt === null : wasTrue(own, analysis));
    const memory = isAnswer ? own : successor === null ? null : await liveVersion(reader, scope, successor);
    if (memory === null) continue;
    const foundBy = isAnswer ? null : id;
    results.set(candidate.ordinal, toResult(candidate, { kind: 'memory', memory, event: null, foundBy }, loading));
  }
  return results;
}

/** A replaced memory is itself the answer if the question is about the time when it was true. */
function wasTrue(memory: Memory, { wants, times }: Loading['analysis']): boolean {
  if (memory.archiveReason !== 'superseded' && memory.archiveReason !== 'contradicted') return false;
  const from = (memory.validFrom ?? memory.statedAt).getTime();
  const to = (memory.validTo ?? memory.archivedAt ?? memory.updatedAt).getTime();
  return wants.past || times.some((range) => from < range.to && to > range.from);
}

function titledStatement(memory: Memory): string {
  const statement = shownStatement(memory);
  return memory.title === null ? statement : `${memory.title}. ${statement}`;
}

function bestPassage(event: Event, { cosine, passage }: Candidate, terms: readonly string[]): TextSpan | null {
  const content = toldText(event);
  const passages = passagesOf(content);
  if (passages.length === 1) return null;
  if (cosine !== null) return passages[passage] ?? null;
  const shares = passages.map(({ start, end }) => {
    const words = new Set(indexWords(content.slice(start, end)));
    return terms.filter((term) => words.has(term)).length;
  });
  return passages[shares.indexOf(Math.max(...shares))] ?? null;
}

/** Forgotten words appear as "…". */
export function textOf(event: Event, passage: TextSpan | null): string {
  const content = toldText(event);
  return withoutBlanks(passage === null ? content : content.slice(passage.start, passage.end));
}

/** A user's turn that is mostly pasted or quoted text has low trust. */
export function trustOfTurn({ kind, origin, content }: Event, passage: TextSpan | null = null): Trust {
  const isPasted = kind === 'message' && origin === 'user' && isMostlyForeign(content, passage ?? undefined);
  return isPasted ? 'low' : trustOf(origin);
}

type Found =
  | Pick<RecalledMemory, 'kind' | 'memory' | 'event'>
  | Pick<RecalledEvent, 'kind' | 'memory' | 'event' | 'passage'>;

function toResult(candidate: Candidate, record: Found & { foundBy: string | null }, loading: Loading): RecallResult {
  const { memory } = record;
  const similarity = similarityOf(candidate, loading);
  const scored = finalScore(candidate, memory, loading);
  return {
    ...record,
    id: memory === null ? record.event.id : memory.id,
    text: memory === null ? textOf(record.event, record.passage) : titledStatement(memory),
    ...scored,
    relevance: candidate.relevance ?? similarity ?? wordRelevance(candidate),
    similarity,
    distance: candidate.cosine === null ? null : 1 - candidate.cosine,
    arms: candidate.arms,
    before: [],
    after: [],
    sources: [],
  };
}

function similarityOf({ cosine }: Candidate, { calibration }: Loading): number | null {
  return cosine === null || calibration === null ? null : calibratedSimilarity(cosine, calibration);
}

function finalScore(
  candidate: Candidate,
  memory: Memory | null,
  loading: Loading,
): Pick<RecallResult, 'score' | 'explanation'> {
  const { options, now } = loading;
  const signals = memory === null ? null : recordSignals(memory, now, candidate.arms.includes('entity'));
  if (options.scoring === 'signals') {
    const weights = { ...DEFAULT_SCORING_WEIGHTS, ...options.weights };
    return scoreBySignals(similarityOf(candidate, loading) ?? 0, signals ?? NO_SIGNALS, weights);
  }
  const isByEvidence = (options.mode ?? 'hybrid') === 'hybrid' && options.fusion !== 'reciprocal-rank';
  if (memory === null || signals === null || !isByEvidence)
    return { score: candidate.score, explanation: candidate.explanation };
  const explanation = [...candidate.explanation, ...standingOf(memory, signals)];
  return { score: sumOf(explanation), explanation };
}

const NO_SIGNALS = { recency: 0, importance: 0, frequency: 0, entity: 0 };

// Estimates the relevance without a vector, from how many of the query's words match.
function wordRelevance({ explanation }: Candidate): number {
  const words = explanation.find(({ signal }) => signal === 'words')?.value;
  return words ?? (explanation.length > 0 ? 0.5 : 0);
}

export async function bringAlong(
  reader: Reader,
  scope: Scope,
  results: readonly RecallResult[],
  { neighbours = 0, withSources = false }: RecallOptions,
): Promise<void> {
  const sourcesOf = ({ memory }: RecallResult): readonly string[] => (withSources ? (memory?.sourceEvents ?? []) : []);
  const events = results.flatMap(({ event }) => (neighbours === 0 ? [] : (event ?? [])));
  const around = Map.groupBy(await eventIdsAround(reader, events, neighbours), ({ beside }) => beside);
  const ids = [...results.flatMap(sourcesOf), ...[...around.values()].flat().map(({ id }) => id)];
  const turns = (await findEvents(reader, scope, [...new Set(ids)])).filter((turn) => !isBlank(turn));
  for (const result of results) {
    const [sources, near] = [new Set(sourcesOf(result)), new Set(around.get(result.id)?.map(({ id }) => id))];
    result.sources = turns.filter(({ id }) => sources.has(id));
    const place = result.event?.position ?? 0;
    result.before = turns.filter(({ id, position }) => near.has(id) && (position ?? 0) < place);
    result.after = turns.filter(({ id, position }) => near.has(id) && (position ?? 0) > place);
  }
}

/** The turns that a memory paraphrases. A summary does not paraphrase each of its many events. */
function turnsOf({ memory }: RecallResult, memoryTypes: MemoryTypeTable): readonly string[] {
  if (memory === null || memory.sourceType === 'consolidation') return [];
  return memoryTypes.get(memory.type)?.section === 'summaries' ? [] : memory.sourceEvents;
}

export function abstains({ abstain }: RecallOptions, answerable: number | null): boolean {
  return abstain !== false && answerable !== null && answerable < ABSTENTION_THRESHOLD;
}

export interface Packing {
  options: RecallOptions;
  limit: number;
  answerable: number | null;
  degraded: string[];
  memoryTypes: MemoryTypeTable;
}

/** Of a statement and its turn, only the higher-ranked is returned, unless the statement leaves out words that it quotes from the turn. */
export function packResults(
  results: readonly RecallResult[],
  { options, limit, answerable, degraded, memoryTypes }: Packing,
): Recalled {
  if (abstains(options, answerable)) return { results: [], answerable, abstained: true, degraded };
  const packed: RecallResult[] = [];
  const seen = new Set<string>();
  let tokens = 0;
  for (const result of results) {
    if (packed.length === limit) break;
    if (options.minimumSimilarity !== undefined && (result.similarity ?? 0) < options.minimumSimilarity) continue;
    if (result.relevance < (options.minimumRelevance ?? 0)) continue;
    const marks = [result.id, `text ${comparableText(result.text)}`];
    if (marks.some((mark) => seen.has(mark)) || isRepeated(result, packed, memoryTypes)) continue;
    const cost = options.tokenBudget === undefined ? 0 : estimateTokens(result.text);
    if (tokens + cost > (options.tokenBudget ?? Infinity)) continue;
    tokens += cost;
    packed.push(result);
    for (const mark of marks) seen.add(mark);
  }
  return { results: packed, answerable, abstained: false, degraded };
}

/** A statement is repeated if all its turns are packed, and a turn if the packed statements contain all words that they quote from it. */
function isRepeated(result: RecallResult, packed: readonly RecallResult[], memoryTypes: MemoryTypeTable): boolean {
  if (result.event === null) {
    const turns = turnsOf(result, memoryTypes);
    return turns.length > 0 && turns.every((turn) => packed.some(({ id }) => id === turn));
  }
  const { id, content } = result.event;
  const statements = packed.flatMap((each) => (turnsOf(each, memoryTypes).includes(id) ? (each.memory ?? []) : []));
  const said = statements.map(({ content: text, value }) => `${text} ${value ?? ''}`).join(' ');
  const quoted = statements.flatMap(({ quotes }) => quotes.filter(({ event }) => event === id));
  return statements.length > 0 && quoted.every(({ start, end }) => saysQuoted(said, content.slice(start, end)));
}

/** No password may reach a prompt, but an unredacted log contains passwords verbatim, and an older store may have them in memories. */
export function redactResults(results: readonly RecallResult[], policy: PrivacyPolicy): RecallResult[] {
  const redacted = (event: Event): Event => ({
    ...event,
    content: redactSensitive(event.content, policy),
    metadata: redactJson(event.metadata, policy) as Event['metadata'],
  });
  return results.map((each) => {
    const result = { ...each };
    result.before = result.before.map(redacted);
    result.after = result.after.map(redacted);
    result.sources = result.sources.map(redacted);
    if (result.memory !== null) {
      result.memory = { ...result.memory, content: redactSensitive(result.memory.content, policy) };
      result.text = redactSensitive(result.text, policy);
    }
    if (result.kind !== 'event') return result;
    const content = toldText(result.event);
    result.event = redacted(result.event);
    // The passage is cut again from the redacted content: the words that mark a number as a secret may be in another passage.
    if (result.passage !== null && toldText(result.event) !== content) {
      const number = passagesOf(content).findIndex(({ start }) => start === result.passage?.start);
      const passages = passagesOf(toldText(result.event));
      result.passage = passages.slice(0, number + 1).at(-1) ?? null;
    }
    const mark = each.text.endsWith(CHANGED_LATER) ? CHANGED_LATER : '';
    result.text = textOf(result.event, result.passage) + mark;
    return result;
  });
}

const MOST_RERANKED = 30;

/** Sends only redacted texts. If the reranker fails, the results keep their order. */
export async function rerankResults(
  { reranker, ledger, privacy }: { reranker: Reranker | null; ledger: Ledger; privacy: PrivacyPolicy },
  scope: Scope,
  { query, results, options }: { query: string; results: RecallResult[]; options: RecallOptions },
): Promise<RecallResult[]> {
  if (reranker === null || options.rerank === false || results.length < 2) return results;
  const best = results.slice(0, MOST_RERANKED);
  try {
    const { ranking } = await ledger.metered({ scope, operation: 'recall', foreground: true }, (meter) =>
      meter.reranker(reranker).rerank(
        redactSensitive(query, privacy),
        redactResults(best, privacy).map(({ text }) => text),
      ),
    );
    const ordered = ranking.flatMap(({ index, score }) => {
      const result = best[index];
      if (result === undefined) return [];
      return [{ ...result, explanation: [...result.explanation, { signal: 'reranker', value: score, weight: 0 }] }];
    });
    const left = best.filter((result) => !ordered.some(({ id }) => id === result.id));
    return [...ordered, ...left, ...results.slice(MOST_RERANKED)];
  } catch (error) {
    if (!VarveError.isInstance(error)) throw error;
    return results;
  }
}
