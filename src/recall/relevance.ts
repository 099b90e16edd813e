import { DAY } from '../record/clock.ts';
import type { Memory } from '../record/memory.ts';
import { COLUMN, type QueryContext, type SignalName, type Signals } from './candidate-signals.ts';
import data from './ranking.json' with { type: 'json' };
import type { SignalShare, SignalWeights } from './recall-options.ts';

interface LogisticModel<Name extends string> {
  readonly bias: number;
  readonly weights: Readonly<Record<Name, number>>;
}

function probability<Name extends string>(model: LogisticModel<Name>, inputs: Readonly<Record<Name, number>>): number {
  let logit = model.bias;
  for (const name of Object.keys(model.weights) as Name[]) logit += model.weights[name] * inputs[name];
  return 1 / (1 + Math.exp(-logit));
}

/**
 * If the question names a speaker of the store, what counts is whether another speaker's words fit better; otherwise, the similarity of the
 * nearest text. "I" does not count as a name.
 */
export const ANSWERABLE_INPUTS = {
  anybody: ['bestSimilarity', 'unknownWords', 'statementsBesideTurns', 'otherLanguage', 'otherLanguageSimilarity'],
  named: ['bestSimilarity', 'otherFitsBetter', 'otherWordsBetter'],
} as const;
export type Asked = keyof typeof ANSWERABLE_INPUTS;
export type AnswerableInput = (typeof ANSWERABLE_INPUTS)[Asked][number];
export const EVIDENCE_INPUTS = ['standout', 'gap', 'similarity', 'words'] as const;
type EvidenceInput = (typeof EVIDENCE_INPUTS)[number];

/** Learned by `npm run train:ranking`. `train/ranking/report.md` describes the data and the results. */
export interface RankingModel {
  /** How much one unit of each signal adds to a document's score. */
  readonly weights: Readonly<Record<SignalName, number>>;
  /** Estimates whether the store has an answer at all. */
  readonly answerable: { readonly [Of in Asked]: LogisticModel<(typeof ANSWERABLE_INPUTS)[Of][number]> };
  /** Given that the question can be answered. */
  readonly evidence: LogisticModel<EvidenceInput>;
}

export const RANKING: RankingModel = data;

export function answerability({ asked, inputs }: EvidenceSummary): number {
  const { anybody, named } = RANKING.answerable;
  return asked === 'named' ? probability(named, inputs) : probability(anybody, inputs);
}

export function relevance(answerable: number, evidence: Readonly<Record<EvidenceInput, number>>): number {
  return answerable * probability(RANKING.evidence, evidence);
}

/** Recall abstains below this answerability. Training sets the bias so that it withholds one known answer in forty. */
export const ABSTENTION_THRESHOLD = 0.4;

export interface ScoredCandidate {
  readonly ordinal: number;
  readonly signals: Signals;
  readonly score: number;
}

/** The mean score of ranks 11–30, which is typical of a merely related document. */
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

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

interface EvidenceSummary {
  asked: Asked;
  inputs: Readonly<Record<AnswerableInput, number>>;
}

// A store of this size has most words of a question about its owner.
const LARGE_STORE = 150;

/** From 0 for a single document to 1 for a large store. */
function sizeOf(documents: number): number {
  return Math.min(1, Math.log(Math.max(1, documents)) / Math.log(LARGE_STORE));
}

/** If John said what the question attributes to Tim, John's turn fits far better than any of Tim's, and counts against an answer. */
export function summariseEvidence(
  context: QueryContext,
  scored: readonly ScoredCandidate[],
  speakerWeight: number,
): EvidenceSummary {
  const { about, aboutCertainty, isOtherLanguage } = context.analysis;
  const isNamed = about.size > 0 && aboutCertainty === 1;
  const own = { score: Number.NEGATIVE_INFINITY, words: 0, similarity: 0 };
  const other = { score: Number.NEGATIVE_INFINITY, words: 0 };
  let statements = 0;
  for (const { signals, score, ordinal } of scored) {
    const [bySpeaker, words] = [signals[COLUMN.speaker] as number, signals[COLUMN.words] as number];
    const content = score - speakerWeight * bySpeaker;
    const isStatement = signals[COLUMN.statement] === 1;
    if (isStatement) statements += 1;
    if (signals[COLUMN.othersWords] === 1) continue;
    // A memory has no speaker, so it does not count as another person's statement.
    if (!isNamed || bySpeaker > 0 || isStatement) {
      own.score = Math.max(own.score, content);
      own.words = Math.max(own.words, words);
      own.similarity = Math.max(own.similarity, context.similarityOf(ordinal));
    } else if (signals[COLUMN.asking] === 0) {
      other.score = Math.max(other.score, content);
      other.words = Math.max(other.words, words);
    }
  }
  const isComparable = Number.isFinite(own.score) && Number.isFinite(other.score);
  const otherLanguage = isOtherLanguage ? 1 : 0;
  // A turn and its statement say the same, so only the larger of the two kinds counts.
  const size = sizeOf(Math.max(statements, scored.length - statements));
  return {
    asked: isNamed ? 'named' : 'anybody',
    inputs: {
      bestSimilarity: own.similarity,
      // A small store lacks most words, whatever the question asks. A question that names only a time has no words of its own.
      unknownWords: context.analysis.agenda.length > 0 ? 1 : unknownWordShare(context) * size,
      // In a store with statements and turns, the nearest document is nearer than in a store with only one of the two.
      statementsBesideTurns: statements > 0 && statements < scored.length ? 1 : 0,
      otherLanguage,
      otherLanguageSimilarity: otherLanguage * own.similarity,
      otherFitsBetter: isComparable ? clamp(other.score - own.score, -8, 8) : 0,
      otherWordsBetter: isComparable ? other.words - own.words : 0,
    },
  };
}

/** The default weights of `scoring: 'signals'`. */
export const DEFAULT_SCORING_WEIGHTS: SignalWeights = {
  similarity: 0.4,
  recency: 0.25,
  importance: 0.2,
  frequency: 0.1,
  entity: 0.05,
};

type RecordSignals = Omit<SignalWeights, 'similarity'>;

/** From 1 for a memory that was just read or stated, linearly to 0 within a year. */
export function recencyOf(lastAccess: Date, now: number): number {
  return clamp(1 - (now - lastAccess.getTime()) / (365 * DAY), 0, 1);
}

export function recordSignals(memory: Memory, now: number, isAboutNamed: boolean): RecordSignals {
  return {
    recency: recencyOf(memory.lastAccessedAt ?? memory.statedAt, now),
    importance: memory.importance,
    frequency: Math.min(memory.accessCount / 20, 1),
    entity: isAboutNamed ? 1 : 0,
  };
}

export function scoreBySignals(
  similarity: number,
  signals: RecordSignals,
  weights: SignalWeights,
): { score: number; explanation: SignalShare[] } {
  const values = { similarity, ...signals };
  const explanation = (Object.keys(weights) as (keyof SignalWeights)[]).map((signal) => ({
    signal,
    value: values[signal],
    weight: weights[signal],
  }));
  return { score: sumOf(explanation), explanation };
}

// On the scale of the evidence score, where a matching word adds about 1. Except for low trust, they break ties and rarely change the order
// otherwise.
const TIE_WEIGHTS: Record<keyof RecordSignals | 'distrust', number> = {
  recency: 0.2,
  importance: 0.4,
  frequency: 0.1,
  entity: 1,
  distrust: -1.5,
};

export function standingOf(memory: Memory, signals: RecordSignals): SignalShare[] {
  const values = { ...signals, distrust: memory.trust === 'low' ? 1 : 0 };
  return (Object.keys(TIE_WEIGHTS) as (keyof typeof TIE_WEIGHTS)[])
    .map((signal) => ({ signal, value: values[signal], weight: TIE_WEIGHTS[signal] }))
    .filter(({ value }) => value !== 0);
}

/** From 0.05 for a new record, linearly to 0 at an age of 90 days. */
export function recencyBoost(time: number, now: number): number {
  const days = (now - time) / DAY;
  return days < 0 ? 0.05 : Math.max(0, 0.05 * (1 - days / 90));
}

export function sumOf(shares: readonly SignalShare[]): number {
  return shares.reduce((sum, { value, weight }) => sum + value * weight, 0);
}
