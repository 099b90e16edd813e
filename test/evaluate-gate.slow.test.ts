import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkFloors, evaluate, figuresOf, loadDataset, type Dataset } from '../src/evaluate/evaluate.ts';
import { readFloors } from '../src/evaluate/floors.ts';

// The regression gate: four lives of train/lives, and three conversations in which the user asks to forget something (bench/gate/lives).
// Its floors (bench/gate/floors.json) are a little below the measured figures, so that the test fails if a change lowers a figure below its
// floor. After an improvement the floors are raised.
const GATE = join(import.meta.dirname, '../bench/gate');
const LIVES = ['a04', 'c03', 'f05', 'g04'];

it('keeps, recalls, forgets and shows in the prompt at least what it did before', { timeout: 600_000 }, async () => {
  const forgetting = loadDataset({ name: 'lives', path: join(GATE, 'lives') });
  const lives = loadDataset({ name: 'lives', only: LIVES });
  const dataset: Dataset = {
    name: 'gate',
    conversations: [...forgetting.conversations, ...lives.conversations],
    faults: [],
  };
  const run = await evaluate({
    dataset,
    measures: ['extraction', 'retrieval', 'scaffold', 'consolidation', 'end-to-end'],
  });
  const floors = readFloors(join(GATE, 'floors.json'));
  const figures = new Map(figuresOf(run).map(({ metric, mean }) => [metric, Math.round(mean * 1000) / 1000]));
  console.log(`gate: ${floors.map(({ metric, floor }) => `${metric} ${figures.get(metric)} (${floor})`).join(', ')}`);
  expect(checkFloors(run, floors)).toEqual([]);
});
