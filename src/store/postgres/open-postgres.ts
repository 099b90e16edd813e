import {
  HandleEmptyInListsPlugin,
  Kysely,
  type PostgresPool,
  replaceWithNoncontingentExpression,
  sql,
  type Transaction,
} from 'kysely';
import { hash } from 'node:crypto';
import { messageOf, VarveError } from '../../errors.ts';
import { type Database, type Reader, type Tenant, type Writer } from '../database.ts';
import type { Tables } from '../schema.ts';
import { examineCluster } from './cluster.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { createPostgresTextIndex, createPostgresVectorIndex, encodeVector } from './postgres-indexes.ts';
import { tenantTransactions } from './tenant-transactions.ts';

/** Where a PostgreSQL store lives. PostgreSQL 15 or newer with pgvector 0.8 or newer. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  url?: string;
  /** A pool of the application's own instead of a URL: anything that looks like `pg.Pool`. */
  pool?: PostgresPool;
  /** The schema that holds Varve's tables. Default `varve`. */
  schema?: string;
  /** The most connections of the pool that is made for `url`. Default 10. */
  maximumConnections?: number;
  /**
   * Whether statements that come often are prepared once for each connection: less than two thirds of the server's time.
   * Default true, for `url`; a pool of the application's own is used as it is. Behind a pooler that does not
   * know prepared statements (PgBouncer in transaction mode without `max_prepared_statements`) it ends by itself at the
   * first one that the pooler's next connection does not have.
   */
  preparedStatements?: boolean;
  /**
   * Distributes the tables by tenant over the workers of a Citus cluster, of which `url` is the coordinator. Done once, with no other
   * process on the store; a store that is distributed stays so. Default false.
   */
  distribute?: boolean;
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';
// A pool may hold as many dead connections as it holds at all: each try takes one out.
const CONNECTION_TRIES = 12;
const WRITE_TRIES = 5;

/** Opens a store on a PostgreSQL server and brings its schema up to date. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const schema = options.schema ?? 'varve';
  const { url = '', maximumConnections = 10 } = options;
  const prepared = createPreparedStatements(options.preparedStatements ?? true);
  const pool = options.pool ?? (await createPool(url, { maximumConnections, prepared }));
  const transactions = tenantTransactions(pool, schema, options.pool === undefined);
  const kysely = new Kysely<Tables>({
    dialect: transactions.dialect,
    // A list with nothing in it holds for nothing. SQLite takes `in ()`; PostgreSQL does not.
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  let isDistributed: boolean;
  try {
    isDistributed = await migratePostgres(kysely, schema, options.distribute ?? false);
  } catch (error) {
    await kysely.destroy();
    throw asUnavailable(error);
  }

  if (isDistributed) transactions.reachWorkers();
  let closed = false;
  const begin = async <Result>(
    tenant: Tenant,
    mode: 'read only' | 'read write',
    work: (transaction: Transaction<Tables>) => Promise<Result>,
  ): Promise<Result> => {
    for (let tries = 1; ; tries += 1) {
      if (closed) throw new VarveError('This store is closed.', { code: 'closed' });
      let isDone = false;
      try {
        const transaction = kysely.transaction().setAccessMode(mode);
        return await transactions.within(tenant, () =>
          transaction.execute(async (open) => {
            await transactions.enter(open, tenant);
            const result = await work(open);
            isDone = true;
            return result;
          }),
        );
      } catch (error) {
        const isCutOff = isConnectionLost(error);
        // What was cut off before its commit has not happened. Whether a commit arrived, only the server knows.
        if (isCutOff && !isDone && tries < CONNECTION_TRIES) continue;
        // Nothing was committed: the statement that failed was one of the transaction's own.
        if (!isDone && tries < CONNECTION_TRIES && prepared.isToBlame(error)) continue;
        throw isCutOff || NOT_REACHED.test(codeOf(error)) ? serverGone(error) : error;
      }
    }
  };

  return {
    dialect: 'postgres',
    read: (tenant, work) => begin(tenant, 'read only', (transaction) => work(transaction as Reader)),
    async write(tenant, work) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await begin(tenant, 'read write', (transaction) => work(transaction as Writer));
        } catch (error) {
          const again = [SERIALIZATION_FAILURE, DEADLOCK].includes(codeOf(error));
          if (!again || tries >= WRITE_TRIES) throw error;
        }
      }
    },
    text: createPostgresTextIndex(isDistributed),
    vectors: createPostgresVectorIndex(kysely, { schema, hasSettings: transactions.hasVectorSettings }),
    syntax: {
      jsonText: (column, path) => sql`${sql.ref(column)} #>> ${[...path]}::text[]`,
      unindexed: (column) => sql<string>`${sql.ref(column)}`,
      booleansAreNumbers: false,
      skipLocked: sql`for update skip locked`,
      isUniqueViolation: (error) => codeOf(error) === UNIQUE_VIOLATION,
      encodeVector,
      decodeVector: (stored) => Float32Array.from(JSON.parse(stored as string) as number[]),
    },
    examine: () => examineCluster(kysely, schema),
    scrub: () => scrub(kysely, schema),
    async close() {
      if (closed) return;
      closed = true;
      await kysely.destroy();
    },
  };
}

/**
 * Deleted rows stay in the files until they are vacuumed: this asks for it at once. A row that an open transaction may still see is left
 * for the server's own vacuum, and so are tables of another owner, for which PostgreSQL only warns.
 */
async function scrub(kysely: Kysely<Tables>, schema: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = ${schema}`.execute(kysely);
  for (const { name } of rows) {
    try {
      await sql.raw(`vacuum (index_cleanup on) "${schema}"."${name.replaceAll('"', '""')}"`).execute(kysely);
    } catch (error) {
      // Another process drops the table, changes it or vacuums it right now: what it leaves is left to the server.
      if (isConnectionLost(error)) throw serverGone(error);
      process.emitWarning(`The table ${name} was not vacuumed: ${messageOf(error)}`, 'VarveStoreWarning');
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const NOT_REACHED = /^(?:57P03|ECONNREFUSED|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/;
const CUT_OFF = /^(?:08...|57P0[12]|ECONNRESET|EPIPE)$/;

/** Whether a connection that was there has ended, by the server or on the way to it. */
function isConnectionLost(error: unknown): boolean {
  const isSaid = error instanceof Error && /^(?:Connection terminated|Client has encountered a)/.test(error.message);
  return isSaid || CUT_OFF.test(codeOf(error));
}

function serverGone(cause: unknown): VarveError {
  return new VarveError(`PostgreSQL does not answer: ${messageOf(cause)}.`, {
    code: 'store_unavailable',
    retryable: true,
    cause,
  });
}

function asUnavailable(error: unknown): unknown {
  if (VarveError.isInstance(error)) return error;
  return new VarveError(`The PostgreSQL store cannot be opened: ${messageOf(error)}.`, {
    code: 'store_unavailable',
    retryable: true,
    cause: error,
  });
}

const BIGINT = 20;
const JSONB = 3802;

/**
 * How values come back: bigint as number (ours are times, counters and row ids, far below 2^53)
 * and JSON as text, as SQLite gives it, so that one mapping serves both databases.
 */
export function parseValue(oid: number, fallback: (text: string) => unknown): (text: string) => unknown {
  if (oid === BIGINT) return Number;
  if (oid === JSONB) return String;
  return fallback;
}

/** The names under which statements are prepared. */
export interface PreparedStatements {
  /** The name of a statement, or undefined while it is sent as it is. */
  nameOf(text: string): string | undefined;
  /** Whether an error says that prepared statements do not work here. None is prepared any more after that. */
  isToBlame(error: unknown): boolean;
}

// A statement that comes once, as an import's or a migration's, is not worth keeping on the server.
const PREPARED_FROM = 3;
// Each connection keeps them all: some 30 kB a statement on the server.
const MOST_PREPARED = 300;
const MOST_COUNTED = 3000;
// The pooler's next connection does not have it, has it already, or the schema was changed meanwhile.
const NOT_PREPARED = '26000';
const PREPARED_TWICE = '42P05';
const NOT_SUPPORTED = '0A000';

/** Counts statements and gives those that come often a name, which is a hash of the text: the same in every process. */
export function createPreparedStatements(isOn: boolean): PreparedStatements {
  const counts = new Map<string, number>();
  const names = new Map<string, string>();
  let isWorking = isOn;
  return {
    nameOf(text) {
      if (!isWorking) return undefined;
      const name = names.get(text);
      if (name !== undefined || names.size >= MOST_PREPARED) return name;
      // A plan that is made before the owner is known cannot choose between the index and reading a small owner's vectors.
      if (text.includes('<#>')) return undefined;
      const count = (counts.get(text) ?? 0) + 1;
      if (count < PREPARED_FROM) {
        if (counts.size >= MOST_COUNTED) counts.clear();
        counts.set(text, count);
        return undefined;
      }
      counts.delete(text);
      const given = `varve_${hash('sha256', text).slice(0, 32)}`;
      names.set(text, given);
      return given;
    },
    isToBlame(error) {
      const code = codeOf(error);
      const isOutdated = code === NOT_SUPPORTED && messageOf(error).includes('cached plan');
      // Those that were under way at the same time fail after the first as well, so this answers each of them.
      if (!isOn || !(isOutdated || code === NOT_PREPARED || code === PREPARED_TWICE)) return false;
      isWorking = false;
      return true;
    },
  };
}

/** A pool of the `pg` driver, which is loaded only when PostgreSQL is used. */
export async function createPool(
  url: string,
  { maximumConnections, prepared }: { maximumConnections: number; prepared: PreparedStatements },
): Promise<PostgresPool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    max: maximumConnections,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        format === 'binary'
          ? pg.types.getTypeParser(oid, 'binary')
          : parseValue(oid, pg.types.getTypeParser(oid, 'text') as (text: string) => unknown),
    },
  });
  // A server that restarts ends connections, in use or not, and an error that nobody listens to ends the process. The call that
  // uses the connection is told by what it asked for; the pool opens another.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    const named = (text: unknown, values: unknown, ...rest: unknown[]): unknown => {
      const hasValues = typeof text === 'string' && Array.isArray(values) && values.length > 0;
      const name = hasValues ? prepared.nameOf(text) : undefined;
      return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest);
    };
    client.query = named as typeof client.query;
  });
  return pool as unknown as PostgresPool;
}
