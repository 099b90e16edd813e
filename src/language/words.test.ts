import { describe, expect, it } from 'vitest';
import { snakeCase } from '../record/attribute-table.ts';
import { PACKS } from './packs/packs.ts';
import { indexWords, matchesOf, queryWords, saysQuoted, words } from './words.ts';

describe('the words of a text', () => {
  it('are found in a run of a hundred thousand characters without spaces', () => {
    expect(indexWords('北京'.repeat(50_000))).toHaveLength(10_000);
    expect(words('ไทย'.repeat(50_000)).length).toBeGreaterThan(0);
  });

  it('of a query do not include the single characters of longer Chinese words', () => {
    expect(queryWords('北京')).toEqual(['北京']);
    expect(queryWords('京 tea')).toEqual(['京', 'tea']);
    expect(queryWords('北京'.repeat(5_000))).not.toContain('京');
  });
});

describe('the matches of a pattern', () => {
  it.each([
    ['one two', /\p{L}+/gu],
    ['🙂a🙂', /b*/gu],
    ['🙂a🙂', /a?/g],
    ['ab ab', /(?<=a)b/g],
    ['', /x*/g],
    ['none', /\d/g],
  ])('in %j are the same as with String.matchAll', (text, pattern) => {
    const places = (matches: Iterable<RegExpExecArray>): [string, number][] =>
      Array.from(matches, ({ 0: words, index }) => [words, index]);
    const expected = places(text.matchAll(pattern)).filter(([, index]) => pattern.unicode || isWhole(text, index));
    expect(places(matchesOf(text, pattern))).toEqual(expected);
    expect(places(matchesOf(text, pattern))).toEqual(expected);
  });

  it('require a pattern with the global flag', () => {
    expect(() => matchesOf('ab', /a/)).toThrow(TypeError);
  });
});

// A pattern without the flag `u` also finds nothing in the middle of a character.
function isWhole(text: string, index: number): boolean {
  return !/[\udc00-\udfff]/.test(text.charAt(index));
}

describe('a statement and the words that it quotes', () => {
  it.each([
    ['Lives in Ghent', 'I live in Ghent and work at Umicore.', false],
    ['Lives in Ghent. Works at Umicore', 'I live in Ghent and work at Umicore.', true],
    ['User rents a flat', 'I rent a flat for 900 euros', false],
    ['User rents a flat for 900 euros.', 'I rent a flat for 900 euros', true],
    ['User is fine with heights.', "nah I'm good up high on the scaffolding all day", false],
    ['Lives in ghent', 'i live in ghent', true],
  ])('%j says all of %j: %s', (statement, quoted, isAll) => expect(saysQuoted(statement, quoted)).toBe(isAll));
});

describe('the key of an attribute', () => {
  it('keeps every Latin letter of every language that has a pack', () => {
    const letters = new Set(JSON.stringify(PACKS).match(/\p{Script=Latin}/gu));
    expect([...letters].filter((letter) => !/^x[a-z]{1,2}x$/.test(snakeCase(`x${letter}x`)))).toEqual([]);
  });
});
