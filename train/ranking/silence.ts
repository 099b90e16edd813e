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
 * The weight of all answerable questions of a set together. The other kinds of questions, except `unknown`, have a weight of 1 each, however
 * many questions there are.
 */
const KNOWN_WEIGHT = 3;
// No feature tells them from answerable questions. With a full weight, they would only blur the weights of the features.
const UNKNOWN_WEIGHT = 0.3;
// A kind with fewer questions than this has a proportionally lower weight.
const FEWEST = 100;
/** The share of answerable questions on which recall may abstain, in English and in other languages, with the same weight for each set. */
const HIDDEN_SHARE = 0.025;

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
  // Few stores have questions that name a speaker, so these stores count as one set.
  const setOf = ({ set }: AskedCase): string => (of === 'named' ? '' : set);
  weigh(fitted, setOf);
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
  // that the embedder was not trained on. With one shift for all languages, nearly all of them would be English questions.
  const language = ANSWERABLE_INPUTS[of].findIndex((name) => name === 'otherLanguage');
  const isOther = ({ inputs }: AskedCase): boolean => inputs[language] === 1;
  const known = asked.flatMap((one, index) =>
    one.isTrue && !one.isMeasured && !one.isSeen ? { ...one, set: setOf(one), logit: logits[index] as number } : [],
  );
  const threshold = Math.log(ABSTENTION_THRESHOLD / (1 - ABSTENTION_THRESHOLD));
  const ofEnglish = threshold - lowestOf(known.filter((one) => !isOther(one)));
  const ofOthers = language < 0 ? ofEnglish : threshold - lowestOf(known.filter(isOther));
  return {
    bias: whole.bias + ofEnglish,
    weights: whole.weights.map((weight, column) => (column === language ? weight + ofOthers - ofEnglish : weight)),
    rows: asked.map((one, index) => ({
      set: one.set,
      kind: one.kind,
      isAnswerable: one.isTrue,
      probability: 1 / (1 + Math.exp(-(logits[index] as number) - (isOther(one) ? ofOthers : ofEnglish))),
    })),
  };
}

/** The logit below which `HIDDEN_SHARE` of the cases are, if every set has the same weight. */
function lowestOf(known: readonly { set: string; logit: number }[]): number {
  const counts = countsBy(known, ({ set }) => set);
  const weightOf = ({ set }: { set: string }): number => 1 / Math.max(FEWEST, counts.get(set) as number);
  let hidden = HIDDEN_SHARE * known.reduce((sum, one) => sum + weightOf(one), 0);
  const sorted = known.toSorted((one, other) => one.logit - other.logit);
  return sorted.find((one) => (hidden -= weightOf(one)) < 0)?.logit ?? 0;
}

function weigh(cases: readonly AskedCase[], setOf: (one: AskedCase) => string): void {
  const groupOf = (one: AskedCase): string => `${setOf(one)} ${one.isTrue ? '' : one.kind}`;
  const counts = countsBy(cases, groupOf);
  for (const one of cases) {
    const weight = one.isTrue ? KNOWN_WEIGHT : one.kind === 'unknown' ? UNKNOWN_WEIGHT : 1;
    one.weight = weight / Math.max(FEWEST, counts.get(groupOf(one)) as number);
  }
}

function countsBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return counts;
}

function nameInputs<Name extends string>(names: readonly Name[], weights: readonly number[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, column) => [name, rounded(weights[column] as number)])) as Record<
    Name,
    number
  >;
}
