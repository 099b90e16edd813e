// npm run bench:sizes [-- --database postgres://…]: measures the bytes on disk for an event, a memory and a vector, with their indexes.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { functionEmbedder } from '../src/models/embedder.ts';
import type { StoreOptions } from '../src/store/open-store.ts';
import { createVarve } from '../src/varve.ts';
import { report } from './measure.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: process.env['VARVE_TEST_POSTGRES_URL'] },
    count: { type: 'string', default: '4000' },
  },
});
const count = Number(values.count);
const USERS = 20;
const DIMENSIONS = 384;

// 25 words with the frequencies of conversation: a few are frequent and most are rare (Zipf's law over a vocabulary of 3,000).
const VOCABULARY = 3000;
const word = (rank: number): string => `${'etaoinshrdlu'.slice(rank % 7, (rank % 7) + 2)}${rank.toString(36)}`;
let seed = 1;
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}
const text = (): string => Array.from({ length: 25 }, () => word(Math.floor(VOCABULARY ** random()))).join(' ');

const embedder = functionEmbedder({
  id: 'any@1',
  dimensions: DIMENSIONS,
  // All vectors differ, because an index stores equal vectors once.
  embed: async (texts) => texts.map(() => Array.from({ length: DIMENSIONS }, () => random() - 0.5)),
});

/** The size of the store after events, after memories and after their vectors, in bytes. */
async function measureSizes(store: StoreOptions, size: () => Promise<number>): Promise<string[]> {
  const bytes: number[] = [];
  const step = async (work: (varve: Awaited<ReturnType<typeof createVarve>>) => Promise<unknown>): Promise<void> => {
    const varve = await createVarve({ store, embedder, background: false });
    await work(varve);
    await varve.close();
    bytes.push(await size());
  };
  const perUser = count / USERS;
  await step(async () => {});
  await step(async (varve) => {
    for (let user = 0; user < USERS; user += 1) {
      const handle = varve.for({ tenant: 'sizes', user: `user-${user}`, session: 's' });
      await handle.observe(Array.from({ length: perUser }, () => ({ content: text() })));
    }
  });
  await step(async (varve) => {
    for (let place = 0; place < count; place += 1) {
      const handle = varve.for({ tenant: 'sizes', user: `user-${place % USERS}` });
      await handle.memories.create({ type: 'fact', content: text() });
    }
  });
  await step((varve) => varve.backfill({ rate: Infinity }));
  const [empty = 0, events = 0, memories = 0, vectors = 0] = bytes;
  // Records leave the embedding queue when their vectors are saved, so the rows of the queue count with the records.
  return [(events - empty) / count, (memories - events) / count, (vectors - memories) / (2 * count)].map((each) =>
    Math.round(each).toLocaleString('en'),
  );
}

const rows: string[][] = [];
const folder = mkdtempSync(join(tmpdir(), 'varve-sizes-'));
const path = join(folder, 'varve.db');
rows.push([
  'SQLite',
  ...(await measureSizes({ path }, async () => {
    const database = new DatabaseSync(path);
    database.exec('vacuum');
    const [page] = database
      .prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size')
      .all();
    database.close();
    return Number(page?.['bytes']);
  })),
]);
rmSync(folder, { recursive: true, force: true });

if (values.database !== undefined) {
  const schema = `sizes_${randomUUID().slice(0, 8)}`;
  const client = new pg.Client(values.database);
  await client.connect();
  try {
    rows.push([
      'PostgreSQL',
      ...(await measureSizes({ url: values.database, schema }, async () => {
        const tables = await client.query<{ name: string }>(
          'select quote_ident(schemaname) || $2 || quote_ident(tablename) as name from pg_tables where schemaname = $1',
          [schema, '.'],
        );
        // A full vacuum removes unused space, as the vacuum of SQLite does.
        for (const { name } of tables.rows) await client.query(`vacuum full ${name}`);
        const { rows: found } = await client.query<{ bytes: string }>(
          `select sum(pg_total_relation_size(c.oid))::text as bytes from pg_class c where c.relkind = 'r' and c.relnamespace = $1::regnamespace`,
          [schema],
        );
        return Number(found[0]?.bytes);
      })),
    ]);
  } finally {
    await client.query(`drop schema if exists "${schema}" cascade`);
    await client.end();
  }
}
report('Bytes on disk', {
  header: ['', 'an event of 25 words', 'a memory of 25 words', `a vector of ${DIMENSIONS} dimensions`],
  rows,
  note: `${count.toLocaleString('en')} events and as many memories of ${USERS} users, with full text and all indexes, after a vacuum.`,
});
