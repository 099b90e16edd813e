import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { PostgresPool } from 'kysely';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createMutex } from '../src/store/database.ts';
import { openStore, type StoreOptions } from '../src/store/open-store.ts';

/** A database to test on. */
export interface TestDatabase {
  name: string;
  /** Why its tests are left out, when they are. */
  skip: string | null;
  /** Options that open an empty store of its own; opening again gives the same store. `isBare`: where no store was made yet. */
  create(how?: { isBare: boolean }): Promise<{ options: StoreOptions; drop(): Promise<void> }>;
}

/**
 * The databases of a suite: `for (const database of databases()) describe(…)`. SQLite and a PostgreSQL server, where there is one, run
 * every suite. PGlite stands in for the server where there is none: `npm test` runs on it the suites whose subject is SQL,
 * `databases('sql')` (store, jobs, ledger, isolation, forgetting, erasing, migrations), and `npm run test:all` every suite. PGlite takes
 * ten times SQLite's processor time, so the other suites would cost minutes and repeat the same queries.
 */
export function databases(subject: 'sql' | 'behaviour' = 'behaviour'): TestDatabase[] {
  const url = inject('postgresUrl');
  const depth = inject('depth');
  const notQuick = depth === 'quick' ? 'npm run test:quick is for SQLite' : null;
  const notUsual =
    url !== null ? 'a PostgreSQL server is tested' : subject === 'sql' ? null : 'npm run test:all tests it on PGlite';
  return [
    { name: 'SQLite', skip: null, create: createSqlite },
    { name: 'PGlite', skip: notQuick ?? (depth === 'all' ? null : notUsual), create: createPglite },
    {
      name: 'PostgreSQL',
      skip: notQuick ?? (url === null ? 'VARVE_TEST_POSTGRES_URL is not set' : null),
      create: async () => createPostgres(url ?? ''),
    },
  ];
}

async function createSqlite(): ReturnType<TestDatabase['create']> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-test-'));
  return {
    options: { path: join(folder, 'varve.db') },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function createPostgres(url: string): ReturnType<TestDatabase['create']> {
  const schema = newSchema();
  const { default: pg } = await import('pg');
  return {
    options: { url, schema, distribute: inject('distributed') },
    drop: async () => {
      // Two drops at a time deadlock on a cluster, and the cluster goes with the tests.
      if (inject('distributed')) return;
      const client = new pg.Client(url);
      await client.connect();
      await client.query(`drop schema if exists "${schema}" cascade`);
      await client.end();
    },
  };
}

function newSchema(): string {
  return `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
}

// One for each worker: it takes seconds to start, and every store gets a schema of its own in it.
let pglite: Promise<PGlite> | undefined;

// Schemas that a test is done with, emptied. Making one takes twenty times as long as emptying it.
const emptied: string[] = [];
let newStore: Promise<string> | undefined;

async function createPglite({ isBare } = { isBare: false }): ReturnType<TestDatabase['create']> {
  pglite ??= PGlite.create({ extensions: { vector }, parsers: { 20: Number, 3802: String } });
  const database = await pglite;
  newStore ??= shapeOfNewStore(database);
  await newStore;
  const schema = isBare ? newSchema() : (emptied.pop() ?? newSchema());
  const pool = pglitePool(database);
  return {
    options: { pool, schema },
    drop: async () => {
      // A store that a test has left open reaches nothing from here on.
      pool.connect = () => Promise.reject(new Error('The test has dropped this database.'));
      // A schema that a test has changed is not used again. Its files are in this process's memory.
      if ((await shapeOf(database, schema)) !== (await newStore)) {
        await database.exec(`drop schema if exists "${schema}" cascade`);
        return;
      }
      await empty(database, schema);
      emptied.push(schema);
    },
  };
}

async function shapeOfNewStore(database: PGlite): Promise<string> {
  const schema = newSchema();
  const store = await openStore({ pool: pglitePool(database), schema });
  await store.close();
  emptied.push(schema);
  return shapeOf(database, schema);
}

/** Tables, columns, indexes and sequences of a schema, and the version of the store in it. */
async function shapeOf(database: PGlite, schema: string): Promise<string> {
  const { rows } = await database.query<{ part: string }>(
    `select concat_ws(' ', c.relname, c.relkind, c.relnatts, c.relrowsecurity) as part
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 order by 1`,
    [schema],
  );
  const parts = rows.map(({ part }) => part);
  if (!parts.some((part) => part.startsWith('meta r'))) return 'no store';
  const version = await database.query(`select value from "${schema}".meta where key = 'schema_version'`);
  return JSON.stringify([...parts, version.rows]);
}

async function empty(database: PGlite, schema: string): Promise<void> {
  const { rows } = await database.query<{ statement: string }>(
    `select format('delete from %I.%I', schemaname, tablename) as statement
     from pg_tables where schemaname = $1 and tablename <> 'meta'
     union all select format('alter sequence %I.%I restart', schemaname, sequencename)
     from pg_sequences where schemaname = $1`,
    [schema],
  );
  const statements = [
    ...rows.map(({ statement }) => statement),
    `delete from "${schema}".meta where key <> 'schema_version'`,
  ];
  await database.exec(statements.join(';'));
}

/** PGlite behind the interface of a pool: one session, whose user has it until it is released. */
function pglitePool(database: PGlite): PostgresPool {
  const oneAtATime = createMutex();
  return {
    options: {},
    connect: () =>
      new Promise((resolve) => {
        void oneAtATime(
          () =>
            new Promise<void>((release) => {
              resolve({
                query: async (statement: string, parameters?: readonly unknown[]) => {
                  const result = await database.query(statement, parameters as unknown[]);
                  const command = /^\s*(\w+)/.exec(statement)?.[1]?.toUpperCase() ?? '';
                  return { command, rowCount: result.affectedRows ?? result.rows.length, rows: result.rows };
                },
                release,
              } as never);
            }),
        );
      }),
    end: async () => {},
  } as unknown as PostgresPool;
}
