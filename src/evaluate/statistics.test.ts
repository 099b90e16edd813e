import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { difference, estimate, seededRandom, type Observation } from './statistics.ts';

/** `count` items in each of `conversations`, whose values come from `valueOf`. */
function observe(
  conversations: number,
  count: number,
  valueOf: (conversation: number, item: number) => number,
): Observation[] {
  return Array.from({ length: conversations * count }, (_, index) => {
    const [conversation, item] = [Math.floor(index / count), index % count];
    return { conversation: `c${conversation}`, item: `i${item}`, value: valueOf(conversation, item) };
  });
}

describe('estimate', () => {
  it('is the mean over the items that have a value', () => {
    const { mean, items, conversations } = estimate([
      { conversation: 'a', item: '1', value: 1 },
      { conversation: 'a', item: '2', value: 0 },
      { conversation: 'b', item: '1', value: 1 },
      { conversation: 'b', item: '2', value: Number.NaN },
    ]);
    expect({ mean, items, conversations }).toEqual({ mean: 2 / 3, items: 3, conversations: 2 });
  });

  it('has a wider interval if the items of a conversation are alike', () => {
    const random = seededRandom(7);
    const independent = estimate(observe(20, 20, () => (random() < 0.5 ? 1 : 0)));
    const clustered = estimate(observe(20, 20, (conversation) => conversation % 2));
    expect(clustered.high - clustered.low).toBeGreaterThan(2 * (independent.high - independent.low));
  });

  it('has an interval that covers the true mean about as often as it should', () => {
    const random = seededRandom(3);
    let covered = 0;
    for (let round = 0; round < 100; round += 1) {
      const { low, high } = estimate(
        observe(30, 5, () => (random() < 0.3 ? 1 : 0)),
        { rounds: 300 },
      );
      if (low <= 0.3 && high >= 0.3) covered += 1;
    }
    expect(covered).toBeGreaterThanOrEqual(86);
  });

  it('does not depend on the order of the observations', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(
          observe(6, 3, (one, other) => (one * other) % 3),
          { minLength: 18 },
        ),
        (some) => {
          expect(estimate(some, { rounds: 50 })).toEqual(
            estimate(
              observe(6, 3, (one, other) => (one * other) % 3),
              { rounds: 50 },
            ),
          );
        },
      ),
      { numRuns: 20 },
    );
  });

  it('has no interval for a single conversation', () => {
    expect(estimate(observe(1, 10, () => 1))).toMatchObject({ mean: 1, low: Number.NaN, high: Number.NaN });
    expect(estimate([])).toMatchObject({ mean: Number.NaN, items: 0 });
  });
});

describe('difference', () => {
  const before = observe(12, 10, (one, other) => (one + other) % 2);

  it('is 0 for the same run', () => {
    expect(difference(before, before)).toMatchObject({ mean: 0, low: 0, high: 0, p: 1 });
  });

  it('is significant if every conversation gains', () => {
    const after = before.map((one) => ({ ...one, value: one.item < 'i3' ? 1 : one.value }));
    const { mean, low, p } = difference(before, after);
    expect(mean).toBeCloseTo(0.15);
    expect(low).toBeGreaterThan(0);
    expect(p).toBeLessThan(0.01);
  });

  it('is not significant if as many conversations gain as lose', () => {
    const after = before.map((one) => ({ ...one, value: one.conversation.length === 3 ? 1 - one.value : one.value }));
    expect(difference(before, after).p).toBeGreaterThan(0.3);
  });

  it('leaves out items that only one run has', () => {
    expect(difference(before.slice(0, 30), before)).toMatchObject({ items: 30, conversations: 3 });
  });
});
