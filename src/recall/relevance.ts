import type { QueryContext, Signals } from './candidate-signals.ts';

/** A logistic model over named inputs. */
export interface LogisticModel<Name extends string> {
  readonly bias: number;
  readonly weights: Readonly<Record<Name, number>>;
}

export function probability<Name extends string>(
  model: LogisticModel<Name>,
  inputs: Readonly<Record<Name, number>>,
): number {
  let logit = model.bias;
  for (const name of Object.keys(model.weights) as Name[]) logit += model.weights[name] * inputs[name];
  return 1 / (1 + Math.exp(-logit));
}

export const ANSWERABLE_INPUTS = [
  'named',
  'standout',
  'otherFitsBetter',
  'otherWordsBetter',
  'topWords',
  'bestWords',
  'bestWindow',
  'topSimilarity',
  'bestSimilarity',
  'unknownWords',
  'topScore',
] as const;
export type AnswerableInput = (typeof ANSWERABLE_INPUTS)[number];
export const EVIDENCE_INPUTS = ['standout', 'gap', 'similarity', 'words', 'windowWords', 'speaker'] as const;
export type EvidenceInput = (typeof EVIDENCE_INPUTS)[number];

// Cosine ranges differ between embedders: weights of a similarity belong to the local embedder and need a fit of their own for another.

/** That the question does not twist what was said, above all who said it. Fitted on answerable against twisted questions. */
const CONSISTENT: LogisticModel<AnswerableInput> = {
  bias: 4.177,
  weights: {
    named: -2.658,
    standout: -0.235,
    otherFitsBetter: -0.618,
    otherWordsBetter: -0.898,
    topWords: 0.601,
    bestWords: 2.432,
    bestWindow: -1.937,
    topSimilarity: -1.838,
    bestSimilarity: 0.488,
    unknownWords: -1.246,
    topScore: 0.114,
  },
};

/** That the store knows the topic at all. Fitted against questions about other people's lives, as one case in twenty-five. */
const ON_TOPIC: LogisticModel<'standout' | 'bestWords' | 'bestSimilarity' | 'unknownWords' | 'topScore'> = {
  bias: -2.738,
  weights: { standout: 0.29, bestWords: 2.106, bestSimilarity: 6.28, unknownWords: -0.838, topScore: 0.169 },
};

/** That one document is evidence, given that the question can be answered. */
const IS_EVIDENCE: LogisticModel<EvidenceInput> = {
  bias: -2.243,
  weights: { standout: 0.37, gap: -0.578, similarity: 0.109, words: 0.267, windowWords: -0.03, speaker: 0.065 },
};

/** Probability that the store holds an answer at all. */
export function answerability(summary: Readonly<Record<AnswerableInput, number>>): number {
  return probability(CONSISTENT, summary) * probability(ON_TOPIC, summary);
}

/** Probability that one document is evidence for an answer. */
export function relevance(answerable: number, evidence: Readonly<Record<EvidenceInput, number>>): number {
  return answerable * probability(IS_EVIDENCE, evidence);
}

/**
 * Below this answerability recall answers with nothing. On held-out conversations 0.4 is silent on 46 % of twisted questions and hides
 * 2.7 % of true ones; 0.5 is silent on 54 % and hides 6 %.
 */
export const ABSTENTION_THRESHOLD = 0.4;

/**
 * How much nearer than by chance a document is to a question, among a few: the more documents, the nearer one of them
 * comes by chance. From 0, by chance, to 1, surely meant.
 */
export function nearness(cosine: number, documents: number): number {
  return (cosine - 0.18 - 0.03 * Math.log(Math.max(1, documents))) / 0.14;
}

/**
 * Probability that the nearest of a few documents answers. Read off 75 questions to 40 statements, drawn into stores of
 * 1 to 30: at the threshold 3 % of true answers are hidden in a store of one and 12 % in a store of ten; 6 % and 18 % of
 * strange questions are answered.
 */
export function answerabilityByNearness(cosine: number, documents: number): number {
  return Math.min(1, Math.max(0, ABSTENTION_THRESHOLD + nearness(cosine, documents)));
}

/** The inputs of the question whether an answer is known at all. */
export type EvidenceSummary = Record<AnswerableInput, number>;

export interface ScoredCandidate {
  readonly ordinal: number;
  readonly signals: Signals;
  readonly score: number;
}

/** Mean score of ranks 11–30: what a merely related document gets for this query. */
export function backgroundScore(scored: readonly ScoredCandidate[]): number {
  const tail = scored.slice(10, 30);
  const sample = tail.length > 0 ? tail : scored;
  return sample.reduce((sum, candidate) => sum + candidate.score, 0) / Math.max(1, sample.length);
}

function unknownWordShare({ match, view, analysis }: QueryContext): number {
  if (match.totalWeight === 0) return 0;
  let unknown = 0;
  [...new Set(analysis.terms)].slice(0, match.termWeights.length).forEach((term, index) => {
    if (!view.index.postings.has(term)) unknown += match.termWeights[index] as number;
  });
  return unknown / match.totalWeight;
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

function similarityOf(context: QueryContext, ordinal: number): number {
  const similarity = context.similarities[ordinal] as number;
  return Number.isNaN(similarity) ? 0 : similarity;
}

/**
 * What tells "the store knows" from "the best of a bad lot". `scored` is sorted, best first.
 * When the question names a person, the best fit among everyone else's statements is held against it: "what did Tim say" about
 * what John said finds John's turn fitting far better than any of Tim's.
 */
export function summariseEvidence(
  context: QueryContext,
  scored: readonly ScoredCandidate[],
  speakerWeight: number,
): Record<AnswerableInput, number> {
  const named = context.analysis.about.size > 0;
  const best = {
    own: Number.NEGATIVE_INFINITY,
    other: Number.NEGATIVE_INFINITY,
    ownWords: 0,
    otherWords: 0,
    window: 0,
    similarity: -1,
  };
  for (const { signals, score, ordinal } of scored) {
    const content = score - speakerWeight * signals.speaker;
    // What nobody in particular said, a memory, is nobody else's.
    if (!named || signals.speaker > 0 || context.view.isMemory[ordinal] === 1) {
      best.own = Math.max(best.own, content);
      best.ownWords = Math.max(best.ownWords, signals.words);
      best.window = Math.max(best.window, signals.words + signals.windowWords);
      best.similarity = Math.max(best.similarity, similarityOf(context, ordinal));
    } else if (signals.asking === 0) {
      best.other = Math.max(best.other, content);
      best.otherWords = Math.max(best.otherWords, signals.words);
    }
  }
  const top = scored[0];
  const comparable = named && Number.isFinite(best.own) && Number.isFinite(best.other);
  return {
    named: named ? 1 : 0,
    standout: (top?.score ?? 0) - backgroundScore(scored),
    otherFitsBetter: comparable ? clamp(best.other - best.own, 8) : 0,
    otherWordsBetter: comparable ? best.otherWords - best.ownWords : 0,
    topWords: top?.signals.words ?? 0,
    bestWords: best.ownWords,
    bestWindow: best.window,
    topSimilarity: top === undefined ? 0 : similarityOf(context, top.ordinal),
    bestSimilarity: Math.max(0, best.similarity),
    unknownWords: unknownWordShare(context),
    topScore: (top?.score ?? 0) - speakerWeight * (top?.signals.speaker ?? 0),
  };
}
