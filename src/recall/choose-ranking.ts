import {
  calibratedSimilarity,
  type Calibration,
  cosineFor,
  LOCAL_EMBEDDER_CALIBRATION,
} from '../models/calibration.ts';
import { isAboutPast, type QueryAnalysis } from './analyze-query.ts';
import type { SignalName } from './candidate-signals.ts';
import type { LexicalMatch } from './lexical-index.ts';
import type { Meaning } from './measure-meaning.ts';
import {
  rankByEvidence,
  rankByReciprocalRank,
  rankByValue,
  type RankedDocument,
  type Ranking,
} from './rank-documents.ts';
import type { Arm, RecallOptions } from './recall-options.ts';
import type { RecallView } from './recall-view.ts';
import { recencyBoost } from './relevance.ts';
import { type Candidate, limitOf } from './results.ts';

/** The results of the retrieval arms. */
export interface Found {
  view: RecallView;
  analysis: QueryAnalysis;
  match: LexicalMatch;
  allowed: Uint8Array;
  /** Null without vectors. */
  meaning: Meaning | null;
  aboutNamed: ReadonlySet<number>;
  /** The permanent facts that the query asks for, and the memories of the kind that it asks for. */
  asked: ReadonlySet<number>;
  /** The calibration of the embedder; null without an embedder. */
  calibration: Calibration | null;
  options: RecallOptions;
  now: number;
}

/** Ranks the results of the arms as the options ask. */
export function chooseRanking(found: Found): { candidates: Candidate[]; answerable: number | null } {
  const ranking = rank(found);
  const candidates = outdatedBehind(ranking.documents, found).map((document) => toCandidate(document, found));
  // Documents that are linked to an entity of the query are added, regardless of their similarity.
  const known = new Set(candidates.map(({ ordinal }) => ordinal));
  for (const ordinal of found.aboutNamed) {
    if (known.has(ordinal) || found.allowed[ordinal] !== 1) continue;
    candidates.push(toCandidate({ ordinal, score: 0, relevance: null, explanation: [] }, found));
  }
  return { candidates, answerable: ranking.answerable };
}

/**
 * Ranks a turn behind its best statement if that statement has been replaced, because the words of the turn are then outdated. The
 * replacement is returned in place of the replaced statement.
 */
function outdatedBehind(documents: readonly RankedDocument[], { view, analysis }: Found): RankedDocument[] {
  if (isAboutPast(analysis)) return [...documents];
  const ranked = new Map(documents.map((document) => [document.ordinal, document]));
  for (const turn of documents) {
    if (view.isMemory[turn.ordinal] === 1 || turn.relevance === null) continue;
    const statements = view.sameMatter(turn.ordinal);
    const [nearest] = statements
      .flatMap((ordinal) => ranked.get(ordinal) ?? [])
      .toSorted((one, other) => other.score - one.score);
    if (nearest === undefined || view.documents[nearest.ordinal]?.successor === null) continue;
    const stated = statements.reduce((sum, ordinal) => sum + (view.wordCounts[ordinal] as number), 0);
    const saysMore = stated < (view.wordCounts[turn.ordinal] as number) * HALF;
    if (saysMore && nearest.score < turn.score * HALF) continue;
    const relevance = Math.max(turn.relevance, nearest.relevance ?? 0);
    ranked.set(nearest.ordinal, { ...raised(nearest, Math.max(turn.score - nearest.score, 0)), relevance });
    const behind = Math.min(turn.relevance, nearest.relevance ?? 0);
    ranked.set(turn.ordinal, { ...raised(turn, -STEP_BEHIND), relevance: behind });
  }
  return [...ranked.values()].sort((one, other) => other.score - one.score);
}

// If the statements have less than half of the words of a turn, its other words may answer the question: its score is then more than twice
// that of the best statement.
const HALF = 0.5;
const STEP_BEHIND = 0.01;

function raised(document: RankedDocument, value: number): RankedDocument {
  const explanation = [...document.explanation, { signal: 'replaced', value, weight: 1 }];
  return { ...document, score: document.score + value, explanation };
}

// More candidates than results, because duplicates and turns behind a recalled memory are removed later.
const SPARE = 30;

function rank(found: Found): Ranking {
  const { options, meaning, match, allowed, view } = found;
  const limit = limitOf(options, found.analysis);
  const count = options.scoring === 'signals' ? (options.candidates ?? 30) : limit + SPARE;
  const byWords = (size: number): Ranking => rankByValue(wordScores(match), allowed, size, 'bm25');
  const mode = meaning === null ? 'text' : (options.mode ?? 'hybrid');
  // "What has changed since May?" is similar to none of the statements that have changed.
  const hasTopic = !found.analysis.wants.changes || found.asked.size === 0;
  if (mode === 'text' || meaning === null || !hasTopic) return withoutMeaning(found, count, byWords);
  const similarities = options.recencyBoost ? boosted(meaning.similarities, view, found.now) : meaning.similarities;
  const bySimilarity = (size: number): Ranking => rankByValue(similarities, allowed, size, 'similarity');
  if (mode === 'semantic' || options.scoring === 'signals') return bySimilarity(count);
  if (options.fusion === 'reciprocal-rank') {
    const size = limit * 2;
    return rankByReciprocalRank({ semantic: bySimilarity(size), text: byWords(size) }, count);
  }
  const { calibration } = found;
  const cosineOf = (ordinal: number): number => meaning.similarities[ordinal] as number;
  if (calibration === null || calibration.embedder.startsWith(LOCAL_EMBEDDER_CALIBRATION.embedder))
    return rankByEvidence({ ...found, ...meaning, similarityOf: (ordinal) => cosineOf(ordinal) || 0 }, count);
  // The weights of similarity were learned with the local embedder, so the cosines of another model are mapped to its scale.
  const similarityOf = (ordinal: number): number =>
    Number.isNaN(cosineOf(ordinal))
      ? 0
      : cosineFor(calibratedSimilarity(cosineOf(ordinal), calibration), LOCAL_EMBEDDER_CALIBRATION);
  const analysis = { ...found.analysis, isForeign: false };
  return rankByEvidence({ ...found, ...meaning, analysis, similarityOf }, count);
}

/** Without vectors, the evidence ranking still uses words, speakers, times and neighbouring turns. The mode `text` is plain BM25. */
function withoutMeaning(found: Found, count: number, byWords: (size: number) => Ranking): Ranking {
  if (found.options.mode === 'text') return byWords(count);
  const none = new Float32Array(found.view.documents.length);
  // Without an embedder every question is treated as one in a foreign language, where words weigh more.
  const analysis = { ...found.analysis, isForeign: true };
  const ranking = rankByEvidence({ ...found, analysis, similarityOf: () => 0, meaning: none }, count);
  const documents = ranking.documents.filter(
    ({ ordinal }) => found.match.termMasks[ordinal] !== 0 || found.asked.has(ordinal),
  );
  // The model of answerability was trained on stores with vectors.
  return { documents, answerable: null };
}

/** BM25 of the documents with a matching word, NaN for all others. */
function wordScores(match: LexicalMatch): Float32Array {
  return match.bm25.map((score) => (score > 0 ? score : Number.NaN));
}

function boosted(similarities: Float32Array, view: RecallView, now: number): Float32Array {
  return similarities.map((value, ordinal) => value + recencyBoost(view.times[ordinal] ?? Number.NaN, now));
}

// The signals of the turns around a document. Their type fails to compile when a signal gets another name.
const FROM_CONTEXT: ReadonlySet<string> = new Set<SignalName>([
  'nearMeaning',
  'nearShort',
  'answerMeaning',
  'windowWords',
  'sessionWords',
  'sessionMeaning',
]);

function toCandidate(document: Ranking['documents'][number], found: Found): Candidate {
  const { ordinal } = document;
  const cosine = found.meaning?.similarities[ordinal] ?? Number.NaN;
  const arms: Arm[] = [];
  if (!Number.isNaN(cosine)) arms.push('vector');
  if ((found.match.termMasks[ordinal] ?? 0) !== 0) arms.push('text');
  if (found.aboutNamed.has(ordinal)) arms.push('entity');
  if (found.asked.has(ordinal)) arms.push('keyed');
  if (document.explanation.some(({ signal, value }) => signal === 'date' && value > 0)) arms.push('time');
  if (document.explanation.some(({ signal, value }) => FROM_CONTEXT.has(signal) && value > 0)) arms.push('context');
  return {
    ...document,
    cosine: Number.isNaN(cosine) ? null : cosine,
    passage: found.meaning?.passages[ordinal] ?? 0,
    isAboutNamed: found.aboutNamed.has(ordinal),
    arms,
  };
}
