import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import { VarveError } from '../../errors.ts';

const STATEMENT_CACHE_SIZE = 400;
const SQLITE_BUSY = 5;

/** How long a writer waits for the others before it gives up. */
const WRITE_LOCK_TIMEOUT = 15_000;

/**
 * Kysely on one connection of `node:sqlite`. The connection has one user at a time
 * (see open-sqlite.ts), so there is nothing to acquire and release here.
 */
export function nodeSqliteDialect(database: DatabaseSync): Dialect {
  const connection = new NodeSqliteConnection(database);
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => driver(connection, database),
  };
}

function driver(connection: NodeSqliteConnection, database: DatabaseSync): Driver {
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: () => beginImmediate(database),
    commitTransaction: async () => explained(() => database.exec('commit')),
    // SQLite has taken the transaction back itself when the disk is full or fails.
    rollbackTransaction: async () => {
      if (database.isTransaction) database.exec('rollback');
    },
    releaseConnection: async () => {},
    destroy: async () => database.close(),
  };
}

/**
 * Takes the write lock at once: a transaction that begins by reading and then writes
 * could fail half-way when another process has written since the read.
 */
const beginImmediate = (database: DatabaseSync): Promise<void> => whenFree(() => database.exec('begin immediate'));

/** Tries until no other connection is in the way. Waits without blocking the event loop, unlike SQLite's own timeout. */
export async function whenFree<Result>(attempt: () => Result): Promise<Result> {
  const deadline = performance.now() + WRITE_LOCK_TIMEOUT;
  for (let wait = 1; ; wait = Math.min(wait * 2, 25)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > deadline) {
        throw new VarveError(
          'The database has been locked by another process for too long. Stop that process, or wait for it.',
          {
            code: 'store_busy',
            retryable: true,
            cause: error,
          },
        );
      }
    }
    await delay(wait * (0.5 + Math.random()));
  }
}

function isBusy(error: unknown): boolean {
  return codeOf(error) === SQLITE_BUSY;
}

function codeOf(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : null;
}

/** What is wrong with the place, not with what was asked: by SQLite's result codes. */
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
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, PreparedStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    const parameters = query.parameters.map(toSqlite);
    if (returnsRows) return { rows: explained(() => statement.all(...parameters)) as Row[] };
    const { changes, lastInsertRowid } = explained(() => statement.run(...parameters));
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async *streamQuery<Row>(query: CompiledQuery, chunkSize = 100): AsyncIterableIterator<QueryResult<Row>> {
    // Not from the cache: a statement that is stepped through must not be reset by another query.
    const statement = this.#database.prepare(query.sql);
    let rows: Row[] = [];
    for (const row of statement.iterate(...query.parameters.map(toSqlite))) {
      rows.push(row as Row);
      if (rows.length < chunkSize) continue;
      yield { rows };
      rows = [];
    }
    if (rows.length > 0) yield { rows };
  }

  #prepare(sql: string): PreparedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= STATEMENT_CACHE_SIZE) {
      const oldest = this.#statements.keys().next().value;
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    const returnsRows = /^\s*(select|with|pragma|explain)\b/i.test(sql) || /\breturning\b/i.test(sql);
    const prepared = { statement: this.#database.prepare(sql), returnsRows };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

function toSqlite(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value === undefined ? null : (value as SQLInputValue);
}
