// npm run train:selector: learns the selector of the local reader again, writes its weights and the report beside this file.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { featuresOf, type Head, HEADS } from '../../src/form/read/local/selector.ts';
import { embedAll } from './embed-cache.ts';
import { learn, OPTIONS, predict, quantise, type Row, rowOf } from './learn.ts';
import { type Example, livesExamples, readLives, readTalk, talkExamples } from './training-data.ts';

const FOLDS = 5;

const examples = [...livesExamples(readLives()), ...talkExamples(readTalk())];
const vectors = await embedAll(examples.map(({ unit }) => unit.text));
const rows = examples.map(({ unit, labels, weight }, index) =>
  rowOf(featuresOf(unit), vectors[index] ?? null, labels, weight),
);

const weights = {
  vector: quantise(learn(rows, { ...OPTIONS, withVector: true })),
  plain: quantise(learn(rows, { ...OPTIONS, withVector: false })),
};
const file = join(import.meta.dirname, '../../src/form/read/local/selector-weights.ts');
writeFileSync(
  file,
  `/** Learned by \`npm run train:selector\` from train/lives and train/talk: see train/README.md. Not written by hand. */
export const SELECTOR_WEIGHTS: Record<'vector' | 'plain', Record<'matrix' | 'scales' | 'biases', string>> = {
${Object.entries(weights)
  .map(([variant, { matrix, scales, biases }]) => written(variant, { matrix, scales, biases }))
  .join('\n')}
};
`,
);

/** One variant as the formatter writes it, so that the file is the same again after each training. */
function written(variant: string, fields: Record<string, string>): string {
  const lines = Object.entries(fields).map(([name, text]) => `    ${name}:\n      '${text}',`);
  return `  ${variant}: {\n${lines.join('\n')}\n  },`;
}

const groups = [...new Set(examples.map(({ group }) => group))];
const report = [
  '# Selector: quality',
  '',
  `${examples.length} sentences of ${groups.length} people, ${FOLDS} folds by person: each sentence is judged by weights that were trained without its author.`,
  `Weights: sha256 ${createHash('sha256').update(JSON.stringify(weights)).digest('hex').slice(0, 16)}. Options: ${JSON.stringify(OPTIONS)}.`,
  '',
];
for (const withVector of [true, false]) {
  report.push(
    `## ${withVector ? 'With the vector of the sentence' : 'Features alone'}`,
    '',
    ...evaluate(examples, rows, withVector),
    '',
  );
}
writeFileSync(join(import.meta.dirname, 'report.md'), report.join('\n'));
process.stdout.write(`${report.join('\n')}\n`);

/** A table of figures in cross-validation. */
function evaluate(all: readonly Example[], data: readonly Row[], withVector: boolean): string[] {
  const foldOf = new Map(groups.map((group, index) => [group, index % FOLDS]));
  const guesses: Record<Head, number[]>[] = [];
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const isTest = (index: number): boolean => foldOf.get(all[index]?.group ?? '') === fold;
    const model = learn(
      data.filter((_, index) => !isTest(index)),
      { ...OPTIONS, withVector },
    );
    data.forEach((row, index) => {
      if (isTest(index)) guesses[index] = predict(row, model);
    });
  }
  const table = [
    '| sentences | n | keep: AUC | turns: AUC | turns found / right at 0.58 | type | tense | request | foreign | about |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
  ];
  for (const [name, source, isEnglish] of [
    ['lives, English', 'lives', true],
    ['lives, others', 'lives', false],
    ['talk, English', 'talk', true],
    ['talk, others', 'talk', false],
  ] as const) {
    const places = all
      .map((_, index) => index)
      .filter((index) => all[index]?.source === source && (all[index]?.language === 'en') === isEnglish);
    const keep = places.map((index) => ({
      score: guesses[index]?.keep[1] ?? 0,
      isTrue: all[index]?.labels.keep === 1,
    }));
    const turns = new Map<string, { score: number; isTrue: boolean }>();
    for (const index of places) {
      const { group, turn, isTurnKept } = all[index] as Example;
      const score = Math.max(turns.get(`${group} ${turn}`)?.score ?? 0, guesses[index]?.keep[1] ?? 0);
      turns.set(`${group} ${turn}`, { score, isTrue: isTurnKept });
    }
    const found = [...turns.values()].filter(({ score }) => score >= 0.58);
    const hits = found.filter(({ isTrue }) => isTrue).length;
    const accuracy = (head: Head): string => {
      const known = places.filter((index) => (all[index]?.labels[head] ?? -1) >= 0);
      const right = known.filter((index) => {
        const shares = guesses[index]?.[head] ?? [];
        return shares.indexOf(Math.max(...shares)) === all[index]?.labels[head];
      });
      return known.length === 0 ? '–' : (right.length / known.length).toFixed(3);
    };
    const share = (part: number, whole: number): string => (part / Math.max(1, whole)).toFixed(3);
    table.push(
      `| ${name} | ${places.length} | ${areaUnderCurve(keep)} | ${areaUnderCurve([...turns.values()])} | ${share(hits, [...turns.values()].filter(({ isTrue }) => isTrue).length)} / ${share(hits, found.length)} | ${(
        Object.keys(HEADS) as Head[]
      )
        .filter((head) => head !== 'keep')
        .map(accuracy)
        .join(' | ')} |`,
    );
  }
  return table;
}

function areaUnderCurve(items: readonly { score: number; isTrue: boolean }[]): string {
  const sorted = items.toSorted((left, right) => left.score - right.score);
  let ranks = 0;
  let positives = 0;
  sorted.forEach(({ isTrue }, index) => {
    if (isTrue) {
      ranks += index + 1;
      positives += 1;
    }
  });
  return ((ranks - (positives * (positives + 1)) / 2) / Math.max(1, positives * (sorted.length - positives))).toFixed(
    3,
  );
}
