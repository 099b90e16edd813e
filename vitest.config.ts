import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/databases-setup.ts'],
    reporters: ['default', './test/closing-line-reporter.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers only make the databases wait for each other.
    maxWorkers: 2,
  },
});

export default config;
