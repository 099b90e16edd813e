import { EventEmitter } from 'node:events';
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
import { visibleOwners } from '../../record/scope.ts';
import type { Database, Reader, StoreProblem, Syntax, Tenant, Writer } from '../database.ts';
import { ownerStates } from '../owner-store.ts';
import type { Tables } from '../schema.ts';
import { examineCluster } from './cluster.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { createPostgresTextIndex, createPostgresVectorIndex, encodeVector } from './postgres-indexes.ts';
import { type TenantTransactions, tenantTransactions } from './tenant-transactions.ts';

/** The options of a PostgreSQL store. It needs PostgreSQL 15 or newer with pgvector 0.8 or newer. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  url?: string;
  /** A pool of the application instead of a URL: any object with the interface of `pg.Pool`. */
  pool?: PostgresPool;
  /** The schema that holds Varve's tables. Default `varve`. */
  schema?: string;
  /** The maximum number of connections in the pool for `url`. Default 10. */
  maximumConnections?: number;
  /**
   * Whether frequent statements are prepared once for each connection, which reduces the server's time by more than a third. Default true.
   * The setting applies to `url` only, because a pool of the application is used as it is.
   *
   * A pooler may not support prepared statements, such as PgBouncer in transaction mode without `max_prepared_statements`. Varve stops
   * preparing statements at the first one that is missing on the pooler's next connection.
   */
  preparedStatements?: boolean;
  /**
   * The `postgres://` URL of a streaming replica of the same server, from which recall and context read. The replica may lag a moment
   * behind, so recall and context may not find the latest writes yet. The turns of the current session are always read from the primary.
   */
  replicaUrl?: string;
  /**
   * Distributes the tables by tenant over the workers of a Citus cluster, of which `url` is the coordinator. This is done once, while no
   * other process uses the store, and a store stays distributed. Default false.
   */
  distribute?: boolean;
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';
// After a restart all connections of a pool may be dead, and each attempt removes one.
const CONNECTION_TRIES = 12;
const WRITE_TRIES = 5;

/** Opens a store on a PostgreSQL server and brings its schema up to date. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const schema = options.schema ?? 'varve';
  const { url = '', replicaUrl } = options;
  const primary = await connect({ ...options, url, schema });
  const { kysely, begin } = primary;
  let isDistributed: boolean;
  try {
    isDistributed = await migratePostgres(kysely, schema, options.distribute ?? false);
  } catch (error) {
    await primary.close();
    if (VarveError.isInstance(error)) throw error;
    throw unavailable('The PostgreSQL store cannot be opened', error);
  }
  if (isDistributed) primary.transactions.reachWorkers();
  const replica =
    replicaUrl === undefined ? null : await connect({ ...options, url: replicaUrl, pool: undefined, schema });
  if (isDistributed) replica?.transactions.reachWorkers();

  const read: Database['read'] = (tenant, work) =>
    begin(tenant, 'read only', (transaction) => work(transaction as Reader));
  const writes = new EventEmitter<{ write: [] }>().setMaxListeners(0);
  return {
    dialect: 'postgres',
    writes,
    read,
    readReplica: replica === null ? ({ tenant }, work) => read(tenant, work) : readingFrom(replica, read),
    async write(tenant, work) {
      for (let tries = 1; ; tries += 1) {
        try {
          const result = await begin(tenant, 'read write', (transaction) => work(transaction as Writer));
          writes.emit('write');
          return result;
        } catch (error) {
          if (![SERIALIZATION_FAILURE, DEADLOCK].includes(codeOf(error))) throw error;
          if (tries < WRITE_TRIES) continue;
          const message =
            'PostgreSQL rolled back every attempt, because other transactions write the same rows. Try again.';
          throw new VarveError(message, { code: 'store_busy', retryable: true, cause: error });
        }
      }
    },
    text: createPostgresTextIndex(isDistributed),
    vectors: createPostgresVectorIndex(kysely, schema),
    syntax: POSTGRES_SYNTAX,
    examine: async () => [
      ...(await examineCluster(kysely, schema)),
      ...(replica === null ? [] : await examineReplica(kysely, replica.kysely)),
    ],
    scrub: () => scrub(kysely, schema),
    async close() {
      await primary.close();
      await replica?.close();
    },
  };
}

const POSTGRES_SYNTAX: Syntax = {
  isAnyOf: (column, values) => sql`${sql.ref(column)} = any(${[...values]})`,
  jsonText: (column, path) => sql`${sql.ref(column)} #>> ${[...path]}::text[]`,
  unindexed: (column) => sql<string>`${sql.ref(column)}`,
  booleansAreNumbers: false,
  skipLocked: sql`for update skip locked`,
  isUniqueViolation: (error) => codeOf(error) === UNIQUE_VIOLATION,
  encodeVector,
  decodeVector: (stored) => Float32Array.from(JSON.parse(stored as string) as number[]),
};

/** The connections to one server. */
interface Connected {
  kysely: Kysely<Tables>;
  transactions: TenantTransactions;
  begin<Result>(
    tenant: Tenant,
    mode: 'read only' | 'read write',
    work: (transaction: Transaction<Tables>) => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
}

async function connect(options: PostgresOptions & { url: string; schema: string }): Promise<Connected> {
  const prepared = createPreparedStatements(options.preparedStatements ?? true);
  const { maximumConnections = 10 } = options;
  const pool = options.pool ?? (await createPool(options.url, { maximumConnections, prepared }));
  const transactions = tenantTransactions(pool, options.schema, options.pool === undefined);
  const kysely = new Kysely<Tables>({
    dialect: transactions.dialect,
    // An empty list matches nothing. SQLite accepts `in ()`; PostgreSQL does not.
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  let closed = false;
  return {
    kysely,
    transactions,
    async begin(tenant, mode, work) {
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
          // A transaction that was interrupted before its commit can be repeated. Whether an interrupted commit succeeded is unknown.
          if (isCutOff && !isDone && tries < CONNECTION_TRIES) continue;
          // Nothing was committed, because a statement of the transaction itself failed.
          if (!isDone && tries < CONNECTION_TRIES && prepared.isToBlame(error)) continue;
          throw isCutOff || NOT_REACHED.test(codeOf(error)) ? serverGone(error) : error;
        }
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      await kysely.destroy();
    },
  };
}

/**
 * Reads from a replica, or from the primary if the replica fails: it may be down, or cancel a long read. The incarnations of the owners are
 * first read from the primary. As long as the replica has other incarnations, it may still hold data that was erased or forgotten, so the
 * primary is read instead.
 */
function readingFrom(replica: Connected, fromPrimary: Database['read']): Database['readReplica'] {
  let isUsable = true;
  return async (scope, work) => {
    const { tenant } = scope;
    const incarnations = async (reader: Reader): Promise<string> => {
      const states = await ownerStates(reader, tenant, visibleOwners(scope));
      return states
        .map(({ owner, incarnation }) => `${owner} ${incarnation}`)
        .sort()
        .join();
    };
    const current = await fromPrimary(tenant, incarnations);
    try {
      const read = await replica.begin(tenant, 'read only', async (transaction) =>
        (await incarnations(transaction as Reader)) === current ? { result: await work(transaction as Reader) } : null,
      );
      isUsable = true;
      return read === null ? await fromPrimary(tenant, work) : read.result;
    } catch (error) {
      if (VarveError.isInstance(error, 'closed')) throw error;
      const result = await fromPrimary(tenant, work);
      // Warns only once until the replica works again.
      if (isUsable)
        process.emitWarning(
          `Recall reads the primary, because the replica failed: ${messageOf(error)}`,
          'VarveStoreWarning',
        );
      isUsable = false;
      return result;
    }
  };
}

// Four WAL segments: a few seconds of writes on a busy server, and far more than the lag of a healthy replica.
const FAR_BEHIND = 64 * 1024 * 1024;

/** Finds problems of the replica from which recall and context read. */
async function examineReplica(primary: Kysely<Tables>, replica: Kysely<Tables>): Promise<StoreProblem[]> {
  try {
    const { rows } = await sql<{ replayed: string | null }>`
      select pg_last_wal_replay_lsn()::text as replayed`.execute(replica);
    const replayed = rows[0]?.replayed ?? null;
    if (replayed === null) {
      const problem = 'the replica is a separate server that does not follow the primary';
      return [{ problem, remedy: 'correct the URL of the replica' }];
    }
    const behind = await sql<{ bytes: string }>`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), ${replayed}::pg_lsn)::text as bytes`.execute(primary);
    const bytes = Number(behind.rows[0]?.bytes ?? 0);
    if (bytes <= FAR_BEHIND) return [];
    const problem = `the replica is ${Math.round(bytes / 1024 ** 2)} MB behind: recall misses recent changes`;
    return [{ problem, remedy: "check the replica's log and disk" }];
  } catch (error) {
    const problem = `the replica does not answer: ${messageOf(error)}; recall reads the primary`;
    return [{ problem, remedy: 'start the replica, or correct its URL' }];
  }
}

/**
 * Vacuums the tables immediately, because deleted rows stay in the files until a vacuum. Rows that an open transaction may still see are
 * left to the server's own vacuum. So are tables of another owner, for which PostgreSQL only warns.
 */
async function scrub(kysely: Kysely<Tables>, schema: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = ${schema}`.execute(kysely);
  const tables = rows.map(({ name }) => `"${schema}"."${name.replaceAll('"', '""')}"`);
  const vacuum = (list: string): Promise<unknown> => sql.raw(`vacuum (index_cleanup on) ${list}`).execute(kysely);
  try {
    // One statement vacuums all tables, because each statement reads the whole catalog of the database at its end.
    await vacuum(tables.join(', '));
  } catch (error) {
    if (isConnectionLost(error)) throw serverGone(error);
    // Another process may be dropping, changing or vacuuming one of the tables. That table is left to the server's own vacuum.
    for (const table of tables) {
      await vacuum(table).catch((failure) => {
        if (isConnectionLost(failure)) throw serverGone(failure);
        process.emitWarning(`The table ${table} was not vacuumed: ${messageOf(failure)}`, 'VarveStoreWarning');
      });
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

// These codes mean that the server cannot be reached, is starting, or has run out of resources.
const NOT_REACHED = /^(?:57P03|53...|ECONNREFUSED|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/;
const CUT_OFF = /^(?:08...|57P0[12]|ECONNRESET|EPIPE)$/;

/** Whether an open connection was ended by the server or by the network. */
function isConnectionLost(error: unknown): boolean {
  const isSaid = error instanceof Error && /^(?:Connection terminated|Client has encountered a)/.test(error.message);
  return isSaid || CUT_OFF.test(codeOf(error));
}

function serverGone(cause: unknown): VarveError {
  return unavailable('PostgreSQL does not answer', cause);
}

function unavailable(what: string, cause: unknown): VarveError {
  return new VarveError(`${what}: ${messageOf(cause)}.`, { code: 'store_unavailable', retryable: true, cause });
}

interface PreparedStatements {
  /** The name of a prepared statement; undefined for a statement that is not prepared. */
  nameOf(text: string): string | undefined;
  /** Whether an error shows that prepared statements do not work here. After such an error no statement is prepared. */
  isToBlame(error: unknown): boolean;
}

// A statement that runs once, in an import or a migration, is not worth preparing.
const PREPARED_FROM = 3;
// Each connection keeps all of its prepared statements, at about 30 kB each on the server.
const MOST_PREPARED = 300;
const MOST_COUNTED = 3000;
// In this order, these codes mean that the pooler's next connection does not have the statement, that it already has the statement, and
// that the schema has changed since the statement was prepared.
const NOT_PREPARED = '26000';
const PREPARED_TWICE = '42P05';
const NOT_SUPPORTED = '0A000';

/** Counts statements, and names the frequent ones by a hash of their text, so that a name is the same in every process. */
export function createPreparedStatements(isOn: boolean): PreparedStatements {
  const counts = new Map<string, number>();
  const names = new Map<string, string>();
  let isWorking = isOn;
  return {
    nameOf(text) {
      if (!isWorking) return undefined;
      const name = names.get(text);
      if (name !== undefined || names.size >= MOST_PREPARED) return name;
      // A generic plan cannot choose between the index and an exact scan of a small owner's vectors.
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
      // Concurrent statements fail after the first one too, so each of them is handled here.
      if (!isOn || !(isOutdated || code === NOT_PREPARED || code === PREPARED_TWICE)) return false;
      isWorking = false;
      return true;
    },
  };
}

const BIGINT = 20;
const JSONB = 3802;

/** A pool of the `pg` driver, which is loaded only when PostgreSQL is used. */
export async function createPool(
  url: string,
  { maximumConnections, prepared }: { maximumConnections: number; prepared: PreparedStatements },
): Promise<PostgresPool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    max: maximumConnections,
    // A program that has no work left ends without `close()`.
    allowExitOnIdle: true,
    types: {
      // Bigint is parsed as a number, because Varve stores only times, counters and row ids in it, which are far below 2^53. JSON stays
      // text, as in SQLite, so that one mapping serves both databases.
      getTypeParser: (oid: number, format?: 'text' | 'binary') => {
        if (format !== 'binary' && oid === BIGINT) return Number;
        if (format !== 'binary' && oid === JSONB) return String;
        return pg.types.getTypeParser(oid, format as 'text');
      },
    },
  });
  // When the server restarts, it ends all connections, idle or in use, and an error event without a listener would end the process. A call
  // that uses the connection gets its own error, and the pool opens another connection.
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
