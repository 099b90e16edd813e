import { describe, expect, it } from 'vitest';
import { HOUR, SECOND } from '../record/clock.ts';
import { exponentialBackoff } from './failures.ts';

describe('exponentialBackoff', () => {
  it('doubles up to the maximum', () => {
    const backoff = exponentialBackoff(() => 0);
    expect([1, 2, 3, 8, 9, 50].map(backoff)).toEqual([
      15 * SECOND,
      30 * SECOND,
      60 * SECOND,
      1920 * SECOND,
      HOUR,
      HOUR,
    ]);
  });

  it('subtracts a random part of up to a half', () => {
    expect(exponentialBackoff(() => 1)(1)).toBe(7.5 * SECOND);
    expect(exponentialBackoff(() => 0.5)(1)).toBe(11.25 * SECOND);
  });
});
