import { defineConfig, type ViteUserConfigFnObject } from 'vitest/config';

// --mode quick: SQLite alone, without slow tests. --mode all: every database, and the tests that live through a year, kill processes,
// soak a server or drive a browser. Without a mode: everything but those.
const config: ViteUserConfigFnObject = defineConfig(({ mode }) => ({
  // Examples and snippets of the docs import `varve`: here that is the source.
  ssr: { resolve: { conditions: ['varve-source'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: mode === 'all' ? [] : ['test/**/*.slow.test.ts'],
    provide: { depth: mode === 'quick' || mode === 'all' ? mode : 'usual' },
    globalSetup: ['test/databases-setup.ts'],
    reporters: ['default', './test/closing-line-reporter.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers only make the databases wait for each other.
    maxWorkers: 2,
  },
}));

export default config;
