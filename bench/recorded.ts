// npm run bench:recorded [-- --consolidation --only a02,b01 --arms all,local-reader --out FOLDER]
// Runs `varve eval` on lives with recorded answers of a model (test/recordings), without calling a model. Measures what is kept, found and
// in the prompt when a model reads, and what reading costs. `--consolidation` uses the lives whose nightly reflections were recorded too.
// It also compares using a fast and a slow model with using one model, by calls and tokens. The answers are the same recordings in both
// cases.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { evaluate, figuresOf, loadDataset, type Measure } from '../src/evaluate/evaluate.ts';
import { shownWithInterval } from '../src/evaluate/figures.ts';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import { ONLY_FORMATION } from '../test/form-model.ts';
import { joined, replayingModel, type Recording } from '../test/recordings/recorded-model.ts';
import { printTable } from './measure.ts';

const { values } = parseArgs({
  options: {
    consolidation: { type: 'boolean', default: false },
    only: { type: 'string' },
    arms: { type: 'string' },
    out: { type: 'string', default: 'varve-eval' },
  },
});
const folder = join(import.meta.dirname, '../test/recordings');
const recorded = (part: string): string[] =>
  globSync(join(folder, part, '*.json'))
    .map((file) => basename(file, '.json'))
    .sort();
const answers = (part: string, lives: readonly string[]): Recording[] =>
  lives.flatMap((life) => JSON.parse(readFileSync(join(folder, part, `${life}.json`), 'utf8')) as Recording[]);

const only = values.only?.split(',') ?? recorded(values.consolidation ? 'consolidation' : '.');
const reading = replayingModel(answers('.', only));
const nights = replayingModel(values.consolidation ? answers('consolidation', only) : []);
const model = joined(reading, nights);
const measures: Measure[] = ['extraction', 'retrieval', 'scaffold', 'consolidation', 'end-to-end'];
const name = values.consolidation ? 'recorded-consolidation' : 'recorded';
const run = await evaluate({
  dataset: { ...loadDataset({ name: 'lives', only }), name },
  measures: values.consolidation ? measures : measures.filter((measure) => measure !== 'consolidation'),
  arms: (values.arms ?? (values.consolidation ? 'all,one-model-fast' : 'all,local-reader')).split(','),
  varve: {
    languageModel: createLanguageModel({
      fast: model,
      slow: { ...model, modelId: 'recorded-slow' } as typeof model,
      retries: 0,
    }),
    consolidation: values.consolidation ? {} : { ...ONLY_FORMATION, decay: { enabled: true } },
  },
  // No judge was recorded.
  judge: null,
  file: join(values.out, `${name}.jsonl`),
  afresh: true,
  command: `npm run bench:recorded${values.consolidation ? ' -- --consolidation' : ''}`,
  onProgress: ({ conversation }) => void process.stderr.write(`${conversation} `),
});
process.stderr.write('\n');
const missing = reading.missing.length + nights.missing.length;
if (missing > 0)
  console.log(`${missing} requests have no recorded answer. Record them again: see test/recordings/README.md.`);
printTable(
  ['arm', 'metric', 'mean (95 % interval)', 'items'],
  figuresOf(run).map((figure) => [
    figure.arm,
    figure.metric,
    shownWithInterval(figure.metric, figure),
    String(figure.items),
  ]),
);
