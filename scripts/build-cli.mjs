// Runs after tsc: makes one file of the hundreds that a command loads, and chunks of what is loaded on demand. Most of the
// time of a short command goes into finding and linking modules: `varve list` needs 390 ms of processor time without this
// and 140 ms with it. The library itself stays unbundled, so that applications share its dependencies.
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const dist = join(import.meta.dirname, '../dist');
// These find files by their own place, or are the application's to install.
const EXTERNAL = [/^(pg|ai|@opentelemetry\/api)$/, /[/\\]models[/\\]local-embedder[/\\]/];

const bundle = await rolldown({
  input: { main: join(dist, 'cli/main.js') },
  platform: 'node',
  external: (id, importer) => {
    const path = id.startsWith('.') && importer !== undefined ? join(importer, '..', id) : id;
    return EXTERNAL.some((pattern) => pattern.test(path));
  },
  logLevel: 'warn',
});
// One folder deep, as the sources are: relative addresses stay right.
await bundle.write({
  dir: join(dist, 'cli'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
