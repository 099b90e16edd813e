import { describe, expect, it } from 'vitest';
import { createSharingChoice } from './thread-pool.ts';

/** Asks for 1000 texts and counts how many were shared, given the cost of a token in each way. */
function shareOf(choice: ReturnType<typeof createSharingChoice>, cost: { shared: number; alone: number }): number {
  let count = 0;
  for (let i = 0; i < 1000; i++) {
    const isShared = choice.shouldShare();
    if (isShared) count++;
    choice.record({ isShared, milliseconds: 30 * (isShared ? cost.shared : cost.alone), tokens: 30 });
  }
  return count;
}

describe('createSharingChoice', () => {
  it('shares while sharing is faster, stops when it is slower, and resumes', () => {
    const choice = createSharingChoice();
    expect(shareOf(choice, { shared: 0.12, alone: 0.22 })).toBeGreaterThan(950);
    expect(shareOf(choice, { shared: 0.6, alone: 0.25 })).toBeLessThan(100);
    expect(shareOf(choice, { shared: 0.12, alone: 0.22 })).toBeGreaterThan(600);
  });
});
