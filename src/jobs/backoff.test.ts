import { describe, expect, it } from 'vitest';
import { exponentialBackoff } from './failures.ts';

describe('exponentialBackoff', () => {
  it('doubles up to the maximum', () => {
    const backoff = exponentialBackoff({ first: 10, most: 60, random: () => 0 });
    expect([1, 2, 3, 4, 50].map(backoff)).toEqual([10, 20, 40, 60, 60]);
  });

  it('subtracts a random part of up to a half', () => {
    expect(exponentialBackoff({ first: 1000, random: () => 1 })(1)).toBe(500);
    expect(exponentialBackoff({ first: 1000, random: () => 0.5 })(1)).toBe(750);
  });
});
