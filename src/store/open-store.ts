import type { Database } from './database.ts';
import type { PostgresOptions } from './postgres/open-postgres.ts';
import { openSqlite, type SqliteOptions } from './sqlite/open-sqlite.ts';

/** The database to use: `{ path }` is SQLite in this process, `{ url }` or `{ pool }` is PostgreSQL. */
export type StoreOptions = SqliteOptions | PostgresOptions;

/** Opens a store and brings its schema up to date. The code for PostgreSQL is loaded only when it is used. */
export async function openStore(options: StoreOptions): Promise<Database> {
  if ('path' in options) return openSqlite(options);
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres(options);
}
