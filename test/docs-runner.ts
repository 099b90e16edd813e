// node test/docs-runner.ts FOLDER FILES: runs programs one after another, each in an empty working folder within FOLDER, and prints a mark
// before the output of each.
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sharedLocalEmbedder } from '../src/models/shared-embedder.ts';

// This use is never closed, so that the local embedder starts once and not for each program.
sharedLocalEmbedder();

const [within = '', ...files] = process.argv.slice(2);
for (const file of files) {
  const folder = join(within, basename(file, '.ts'));
  mkdirSync(folder);
  process.chdir(folder);
  console.log(`@@ ${basename(file)}`);
  await import(file).catch((error: unknown) => console.log(error));
}
