import type { QueryContext, Signals } from './candidate-signals.ts';
import { probability, RANKING, type AnswerableInput, type EvidenceInput } from './ranking-model.ts';

/** Probability that the store holds an answer at all. */
export function answerability(summary: Readonly<Record<AnswerableInput, number>>): number {
  return probability(RANKING.answerable, summary);
}

/** Probability that one document is evidence for an answer. */
export function relevance(answerable: number, evidence: Readonly<Record<EvidenceInput, number>>): number {
  return answerable * probability(RANKING.evidence, evidence);
}

/** Below this answerability recall answers with nothing. The fit puts it where one answer in twenty is hidden. */
export const ABSTENTION_THRESHOLD = 0.4;

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
    similarity: 0,
    isStatement: 0,
  };
  for (const { signals, score, ordinal } of scored) {
    const content = score - speakerWeight * signals.speaker;
    // What nobody in particular said, a memory, is nobody else's.
    if (!named || signals.speaker > 0 || context.view.isMemory[ordinal] === 1) {
      best.own = Math.max(best.own, content);
      best.ownWords = Math.max(best.ownWords, signals.words);
      const similarity = similarityOf(context, ordinal);
      if (similarity > best.similarity) {
        best.similarity = similarity;
        best.isStatement = signals.statement;
      }
    } else if (signals.asking === 0) {
      best.other = Math.max(best.other, content);
      best.otherWords = Math.max(best.otherWords, signals.words);
    }
  }
  const top = scored[0];
  const comparable = named && Number.isFinite(best.own) && Number.isFinite(best.other);
  const foreign = context.analysis.isForeign ? 1 : 0;
  return {
    named: named ? 1 : 0,
    standout: (top?.score ?? 0) - backgroundScore(scored),
    otherFitsBetter: comparable ? clamp(best.other - best.own, 8) : 0,
    otherWordsBetter: comparable ? best.otherWords - best.ownWords : 0,
    bestWords: best.ownWords,
    bestSimilarity: best.similarity,
    bestIsStatement: best.isStatement,
    foreign,
    foreignSimilarity: foreign * best.similarity,
    unknownWords: unknownWordShare(context),
    // The more documents, the nearer one of them comes by chance.
    crowd: Math.log(1 + countAllowed(context)),
  };
}

function countAllowed({ allowed }: QueryContext): number {
  let count = 0;
  for (const flag of allowed) count += flag;
  return count;
}
