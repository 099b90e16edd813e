import { describe, expect, it } from 'vitest';
import { indexWords, queryWords, words } from './words.ts';

describe('the words of a text', () => {
  it('may run together for a hundred thousand characters', () => {
    expect(indexWords('北京'.repeat(50_000))).toHaveLength(10_000);
    expect(words('ไทย'.repeat(50_000)).length).toBeGreaterThan(0);
  });

  it('of a query leave out single characters of longer words', () => {
    expect(queryWords('北京')).toEqual(['北京']);
    expect(queryWords('京 tea')).toEqual(['京', 'tea']);
    expect(queryWords('北京'.repeat(5_000))).not.toContain('京');
  });
});
