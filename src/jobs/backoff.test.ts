import { describe, expect, it } from 'vitest';
import { exponentialBackoff } from './failures.ts';

describe('exponentialBackoff', () => {
  it('doubles up to the most', () => {
    const backoff = exponentialBackoff({ first: 10, most: 60, random: () => 0 });
    expect([1, 2, 3, 4, 50].map(backoff)).toEqual([10, 20, 40, 60, 60]);
  });

  it('takes up to half of it away by chance', () => {
    expect(exponentialBackoff({ first: 1000, random: () => 1 })(1)).toBe(500);
    expect(exponentialBackoff({ first: 1000, random: () => 0.5 })(1)).toBe(750);
  });
});
