// npm run bench:assemble [-- --database postgres://… --turns 50000]
// Measures how long a context takes at 1,000 memories and a conversation of 200 turns or more, with and without recall.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LayoutName, LAYOUTS } from '../src/assemble/layouts.ts';
import { createVarve } from '../src/varve.ts';
import { measure, report, timeCells, type Times } from './measure.ts';

const { values } = parseArgs({
  options: { database: { type: 'string' }, turns: { type: 'string', default: '200' } },
});
const turns = Number(values.turns);
const folder = mkdtempSync(join(tmpdir(), 'varve-assemble-'));
const varve = await createVarve({
  store: values.database ?? join(folder, 'varve.db'),
  background: false,
  formation: { writes: 'deferred' },
});
const handle = varve.for({ tenant: `assemble-${Date.now()}`, agent: 'helper', user: 'ann', session: 'today' });

const THINGS = 'garden,bicycle,kitchen,guitar,novel,camera,boat,tax return,recipe,marathon'.split(',');
const PLACES = 'Berlin,Paris,Lisbon,Oslo,Kyoto,Quito,Cairo,Mumbai,Boston,Perth'.split(',');
const thing = (index: number): string => THINGS[index % THINGS.length] ?? '';
const place = (index: number): string => PLACES[Math.floor(index / 10) % PLACES.length] ?? '';

console.log(`Storing 1,000 memories, 30 facts, a profile and ${turns} turns …`);
for (let index = 0; index < 1000; index += 1) {
  await handle.memories.create({
    type: index % 3 === 0 ? 'preference' : 'fact',
    content: `The ${thing(index)} number ${index} is in ${place(index)} and was bought in ${1990 + (index % 30)}`,
    importance: (index % 100) / 100,
  });
}
for (let index = 0; index < 30; index += 1) await handle.facts.set({ key: `fact_${index}`, value: `value ${index}` });
await handle.blocks.replace('profile', 'word '.repeat(400));
await handle.blocks.replace('working_memory', 'word '.repeat(300));
await varve.drain();
// The turns are neither formed nor embedded, because the benchmark measures how a context reads them.
for (let start = 0; start < turns; start += 1000) {
  const batch = Array.from({ length: Math.min(1000, turns - start) }, (_, index) => start + index);
  await handle.observe(
    batch.map((index) =>
      index % 2 === 0
        ? { origin: 'user', content: `What about the ${thing(index)} in ${place(index)}?` }
        : { origin: 'agent', content: `It is number ${index} and all is well with it, as far as I can see from here.` },
    ),
  );
}

const question = (index: number): string => `When was the ${thing(index)} number ${index} in ${place(index)} bought?`;
const rows: string[][] = [];
const add = (what: string, times: Times): void => void rows.push([what, ...timeCells(times)]);
const unlogged = true;
add(
  'without recall',
  await measure(300, (index) => handle.context({ message: question(index), lookup: 'never', unlogged })),
);
add('with recall, question known', await measure(300, () => handle.context({ message: question(7), unlogged })));
add('with recall, question new', await measure(300, (index) => handle.context({ message: question(index), unlogged })));
add('with recall, logged', await measure(300, (index) => handle.context({ message: question(index) })));
add(
  'refreshed, without recall',
  await measure(100, (index) => handle.context({ message: question(index), lookup: 'never', refresh: true, unlogged })),
);
for (const layout of Object.keys(LAYOUTS) as LayoutName[]) {
  add(
    `layout ${layout}`,
    await measure(100, (index) => handle.context({ message: question(index), layout, unlogged })),
  );
}
report('Context', {
  header: ['', 'p50 (95 % interval)', 'p95'],
  rows,
  note: `1,000 memories of one user, 30 facts, a profile and a working memory, a conversation of ${turns.toLocaleString('en')} turns.`,
});
await varve.close();
rmSync(folder, { recursive: true, force: true });
