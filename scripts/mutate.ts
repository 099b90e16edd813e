// npm run mutate [-- WORD]: breaks one guard or weight at a time in a copy of the tree and runs the tests that must notice. A mutation
// that no test notices is printed and fails the run. WORD keeps the mutations whose name contains it.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Mutation {
  name: string;
  file: string;
  /** Stands in the file exactly once. */
  from: string;
  to: string;
  /** Arguments of vitest: files, and `-t` with the title of a test. They pass without the mutation. */
  tests: readonly string[];
}

const DECIDE = ['src/form/decide'];
const ORIGIN = ['test/form-hostile.test.ts', 'test/attacks/model-answers.test.ts'];

const MUTATIONS: readonly Mutation[] = [
  {
    name: 'decide: two values of a many-valued attribute exclude each other',
    file: 'src/form/decide/decide.ts',
    from: "policy.values === 'one' && !isSame",
    to: '!isSame',
    tests: DECIDE,
  },
  {
    name: 'decide: a plan counts before its day',
    file: 'src/form/decide/decide.ts',
    from: 'isPast(one) || isPast(other) || isAhead(one, now) || isAhead(other, now)',
    to: 'isPast(one) || isPast(other)',
    tests: DECIDE,
  },
  {
    name: 'decide: statements about different subjects are one matter',
    file: 'src/form/decide/decide.ts',
    from: 'one.attribute === other.attribute && isSameSubject(one.subject, other.subject)',
    to: 'one.attribute === other.attribute',
    tests: DECIDE,
  },
  {
    name: 'decide: less trust wins',
    file: 'src/form/decide/precedence.ts',
    from: 'TRUST_LEVELS.indexOf(next.trust) - TRUST_LEVELS.indexOf(known.trust)',
    to: 'TRUST_LEVELS.indexOf(known.trust) - TRUST_LEVELS.indexOf(next.trust)',
    tests: DECIDE,
  },
  {
    name: 'decide: the rank of the source does not count',
    file: 'src/form/decide/precedence.ts',
    from: 'rankOf(next.sourceType) - rankOf(known.sourceType)',
    to: '0',
    tests: DECIDE,
  },
  {
    name: 'trust: what is derived takes the highest trust of its sources',
    file: 'src/record/trust.ts',
    from: 'Math.min(...levels',
    to: 'Math.max(...levels',
    tests: ['src/record/trust.test.ts'],
  },
  {
    name: 'trust: a tool is believed like the user',
    file: 'src/record/trust.ts',
    from: "tool: 'low'",
    to: "tool: 'high'",
    tests: ['test/attacks/tool-trust.test.ts', 'test/form-hostile.test.ts'],
  },
  {
    name: 'check: pasted text is the user’s own',
    file: 'src/form/check/origin.ts',
    from: "event.kind !== 'message' || isFromOutside(evidence)) return false",
    to: "event.kind !== 'message') return false",
    tests: [...ORIGIN, 'test/form-pasted.test.ts'],
  },
  {
    name: 'check: an instruction from outside is learned',
    file: 'src/form/check/origin.ts',
    from: "return { reason: 'instruction_from_outside' };",
    to: '',
    tests: ORIGIN,
  },
  {
    name: 'check: a statement passes with a number that nobody said',
    file: 'src/form/check/check.ts',
    from: 'if (number !== null) return',
    to: 'if (false) return',
    tests: ['test/form-statements.test.ts', ...ORIGIN],
  },
  {
    name: 'escape: stored text closes a tag',
    file: 'src/assemble/escape.ts',
    from: ".replaceAll('<', '&lt;')",
    to: '',
    tests: ['test/assemble-safety.property.test.ts', 'test/attacks/delimiters.test.ts'],
  },
  {
    name: 'escape: stored text opens a code fence or a tag in Markdown',
    file: 'src/assemble/escape.ts',
    from: 'const lines = inertText(text)',
    to: 'const lines = text',
    tests: ['test/assemble-safety.property.test.ts', 'test/attacks/delimiters.test.ts'],
  },
  {
    name: 'erase: work that read an erased owner is committed',
    file: 'src/store/owner-store.ts',
    from: 'incarnationOf(row) === incarnation) return',
    to: 'true) return',
    tests: ['test/form-failure.test.ts', '-t', 'an erasure while the model reads'],
  },
];

const root = join(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'varve-mutate-'));
const word = process.argv[2] ?? '';

/** Whether tests fail in the copy as it is. */
function fails(tests: readonly string[]): boolean {
  const run = ['run', '--mode', 'quick', '--bail', '1', ...tests];
  return spawnSync(join(root, 'node_modules/.bin/vitest'), run, { cwd: copy, stdio: 'ignore' }).status !== 0;
}

/** Whether the tests of a mutation fail with it. */
function isNoticed({ file, from, to, tests }: Mutation): boolean {
  const path = join(copy, file);
  const original = readFileSync(path, 'utf8');
  if (original.split(from).length !== 2) throw new Error(`${file} does not have ${JSON.stringify(from)} exactly once.`);
  writeFileSync(
    path,
    original.replace(from, () => to),
  );
  try {
    return fails(tests);
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
  if (fails([...new Set(mutations.flatMap(({ tests }) => tests))]))
    throw new Error('The tests fail without a mutation.');
  for (const mutation of mutations) {
    if (fails(mutation.tests)) throw new Error(`${mutation.tests.join(' ')} fails without a mutation.`);
    const noticed = isNoticed(mutation);
    console.log(`${noticed ? 'noticed' : 'MISSED '}  ${mutation.name}`);
    missed += noticed ? 0 : 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(missed === 0 ? 'Every mutation was noticed.' : `${missed} mutations were not noticed by any test.`);
process.exitCode = missed === 0 ? 0 : 1;
