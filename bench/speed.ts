// npm run bench:speed [-- --owners 1000 --large 50000 --database postgres://… --mem0 FOLDER]
// Recall, beside the floor (the bare scan of the owner's vectors) and beside mem0's search on the same texts and vectors.
// mem0ai is no dependency: install it in a folder of its own (npm i mem0ai@3.3.1) and name it with --mem0.

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { cachedEmbedder } from '../src/models/cached-embedder.ts';
import type { Embedder } from '../src/models/embedder.ts';
import { createLocalEmbedder } from '../src/models/local-embedder/local-embedder.ts';
import { createVectorMatrix } from '../src/store/sqlite/sqlite-vector-index.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { measure, ms, printTable, type Times } from './measure.ts';

const { values } = parseArgs({
  options: {
    owners: { type: 'string', default: '200' },
    large: { type: 'string', default: '50000' },
    database: { type: 'string' },
    mem0: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'varve-speed-'));
const rows: string[][] = [];
const row = (name: string, times: Times, goal = '', beside = ''): void => {
  rows.push([name, ms(times.p50), ms(times.p95), goal, beside]);
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

/** Vectors that are cheap to make, so that filling 50,000 memories does not take minutes: recall scans them as any others. */
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
row('recall, 1,000 memories, no embedding', alone, values.database ? '≤ 6 ms' : '≤ 2 ms');
row(
  '  by words alone',
  await measure(200, (index) =>
    varve.for({ tenant: 'speed', user: 'one' }).recall(query(index), { mode: 'text', track: false }),
  ),
);

const owners = Number(values.owners);
for (let index = 0; index < owners; index += 1) await fill(varve, `user-${index}`, 1000);
await varve.drain();
row(`the same, with ${owners} other owners × 1,000 in the store`, await measure(400, ask('one')), 'no slower');
const few = Math.min(owners, 40);
for (let index = 0; index < few; index += 1) await ask(`user-${index}`)(index);
row(
  `  taking turns among ${few} owners, warm`,
  await measure(400, (index) => ask(`user-${index % few}`)(index)),
  'no slower',
);
let cold = 0;
row(
  '  an owner seen for the first time in this process',
  await measure(Math.max(owners - few - 10, 5), () => ask(`user-${few + (cold++ % (owners - few))}`)(cold)),
);

const large = Number(values.large);
await fill(varve, 'large', large);
await varve.drain();
const floor = floorOf(large);
row(
  `recall, ${large.toLocaleString('en')} memories, no embedding`,
  await measure(60, ask('large')),
  '≤ 12 ms',
  `floor: bare scan ${ms(floor.p50)}`,
);
await varve.close();

const real = await createVarve({ store: join(folder, 'real.db'), background: false });
await fill(real, 'one', 1000);
await real.drain();
row(
  'recall, 1,000 memories, with the local embedder',
  await measure(200, (index) =>
    real.for({ tenant: 'speed', user: 'one' }).recall(query(index), { abstain: false, track: false }),
  ),
  '≤ 8 ms, p95 ≤ 20 ms',
);
await real.close();
printTable(['operation', 'p50', 'p95', 'goal', ''], rows);

if (values.mem0 !== undefined) await besideMem0(values.mem0);
else console.log('\nmem0: not measured (give --mem0 FOLDER with mem0ai installed in it)');
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
  times.sort((one, other) => one - other);
  return { p50: times[20] ?? 0, p95: times[38] ?? 0, mean: 0, perSecond: 0 };
}

/** The same 5,000 texts, the same embedder, the same queries, in this run. */
async function besideMem0(place: string): Promise<void> {
  const count = 5000;
  const embedder = cachedEmbedder(createLocalEmbedder(), { size: 20_000 });
  const ours = await createVarve({ store: join(folder, 'beside.db'), background: false, embedder });
  await fill(ours, 'one', count);
  await ours.drain();
  const { Memory } = (await import(pathToFileURL(createRequire(join(place, 'x.js')).resolve('mem0ai/oss')).href)) as {
    Memory: new (config: object) => {
      add(messages: unknown, options: object): Promise<unknown>;
      search(query: string, options: object): Promise<unknown>;
    };
  };
  const langchainEmbedder = {
    embedQuery: async (text: string) => [...((await embedder.embed([text])).vectors[0] ?? [])],
    embedDocuments: async (texts: string[]) => (await embedder.embed(texts)).vectors.map((vector) => [...vector]),
  };
  const mem0 = new Memory({
    embedder: { provider: 'langchain', config: { model: langchainEmbedder } },
    vectorStore: {
      provider: 'memory',
      config: { collectionName: 'bench', dimension: 384, dbPath: join(folder, 'mem0.db') },
    },
    llm: { provider: 'openai', config: { apiKey: 'unused', baseURL: 'http://127.0.0.1:9' } },
    disableHistory: true,
  });
  for (let index = 0; index < count; index += 1) await mem0.add(statement(index), { userId: 'one', infer: false });
  const searches = 60;
  // Queries are embedded beforehand on both sides: the embedder is the same, and its time would hide the difference.
  for (let index = 0; index < searches * 2; index += 1) await embedder.embed([query(index)]);
  const theirs = await measure(searches, (index) =>
    mem0.search(query(index % searches), { filters: { user_id: 'one' }, topK: 10, limit: 10 }),
  );
  const mine = await measure(searches, (index) =>
    ours.for({ tenant: 'speed', user: 'one' }).recall(query(index % searches), { abstain: false, track: false }),
  );
  console.log('');
  printTable(
    [`search among ${count.toLocaleString('en')} memories, embedding cached`, 'p50', 'p95'],
    [
      ['Varve', ms(mine.p50), ms(mine.p95)],
      ['mem0 3.3.1 (infer: false)', ms(theirs.p50), ms(theirs.p95)],
    ],
  );
  console.log(`\nmem0 / Varve: ${(theirs.p50 / mine.p50).toFixed(1)}× (goal 20×)`);
  await ours.close();
}
