import { randomInt } from 'node:crypto';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a PostgreSQL server with pgvector, if there is one. */
    postgresUrl: string | null;
    /** Whether that server is the coordinator of a Citus cluster on which the stores are distributed. */
    distributed: boolean;
    /** How much is tested (see vitest.config.ts). */
    depth: 'quick' | 'usual' | 'postgres' | 'all';
    /** The seed of property tests and kill times. */
    seed: number;
  }
}

/**
 * The suites on a PostgreSQL server run if VARVE_TEST_POSTGRES_URL names one; otherwise they print why they are skipped. VARVE_TEST_SEED
 * repeats the random choices of an earlier run.
 */
export default function setup(project: TestProject): void {
  const url = process.env['VARVE_TEST_POSTGRES_URL'] ?? null;
  if (url === null && project.config.mode === 'postgres')
    throw new Error(
      'npm run test:postgres needs a server: VARVE_TEST_POSTGRES_URL names it (scripts/postgres-server.sh start prints a URL).',
    );
  if (url === null) {
    console.log(
      'PostgreSQL server: not tested, VARVE_TEST_POSTGRES_URL is not set (scripts/postgres-server.sh start prints one). ' +
        'Suites about SQL run on PGlite instead.',
    );
  }
  project.provide('postgresUrl', url);
  project.provide('distributed', process.env['VARVE_TEST_DISTRIBUTED'] === '1');
  const seed = Number(process.env['VARVE_TEST_SEED'] ?? randomInt(2 ** 31));
  if (!Number.isInteger(seed)) throw new Error('VARVE_TEST_SEED must be a whole number.');
  console.log(`Random tests: VARVE_TEST_SEED=${seed} repeats them.`);
  project.provide('seed', seed);
}
