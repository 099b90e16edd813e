import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { PostgresPool } from 'kysely';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createMutex } from '../src/store/database.ts';
import type { StoreOptions } from '../src/store/open-store.ts';

/** A database to test on. */
export interface TestDatabase {
  name: string;
  /** Why its tests are left out, when they are. */
  skip: string | null;
  /** Options that open an empty store of its own; opening again gives the same store. */
  create(): Promise<{ options: StoreOptions; drop(): Promise<void> }>;
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

async function createPglite(): ReturnType<TestDatabase['create']> {
  pglite ??= PGlite.create({ extensions: { vector }, parsers: { 20: Number, 3802: String } });
  const database = await pglite;
  const schema = newSchema();
  return {
    options: { pool: pglitePool(database), schema },
    // Its files are in this process's memory.
    drop: async () => void (await database.exec(`drop schema if exists "${schema}" cascade`)),
  };
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
