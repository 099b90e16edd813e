import { COLUMN, type SignalName } from '../../src/recall/candidate-signals.ts';
import { scoreCandidates } from '../../src/recall/rank-documents.ts';
import {
  ABSTENTION_THRESHOLD,
  ANSWERABLE_INPUTS,
  type AnswerableInput,
  type Asked,
  backgroundScore,
  EVIDENCE_INPUTS,
  type RankingModel,
  summariseEvidence,
} from '../../src/recall/relevance.ts';
import { type QuestionRows, rowsOf } from './features.ts';
import { type Case, fitLogistic, foldOf, FOLDS, logitOf, rounded } from './learn.ts';
import type { RankingStore } from './stores.ts';

/** A question with its fitted probability of an answer. Below `ABSTENTION_THRESHOLD`, recall abstains. */
export interface SilenceRow {
  set: string;
  kind: string;
  probability: number;
  isAnswerable: boolean;
}

/**
 * The sign of each weight. A nearer text is never a reason to abstain, and a better match in another person's texts is never a reason to
 * answer.
 */
const SIGNS: Readonly<Record<AnswerableInput, 1 | -1 | 0>> = {
  bestSimilarity: 1,
  unknownWords: -1,
  statementsBesideTurns: 0,
  otherLanguage: 0,
  otherLanguageSimilarity: 0,
  otherFitsBetter: -1,
  otherWordsBetter: -1,
};
/**
 * The weight of all answerable questions together. Each kind of unanswerable question has a weight of 1, however many questions there are.
 */
const KNOWN_WEIGHT = 3;
// A kind with fewer questions than this has a proportionally lower weight.
const FEWEST = 100;
/** The share of answerable questions on which recall may abstain. */
const HIDDEN_SHARE = 0.03;

interface Fitting {
  stores: readonly RankingStore[];
  /** Stores that are only measured, and never used for fitting. */
  measured: readonly RankingStore[];
  vectors: ReadonlyMap<string, Float32Array>;
  weights: Readonly<Record<SignalName, number>>;
}

interface AskedCase extends Case {
  asked: Asked;
  set: string;
  kind: string;
  isMeasured: boolean;
  /** Whether the embedder was trained on this question. Such a question is nearer to its answer than a new question. */
  isSeen: boolean;
}

/**
 * Fits the probability that a question has an answer, and that a document is evidence. The probability in each row comes from a model that
 * was fitted without its store.
 */
export function fitSilence({
  stores,
  measured,
  vectors,
  weights,
}: Fitting): Pick<RankingModel, 'answerable' | 'evidence'> & { rows: SilenceRow[] } {
  const questions: AskedCase[] = [];
  const documents: Case[] = [];
  for (const store of [...stores, ...measured]) {
    const isMeasured = measured.includes(store);
    for (const rows of rowsOf(store, vectors)) {
      const scored = scoreCandidates(rows.context, weights);
      const { asked, inputs } = summariseEvidence(rows.context, scored, weights.speaker);
      const { kind, evidence } = rows.question;
      questions.push({
        asked,
        set: store.set,
        kind,
        group: store.group,
        inputs: ANSWERABLE_INPUTS[asked].map((name) => inputs[name]),
        isTrue: evidence.length > 0,
        weight: 1,
        isMeasured,
        isSeen: store.seenByEmbedder && evidence.length > 0,
      });
      if (!isMeasured) documents.push(...documentCases(rows, scored));
    }
  }
  const anybody = fitAnswerable('anybody', questions);
  const named = fitAnswerable('named', questions);
  const ofDocuments = fitLogistic(documents, [1, -1, 1, 1], { rounds: 200 });
  return {
    answerable: {
      anybody: { bias: rounded(anybody.bias), weights: nameInputs(ANSWERABLE_INPUTS.anybody, anybody.weights) },
      named: { bias: rounded(named.bias), weights: nameInputs(ANSWERABLE_INPUTS.named, named.weights) },
    },
    evidence: { bias: rounded(ofDocuments.bias), weights: nameInputs(EVIDENCE_INPUTS, ofDocuments.weights) },
    rows: [...anybody.rows, ...named.rows],
  };
}

function documentCases({ context, question, store }: QuestionRows, scored: ReturnType<typeof scoreCandidates>): Case[] {
  if (question.evidence.length === 0) return [];
  const background = backgroundScore(scored);
  const best = scored[0]?.score ?? 0;
  const right = new Set(question.evidence.flat());
  return scored.slice(0, 20).map(({ ordinal, score, signals }) => ({
    group: store.group,
    inputs: [score - background, best - score, context.similarityOf(ordinal), signals[COLUMN.words] as number],
    isTrue: right.has(ordinal),
    weight: 1,
  }));
}

function fitAnswerable(
  of: Asked,
  questions: readonly AskedCase[],
): ReturnType<typeof fitLogistic> & { rows: SilenceRow[] } {
  const asked = questions.filter((question) => question.asked === of);
  const fitted = asked.filter(({ isMeasured }) => !isMeasured);
  weigh(fitted);
  const signs = ANSWERABLE_INPUTS[of].map((name) => SIGNS[name]);
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    fitLogistic(
      fitted.filter(({ group }) => foldOf(group) !== fold),
      signs,
    ),
  );
  const whole = fitLogistic(fitted, signs);
  const logits = asked.map(({ isMeasured, group, inputs }) =>
    logitOf(isMeasured ? whole : (folds[foldOf(group)] as typeof whole), inputs),
  );
  // The threshold is a constant of the product. The bias is shifted so that recall abstains on `HIDDEN_SHARE` of the answerable questions
  // that the embedder was not trained on.
  const known = logits
    .filter((_, index) => asked[index]?.isTrue === true && !asked[index].isMeasured && !asked[index].isSeen)
    .toSorted((one, other) => one - other);
  const cut = known[Math.floor(HIDDEN_SHARE * known.length)] ?? 0;
  const shift = Math.log(ABSTENTION_THRESHOLD / (1 - ABSTENTION_THRESHOLD)) - cut;
  return {
    ...whole,
    bias: whole.bias + shift,
    rows: asked.map(({ set, kind, isTrue }, index) => ({
      set,
      kind,
      isAnswerable: isTrue,
      probability: 1 / (1 + Math.exp(-(logits[index] as number) - shift)),
    })),
  };
}

function weigh(cases: readonly AskedCase[]): void {
  const counts = new Map<string, number>();
  for (const { isTrue, kind } of cases) counts.set(isTrue ? '' : kind, (counts.get(isTrue ? '' : kind) ?? 0) + 1);
  for (const one of cases) {
    const count = Math.max(FEWEST, counts.get(one.isTrue ? '' : one.kind) as number);
    one.weight = (one.isTrue ? KNOWN_WEIGHT : 1) / count;
  }
}

function nameInputs<Name extends string>(names: readonly Name[], weights: readonly number[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, column) => [name, rounded(weights[column] as number)])) as Record<
    Name,
    number
  >;
}
