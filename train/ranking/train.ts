// npm run train:ranking [-- --data FOLDER]: learns how recall ranks and when it abstains. It writes the weights into
// src/recall/ranking.json, and the figures of held-out folds into train/ranking/report.md. FOLDER (default ../shared) has the public data,
// which is not part of the repository. LongMemEval and the dialogues are used for learning. LoCoMo is only measured, because its licence
// forbids more.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SIGNAL_NAMES, type SignalName } from '../../src/recall/candidate-signals.ts';
import { embedAll } from './embed-cache.ts';
import { embeddingTexts, rowsOf } from './features.ts';
import { foldOf, FOLDS, learnWeights, LEARNING, rounded, scoresOf, type LearningOptions } from './learn.ts';
import { BASELINE_NAMES, reportOf, type Ranked } from './report.ts';
import { sheetStores } from './sheet-stores.ts';
import { fitSilence } from './silence.ts';
import { livesStores, publicStores, twistedStores, type RankingStore } from './stores.ts';

const { values } = parseArgs({
  options: { data: { type: 'string', default: join(import.meta.dirname, '../../../shared') } },
});
/** The weight of each kind of store. The kinds that are most like the use of Varve have the highest weights, and no source dominates. */
const SET_WEIGHTS: Readonly<Record<string, number>> = {
  'lives, English: turns': 3,
  'lives, English: statements': 1.5,
  'lives, English: both': 2,
  'lives, English: read': 2,
  'lives, other languages: turns': 1.5,
  'lives, other languages: statements': 0.7,
  'lives, other languages: both': 0.7,
  'lives, other languages: read': 0.7,
  'sheets, English: turns': 1,
  'sheets, English: statements': 0.4,
  'sheets, English: both': 0.3,
  'sheets, English: read': 0.5,
  'sheets, other languages: turns': 0.5,
  'sheets, other languages: statements': 0.2,
  'sheets, other languages: both': 0.2,
  'sheets, other languages: read': 0.3,
  'long turns': 1.5,
  LongMemEval: 1,
  'dialogues: two people': 2,
  'dialogues: assistant': 0.7,
};
/**
 * The weight of a question that the embedder was trained on. Such a question is nearer to its answer than a new question, so the weight of
 * similarity of meaning would become too high.
 */
const SEEN_WEIGHT = 0.25;
const lives = await livesStores();
const { learned, measured } = publicStores(values.data);
const sheets = sheetStores();
const stores = [...lives.stores, ...sheets.stores, ...learned.map(thinned), ...measured];
const unanswered = [...lives.more, ...sheets.more, ...twistedStores(stores)];
const vectors = await vectorsOf([...stores, ...unanswered]);
const examples = stores.flatMap(examplesOf);
weigh(examples);
const taught = examples.filter(({ isMeasured }) => !isMeasured);
const columns = SIGNAL_NAMES.length;
const columnOf = (name: SignalName): number => SIGNAL_NAMES.indexOf(name);
const options: LearningOptions = {
  ...LEARNING,
  // These weights are set by hand, because the lives have too few examples. A keyed fact is as short as "Employer: Acme", while the
  // statements of the lives are sentences and few questions ask for an attribute. An event that a question mentions only to give a date
  // (`anchor`) is never what the question asks for.
  fixed: new Map([
    [columnOf('keyed'), 3],
    [columnOf('relative'), -3],
    // Only one in 75 turns of the lives is mostly pasted text.
    [columnOf('othersWords'), -3],
    [columnOf('anchor'), -3],
    // Few questions of the lives name a time. A time that a question names must outweigh the advantage of statements over turns.
    [columnOf('date'), 1.5],
    // In the sheets, one person talks and the statements are imitated. Without these values, both weights would be near 0.
    [columnOf('speaker'), 0.28],
    [columnOf('statement'), 0.5],
  ]),
  // The context of a text is never a reason against it, whatever a single source suggests.
  positive: new Set((['nearShort', 'answerMeaning', 'windowWords', 'sessionWords'] as const).map(columnOf)),
};
const weights = learnWeights(taught, columns, options);
const byFold = Array.from({ length: FOLDS }, (_, fold) =>
  learnWeights(
    taught.filter((example) => example.fold !== fold),
    columns,
    options,
  ),
);
const named = Object.fromEntries(
  SIGNAL_NAMES.map((name, column) => [name, rounded(weights[column] as number)]),
) as Record<SignalName, number>;
const ranking = examples.map((example) => ({
  example,
  scores: scoresOf(example, example.isMeasured ? weights : (byFold[example.fold] as Float64Array)),
}));

const silence = fitSilence({ stores: unanswered, measured, vectors, weights: named });
const model = { weights: named, answerable: silence.answerable, evidence: silence.evidence };
writeFileSync(join(import.meta.dirname, '../../src/recall/ranking.json'), `${JSON.stringify(model, null, 2)}\n`);
const report = reportOf({ ranking, weights: named, silence: silence.rows });
writeFileSync(join(import.meta.dirname, 'report.md'), report);
console.log(report);

/** Uses only some of the questions about short dialogues, because thousands of them bring no gain over hundreds. */
function thinned(store: RankingStore): RankingStore {
  if (!store.set.startsWith('dialogues')) return store;
  return { ...store, questions: store.questions.filter((_, index) => index % 4 === 0).slice(0, 150) };
}

async function vectorsOf(all: readonly RankingStore[]): Promise<Map<string, Float32Array>> {
  const texts = new Set<string>();
  for (const { documents, questions } of all) {
    for (const text of documents.flatMap(embeddingTexts)) texts.add(text);
    for (const { text } of questions) texts.add(text);
  }
  const list = [...texts];
  const made = await embedAll(list);
  return new Map(list.map((text, index) => [text, made[index] as Float32Array]));
}

function examplesOf(store: RankingStore): Ranked[] {
  return [...rowsOf(store, vectors)].flatMap(({ question, ordinals, rows, baselines }) => {
    const rowOf = new Map(ordinals.map((ordinal, row) => [ordinal, row]));
    const pieces = question.evidence.map((piece) => piece.map((ordinal) => rowOf.get(ordinal) as number));
    if (pieces.length === 0) return [];
    return {
      set: store.set,
      group: store.group,
      weight: 0,
      rows,
      pieces,
      outdated: (question.outdated ?? []).map((ordinal) => rowOf.get(ordinal) as number),
      seenByEmbedder: store.seenByEmbedder,
      isMeasured: measured.includes(store),
      // LongMemEval is one store, so its questions are split instead of conversations.
      fold: foldOf(store.set === 'LongMemEval' ? question.text : (store.group.split(' ')[0] as string)),
      baselines: Object.fromEntries(
        BASELINE_NAMES.map((name) => [name, Float32Array.from(ordinals, (ordinal) => baselines[name]?.[ordinal] ?? 0)]),
      ),
    };
  });
}

function weigh(list: readonly Ranked[]): void {
  const weightOf = ({ seenByEmbedder }: Ranked): number => (seenByEmbedder ? SEEN_WEIGHT : 1);
  const sums = new Map<string, number>();
  for (const example of list) sums.set(example.set, (sums.get(example.set) ?? 0) + weightOf(example));
  for (const example of list)
    example.weight = ((SET_WEIGHTS[example.set] ?? 0) * weightOf(example)) / (sums.get(example.set) as number);
}
