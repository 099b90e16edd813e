import { describe, expect, it } from 'vitest';
import { expandContractions, tokenizeWords } from './word-tokens.ts';

describe('expandContractions', () => {
  it.each([
    ["I'm sure he's in", 'I am sure he is in'],
    ["Sam's in Leeds", 'Sam is in Leeds'],
    ["She says Sam's at home", 'She says Sam is at home'],
    ["a nurse at St Mary's in Leeds", "a nurse at St Mary's in Leeds"],
    ["bread from Joe's on the corner", "bread from Joe's on the corner"],
    ["my sister's dog", "my sister's dog"],
  ])('%s', (text, expected) => {
    const words = expandContractions(tokenizeWords(text));
    expect(words.map((word) => word.text).join(' ')).toBe(expected);
  });
});
