import {
  prepareContext,
  SIGNAL_NAMES,
  signalsOf,
  type QueryContext,
  type SignalName,
  type Signals,
} from './candidate-signals.ts';
import { fuseByReciprocalRank } from './fuse.ts';
import { highest } from './highest.ts';
import { RANKING_WEIGHTS } from './ranking-weights.ts';
import type { SignalShare } from './recall-options.ts';
import { answerability, answerabilityByNearness, nearness, relevance } from './relevance.ts';
import { selectCandidates } from './select-candidates.ts';
import {
  backgroundScore,
  summariseEvidence,
  type EvidenceSummary,
  type ScoredCandidate,
} from './summarise-evidence.ts';

/** A document in its place. */
export interface RankedDocument {
  ordinal: number;
  score: number;
  /** How likely it is evidence for an answer; null where the ranking does not say. */
  relevance: number | null;
  explanation: SignalShare[];
}

/** Documents in their order, and how likely it is that any of them answers. */
export interface Ranking {
  documents: RankedDocument[];
  answerable: number | null;
}

// A full look at 250 documents finds the same as one at all.
const FULL_LOOK = 250;

/** By learned weights of what tells evidence from the rest: words, meaning, who speaks, what surrounds it, when. */
export function rankByEvidence(input: Parameters<typeof prepareContext>[0], count: number): Ranking {
  const context = prepareContext(input);
  const scored = scoreCandidates(context);
  const background = backgroundScore(scored);
  const summary = summariseEvidence(context, scored, RANKING_WEIGHTS.speaker);
  const size = countAllowed(context);
  const answerable = howAnswerable(summary, size);
  const best = scored[0]?.score ?? 0;
  const documents = scored.slice(0, count).map(({ ordinal, signals, score }): RankedDocument => {
    const similarity = context.similarities[ordinal] as number;
    const evidence = {
      standout: score - background,
      gap: best - score,
      similarity: Number.isNaN(similarity) ? 0 : similarity,
      words: signals.words,
      windowWords: signals.windowWords,
      speaker: signals.speaker,
    };
    const likely = size >= CROWD ? 0 : Math.min(1, nearness(evidence.similarity, size));
    return {
      ordinal,
      score,
      relevance: Math.max(context.asked.has(ordinal) ? ASKED : likely, relevance(answerable, evidence)),
      explanation: sharesOf(signals),
    };
  });
  // A fact that is asked for is an answer; it says nothing of the other documents.
  return { documents, answerable: context.asked.size > 0 ? Math.max(ASKED, answerable) : answerable };
}

// What is usual can be read from a crowd only. Of a handful of statements the nearest is judged by itself.
const CROWD = 80;

function howAnswerable(summary: EvidenceSummary, documents: number): number {
  const likely = answerability(summary);
  if (documents >= CROWD) return likely;
  const byNearness = answerabilityByNearness(summary.bestSimilarity, documents);
  return Math.max(byNearness, summary.bestWords >= 0.5 ? likely : 0);
}

// A permanent fact whose attribute is asked for.
const ASKED = 0.8;

function countAllowed({ allowed }: QueryContext): number {
  let count = 0;
  for (const flag of allowed) count += flag;
  return count;
}

function scoreCandidates(context: QueryContext): ScoredCandidate[] {
  return selectCandidates(context, FULL_LOOK)
    .map((ordinal): ScoredCandidate => {
      const signals = signalsOf(context, ordinal);
      return { ordinal, signals, score: scoreOf(signals) };
    })
    .sort((left, right) => right.score - left.score || left.ordinal - right.ordinal);
}

function scoreOf(signals: Signals): number {
  let score = 0;
  for (const name of SIGNAL_NAMES) score += RANKING_WEIGHTS[name] * signals[name];
  return score;
}

function sharesOf(signals: Signals): SignalShare[] {
  return SIGNAL_NAMES.filter((name: SignalName) => signals[name] !== 0).map((name) => ({
    signal: name,
    value: signals[name],
    weight: RANKING_WEIGHTS[name],
  }));
}

/** By one list of values: the similarity of meaning, or BM25. Documents without a value are left out. */
export function rankByValue(values: Float32Array, allowed: Uint8Array, count: number, signal: string): Ranking {
  const usable = values.map((value, ordinal) => (allowed[ordinal] === 1 ? value : Number.NaN));
  const documents = highest(usable, count)
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

/** By the sum of 1 / (60 + rank) over the lists. Each list gives twice as many as are wanted, as the design has it. */
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
