import {
  COLUMN,
  prepareContext,
  type QueryContext,
  SIGNAL_NAMES,
  type SignalName,
  type Signals,
  signalsOfAll,
} from './candidate-signals.ts';
import type { SignalShare } from './recall-options.ts';
import {
  answerability,
  backgroundScore,
  RANKING,
  type RankingModel,
  relevance,
  type ScoredCandidate,
  summariseEvidence,
} from './relevance.ts';

export interface RankedDocument {
  ordinal: number;
  score: number;
  /** The probability that the document is evidence for an answer; null where the ranking does not estimate it. */
  relevance: number | null;
  explanation: SignalShare[];
}

/** Documents, best first, and the probability that any of them answers the question; null where it is not estimated. */
export interface Ranking {
  documents: RankedDocument[];
  answerable: number | null;
}

type Weights = RankingModel['weights'];

// Scoring the 250 best candidates gives the same results as scoring all documents.
const FULL_LOOK = 250;

/** Ranks by learned weights of the signals: words, meaning, speaker, neighbours, time. */
export function rankByEvidence(input: Parameters<typeof prepareContext>[0], count: number): Ranking {
  const context = prepareContext(input);
  const scored = scoreCandidates(context);
  const background = backgroundScore(scored);
  const answerable = answerability(summariseEvidence(context, scored, RANKING.weights.speaker));
  const best = scored[0]?.score ?? 0;
  const documents = scored.slice(0, count).map(({ ordinal, signals, score }): RankedDocument => {
    const likely = relevance(answerable, {
      standout: score - background,
      gap: best - score,
      similarity: context.similarityOf(ordinal),
      words: signals[COLUMN.words] as number,
    });
    return {
      ordinal,
      score,
      relevance: context.asked.has(ordinal) ? Math.max(ASKED, likely) : likely,
      explanation: sharesOf(signals),
    };
  });
  // A document that the question asks for by its attribute or kind is an answer, whatever its score.
  return { documents, answerable: context.asked.size > 0 ? Math.max(ASKED, answerable) : answerable };
}

// The minimum relevance of a document that the question asks for by its attribute or kind.
const ASKED = 0.8;

/** The candidates with their scores, best first. */
export function scoreCandidates(context: QueryContext, weights: Weights = RANKING.weights): ScoredCandidate[] {
  const columns = Float64Array.from(SIGNAL_NAMES, (name) => weights[name]);
  const ordinals = selectCandidates(context, FULL_LOOK, weights);
  return signalsOfAll(context, ordinals)
    .map((signals, index) => ({ ordinal: ordinals[index] as number, signals, score: scoreOf(signals, columns) }))
    .sort((left, right) => right.score - left.score || left.ordinal - right.ordinal);
}

function scoreOf(signals: Signals, weights: Float64Array): number {
  let score = 0;
  for (let column = 0; column < signals.length; column += 1)
    score += (weights[column] as number) * (signals[column] as number);
  return score;
}

function sharesOf(signals: Signals): SignalShare[] {
  const shares: SignalShare[] = [];
  for (let column = 0; column < signals.length; column += 1) {
    const value = signals[column] as number;
    const signal = SIGNAL_NAMES[column] as SignalName;
    if (value !== 0) shares.push({ signal, value, weight: RANKING.weights[signal] });
  }
  return shares;
}

/** Ranks by a single value: the similarity of meaning, or BM25. Documents without a value (NaN) are left out. */
export function rankByValue(values: Float32Array, allowed: Uint8Array, count: number, signal: string): Ranking {
  const usable = values.map((value, ordinal) => (allowed[ordinal] === 1 ? value : Number.NaN));
  const documents = topK(usable, count)
    .map((ordinal) => ({ ordinal, value: usable[ordinal] as number }))
    .sort((left, right) => right.value - left.value || right.ordinal - left.ordinal)
    .map(({ ordinal, value }) => ({
      ordinal,
      score: value,
      relevance: null,
      explanation: [{ signal, value, weight: 1 }],
    }));
  return { documents, answerable: null };
}

/** Ranks by reciprocal rank fusion of the lists. */
export function rankByReciprocalRank(lists: Readonly<Record<string, Ranking>>, count: number): Ranking {
  const names = Object.keys(lists);
  const fused = fuseByReciprocalRank(
    names.map((name) => (lists[name] as Ranking).documents.map(({ ordinal }) => ordinal)),
  );
  const documents = [...fused]
    .sort(([left, leftScore], [right, rightScore]) => rightScore - leftScore || right - left)
    .slice(0, count)
    .map(([ordinal, score]) => ({
      ordinal,
      score,
      relevance: null,
      explanation: names.flatMap((name) => {
        const rank = (lists[name] as Ranking).documents.findIndex((document) => document.ordinal === ordinal);
        return rank < 0 ? [] : [{ signal: `${name} rank ${rank + 1}`, value: 1 / (60 + rank + 1), weight: 1 }];
      }),
    }));
  return { documents, answerable: null };
}

// Most of a BM25 value is coverage; with this factor no result is lost compared with scoring every document.
const COVERAGE_IN_BM25 = 0.6;

/** Selects the candidates by a cheap score of every document, which uses the weights of the most important signals. */
function selectCandidates(context: QueryContext, count: number, weights: Weights): number[] {
  const { view, meaning, analysis, dates, sessionWords, allowed, asked, bestBm25, match } = context;
  const { previous, next, sessions, speakerNumbers, cohesion, isMemory } = view;
  const { bm25, totalWeight } = match;
  const foreign = analysis.isForeign ? 1 : 0;
  const ofMeaning = weights.meaning + foreign * weights.foreignMeaning;
  const ofWords = COVERAGE_IN_BM25 * (weights.words + foreign * weights.foreignWords);
  const lexical =
    totalWeight === 0 || bestBm25 === 0
      ? 0
      : ofWords / totalWeight + (weights.bm25 + foreign * weights.foreignBm25) / bestBm25;
  const near = cohesion.neighbour * weights.nearMeaning;
  const session = cohesion.session * weights.sessionWords;
  const about = view.speakers.findIndex((speaker) => analysis.about.has(speaker.name));
  const speaker = about < 0 ? 0 : weights.speaker * analysis.aboutCertainty;
  const rough = new Float32Array(meaning.length);
  for (let ordinal = 0; ordinal < rough.length; ordinal += 1) {
    if (allowed[ordinal] !== 1) {
      rough[ordinal] = Number.NaN;
      continue;
    }
    let score = ofMeaning * (meaning[ordinal] as number) + lexical * (bm25[ordinal] as number);
    if (near !== 0) {
      const before = meaning[previous[ordinal] as number] ?? 0;
      const after = meaning[next[ordinal] as number] ?? 0;
      score += near * (before > after ? before : after);
    }
    if (session !== 0) score += session * (sessionWords[sessions[ordinal] as number] ?? 0);
    if (isMemory[ordinal] === 1) score += weights.statement;
    if (speakerNumbers[ordinal] === about) score += speaker;
    if (dates !== null) score += weights.date * (dates[ordinal] as number);
    rough[ordinal] = score;
  }
  for (const ordinal of asked) rough[ordinal] = (rough[ordinal] as number) + weights.keyed;
  return topK(rough, count);
}

const RECIPROCAL_RANK_CONSTANT = 60;

/** Reciprocal rank fusion: each list adds 1 / (60 + rank), ranks from 1. */
export function fuseByReciprocalRank<Item>(rankings: readonly (readonly Item[])[]): Map<Item, number> {
  const scores = new Map<Item, number>();
  for (const ranking of rankings) {
    for (const [index, item] of ranking.entries())
      scores.set(item, (scores.get(item) ?? 0) + 1 / (RECIPROCAL_RANK_CONSTANT + index + 1));
  }
  return scores;
}

const BINS = 2048;

/**
 * The ordinals of the `count` highest values, unordered; NaN is not a value. A histogram finds the threshold, so that only the values
 * at it are sorted.
 */
export function topK(values: Float32Array, count: number): number[] {
  if (values.length <= count) return Array.from(values.keys()).filter((ordinal) => !Number.isNaN(values[ordinal]));
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let ordinal = 0; ordinal < values.length; ordinal += 1) {
    const value = values[ordinal] as number;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const scale = high > low ? (BINS - 1) / (high - low) : 0;
  const histogram = new Uint32Array(BINS);
  for (let ordinal = 0; ordinal < values.length; ordinal += 1) {
    const value = values[ordinal] as number;
    if (Number.isNaN(value)) continue;
    const bin = ((value - low) * scale) | 0;
    histogram[bin] = (histogram[bin] as number) + 1;
  }
  let cut = BINS - 1;
  for (let taken = histogram[cut] as number; taken < count && cut > 0;) {
    cut -= 1;
    taken += histogram[cut] as number;
  }
  const chosen: number[] = [];
  const atThreshold: number[] = [];
  for (let ordinal = 0; ordinal < values.length; ordinal += 1) {
    const value = values[ordinal] as number;
    if (Number.isNaN(value)) continue;
    const bin = ((value - low) * scale) | 0;
    if (bin > cut) chosen.push(ordinal);
    else if (bin === cut) atThreshold.push(ordinal);
  }
  atThreshold.sort((left, right) => (values[right] as number) - (values[left] as number) || left - right);
  return [...chosen, ...atThreshold.slice(0, count - chosen.length)];
}
