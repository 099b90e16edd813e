import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutated, MUTATIONS } from '../scripts/mutations.ts';

// `npm run mutate` runs the mutations. This test fails if a change moves the code that a mutation breaks.
it.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
  'the mutation finds what it breaks: %s',
  (_name, mutation) => {
    const original = readFileSync(mutation.file, 'utf8');
    expect(mutated(original, mutation)).not.toBe(original);
    for (const path of mutation.tests.slice(
      0,
      mutation.tests.includes('-t') ? mutation.tests.indexOf('-t') : undefined,
    ))
      // Slow tests would be left out of the run without a word, and the mutation would be tried without them.
      expect([path, existsSync(path) && !path.endsWith('.slow.test.ts')]).toEqual([path, true]);
  },
);
