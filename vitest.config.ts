import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type ViteUserConfigFnObject } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

// How deep a run goes: CONTRIBUTING.md has the table.
const config: ViteUserConfigFnObject = defineConfig(({ mode }) => ({
  // Examples and snippets of the docs import `varve`: here that is the source.
  ssr: { resolve: { conditions: ['varve-source'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: mode === 'all' ? [] : ['test/**/*.slow.test.ts', ...(mode === 'quick' ? notQuick() : [])],
    ...(mode === 'quick' ? { runner: 'test/quick-runner.ts' } : {}),
    provide: { depth: mode === 'quick' || mode === 'postgres' || mode === 'all' ? mode : 'usual' },
    globalSetup: ['test/databases-setup.ts'],
    setupFiles: ['test/random.ts'],
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/requirement-reporter.ts', './test/closing-line-reporter.ts'],
    // A test that hangs, on a machine that may do ten other things.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is awaited comes soon, and on a busy machine later than Vitest's second.
    expect: { poll: { timeout: 10_000, interval: 20 } },
    // Two cores: more workers only make the databases wait for each other.
    maxWorkers: 2,
    // The files of a worker share its modules, its PGlite and its embedder, which take seconds to load. No test replaces a module.
    isolate: false,
    // Child processes keep what they compile: a command starts in three quarters of the time.
    env: {
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/varve-tests'),
      TMPDIR: temporaryFolder(),
    },
  },
}));

// What the suites import that `npm run test:quick` leaves out: processes, browsers, and the functions that choose a part of a matrix.
const LONG =
  /from '(node:child_process|playwright-core|\.\/run-cli\.ts|\.\/server-process\.ts)'|\b(allOrOneIn|allOrTurn)\b/;

function notQuick(): string[] {
  const suites = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  );
  const isLong = (suite: string): boolean => LONG.test(readFileSync(join(import.meta.dirname, suite), 'utf8'));
  return ['test/attacks/**', '**/*.property.test.ts', ...suites.filter(isLong)];
}

/**
 * Where the SQLite stores of tests lie: in memory, if the machine has 4 GiB of it for files. On a disk half of a run is waiting for fsync,
 * which only matters when the power fails; what the crash tests do, killing a process, loses nothing that was written to either.
 */
function temporaryFolder(): string {
  const folder = '/dev/shm';
  if (process.env['TMPDIR'] !== undefined || !existsSync(folder)) return tmpdir();
  const { bavail, bsize } = statfsSync(folder);
  // Packages that a test installs have programs, which must be allowed to run.
  const mayRun = !/ \/dev\/shm \S+ \S*noexec/.test(readFileSync('/proc/mounts', 'utf8'));
  return mayRun && bavail * bsize >= 4 * 2 ** 30 ? folder : tmpdir();
}

export default config;
