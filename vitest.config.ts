import { join } from 'node:path';
import { defineConfig, type ViteUserConfigFnObject } from 'vitest/config';

// How deep a run goes: CONTRIBUTING.md has the table.
const config: ViteUserConfigFnObject = defineConfig(({ mode }) => ({
  // Examples and snippets of the docs import `varve`: here that is the source.
  ssr: { resolve: { conditions: ['varve-source'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: mode === 'all' ? [] : ['test/**/*.slow.test.ts'],
    provide: { depth: mode === 'quick' || mode === 'postgres' || mode === 'all' ? mode : 'usual' },
    globalSetup: ['test/databases-setup.ts'],
    setupFiles: ['test/random.ts'],
    reporters: ['default', './test/requirement-reporter.ts', './test/closing-line-reporter.ts'],
    // A test that hangs, on a machine that may do ten other things.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: more workers only make the databases wait for each other.
    maxWorkers: 2,
    // The files of a worker share its modules, its PGlite and its embedder, which take seconds to load. No test replaces a module.
    isolate: false,
    // Child processes keep what they compile: a command starts in three quarters of the time.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/varve-tests') },
  },
}));

export default config;
