import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { PostgresPool } from 'kysely';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { callbackify } from 'node:util';
import type { Client } from 'pg';
import { inject } from 'vitest';
import { createMutex } from '../src/record/event-loop.ts';
import { MIGRATIONS } from '../src/store/migrations/migrations.ts';
import { openStore, type StoreOptions } from '../src/store/open-store.ts';
import { createPreparedStatements } from '../src/store/postgres/open-postgres.ts';

/** A database to test on. */
export interface TestDatabase {
  name: string;
  /** Why its tests are skipped; null if they run. */
  skip: string | null;
  /** Options that open a new empty store; opening again with them opens the same store. With `isBare`, the schema is not created yet. */
  create(how?: { isBare: boolean }): Promise<{ options: StoreOptions; drop(): Promise<void> }>;
}

/**
 * The databases of a suite: `for (const database of databases()) describe(…)`. SQLite runs every suite. PostgreSQL is the server that
 * VARVE_TEST_POSTGRES_URL names, or PGlite if there is none. In `npm test` it runs only the suites about SQL, `databases('sql')`: store,
 * search, jobs, ledger, isolation, erasing, migrations. The other suites send the same queries from more places: `npm run test:postgres`
 * runs them on the server, and `npm run test:all` runs every suite on both databases.
 */
export function databases(subject: 'sql' | 'behaviour' = 'behaviour'): TestDatabase[] {
  const url = inject('postgresUrl');
  const depth = inject('depth');
  const isForPostgres = depth === 'all' || depth === (subject === 'sql' ? 'usual' : 'postgres');
  const skipped = (reason: string | false): string | null => (reason === false ? null : reason);
  return [
    { name: 'SQLite', skip: skipped(depth === 'postgres' && 'npm test runs it on SQLite'), create: createSqlite },
    {
      name: 'PGlite',
      skip: skipped(
        url !== null ? 'the server runs it' : !isForPostgres && 'npm run test:all runs it on PGlite or on a server',
      ),
      create: createPglite,
    },
    {
      name: 'PostgreSQL',
      skip: skipped(
        url === null
          ? 'VARVE_TEST_POSTGRES_URL is not set'
          : !isForPostgres && 'npm test or npm run test:postgres runs it on the server',
      ),
      create: (how) => createPostgres(url ?? '', how),
    },
  ];
}

/** How many items a test makes: `few` on PGlite in `npm test`, because PGlite is several times slower, and `many` otherwise. */
export function countOn({ name }: TestDatabase, { many, few }: { many: number; few: number }): number {
  return name === 'PGlite' && inject('depth') !== 'all' ? few : many;
}

// The file of an empty store, one for each worker. Copying it takes a hundredth of the time of the migrations.
let emptySqlite: Promise<Uint8Array> | undefined;

async function makeEmptySqlite(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-test-'));
  const path = join(folder, 'varve.db');
  const store = await openStore({ path });
  await store.close();
  const file = readFileSync(path);
  rmSync(folder, { recursive: true });
  return file;
}

async function createSqlite({ isBare } = { isBare: false }): ReturnType<TestDatabase['create']> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-test-'));
  const path = join(folder, 'varve.db');
  if (!isBare) writeFileSync(path, await (emptySqlite ??= makeEmptySqlite()), { mode: 0o600 });
  return { options: { path }, drop: async () => rmSync(folder, { recursive: true, force: true }) };
}

/** Runs statements in a session of the test, separate from those of the store. */
interface Session {
  query<Row>(statement: string, parameters?: unknown[]): Promise<{ rows: Row[] }>;
}

/**
 * Schemas with an empty store, which tests use one after the other. Creating one takes twenty times as long as emptying it, so a schema is
 * emptied and kept when a test has finished with it.
 */
interface Schemas {
  take(how: { isBare: boolean }): Promise<string>;
  /** Keeps a schema. A schema that a test has changed, or that `isInUse`, is dropped. */
  giveBack(schema: string, isInUse: boolean): Promise<void>;
}

function keepSchemas(session: Session, make: (schema: string) => StoreOptions): Schemas {
  const emptied: string[] = [];
  let newStore: Promise<string> | undefined;
  const shapeOfNewStore = async (): Promise<string> => {
    const schema = newSchema();
    const store = await openStore(make(schema));
    await store.close();
    emptied.push(schema);
    return shapeOf(session, schema);
  };
  return {
    async take({ isBare }) {
      newStore ??= shapeOfNewStore();
      await newStore;
      return isBare ? newSchema() : (emptied.pop() ?? newSchema());
    },
    async giveBack(schema, isInUse) {
      if (isInUse || (await shapeOf(session, schema)) !== (await newStore)) {
        await session.query(`drop schema if exists "${schema}" cascade`);
        return;
      }
      await empty(session, schema);
      emptied.push(schema);
    },
  };
}

/** Tables, columns, indexes and sequences of a schema, and the version of the store in it. */
async function shapeOf(session: Session, schema: string): Promise<string> {
  const { rows } = await session.query<{ part: string }>(
    `select concat_ws(' ', c.relname, c.relkind, c.relnatts, c.relrowsecurity) as part
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 order by 1`,
    [schema],
  );
  const parts = rows.map(({ part }) => part);
  if (!parts.some((part) => part.startsWith('meta r'))) return 'no store';
  const version = await session.query(`select value from "${schema}".meta where key = 'schema_version'`);
  return JSON.stringify([...parts, version.rows]);
}

/** Runs everything in one statement, which takes one round trip. */
async function empty(session: Session, schema: string): Promise<void> {
  await session.query(`do $$ declare statement text; begin
    for statement in
      select format('delete from %I.%I', schemaname, tablename) from pg_tables
        where schemaname = '${schema}' and tablename <> 'meta'
      union all select format('alter sequence %I.%I restart', schemaname, sequencename) from pg_sequences
        where schemaname = '${schema}'
      union all select 'delete from "${schema}".meta where key <> ''schema_version'''
    loop execute statement; end loop;
  end $$`);
}

function newSchema(): string {
  return `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
}

// There is one client with its schemas for each worker.
let server: Promise<{ client: Session; schemas: Schemas }> | undefined;

async function connectToServer(url: string): Promise<{ client: Session; schemas: Schemas }> {
  const { default: pg } = await import('pg');
  const client = new pg.Client(url);
  await client.connect();
  return { client, schemas: keepSchemas(client, (schema) => ({ url, schema })) };
}

async function createPostgres(url: string, how = { isBare: false }): ReturnType<TestDatabase['create']> {
  server ??= connectToServer(url);
  const { client, schemas } = await server;
  if (inject('distributed')) {
    const schema = (how.isBare ? undefined : await nextEmptied(client)) ?? newSchema();
    return { options: { url, schema, distribute: true }, drop: async () => void distributed.push(schema) };
  }
  const schema = await schemas.take(how);
  const named = new URL(url);
  named.searchParams.set('application_name', schema);
  return {
    // Each connection plans every statement again, which takes most of the server’s time in a short test.
    options: { url: named.href, schema, maximumConnections: 3 },
    drop: async () => {
      // A store that a test left open, or whose process was killed, would write into the next test.
      const { rows } = await client.query('select from pg_stat_activity where application_name = $1', [schema]);
      await schemas.giveBack(schema, rows.length > 0);
    },
  };
}

// Stores on a cluster that tests of this worker have finished with, for the next tests. They are not dropped, because two concurrent drops
// deadlock and the cluster is removed after the tests.
const distributed: string[] = [];
const TABLES = new Set([
  'meta',
  'schedules',
  'api_keys',
  ...MIGRATIONS.flatMap(({ tenantTables = [] }) => tenantTables),
]);

/**
 * A distributed store that is emptied for the next test. It is emptied only now, because a killed process may still have been writing when
 * its test ended.
 */
async function nextEmptied(client: Session): Promise<string | undefined> {
  for (let schema = distributed.shift(); schema !== undefined; schema = distributed.shift()) {
    const { rows } = await client.query<{ name: string; isPlaced: boolean }>(
      `select c.relname as name, exists (select from pg_dist_partition p where p.logicalrelid = c.oid) as "isPlaced"
       from pg_class c where c.relnamespace = to_regnamespace($1) and c.relkind = 'r' and c.relname !~ '_[0-9]{6,}$'`,
      [schema],
    );
    // A test has left its own tables, or a store that is not distributed.
    if (rows.length === 0 || rows.some(({ name, isPlaced }) => !isPlaced || !TABLES.has(name))) continue;
    for (const { name } of rows) {
      await client.query(`delete from "${schema}"."${name}" ${name === 'meta' ? `where key <> 'schema_version'` : ''}`);
    }
    return schema;
  }
  return undefined;
}

// There is one for each worker, because it takes seconds to start.
let pglite: Promise<{ newPool(schema: string, isBare: boolean): PostgresPool; schemas: Schemas }> | undefined;

async function startPglite(): NonNullable<typeof pglite> {
  const client = await connectToPglite(await createCluster());
  const oneAtATime = createMutex();
  // A statement is prepared separately for each schema, because a schema of another version has other columns.
  const prepared = new Map<string, ReturnType<typeof createPreparedStatements>>();
  const newPool = (schema: string, isBare: boolean): PostgresPool => {
    const names = prepared.get(schema) ?? createPreparedStatements(!isBare);
    prepared.set(schema, names);
    return pglitePool(client, oneAtATime, (text) => names.nameOf(text)?.replace('varve', schema));
  };
  return { newPool, schemas: keepSchemas(client, (schema) => ({ pool: newPool(schema, true), schema })) };
}

async function createPglite(how = { isBare: false }): ReturnType<TestDatabase['create']> {
  pglite ??= startPglite();
  const { newPool, schemas } = await pglite;
  const schema = await schemas.take(how);
  const pool = newPool(schema, how.isBare);
  return {
    options: { pool, schema },
    drop: async () => {
      // From here on, a store that a test left open reaches no database.
      pool.connect = () => Promise.reject(new Error('The test has dropped this database.'));
      await schemas.giveBack(schema, false);
    },
  };
}

/**
 * A PGlite with an empty database. Creating its files takes three times as long as reading them, so they are kept between runs, for each
 * version of PGlite.
 */
async function createCluster(): Promise<PGlite> {
  const its = readFileSync(new URL('../node_modules/@electric-sql/pglite/package.json', import.meta.url), 'utf8');
  const folder = process.env['NODE_COMPILE_CACHE'] ?? tmpdir();
  const kept = join(folder, `pglite-${(JSON.parse(its) as { version: string }).version}.tar`);
  if (existsSync(kept)) return PGlite.create({ extensions: { vector }, loadDataDir: new Blob([readFileSync(kept)]) });
  const database = await PGlite.create({ extensions: { vector } });
  const files = await database.dumpDataDir('none');
  // The file has a temporary name until it is complete, because another worker may be reading.
  const written = `${kept}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(written, Buffer.from(await files.arrayBuffer()));
  renameSync(written, kept);
  return database;
}

/**
 * The driver that the product uses, connected to PGlite. It sends a statement and its parameters in one message, which takes half of the
 * time of PGlite’s own `query`, which calls into the database six times for each statement.
 */
async function connectToPglite(database: PGlite): Promise<Client> {
  const { default: pg } = await import('pg');
  const exchange = callbackify((sent: Buffer[], stream: Duplex) =>
    database.execProtocolRawStream(Buffer.concat(sent), {
      syncToFs: false,
      // The answer is in the memory of the database, which reuses that memory.
      onRawData: (answer) => void stream.push(Buffer.from(answer)),
    }),
  );
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      exchange([chunk], this, done);
    },
    writev(chunks, done) {
      const sent = chunks.map(({ chunk }) => chunk as Buffer);
      exchange(sent, this, done);
    },
  });
  const connect = (): void => void setImmediate(() => stream.emit('connect'));
  const parsers: Record<number, (text: string) => unknown> = { 20: Number, 3802: String };
  const client = new pg.Client({
    user: 'postgres',
    database: 'postgres',
    stream: () => Object.assign(stream, { connect, setNoDelay() {}, setKeepAlive() {}, ref() {}, unref() {} }) as never,
    types: { getTypeParser: (oid, format) => parsers[oid] ?? pg.types.getTypeParser(oid, format as 'text') },
  });
  await client.connect();
  return client;
}

/**
 * PGlite behind the interface of a pool: one session, which a caller holds until the caller releases it. All stores of a worker share the
 * session and `oneAtATime`; otherwise a statement of one store would run within the transaction of another.
 */
function pglitePool(
  client: Client,
  oneAtATime: ReturnType<typeof createMutex>,
  nameOf: (statement: string) => string | undefined,
): PostgresPool {
  const query = (text: string, values: unknown[] = []): Promise<unknown> =>
    client.query({ name: values.length > 0 ? nameOf(text) : undefined, text, values });
  return {
    options: {},
    connect: () =>
      new Promise((resolve) => {
        void oneAtATime(() => new Promise<void>((release) => resolve({ query, release } as never)));
      }),
    end: async () => {},
  } as unknown as PostgresPool;
}
