import type { PostgresPool } from 'kysely';
import { createRequire } from 'node:module';
import type { StoreOptions } from '../src/store/open-store.ts';
import { createPool, createPreparedStatements } from '../src/store/postgres/open-postgres.ts';

/** Called with every SQL statement and its connection, right before and right after it runs. */
export interface StatementWatch {
  before(statement: string, connection: unknown): void;
  after(statement: string, connection: unknown): void;
}

/** The options of the same store. The watch is called for every statement of this process. */
export async function watchStatements(store: StoreOptions, watch: StatementWatch): Promise<StoreOptions> {
  if ('path' in store) {
    watchSqlite(watch);
    return store;
  }
  return {
    pool: watchedPool(
      await createPool(store.url ?? '', { maximumConnections: 10, prepared: createPreparedStatements(true) }),
      watch,
    ),
    schema: store.schema,
  };
}

type Method = (...parameters: unknown[]) => unknown;

function watchSqlite(watch: StatementWatch): void {
  // `require` is used, because the named exports of a built-in module are copies and its classes are not.
  const sqlite = createRequire(import.meta.url)('node:sqlite') as {
    DatabaseSync: { prototype: Record<string, Method> };
    StatementSync: { prototype: Record<string, Method> };
  };
  const wrap = (prototype: Record<string, Method>, name: string, textOf: (self: unknown, first: unknown) => string) => {
    const original = prototype[name] as Method;
    prototype[name] = function (this: unknown, ...parameters: unknown[]): unknown {
      const text = textOf(this, parameters[0]);
      // All writes go through one connection.
      watch.before(text, 'sqlite');
      const result = original.apply(this, parameters);
      watch.after(text, 'sqlite');
      return result;
    };
  };
  wrap(sqlite.DatabaseSync.prototype, 'exec', (_self, statement) => String(statement));
  for (const name of ['run', 'all', 'get', 'iterate']) {
    wrap(sqlite.StatementSync.prototype, name, (self) => (self as { sourceSQL: string }).sourceSQL);
  }
}

function watchedPool(pool: PostgresPool, watch: StatementWatch): PostgresPool {
  return new Proxy(pool, {
    get(target, name) {
      if (name !== 'connect') return Reflect.get(target, name, target) as unknown;
      return async () => {
        const client = await target.connect();
        return new Proxy(client, {
          get: (of, key) => {
            const value = Reflect.get(of, key, of) as unknown;
            if (typeof value !== 'function') return value;
            if (key !== 'query') return value.bind(of) as unknown;
            return async (...parameters: unknown[]) => {
              const text = String(parameters[0]);
              watch.before(text, client);
              const result = (await (value as Method).apply(of, parameters)) as unknown;
              watch.after(text, client);
              return result;
            };
          },
        });
      };
    },
  });
}
