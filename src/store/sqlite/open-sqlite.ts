import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { EventEmitter, once } from 'node:events';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as nodeSqlite from 'node:sqlite';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { VarveError } from '../../errors.ts';
import { cached } from '../../record/cache.ts';
import { createMutex, type Mutex } from '../../record/event-loop.ts';
import type { Database, Reader, Syntax, Writer } from '../database.ts';
import { statementsOf } from '../migrations/migration.ts';
import { pendingMigrations } from '../migrations/migrations.ts';
import type { Tables } from '../schema.ts';
import { createSqliteVectorIndex, decodeVector, sqliteTextIndex } from './sqlite-indexes.ts';

export interface SqliteOptions {
  /** The path of the file, or `:memory:` for a store that exists only while the process runs. */
  path: string;
  /** The maximum memory for cached vectors, in bytes. Default 256 MiB. */
  vectorCacheBytes?: number;
}

/**
 * One connection writes, one transaction at a time. Another one reads the last committed state, so that reads never wait for a write.
 * Several processes may open the same file.
 */
export async function openSqlite(options: SqliteOptions): Promise<Database> {
  const inMemory = options.path === ':memory:';
  const writing = await openFile(options.path);
  const writer = new Kysely<Tables>({ dialect: nodeSqliteDialect(writing) });
  const oneAtATime = createMutex();
  const commit = createGroupCommit(writer, oneAtATime);
  let reading = writing;
  try {
    await migrate(writer, writing);
    if (!inMemory) reading = await openForReading(options.path);
  } catch (error) {
    await closeConnection(writer, writing);
    throw error;
  }
  const reader = inMemory ? writer : new Kysely<Tables>({ dialect: nodeSqliteDialect(reading) });

  let closed = false;
  const assertOpen = (): void => {
    if (closed) throw new VarveError('This store is closed.', { code: 'closed' });
  };

  const read: Database['read'] = async (_tenant, work) => {
    assertOpen();
    // An in-memory store has only one connection, and a read must not see an unfinished transaction.
    return inMemory ? oneAtATime(() => work(reader as Reader)) : work(reader as Reader);
  };

  const writes = new EventEmitter<{ write: [] }>().setMaxListeners(0);
  return {
    dialect: 'sqlite',
    read,
    readReplica: ({ tenant }, work) => read(tenant, work),
    async write(_tenant, work) {
      assertOpen();
      const result = await commit(work);
      writes.emit('write');
      return result;
    },
    writes,
    text: sqliteTextIndex,
    vectors: createSqliteVectorIndex({ cacheBytes: options.vectorCacheBytes }),
    syntax: SQLITE_SYNTAX,
    examine: async () => [],
    scrub: () => oneAtATime(() => scrub(writing, inMemory ? null : options.path)),
    async close() {
      if (closed) return;
      closed = true;
      await oneAtATime(async () => {
        if (!inMemory) await closeConnection(reader, reading);
        await closeConnection(writer, writing);
      });
    },
  };
}

const SQLITE_SYNTAX: Syntax = {
  isAnyOf: (column, values) => sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`,
  jsonText(column, path) {
    const jsonPath = `$${path.map((part) => `.${JSON.stringify(part)}`).join('')}`;
    return sql`json_extract(${sql.ref(column)}, ${jsonPath})`;
  },
  unindexed: (column) => sql<string>`+${sql.ref(column)}`,
  booleansAreNumbers: true,
  skipLocked: sql``,
  isUniqueViolation: (error) => error instanceof Error && /UNIQUE constraint failed/.test(error.message),
  encodeVector: (vector) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
  decodeVector,
};

/**
 * Kysely closes only connections that it has used. If the reading connection stayed open, SQLite would not merge the write-ahead log into
 * the file.
 */
async function closeConnection(kysely: Kysely<Tables>, connection: DatabaseSync): Promise<void> {
  await kysely.destroy();
  if (connection.isOpen) connection.close();
}

/** Loaded when a store is opened, so that createVarve() can report a version of Node without this module. */
const sqlite = (): Promise<typeof nodeSqlite> => import('node:sqlite');

async function openFile(path: string): Promise<DatabaseSync> {
  try {
    if (path !== ':memory:') {
      makeFolder(dirname(path));
      keepPrivate(path);
    }
    const { DatabaseSync } = await sqlite();
    const database = new DatabaseSync(path);
    // SQLite's own timeout would block the event loop. whenFree() waits instead.
    database.exec('pragma busy_timeout = 0');
    await whenFree(() => database.exec('pragma journal_mode = wal'));
    // FULL, not NORMAL: an acknowledged write must survive a power failure and not only a crash of the process.
    database.exec('pragma synchronous = full');
    // Overwrites erased content instead of only unlinking it.
    database.exec('pragma secure_delete = on');
    database.exec('pragma temp_store = memory');
    database.exec('pragma cache_size = -16000');
    return database;
  } catch (error) {
    if (VarveError.isInstance(error)) throw error;
    throw new VarveError(`The database ${path} cannot be opened: ${(error as Error).message}.`, {
      code: 'store_unavailable',
      cause: error,
    });
  }
}

/**
 * Memories are private, so only the file's owner may read it. SQLite gives its log the same permissions. A file that only its owner and
 * group can access stays as it is: somebody may share it on purpose.
 */
function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  if (process.platform === 'win32') return;
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode;
    if (mode === undefined || (mode & 0o007) === 0) continue;
    try {
      chmodSync(file, 0o600);
    } catch (error) {
      // A process may write to another user's file without the right to change its permissions. `varve doctor` reports this.
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    }
  }
}

async function openForReading(path: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await sqlite();
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec('pragma busy_timeout = 5000');
  database.exec('pragma temp_store = memory');
  database.exec('pragma cache_size = -32000');
  database.exec('pragma mmap_size = 268435456');
  return database;
}

async function migrate(writer: Kysely<Tables>, connection: DatabaseSync): Promise<void> {
  const isReady = (): boolean => pendingMigrations(storedVersion(connection)).length === 0 && hasStatistics(connection);
  if (await whenFree(isReady)) return;
  await writer.transaction().execute(async (transaction) => {
    // Reads the version again under the lock: another process may have migrated the store meanwhile.
    for (const migration of pendingMigrations(storedVersion(connection))) {
      for (const statement of statementsOf(migration, 'sqlite')) await sql.raw(statement).execute(transaction);
      await migration.transform?.(transaction);
      await sql.raw(`pragma user_version = ${migration.version}`).execute(transaction);
    }
    writeStatistics(connection);
  });
}

function hasStatistics(connection: DatabaseSync): boolean {
  return connection.prepare(`select 1 from sqlite_schema where name = 'sqlite_stat1'`).get() !== undefined;
}

/** The selectivity of each column: one in this many rows has a given value. In other columns, almost every value is unique. */
const ONE_IN: Readonly<Record<string, number>> = {
  tenant_id: 10,
  owner_key: 100,
  user_id: 100,
  session_id: 20,
  connection_id: 1,
  model_id: 1,
  kind: 10,
  record_kind: 2,
  type: 10,
  subject: 10,
  importance: 10,
};
const ROWS = 1_000_000;
const ROWS_OF_PARTIAL = ROWS / 10;

/**
 * Writes the statistics of a large store for the query planner. Without them, SQLite assumes ten rows per tenant and reads all rows of a
 * tenant to find five by their keys: maintenance of 20,000 memories takes a minute instead of a fraction of a second.
 *
 * ANALYZE would write statistics of the current store, which is small at first. Tables that are also read across tenants, such as the
 * queue, keep SQLite's assumptions.
 */
function writeStatistics(connection: DatabaseSync): void {
  const indexes = connection
    .prepare(
      `select i.tbl_name as "table", i.name, l."unique" as is_unique, l.partial as is_partial,
        (select group_concat(c.name) from pragma_index_info(i.name) c) as columns
      from sqlite_schema i join pragma_index_list(i.tbl_name) l on l.name = i.name where i.type = 'index'`,
    )
    .all() as { table: string; name: string; is_unique: number; is_partial: number; columns: string }[];
  const acrossTenants = new Set(
    indexes.filter(({ columns }) => !columns.startsWith('tenant_id')).map(({ table }) => table),
  );
  // ANALYZE of a small table creates sqlite_stat1. ANALYZE of the schema loads it.
  connection.exec('analyze meta; delete from sqlite_stat1');
  const insert = connection.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)');
  for (const { table, name, is_unique, is_partial, columns } of indexes) {
    if (acrossTenants.has(table)) continue;
    const counts = [is_partial === 1 ? ROWS_OF_PARTIAL : ROWS];
    for (const column of columns.split(','))
      counts.push(Math.max(1, Math.round((counts.at(-1) ?? 1) / (ONE_IN[column] ?? ROWS))));
    if (is_unique === 1) counts[counts.length - 1] = 1;
    insert.run(table, name, `${counts.join(' ')} noskipscan`);
  }
  connection.exec('analyze sqlite_schema');
}

function storedVersion(connection: DatabaseSync): number {
  return Number(connection.prepare('pragma user_version').get()?.['user_version'] ?? 0);
}

/**
 * Merges the segments of the full-text index, rewrites the file and truncates the write-ahead log, because all three may contain deleted
 * words. The merge runs in small steps, so that it does not block the event loop.
 */
async function scrub(connection: DatabaseSync, path: string | null): Promise<void> {
  for (const table of ['memory_text', 'event_text']) {
    const changes = (): number => Number(connection.prepare('select total_changes() as n').get()?.['n']);
    let steps = -MERGE_PAGES;
    for (;;) {
      const before = changes();
      await whenFree(() => connection.exec(`insert into ${table} (${table}, rank) values ('merge', ${steps})`));
      // FTS5 reports its own statement as one change, so fewer than two mean that nothing was left to merge.
      if (changes() - before < 2) break;
      steps = MERGE_PAGES;
      await nextTurn();
    }
  }
  if (path !== null) await rewriteFile(path);
  await whenFree(() => connection.exec('pragma wal_checkpoint(truncate)'));
}

const MERGE_PAGES = 200;

/**
 * `secure_delete` overwrites a deleted row, but not the copies that SQLite leaves when it moves rows between pages, and an erasure in a
 * backup from `vacuum into` moves many rows, because its pages are full. VACUUM takes about 20 ms per MB, so it runs in a thread.
 */
async function rewriteFile(path: string): Promise<void> {
  const thread = new Worker(REWRITE, { eval: true, workerData: path, execArgv: [] });
  try {
    await once(thread, 'exit');
  } catch (error) {
    const message = `The erased words may still be in the file ${path}, which could not be rewritten: ${(error as Error).message}.`;
    throw new VarveError(message, { code: 'store_unavailable', retryable: true, cause: error });
  }
}

type Work<Result> = (writer: Writer) => Promise<Result>;

interface Waiting {
  work: Work<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const LARGEST_GROUP = 100;

/**
 * Group commit: concurrent writes share one transaction, and thus one flush to the disk, which costs more than the rest of a small write.
 * Each write has its own savepoint, so that a failure rolls back only that write. A write is acknowledged only when its group is on the
 * disk.
 */
function createGroupCommit(
  database: Kysely<Tables>,
  oneAtATime: Mutex,
): <Result>(work: Work<Result>) => Promise<Result> {
  let waiting: Waiting[] = [];

  const runGroup = async (): Promise<void> => {
    if (waiting.length === 0) return;
    // Requests to a server arrive one by one within a turn of the event loop. Without this pause, the first would commit before the second
    // is read: 230 writes a second from 200 clients instead of thousands.
    await nextTurn();
    const group = waiting.slice(0, LARGEST_GROUP);
    waiting = waiting.slice(LARGEST_GROUP);
    try {
      const outcomes = await database.transaction().execute((transaction) => runAll(transaction as Writer, group));
      for (const settle of outcomes) settle();
    } catch (error) {
      for (const member of group) member.reject(error);
    }
  };

  return <Result>(work: Work<Result>) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      // Every write queues a task, which does nothing if an earlier group has already included the write.
      void oneAtATime(runGroup);
    });
}

/** Returns one function per write, which settles the caller's promise after the commit. */
async function runAll(transaction: Writer, group: readonly Waiting[]): Promise<(() => void)[]> {
  const outcomes: (() => void)[] = [];
  for (const { work, resolve, reject } of group) {
    await sql`savepoint one_write`.execute(transaction);
    try {
      const result = await work(transaction);
      outcomes.push(() => resolve(result));
    } catch (error) {
      outcomes.push(() => reject(error));
      // This rollback fails if SQLite has already rolled back the whole transaction. The first error then has the reason.
      await sql`rollback to one_write`.execute(transaction).catch(() => Promise.reject(error));
    }
    await sql`release one_write`.execute(transaction);
  }
  return outcomes;
}

/** Creates a folder with its parents. Node's own recursive mkdir hangs where no folder can be created, as in /proc. */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created the folder meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

const STATEMENT_CACHE_SIZE = 400;
const SQLITE_BUSY = 5;

/** Milliseconds. */
const WRITE_LOCK_TIMEOUT = 15_000;

/** Milliseconds. Long enough for another process to finish a write. */
const REPORT_AFTER = 1_000;

const REWRITE = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(require('node:worker_threads').workerData);
  database.exec('pragma busy_timeout = ${WRITE_LOCK_TIMEOUT}; pragma synchronous = full; pragma secure_delete = on; vacuum');
  database.close();`;

const reporters = new Set<() => void>();

/** Calls `report` when this process has waited more than a second for another process's lock. Returns a function that stops this. */
export function onLongWait(report: () => void): () => void {
  reporters.add(report);
  return () => void reporters.delete(report);
}

/** The connection has only one user at a time, so it is never acquired or released. */
function nodeSqliteDialect(database: DatabaseSync): Dialect {
  const connection = new NodeSqliteConnection(database);
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    // `immediate` takes the write lock at once. A transaction that reads first and writes later fails if another process has written
    // meanwhile.
    beginTransaction: () => whenFree(() => explained(() => database.exec('begin immediate'))),
    commitTransaction: async () => explained(() => database.exec('commit')),
    // When the disk is full or fails, SQLite itself rolls the transaction back.
    rollbackTransaction: async () => {
      if (database.isTransaction) database.exec('rollback');
    },
    releaseConnection: async () => {},
    destroy: async () => database.close(),
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => driver,
  };
}

/** Waits for the lock without blocking the event loop, unlike SQLite's own timeout. */
async function whenFree<Result>(attempt: () => Result): Promise<Result> {
  const started = performance.now();
  let isReported = false;
  for (let wait = 1; ; wait = Math.min(wait * 2, 25)) {
    try {
      return attempt();
    } catch (error) {
      if (codeOf(error) !== SQLITE_BUSY) throw error;
      const waited = performance.now() - started;
      if (waited > REPORT_AFTER && !isReported) {
        isReported = true;
        for (const report of reporters) report();
      }
      if (waited > WRITE_LOCK_TIMEOUT) {
        const message =
          'The database has been locked by another process for too long. Stop that process, or wait for it.';
        throw new VarveError(message, { code: 'store_busy', retryable: true, cause: error });
      }
    }
    await delay(wait * (0.5 + Math.random()));
  }
}

function codeOf(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : null;
}

/** SQLite's result codes for errors of the disk or the file, not of the query. */
const PLACE_PROBLEMS: Readonly<Record<number, string>> = {
  8: 'The database cannot be written to.',
  10: 'The disk failed to read or write.',
  11: 'The database file is damaged.',
  13: 'The disk is full.',
  26: 'The file is not a database.',
};

function explained<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const problem = PLACE_PROBLEMS[codeOf(error) ?? 0];
    if (problem === undefined) throw error;
    throw new VarveError(problem, { code: 'store_unavailable', cause: error });
  }
}

interface PreparedStatement {
  statement: StatementSync;
  returnsRows: boolean;
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #prepare: (sql: string) => PreparedStatement;

  constructor(database: DatabaseSync) {
    this.#prepare = cached(STATEMENT_CACHE_SIZE, (sql) => ({
      statement: database.prepare(sql),
      returnsRows: /^\s*(select|with|pragma|explain)\b/i.test(sql) || /\breturning\b/i.test(sql),
    }));
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    const parameters = query.parameters.map(toSqlite);
    if (returnsRows) return { rows: explained(() => statement.all(...parameters)) as Row[] };
    const { changes, lastInsertRowid } = explained(() => statement.run(...parameters));
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  streamQuery(): never {
    throw new Error('Varve reads large results page by page, and never as a stream.');
  }
}

function toSqlite(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value === undefined ? null : (value as SQLInputValue);
}
