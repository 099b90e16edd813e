import type { Database } from './database.ts';
import type { PostgresOptions } from './postgres/open-postgres.ts';
import { openSqlite, type SqliteOptions } from './sqlite/open-sqlite.ts';

/** `{ path }` opens SQLite in this process, `{ url }` or `{ pool }` opens PostgreSQL. */
export type StoreOptions = SqliteOptions | PostgresOptions;

/** Loads the code for PostgreSQL only if it is needed. */
export async function openStore(options: StoreOptions): Promise<Database> {
  if ('path' in options) return openSqlite(options);
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres(options);
}
