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

/** Options of a PostgreSQL store. It needs PostgreSQL 15 or newer with pgvector 0.8 or newer. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  url?: string;
  /** A pool of the application instead of a URL: any object with the interface of `pg.Pool`. */
  pool?: PostgresPool;
  /** The schema for Varve's tables. Default `varve`. */
  schema?: string;
  /** The maximum number of connections in the pool for `url`. Default 10. */
  maximumConnections?: number;
  /**
   * Prepares frequent statements once per connection, which saves more than a third of the server's time. Default true. Has no effect on
   * `pool`.
   *
   * Varve stops preparing statements when a pooler loses them, such as PgBouncer in transaction mode without `max_prepared_statements`.
   */
  preparedStatements?: boolean;
  /**
   * The `postgres://` URL of a streaming replica. Recall and context read from it, and may miss the latest writes. The turns of the current
   * session are always read from the primary.
   */
  replicaUrl?: string;
  /**
   * Distributes the tables by tenant over the workers of a Citus cluster. `url` must be its coordinator, and no other process may use the
   * store meanwhile. Needed only once, because a store stays distributed. Default false.
   */
  distribute?: boolean;
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';
// After a restart of the server, all connections of a pool may be dead, and each attempt removes one.
const CONNECTION_TRIES = 12;
const WRITE_TRIES = 5;

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
    // An empty list matches nothing. SQLite accepts `in ()`, but PostgreSQL does not.
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
          // Repeated only if interrupted before the commit. An interrupted commit may have succeeded.
          if (isCutOff && !isDone && tries < CONNECTION_TRIES) continue;
          // A failed statement of the transaction itself means that nothing was committed.
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
 * Compares the owners' incarnations first: if they differ, the replica may still have erased or forgotten data. In this case, and if the
 * replica fails, reads the primary.
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

// Four WAL segments: a few seconds of writes on a busy server, and much more than a healthy replica lags behind.
const FAR_BEHIND = 64 * 1024 * 1024;

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
 * Deleted rows stay in the files until a vacuum. Left to the server's own vacuum: rows that an open transaction may still see, and another
 * role's tables, for which PostgreSQL only warns.
 */
async function scrub(kysely: Kysely<Tables>, schema: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = ${schema}`.execute(kysely);
  const tables = rows.map(({ name }) => `"${schema}"."${name.replaceAll('"', '""')}"`);
  const vacuum = (list: string): Promise<unknown> => sql.raw(`vacuum (index_cleanup on) ${list}`).execute(kysely);
  try {
    // One statement for all tables, because each vacuum ends with a read of the database's whole catalog.
    await vacuum(tables.join(', '));
  } catch (error) {
    if (isConnectionLost(error)) throw serverGone(error);
    // Another process may be dropping, changing or vacuuming a table. That table is left to the server's own vacuum.
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

// The server is unreachable, is starting, or is out of resources.
const NOT_REACHED = /^(?:57P03|53...|ECONNREFUSED|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/;
const CUT_OFF = /^(?:08...|57P0[12]|ECONNRESET|EPIPE)$/;

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
  nameOf(text: string): string | undefined;
  /** Once true, no statement is prepared any more. */
  isToBlame(error: unknown): boolean;
}

// Statements that run only once, as in an import or a migration, are not worth preparing.
const PREPARED_FROM = 3;
// Each connection keeps all its prepared statements, at about 30 kB each on the server.
const MOST_PREPARED = 300;
const MOST_COUNTED = 3000;
// In order: the pooler's next connection does not have the statement; it already has it; the schema has changed since.
const NOT_PREPARED = '26000';
const PREPARED_TWICE = '42P05';
const NOT_SUPPORTED = '0A000';

/** Prepares only frequent statements. Their names are hashes of the text, so that they are the same in every process. */
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
      // Also true for statements that run at the same time as the first failure, because they fail after it.
      if (!isOn || !(isOutdated || code === NOT_PREPARED || code === PREPARED_TWICE)) return false;
      isWorking = false;
      return true;
    },
  };
}

const BIGINT = 20;
const JSONB = 3802;

export async function createPool(
  url: string,
  { maximumConnections, prepared }: { maximumConnections: number; prepared: PreparedStatements },
): Promise<PostgresPool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    max: maximumConnections,
    // Lets a program without further work end, even without `close()`.
    allowExitOnIdle: true,
    types: {
      // Bigint as a number: Varve uses it only for times, counters and row ids, all far below 2^53. JSON as text, as in SQLite, so that one
      // mapping works for both databases.
      getTypeParser: (oid: number, format?: 'text' | 'binary') => {
        if (format !== 'binary' && oid === BIGINT) return Number;
        if (format !== 'binary' && oid === JSONB) return String;
        return pg.types.getTypeParser(oid, format as 'text');
      },
    },
  });
  // A restart of the server ends all connections. Without a listener, the error event of one of them would end the process. A call on such
  // a connection gets its own error, and the pool opens another connection.
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
