// npm run bench:tenants -- --database postgres://… [--tenants 10000]: measures observe and recall over many tenants of one store and over
// ten of them. The two alternate in the same run, so that the ratio is the cost of many tenants.

import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { functionEmbedder } from '../src/models/embedder.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { ms, report, summary } from './measure.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: process.env['VARVE_TEST_POSTGRES_URL'] },
    tenants: { type: 'string', default: '10000' },
    events: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '6' },
    calls: { type: 'string', default: '400' },
    clients: { type: 'string', default: '8' },
    /** Also embeds the events, with a hash of their words. Filling takes longer, and recall uses the vector index. */
    vectors: { type: 'boolean', default: false },
    /** Distributes the tables over a Citus cluster; the server must be its coordinator. */
    distribute: { type: 'boolean', default: false },
  },
});
if (values.database === undefined) throw new Error('The URL of the server is missing: give --database postgres://….');
const url = values.database;
const [tenants, events, rounds, calls, clients] = [
  values.tenants,
  values.events,
  values.rounds,
  values.calls,
  values.clients,
].map(Number) as [number, number, number, number, number];

const FEW = 10;
const DIMENSIONS = 384;
const schema = `bench_${randomUUID().slice(0, 8)}`;
const hashing = functionEmbedder({
  id: 'hash@1',
  dimensions: DIMENSIONS,
  embed: async (texts) => texts.map(hashOfWords),
});
const options = {
  store: { url, schema, distribute: values.distribute },
  embedder: values.vectors ? hashing : null,
  background: false as const,
};

function hashOfWords(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0.001);
  for (const word of text.split(' ')) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
    vector[hash % DIMENSIONS] = 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const STREETS = 977;
const sentence = (tenant: number, place: number): string =>
  `I moved to street ${(tenant * 31 + place) % STREETS} and work on project ${place % 89} with team ${tenant % 53} now.`;

/** Runs tasks, at most `clients` of them in parallel. */
async function inParallel(count: number, work: (place: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let place = next++; place < count; place = next++) await work(place);
    }),
  );
}

async function fill(varve: Varve): Promise<void> {
  await inParallel(tenants, (tenant) =>
    varve
      .for({ tenant: `tenant-${tenant}`, user: 'ana', session: 's' })
      .observe(Array.from({ length: events }, (_, place) => ({ content: sentence(tenant, place) }))),
  );
  if (values.vectors) await varve.backfill({ rate: Infinity });
}

type Verb = 'observe' | 'recall';
const times = new Map<string, number[]>();

/** Calls a verb on the first `among` tenants. The stride visits every tenant before it visits one twice. */
async function load(varve: Varve, verb: Verb, among: number, round: number): Promise<void> {
  const stride = among === FEW ? 1 : 7919;
  const key = `${verb} ${among}`;
  const spent = times.get(key) ?? [];
  times.set(key, spent);
  await inParallel(calls, async (place) => {
    const tenant = ((round * calls + place) * stride) % among;
    const handle = varve.for({ tenant: `tenant-${tenant}`, user: 'ana', session: 's' });
    const start = performance.now();
    if (verb === 'observe') await handle.observe({ content: sentence(tenant, 1000 + round * calls + place) });
    else await handle.recall(`which street and project of team ${tenant % 53}`);
    spent.push(performance.now() - start);
  });
}

const megabytes = (): number => Math.round(process.memoryUsage().rss / 1024 ** 2);

try {
  const filling = await createVarve(options);
  const began = performance.now();
  await fill(filling);
  await filling.close();
  const filled = Math.round((performance.now() - began) / 1000);

  // The store is opened again, so that the caches of recall are empty.
  const varve = await createVarve(options);
  const memory: number[] = [megabytes()];
  for (let round = 0; round < rounds; round += 1) {
    for (const among of round % 2 === 0 ? [FEW, tenants] : [tenants, FEW]) {
      await load(varve, 'observe', among, round);
      await load(varve, 'recall', among, round);
    }
    memory.push(megabytes());
  }
  await varve.close();
  const rows = (['observe', 'recall'] as const).map((verb) => {
    const few = summary(times.get(`${verb} ${FEW}`) ?? []);
    const many = summary(times.get(`${verb} ${tenants}`) ?? []);
    return [
      verb,
      ms(few.p50),
      ms(few.p95),
      ms(many.p50),
      ms(many.p95),
      `${(many.p50 / few.p50).toFixed(2)}×`,
      `${(many.p95 / few.p95).toFixed(2)}×`,
    ];
  });
  report(`${tenants.toLocaleString('en')} tenants of one PostgreSQL store, beside ${FEW} of them`, {
    header: ['', `${FEW}: p50`, 'p95', `${tenants.toLocaleString('en')}: p50`, 'p95', 'p50 ratio', 'p95 ratio'],
    rows,
    note: `${events} events a tenant at the start, filled in ${filled} s; ${clients} clients at a time, ${rounds} rounds of ${calls} calls each${values.vectors ? ', with vectors' : ', by words'}. Resident memory of the process from ${memory[0]} to at most ${Math.max(...memory)} MB.`,
  });
} finally {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`drop schema if exists "${schema}" cascade`);
  await client.end();
}
