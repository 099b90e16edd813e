import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutated, MUTATIONS } from '../scripts/mutations.ts';

// `npm run mutate` runs them; a change that moves a guard is told here that the mutation has to move with it.
it.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
  'the mutation finds what it breaks: %s',
  (_name, mutation) => {
    const original = readFileSync(mutation.file, 'utf8');
    expect(mutated(original, mutation)).not.toBe(original);
    for (const path of mutation.tests.slice(
      0,
      mutation.tests.includes('-t') ? mutation.tests.indexOf('-t') : undefined,
    ))
      expect([path, existsSync(path)]).toEqual([path, true]);
  },
);
