import { describe, expect, it } from 'vitest';
import { extractKeywords } from './extract-keywords.ts';

describe('extractKeywords', () => {
  it('says what a text is about, best first', () => {
    const text = 'The bakery sells sweets. Our bakery is in Mumbai and the sweets are great.';
    expect(extractKeywords(text, 3)).toEqual(['bakery', 'sweets', 'mumbai']);
  });

  it('finds none where there are none', () => {
    expect(extractKeywords('I really like it')).toEqual([]);
  });
});
