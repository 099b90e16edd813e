import { describe, expect, it } from 'vitest';
import { goalShare } from './goal-share.ts';

describe('goalShare', () => {
  it.each([
    [
      'User is training for the Valencia half marathon in October 2027.',
      'User finished the half marathon in 1:38:20.',
      1,
    ],
    ['User wants to run a marathon by the end of 2027.', 'User ran the Berlin marathon.', 1],
    ['User wants to run the Berlin marathon.', 'User finished the Paris marathon.', 0],
    ['User wants to learn Spanish.', 'User learned to swim.', 0.5],
    ['User wants to save 5,000 euros.', 'User has saved the 5000 euros.', 1],
    ['User wants to save 5k euros.', 'User saved 500 euros.', 0],
    ['User wants to buy a house.', 'User bought a car.', 0.5],
  ])('[Q9] when and where do not count against it, another place does: %s %s', (goal, done, share) => {
    expect(goalShare(goal, done)).toBe(share);
  });
});
