import type { SignalName } from '../../src/recall/candidate-signals.ts';
import { ABSTENTION_THRESHOLD } from '../../src/recall/relevance.ts';
import { figuresOf, type Example, type Figures } from './learn.ts';
import type { SilenceRow } from './silence.ts';

/** The baseline rankings with which the learned ranking is compared. */
export const BASELINE_NAMES = ['bm25', 'cosine', 'z-sum', 'rrf'] as const;

export interface Ranked extends Example {
  /** The rows of candidates that the evidence has made untrue. */
  outdated: readonly number[];
  seenByEmbedder: boolean;
  isMeasured: boolean;
  fold: number;
  baselines: Record<string, Float32Array>;
}

interface Judged {
  example: Ranked;
  scores: Float64Array;
}

/** How far the learned ranking may be behind the best baseline of a set. */
const TOLERANCE = 0.01;

/** The report of a training, in Markdown. Every figure was measured on data that was not used for learning. */
export function reportOf({
  ranking,
  weights,
  silence,
}: {
  ranking: readonly Judged[];
  weights: Readonly<Record<SignalName, number>>;
  silence: readonly SilenceRow[];
}): string {
  const sets = [...new Set(ranking.map(({ example }) => example.set))];
  const rowsOf = (list: readonly Judged[]): string[] =>
    sets.flatMap((set) => {
      const of = list.filter(({ example }) => example.set === set);
      return of.length === 0 ? [] : [setRow(set, of)];
    });
  return [
    '# Ranking: training data and quality',
    '',
    '`npm run train:ranking` writes this file. There are five folds by conversation (LongMemEval: by question), and every row is ranked by',
    'weights that were learned without it. LoCoMo is only measured. The embedder was trained on most of the English lives, the dialogues and',
    'LongMemEval. The second table has only data on which neither the embedder nor the ranking was trained.',
    '',
    '## The learned ranking and four baselines: R@10 (and MRR)',
    ...header(),
    ...rowsOf(ranking),
    '',
    '## The same, on data on which the embedder was not trained',
    ...header(),
    ...rowsOf(ranking.filter(({ example }) => !example.seenByEmbedder)),
    '',
    '## What has changed',
    'The share of questions for which the text with the present answer ranks above every text that it made untrue.',
    '',
    '| store | questions | learned | cosine |',
    '| --- | --- | --- | --- |',
    ...sets.flatMap((set) => changedRow(set, ranking)),
    '',
    '## Silence',
    `Recall abstains if the probability of an answer is below ${ABSTENTION_THRESHOLD}. \`unknown\`: nothing in the life answers the question, but something`,
    'similar is said. `early`: the question is asked before its answer was stated. `stranger`: the question belongs to another life.',
    '`twisted`: the question names the wrong person. Every store is judged by a model that was fitted without that store. The',
    'sheets are also asked after their first messages.',
    '',
    '| store | abstained wrongly | abstained on unknown | on early | on stranger | on twisted |',
    '| --- | --- | --- | --- | --- | --- |',
    ...[...new Set(silence.map(({ set }) => set))].map((set) => silenceRow(set, silence)),
    '',
    '## Weights',
    '| signal | weight |',
    '| --- | --- |',
    ...Object.entries(weights).map(([name, weight]) => `| ${name} | ${weight} |`),
    '',
  ].join('\n');
}

function header(): string[] {
  return [
    '| store | questions | learned R@5 | learned R@10 | bm25 | cosine | z-sum | rrf | behind the best baseline |',
    `|${' --- |'.repeat(9)}`,
  ];
}

function setRow(set: string, list: readonly Judged[]): string {
  const ours = figuresOf(list);
  const plain = BASELINE_NAMES.map((name) =>
    figuresOf(list.map(({ example }) => ({ example, scores: example.baselines[name] as Float32Array }))),
  );
  const best = Math.max(...plain.map(({ recallAt10 }) => recallAt10));
  const isBehind = ours.recallAt10 < best - TOLERANCE;
  const cells = [ours, ...plain].map(cellOf);
  return `| ${set} | ${ours.questions} | ${ours.recallAt5.toFixed(3)} | ${cells.join(' | ')} | ${isBehind ? `**${(best - ours.recallAt10).toFixed(3)}**` : 'no'} |`;
}

function changedRow(set: string, ranking: readonly Judged[]): string[] {
  const changed = ranking.filter(({ example }) => example.set === set && example.outdated.length > 0);
  if (changed.length === 0) return [];
  const share = (scoresOf: (judged: Judged) => ArrayLike<number>): string => {
    const right = changed.filter((judged) => {
      const scores = scoresOf(judged);
      const best = (rows: readonly number[]): number => Math.max(...rows.map((row) => scores[row] as number));
      return best(judged.example.pieces.flat()) > best(judged.example.outdated);
    });
    return (right.length / changed.length).toFixed(2);
  };
  const ours = share(({ scores }) => scores);
  const cosine = share(({ example }) => example.baselines['cosine'] as Float32Array);
  return [`| ${set} | ${changed.length} | ${ours} | ${cosine} |`];
}

function cellOf({ recallAt10, reciprocalRank }: Figures): string {
  return `${recallAt10.toFixed(3)} (${reciprocalRank.toFixed(2)})`;
}

function silenceRow(set: string, rows: readonly SilenceRow[]): string {
  const share = (kind: string | null): string => {
    const some = rows.filter(
      (row) => row.set === set && (kind === null ? row.isAnswerable : !row.isAnswerable && row.kind === kind),
    );
    if (some.length === 0) return '';
    const silent = some.filter(({ probability }) => probability < ABSTENTION_THRESHOLD).length;
    return `${(silent / some.length).toFixed(2)} of ${some.length}`;
  };
  return `| ${set} | ${share(null)} | ${share('unknown')} | ${share('early')} | ${share('stranger')} | ${share('twisted')} |`;
}
