import { Kysely, sql } from 'kysely';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as nodeSqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { VarveError } from '../../errors.ts';
import { createMutex, type Database, type Mutex, type Reader, type Writer } from '../database.ts';
import { SQLITE_TYPES } from '../migrations/migration.ts';
import { pendingMigrations } from '../migrations/migrations.ts';
import type { Tables } from '../schema.ts';
import { nodeSqliteDialect, whenFree } from './node-sqlite-dialect.ts';
import { createSqliteVectorIndex, decodeVector, sqliteTextIndex } from './sqlite-indexes.ts';

/** Where an embedded store lives. */
export interface SqliteOptions {
  /** The path of the file, or `:memory:` for a store that ends with the process. */
  path: string;
  /** The most memory that cached vectors may take. Default 256 MiB. */
  vectorCacheBytes?: number;
}

/**
 * Opens the embedded store: one connection that writes, one transaction at a time, and one that reads
 * what was last committed, so that reads never wait for a writer. Several processes may open one file.
 */
export async function openSqlite(options: SqliteOptions): Promise<Database> {
  const inMemory = options.path === ':memory:';
  const writing = await openFile(options.path);
  const writer = new Kysely<Tables>({ dialect: nodeSqliteDialect(writing) });
  const oneAtATime = createMutex();
  const commit = createGroupCommit(writer, oneAtATime);
  let reader: Kysely<Tables> = writer;
  try {
    await migrate(writer, writing);
    if (!inMemory) reader = new Kysely<Tables>({ dialect: nodeSqliteDialect(await openForReading(options.path)) });
  } catch (error) {
    await writer.destroy();
    throw error;
  }

  let closed = false;
  const assertOpen = (): void => {
    if (closed) throw new VarveError('This store is closed.', { code: 'closed' });
  };

  const read: Database['read'] = async (_tenant, work) => {
    assertOpen();
    // In memory there is one connection only, and a read must not see half a transaction.
    return inMemory ? oneAtATime(() => work(reader as Reader)) : work(reader as Reader);
  };

  return {
    dialect: 'sqlite',
    read,
    readReplica: ({ tenant }, work) => read(tenant, work),
    async write(_tenant, work) {
      assertOpen();
      return commit(work);
    },
    text: sqliteTextIndex,
    vectors: createSqliteVectorIndex({ cacheBytes: options.vectorCacheBytes }),
    syntax: {
      jsonText: (column, path) => sql`json_extract(${sql.ref(column)}, ${jsonPath(path)})`,
      unindexed: (column) => sql<string>`+${sql.ref(column)}`,
      booleansAreNumbers: true,
      skipLocked: sql``,
      isUniqueViolation: (error) => error instanceof Error && /UNIQUE constraint failed/.test(error.message),
      encodeVector: (vector) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
      decodeVector,
    },
    examine: async () => [],
    scrub: () => oneAtATime(() => scrub(writing)),
    async close() {
      if (closed) return;
      closed = true;
      await oneAtATime(async () => {
        if (!inMemory) await reader.destroy();
        await writer.destroy();
      });
    },
  };
}

/** Loaded when a store is opened, and not with the package: a Node without it is told so by createVarve(). */
const sqlite = (): Promise<typeof nodeSqlite> => import('node:sqlite');

async function openFile(path: string): Promise<DatabaseSync> {
  try {
    if (path !== ':memory:') {
      makeFolder(dirname(path));
      keepPrivate(path);
    }
    const { DatabaseSync } = await sqlite();
    const database = new DatabaseSync(path);
    // Waiting is done by whenFree(): SQLite's own would stop the event loop.
    database.exec('pragma busy_timeout = 0');
    await whenFree(() => database.exec('pragma journal_mode = wal'));
    // FULL, not NORMAL: an acknowledged write must survive a power cut, not just a crash of the process.
    database.exec('pragma synchronous = full');
    // What is erased is overwritten, not just unlinked.
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
 * Lets only the owner of the file read it: what is remembered is nobody else's. SQLite gives its log the same rights. A file that is
 * shared with a group on purpose stays as it is; one that the whole machine can read does not.
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
      // A process that may write another user's file cannot change its rights: `varve doctor` reports it.
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
  const version = await whenFree(() => storedVersion(connection));
  if (pendingMigrations(version).length === 0) return;
  await writer.transaction().execute(async (transaction) => {
    // Read again under the lock: another process may have been quicker.
    for (const migration of pendingMigrations(storedVersion(connection))) {
      for (const statement of [...migration.statements(SQLITE_TYPES), ...(migration.sqlite ?? [])]) {
        await sql.raw(statement).execute(transaction);
      }
      await migration.transform?.(transaction);
      await sql.raw(`pragma user_version = ${migration.version}`).execute(transaction);
    }
  });
}

function storedVersion(connection: DatabaseSync): number {
  return Number(connection.prepare('pragma user_version').get()?.['user_version'] ?? 0);
}

/**
 * Full text keeps deleted words until its segments are merged, and the log keeps old pages until it is emptied.
 * Small steps, so that the event loop is not held up.
 */
async function scrub(connection: DatabaseSync): Promise<void> {
  for (const table of ['memory_text', 'event_text']) {
    const changes = (): number => Number(connection.prepare('select total_changes() as n').get()?.['n']);
    let steps = -MERGE_PAGES;
    for (;;) {
      const before = changes();
      await whenFree(() => connection.exec(`insert into ${table} (${table}, rank) values ('merge', ${steps})`));
      // FTS5 counts its own statement as one change: fewer than two means that nothing was left to merge.
      if (changes() - before < 2) break;
      steps = MERGE_PAGES;
      await nextTurn();
    }
  }
  await whenFree(() => connection.exec('pragma wal_checkpoint(truncate)'));
}

const MERGE_PAGES = 200;

function jsonPath(path: readonly string[]): string {
  return `$${path.map((part) => `.${JSON.stringify(part)}`).join('')}`;
}

type Work<Result> = (writer: Writer) => Promise<Result>;

interface Waiting {
  work: Work<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

type Outcome = { ok: true; result: unknown } | { ok: false; error: unknown };

const LARGEST_GROUP = 100;

/**
 * Writes that wait at the same moment share one transaction, and with it one flush to the disk, which costs more than all else in a small
 * write. Each has a savepoint of its own, so that a failure rolls back only its own work. A write is acknowledged when the group is on the
 * disk, never before.
 */
function createGroupCommit(
  database: Kysely<Tables>,
  oneAtATime: Mutex,
): <Result>(work: Work<Result>) => Promise<Result> {
  let waiting: Waiting[] = [];

  const runGroup = async (): Promise<void> => {
    if (waiting.length === 0) return;
    // Requests of a server arrive one by one within a turn of the event loop, and SQLite would let the first of them
    // commit before the second is read: 230 writes a second from 200 clients instead of thousands.
    await nextTurn();
    const group = waiting.slice(0, LARGEST_GROUP);
    waiting = waiting.slice(LARGEST_GROUP);
    try {
      const outcomes = await database.transaction().execute((transaction) => runAll(transaction as Writer, group));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.ok) group[index]?.resolve(outcome.result);
        else group[index]?.reject(outcome.error);
      }
    } catch (error) {
      for (const member of group) member.reject(error);
    }
  };

  return <Result>(work: Work<Result>) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      // One turn for each write: the turns of those that an earlier group took along find nothing left to do.
      void oneAtATime(runGroup);
    });
}

async function runAll(transaction: Writer, group: readonly Waiting[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { work } of group) {
    await sql`savepoint one_write`.execute(transaction);
    try {
      outcomes.push({ ok: true, result: await work(transaction) });
    } catch (error) {
      outcomes.push({ ok: false, error });
      // It fails where SQLite has taken back the whole transaction: then the first failure says why.
      await sql`rollback to one_write`.execute(transaction).catch(() => Promise.reject(error));
    }
    await sql`release one_write`.execute(transaction);
  }
  return outcomes;
}

/** Makes a folder with all that lead to it. Node's own way never ends where none can be made, as in /proc. */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
