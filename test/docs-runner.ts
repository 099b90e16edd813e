// node test/docs-runner.ts FILES: runs programs one after another, each in an empty working folder, and marks whose output follows.
import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';

for (const file of process.argv.slice(2)) {
  const folder = file.replace(/\.ts$/, '');
  mkdirSync(folder);
  process.chdir(folder);
  console.log(`@@ ${basename(file)}`);
  await import(file).catch((error: unknown) => console.log(error));
}
