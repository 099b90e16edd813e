import { describe, expect, it } from 'vitest';
import { calibrationPairs } from './calibration-pairs.ts';

describe('calibrationPairs', () => {
  const classes = ['same', 'near', 'related', 'unrelated'] as const;

  it.each(classes)('has at least 60 pairs of the class "%s"', (name) => {
    expect(calibrationPairs().filter((pair) => pair.class === name).length).toBeGreaterThanOrEqual(60);
  });

  it.each([false, true])(
    'has two complete texts in each pair, and no text twice (multilingual: %s)',
    (multilingual) => {
      const texts = calibrationPairs({ multilingual }).flatMap(({ first, second }) => [first, second]);
      expect(texts.filter((text) => text.length < 5 || text.includes('|'))).toEqual([]);
      expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
    },
  );

  it('has pairs in other languages only on request', () => {
    const english = calibrationPairs();
    const all = calibrationPairs({ multilingual: true });
    expect(all.slice(0, english.length)).toEqual(english);
    for (const name of classes) {
      expect(all.slice(english.length).filter((pair) => pair.class === name).length).toBeGreaterThanOrEqual(8);
    }
    const isOtherLanguage = ({ first, second }: { first: string; second: string }) =>
      /[äöüßñçãéèêà぀-ヿ]/u.test(first + second);
    expect(english.filter(isOtherLanguage)).toEqual([]);
    expect(all.filter(isOtherLanguage).length).toBeGreaterThan(10);
  });
});
