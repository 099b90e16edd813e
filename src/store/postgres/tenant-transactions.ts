import { AsyncLocalStorage } from 'node:async_hooks';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  sql,
  type Transaction,
  type TransactionSettings,
} from 'kysely';
import { EVERY_TENANT, type Tenant } from '../database.ts';
import type { Tables } from '../schema.ts';
import { TENANT_ROLE } from './row-security.ts';

export interface TenantTransactions {
  dialect: PostgresDialect;
  reachWorkers(): void;
  /** `begin` must begin a transaction and call `enter` in it first. */
  within<Result>(tenant: Tenant, begin: () => Promise<Result>): Promise<Result>;
  enter(transaction: Transaction<Tables>, tenant: Tenant): Promise<void>;
}

/** The scan of the vector index considers 100 candidates at a time, until enough rows belong to the owner. */
const VECTOR_SETTINGS: Readonly<Record<string, string>> = {
  'hnsw.iterative_scan': 'relaxed_order',
  'hnsw.ef_search': '100',
};

/**
 * Runs each transaction of a tenant as a role that row-level security confines to the tenant. On Varve's own pool, one message contains the
 * settings and the start of the transaction. A pool of the application, such as PGlite, may accept only one statement at a time.
 */
export function tenantTransactions(pool: PostgresPool, schema: string, isOwnPool: boolean): TenantTransactions {
  const entering = new AsyncLocalStorage<string>();
  const path = `"${schema.replaceAll('"', '""')}", public`;
  let isCluster = false;
  const settingsOf = (tenant: Tenant): Record<string, string> => {
    if (tenant === EVERY_TENANT) return { search_path: path };
    return { search_path: path, 'varve.tenant': tenant, role: TENANT_ROLE, ...VECTOR_SETTINGS };
  };

  return {
    dialect: isOwnPool ? enteringDialect(pool, entering) : new PostgresDialect({ pool }),
    reachWorkers() {
      isCluster = true;
    },
    within(tenant, begin) {
      if (!isOwnPool) return begin();
      return entering.run(statements(settingsOf(tenant), isCluster).join('; '), begin);
    },
    async enter(transaction, tenant) {
      if (isOwnPool) return;
      if (isCluster) {
        for (const one of statements(settingsOf(tenant), isCluster)) await sql.raw(one).execute(transaction);
        return;
      }
      const settings = Object.entries(settingsOf(tenant)).map(
        ([name, value]) => sql`set_config(${sql.lit(name)}, ${value}, true)`,
      );
      await sql`select ${sql.join(settings)}`.execute(transaction);
    },
  };
}

function enteringDialect(pool: PostgresPool, entering: AsyncLocalStorage<string>): PostgresDialect {
  class EnteringDriver extends PostgresDriver {
    readonly #reading = new WeakSet<DatabaseConnection>();

    override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
      const enter = entering.getStore();
      if (settings.accessMode === 'read only') this.#reading.add(connection);
      else this.#reading.delete(connection);
      if (enter === undefined) return super.beginTransaction(connection, settings);
      try {
        await connection.executeQuery(CompiledQuery.raw(`start transaction ${settings.accessMode}; ${enter}`));
      } catch (error) {
        // The transaction is already open when a setting fails, and the connection must not return to the pool like this.
        await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined);
        throw error;
      }
    }

    /** Does not wait for the commit of a read, which already has its answer. The connection's next statement waits for it. */
    override async commitTransaction(connection: DatabaseConnection): Promise<void> {
      if (!this.#reading.has(connection)) return super.commitTransaction(connection);
      void connection.executeQuery(CompiledQuery.raw('commit')).catch(() => undefined);
    }
  }

  class EnteringDialect extends PostgresDialect {
    override createDriver(): Driver {
      return new EnteringDriver({ pool }) as Driver;
    }
  }

  return new EnteringDialect({ pool });
}

/** Citus forwards `set local` to its workers only with `citus.propagate_set_commands`, and never forwards set_config(). */
function statements(settings: Readonly<Record<string, string>>, isCluster: boolean): string[] {
  const set = Object.entries(settings).map(([name, value]) =>
    name === 'search_path' ? `set local search_path = ${value}` : `set local ${name} = ${literal(value)}`,
  );
  return isCluster ? ["set local citus.propagate_set_commands = 'local'", ...set] : set;
}

/** Safe for backslashes, whatever the server's settings are. */
function literal(text: string): string {
  const quoted = text.replaceAll("'", "''");
  return quoted.includes('\\') ? ` E'${quoted.replaceAll('\\', '\\\\')}'` : `'${quoted}'`;
}
