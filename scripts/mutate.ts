// npm run mutate [-- WORD]: breaks one guard or weight at a time in a copy of the tree and runs the tests that must fail. The run fails if
// the tests of a mutation pass. WORD selects the mutations whose names contain it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutated, type Mutation, MUTATIONS } from './mutations.ts';

const root = join(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'varve-mutate-'));
const word = process.argv[2] ?? '';

/** Whether tests fail in the copy. */
function fails(tests: readonly string[]): boolean {
  const run = ['run', '--mode', 'quick', '--bail', '1', ...tests];
  return spawnSync(join(root, 'node_modules/.bin/vitest'), run, { cwd: copy, stdio: 'ignore' }).status !== 0;
}

/** Whether the tests of a mutation fail with it. */
function isNoticed(mutation: Mutation): boolean {
  const path = join(copy, mutation.file);
  const original = readFileSync(path, 'utf8');
  writeFileSync(path, mutated(original, mutation));
  try {
    return fails(mutation.tests);
  } finally {
    writeFileSync(path, original);
  }
}

let missed = 0;
try {
  for (const part of [
    'src',
    'test',
    'train',
    'web',
    'examples',
    'docs',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const mutations = MUTATIONS.filter(({ name }) => name.includes(word));
  const files = mutations.flatMap(({ tests }) => tests.filter((word) => existsSync(join(copy, word))));
  if (fails([...new Set(files)])) throw new Error('The tests fail without a mutation.');
  for (const mutation of mutations) {
    const noticed = isNoticed(mutation);
    console.log(`${noticed ? 'noticed' : 'MISSED '}  ${mutation.name}`);
    missed += noticed ? 0 : 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(missed === 0 ? 'Every mutation was noticed.' : `${missed} mutations were not noticed by any test.`);
process.exitCode = missed === 0 ? 0 : 1;
