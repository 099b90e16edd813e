import type { SignalName } from './candidate-signals.ts';
import data from './ranking.json' with { type: 'json' };

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
  'bestWords',
  'bestSimilarity',
  'bestIsStatement',
  'foreign',
  'foreignSimilarity',
  'unknownWords',
  'crowd',
] as const;
export type AnswerableInput = (typeof ANSWERABLE_INPUTS)[number];
export const EVIDENCE_INPUTS = ['standout', 'gap', 'similarity', 'words'] as const;
export type EvidenceInput = (typeof EVIDENCE_INPUTS)[number];

/** What `npm run train:ranking` has learned; `train/ranking/report.md` says from what and how well. */
export interface RankingModel {
  /** What one unit of a signal adds to a document's score. */
  readonly weights: Readonly<Record<SignalName, number>>;
  /** That the store holds an answer at all. */
  readonly answerable: LogisticModel<AnswerableInput>;
  /** That one document is evidence, given that the question can be answered. */
  readonly evidence: LogisticModel<EvidenceInput>;
}

export const RANKING: RankingModel = data;
