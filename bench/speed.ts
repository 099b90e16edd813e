// npm run bench:speed [-- --owners 1000 --large 50000 --database postgres://…]
// Measures recall, compared with the floor: the bare scan of the owner's vectors. `npm run bench:peers -- --ballast 5000` compares it with
// other memories.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Embedder } from '../src/models/embedder.ts';
import { createVectorMatrix } from '../src/store/sqlite/sqlite-indexes.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { goal, measure, ms, report, summary, timeCells, timeGoal, type Times } from './measure.ts';

const { values } = parseArgs({
  options: {
    owners: { type: 'string', default: '200' },
    large: { type: 'string', default: '50000' },
    database: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'varve-speed-'));
const rows: string[][] = [];
const row = (name: string, times: Times, wanted = '', beside = ''): void => {
  rows.push([name, ...timeCells(times), wanted, beside]);
};

const NAMES = ['Ana', 'Bo', 'Carla', 'Dev', 'Eli', 'Fay', 'Gus', 'Hana'];
const THINGS = [
  'a sourdough recipe',
  'the marathon',
  'a flat in Lisbon',
  'her cello',
  'the tax return',
  'a rescue dog',
  'old cameras',
  'the garden',
  'a start-up',
  'night trains',
  'chess openings',
  'a broken boiler',
];
const VERBS = [
  'talked about',
  'wants to sell',
  'is learning about',
  'spent the weekend on',
  'worries about',
  'is proud of',
  'bought',
  'lost',
];
const statement = (index: number): string =>
  `${NAMES[index % 8]} ${VERBS[(index * 7) % 8]} ${THINGS[(index * 5) % 12]} in week ${index % 53} with friend number ${index}.`;
const QUERIES = [
  'Who is proud of the garden?',
  'What did Ana buy in week 12?',
  'Is anybody learning about chess openings?',
  'a broken boiler',
  'Who lost old cameras?',
];
const query = (index: number): string => `${QUERIES[index % QUERIES.length]} ${index}`;

/**
 * An embedder with cheap vectors, so that filling 50,000 memories does not take minutes. Recall scans these vectors like the vectors of any
 * other embedder.
 */
function quickEmbedder(): Embedder {
  return {
    id: 'bench/hashed@1',
    dimensions: 384,
    embed: async (texts) => ({ vectors: texts.map(hashedVector), tokens: 0 }),
  };
}

function hashedVector(text: string): Float32Array {
  const vector = new Float32Array(384);
  let state = 7;
  for (const word of text.toLowerCase().split(/\W+/)) {
    for (const character of word) state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
    for (let part = 0; part < 12; part += 1) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const place = state % 384;
      vector[place] = (vector[place] as number) + (state & 1024 ? 1 : -1);
    }
    state = 7;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

async function fill(varve: Varve, user: string, count: number): Promise<void> {
  const handle = varve.for({ tenant: 'speed', user });
  for (let start = 0; start < count; start += 500) {
    const size = Math.min(500, count - start);
    await Promise.all(
      Array.from({ length: size }, (_, index) =>
        handle.memories.create({ type: 'fact', content: statement(start + index) }),
      ),
    );
  }
}

const store =
  values.database === undefined
    ? { path: join(folder, 'varve.db') }
    : { url: values.database, schema: `speed_${Date.now()}` };
const varve = await createVarve({ store, background: false, embedder: quickEmbedder() });
const ask =
  (user: string, limit = 10) =>
  (index: number) =>
    varve.for({ tenant: 'speed', user }).recall(query(index), { limit, abstain: false, track: false });

await fill(varve, 'one', 1000);
await varve.drain();
const alone = await measure(400, ask('one'));
row('1,000 memories, no embedding', alone, timeGoal(alone, { p50: values.database === undefined ? 2 : 6 }));
// On a shared machine, times of the same operation differ by a fifth within a run.
const noSlower = (times: Times): string => goal('no slower', times.p50 <= alone.p50 * 1.25);
row(
  'by words alone',
  await measure(200, (index) =>
    varve.for({ tenant: 'speed', user: 'one' }).recall(query(index), { mode: 'text', track: false }),
  ),
);

const owners = Number(values.owners);
for (let index = 0; index < owners; index += 1) await fill(varve, `user-${index}`, 1000);
await varve.drain();
const among = await measure(400, ask('one'));
row(`the same, with ${owners} other owners × 1,000 in the store`, among, noSlower(among));
// The first query of the other owners is measured below.
const few = Math.min(Math.floor(owners / 2), 40);
for (let index = 0; index < few; index += 1) await ask(`user-${index}`)(index);
const inTurns = await measure(400, (index) => ask(`user-${index % few}`)(index));
row(`taking turns among ${few} owners, warm`, inTurns, noSlower(inTurns));
let cold = 0;
row(
  'an owner seen for the first time in this process',
  await measure(Math.max(owners - few - 10, 5), () => ask(`user-${few + (cold++ % (owners - few))}`)(cold)),
);

const large = Number(values.large);
await fill(varve, 'large', large);
await varve.drain();
const floor = floorOf(large);
const largest = await measure(60, ask('large'));
row(
  `${large.toLocaleString('en')} memories, no embedding`,
  largest,
  timeGoal(largest, { p50: 12 }),
  `floor: bare scan ${ms(floor.p50)}`,
);
await varve.close();

const real = await createVarve({ store: join(folder, 'real.db'), background: false });
await fill(real, 'one', 1000);
await real.drain();
const embedded = await measure(200, (index) =>
  real.for({ tenant: 'speed', user: 'one' }).recall(query(index), { abstain: false, track: false }),
);
row('1,000 memories, with the local embedder', embedded, timeGoal(embedded, { p50: 8, p95: 20 }));
await real.close();
report(`Speed of recall on ${values.database === undefined ? 'SQLite' : 'PostgreSQL'}`, {
  header: ['', 'p50 (95 % interval)', 'p95', 'goal', ''],
  rows,
});
rmSync(folder, { recursive: true, force: true });
process.exit(0);

function floorOf(count: number): Times {
  const matrix = createVectorMatrix(384, count);
  const vectors = Array.from({ length: 64 }, (_, index) => hashedVector(statement(index)));
  for (let index = 0; index < count; index += 1) matrix.set(index, 0, vectors[index % 64] as Float32Array);
  const times: number[] = [];
  for (let round = 0; round < 40; round += 1) {
    const started = performance.now();
    matrix.scan(vectors[round % 64] as Float32Array);
    times.push(performance.now() - started);
  }
  return summary(times);
}
