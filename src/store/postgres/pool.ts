import type { PostgresPool } from 'kysely';

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

/** A pool of the `pg` driver, which is loaded only when PostgreSQL is used. */
export async function createPool(url: string, maximumConnections: number): Promise<PostgresPool> {
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
  // A server that restarts ends connections, in use or not, and an error that nobody listens to ends the process. Whoever
  // uses the connection is told by what it asked for; the pool opens another.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool as unknown as PostgresPool;
}
