import { describe, expect, it } from 'vitest';
import { isRestated } from './is-restated.ts';

describe('a statement that is said again', () => {
  it.for([
    ['User pays 45 a month for the gym.', 'User pays 40 a month for the gym.', true],
    ['User has three cats.', 'User has two cats.', true],
    ["User's commute is about 50 minutes.", "User's commute is 35 minutes.", true],
    ['User meets on Tuesdays instead.', 'User meets on Mondays.', true],
    ['User meets on Tuesdays.', 'User meets on Mondays.', false],
    ['User has three dogs.', 'User has two cats.', false],
    ['User ran 10k.', 'User ran 5k.', false],
    ['User has a call on 5 December 2026.', 'User has a call on 3 December 2026.', false],
    ['User has a call at 5.', 'User has a call at 3.', false],
    ['User has two cats.', 'User has two cats.', false],
  ] as const)('[X3] takes the place of another number only: %s', ([next, known, expected]) => {
    expect(isRestated(next, known)).toBe(expected);
  });
});
