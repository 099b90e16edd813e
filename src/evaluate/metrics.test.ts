import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { abstentionArea, abstentionCurve, ndcgAt, precisionAt, recallAt, reciprocalRank } from './metrics.ts';

const ranked = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('retrieval metrics', () => {
  it('[T18] have the values computed by hand', () => {
    const relevant = new Set(['b', 'd', 'x']);
    expect(precisionAt(ranked, relevant, 5)).toBeCloseTo(2 / 5);
    expect(recallAt(ranked, relevant, 5)).toBeCloseTo(2 / 3);
    expect(reciprocalRank(ranked, relevant)).toBeCloseTo(1 / 2);
    const gain = 1 / Math.log2(3) + 1 / Math.log2(5);
    const ideal = 1 + 1 / Math.log2(3) + 1 / Math.log2(4);
    expect(ndcgAt(ranked, relevant, 5)).toBeCloseTo(gain / ideal);
    expect(ndcgAt(ranked, relevant, 1)).toBe(0);
  });

  it('take the gain of graded labels into account', () => {
    const graded = new Map([
      ['a', 1],
      ['c', 3],
    ]);
    expect(ndcgAt(ranked, graded, 5)).toBeCloseTo((1 + 3 / 2) / (3 + 1 / Math.log2(3)));
    expect(ndcgAt(['c', 'a'], graded, 5)).toBe(1);
  });

  it('divide precision by k even if there are fewer results', () => {
    expect(precisionAt(['a'], new Set(['a']), 5)).toBeCloseTo(0.2);
  });

  it('are NaN for a question without a relevant result', () => {
    expect(recallAt(ranked, new Set(), 5)).toBeNaN();
    expect(reciprocalRank(ranked, new Set())).toBeNaN();
    expect(ndcgAt(ranked, new Set(), 5)).toBeNaN();
  });

  it('refuse a k that is not a positive whole number', () => {
    expect(() => recallAt(ranked, new Set(['a']), 0)).toThrow('positive whole number');
    expect(() => ndcgAt(ranked, new Set(['a']), 1.5)).toThrow('positive whole number');
  });

  const ids = fc.array(fc.integer({ min: 0, max: 30 }).map(String), { maxLength: 25 });
  const relevantIds = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { minLength: 1, maxLength: 10 });
  const k = fc.integer({ min: 1, max: 30 });

  it('stay between 0 and 1, even for lists with duplicates', () => {
    fc.assert(
      fc.property(ids, relevantIds, k, (list, relevant, at) => {
        const set = new Set(relevant);
        for (const value of [precisionAt(list, set, at), recallAt(list, set, at), ndcgAt(list, set, at)]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + 1e-12);
        }
      }),
    );
  });

  it('do not depend on the order in which the labels are given', () => {
    fc.assert(
      fc.property(ids, relevantIds, k, (list, relevant, at) => {
        const [one, other] = [new Set(relevant), new Set(relevant.toReversed())];
        expect(ndcgAt(list, one, at)).toBe(ndcgAt(list, other, at));
        expect(recallAt(list, one, at)).toBe(recallAt(list, other, at));
      }),
    );
  });

  it('never decrease when a relevant result moves up, and are 1 when all relevant results come first', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ranked, { minLength: 2 }), relevantIds, k, (list, more, at) => {
        const relevant = new Set([list.at(-1) as string]);
        const moved = [...list.slice(0, -2), list.at(-1) as string, list.at(-2) as string];
        expect(ndcgAt(moved, relevant, at)).toBeGreaterThanOrEqual(ndcgAt(list, relevant, at));
        expect(reciprocalRank(moved, relevant)).toBeGreaterThan(reciprocalRank(list, relevant));
        expect(ndcgAt(more, new Set(more), at)).toBeCloseTo(1);
      }),
    );
  });
});

describe('abstention metrics', () => {
  const questions = [
    { isAnswerable: true, confidence: 0.9 },
    { isAnswerable: true, confidence: 0.4 },
    { isAnswerable: false, confidence: 0.5 },
    { isAnswerable: false, confidence: 0.1 },
  ];

  it('give, for each threshold, the shares of unanswerable and of answerable questions on which recall abstains', () => {
    expect(abstentionCurve(questions, [0.3, 0.6])).toEqual([
      { threshold: 0.3, silentOnUnanswerable: 0.5, silentOnAnswerable: 0 },
      { threshold: 0.6, silentOnUnanswerable: 1, silentOnAnswerable: 0.5 },
    ]);
  });

  it('have an area: the probability that an answerable question has a higher confidence than an unanswerable one', () => {
    expect(abstentionArea(questions)).toBe(0.75);
    expect(abstentionArea(questions.filter(({ isAnswerable }) => isAnswerable))).toBeNaN();
  });
});
