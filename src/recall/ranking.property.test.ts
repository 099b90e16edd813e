import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY } from '../record/clock.ts';
import { memoryTypeTable } from '../record/memory-types.ts';
import { closenessToRanges } from './analyze-query.ts';
import { addDocument, coverageOf, createLexicalIndex, matchLexically } from './lexical-index.ts';
import { standardise } from './measure-meaning.ts';
import { fuseByReciprocalRank, topK } from './rank-documents.ts';
import type { RecallResult } from './recall-options.ts';
import { growingArray } from './recall-view.ts';
import { recencyBoost, recencyOf, scoreBySignals, DEFAULT_SCORING_WEIGHTS } from './relevance.ts';
import { packResults } from './results.ts';
import { estimateTokens } from '../language/words.ts';

const numbers = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true, min: -100, max: 100 }), { maxLength: 300 });

describe('fusion by reciprocal rank', () => {
  it('[E8] each list adds 1 / (60 + rank), and nothing else counts', () => {
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(fc.nat(30)), { maxLength: 4 }), (lists) => {
        const fused = fuseByReciprocalRank(lists);
        for (const item of new Set(lists.flat())) {
          const expected = lists.reduce(
            (sum, list) => sum + (list.includes(item) ? 1 / (60 + list.indexOf(item) + 1) : 0),
            0,
          );
          expect(fused.get(item)).toBeCloseTo(expected, 12);
        }
        expect(fused.size).toBe(new Set(lists.flat()).size);
      }),
    );
  });

  it('[E8] an item that moves up in a list never gets a lower score', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(30), { minLength: 2 }), fc.uniqueArray(fc.nat(30)), (list, other) => {
        const last = list.at(-1) as number;
        const raised = [last, ...list.slice(0, -1)];
        expect(fuseByReciprocalRank([raised, other]).get(last)).toBeGreaterThanOrEqual(
          fuseByReciprocalRank([list, other]).get(last) as number,
        );
      }),
    );
  });
});

describe('top-k', () => {
  it('returns the values that sorting would return, without NaN', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.float({ noDefaultInfinity: true, min: -50, max: 50 }), fc.constant(Number.NaN)), {
          maxLength: 400,
        }),
        fc.nat(60),
        (list, count) => {
          const values = Float32Array.from(list);
          const chosen = topK(values, count).map((ordinal) => values[ordinal] as number);
          const sorted = [...values].filter((value) => !Number.isNaN(value)).sort((a, b) => b - a);
          if (count > 0) expect(chosen.sort((a, b) => b - a)).toEqual(sorted.slice(0, count));
        },
      ),
    );
  });
});

describe('z-scores', () => {
  it('have mean 0 and standard deviation 1, keep the order, and give unknown values the mean', () => {
    fc.assert(
      fc.property(numbers, (list) => {
        const scores = standardise(Float32Array.from([...list, Number.NaN]), Infinity);
        expect(scores.at(-1)).toBe(0);
        if (Math.max(...list) - Math.min(...list) < 0.01) return;
        const known = scores.slice(0, -1);
        expect(known.reduce((sum, score) => sum + score, 0) / known.length).toBeCloseTo(0, 4);
        expect(known.reduce((sum, score) => sum + score * score, 0) / known.length).toBeCloseTo(1, 3);
        for (let index = 1; index < list.length; index += 1) {
          const [before, value] = [list[index - 1] as number, list[index] as number];
          if (value > before) expect(known[index]).toBeGreaterThanOrEqual(known[index - 1] as number);
          if (value > before + 0.01) expect(known[index]).toBeGreaterThan(known[index - 1] as number);
        }
      }),
    );
  });
});

describe('coverage of the words of a query', () => {
  it('is 1 if and only if every word occurs', () => {
    const word = fc.constantFrom('tea', 'coffee', 'boat', 'rain', 'chess', 'violin');
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { minLength: 1 }), { minLength: 1, maxLength: 20 }),
        fc.uniqueArray(word, { minLength: 1 }),
        (texts, query) => {
          const index = createLexicalIndex();
          for (const text of texts) addDocument(index, text.join(' '));
          const match = matchLexically(index, query);
          texts.forEach((text, ordinal) => {
            const coverage = coverageOf(match.termMasks[ordinal] as number, match);
            const has = query.filter((term) => matchLexically(index, [term]).termMasks[ordinal] !== 0).length;
            expect(coverage).toBeGreaterThanOrEqual(0);
            expect(coverage).toBeLessThanOrEqual(1 + 1e-9);
            expect(coverage > 1 - 1e-9).toBe(has === query.length);
            expect((match.bm25[ordinal] as number) > 0).toBe(has > 0);
            expect(text.length).toBeGreaterThan(0);
          });
        },
      ),
    );
  });
});

describe('time', () => {
  it('a time inside a range is closer than a time outside, and a nearer time is closer than a farther one', () => {
    const day = fc.integer({ min: 0, max: 2000 });
    fc.assert(
      fc.property(
        day,
        fc.integer({ min: 1, max: 60 }),
        fc.array(day, { minLength: 2, maxLength: 50 }),
        (start, length, days) => {
          const range = { from: start * DAY, to: (start + length) * DAY };
          // One time is inside the range, and one is too far away to have any closeness. Without the second time, a range that covers
          // everything would distinguish nothing.
          const told = [start, 10_000, ...days];
          const times = Float64Array.from(told, (at) => at * DAY);
          const closeness = closenessToRanges([range], times);
          const best = closeness[0] as number;
          expect(best).toBeGreaterThan(0);
          expect(closeness[1]).toBe(0);
          const distances = told.map((at) => Math.max(start - at, at - start - length, 0));
          for (const [index, at] of told.entries()) {
            if (at >= start && at < start + length) expect(closeness[index]).toBe(best);
            else if (distances[index] !== 0) expect(closeness[index]).toBeLessThan(best);
            for (const [other, otherAt] of told.entries()) {
              const isNearer =
                otherAt < start === at < start && (distances[other] as number) < (distances[index] as number);
              if (isNearer) expect(closeness[other]).toBeGreaterThanOrEqual(closeness[index] as number);
            }
          }
        },
      ),
    );
  });

  it('[K14] the boost for recent records falls from 0.05 to 0 over 90 days', () => {
    const now = 1_000 * DAY;
    expect(recencyBoost(now, now)).toBe(0.05);
    expect(recencyBoost(now - 45 * DAY, now)).toBeCloseTo(0.025);
    expect(recencyBoost(now - 90 * DAY, now)).toBe(0);
    expect(recencyBoost(now - 500 * DAY, now)).toBe(0);
  });
});

describe('the five signals', () => {
  it('[L2] are weighted 0.40, 0.25, 0.20, 0.10, 0.05', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        share,
        share,
        share,
        share,
        fc.constantFrom(0, 1),
        (similarity, recency, importance, frequency, entity) => {
          const { score } = scoreBySignals(
            similarity,
            { recency, importance, frequency, entity },
            DEFAULT_SCORING_WEIGHTS,
          );
          expect(score).toBeCloseTo(
            0.4 * similarity + 0.25 * recency + 0.2 * importance + 0.1 * frequency + 0.05 * entity,
            10,
          );
        },
      ),
    );
  });

  it('[L2] recency falls to 0 within a year and stays there', () => {
    const now = 2_000 * DAY;
    expect(recencyOf(new Date(now), now)).toBe(1);
    expect(recencyOf(new Date(now - 73 * DAY), now)).toBeCloseTo(0.8);
    expect(recencyOf(new Date(now - 365 * DAY), now)).toBe(0);
    expect(recencyOf(new Date(now - 900 * DAY), now)).toBe(0);
    expect(recencyOf(new Date(now + DAY), now)).toBe(1);
  });
});

describe('packing', () => {
  const result = (id: string, text: string, sources: string[] = []): RecallResult =>
    ({
      kind: sources.length > 0 ? 'memory' : 'event',
      id,
      text,
      memory: sources.length > 0 ? { sourceEvents: sources, quotes: [], content: text, value: null } : null,
      event: sources.length > 0 ? null : { id, content: text },
      similarity: 0.5,
    }) as unknown as RecallResult;

  it('never exceeds the limit or the budget, keeps the order, and has no text twice', () => {
    const items = fc.array(
      fc.tuple(
        fc.nat(20),
        fc.constantFrom('a b c', 'd e', 'f', 'g h i j k l m', 'n o'),
        fc.array(fc.nat(20).map(String), { maxLength: 2 }),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(
        items,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 12 }),
        (list, limit, tokenBudget) => {
          const results = list.map(([id, text, sources]) => result(String(id), text, sources));
          const packed = packResults(results, {
            options: { limit, tokenBudget },
            limit,
            answerable: null,
            degraded: [],
            memoryTypes: memoryTypeTable(),
          }).results;
          expect(packed.length).toBeLessThanOrEqual(limit);
          expect(packed.reduce((sum, { text }) => sum + estimateTokens(text), 0)).toBeLessThanOrEqual(tokenBudget);
          expect(new Set(packed.map(({ id }) => id)).size).toBe(packed.length);
          expect(new Set(packed.map(({ text }) => text)).size).toBe(packed.length);
          const places = packed.map((item) => results.indexOf(item));
          expect(places).toEqual([...places].sort((a, b) => a - b));
        },
      ),
    );
  });

  it('abstains only below the threshold, and never with `abstain: false`', () => {
    const results = [result('1', 'x')];
    const pack = (answerable: number | null, abstain?: boolean) =>
      packResults(results, {
        options: { abstain },
        limit: 10,
        answerable,
        degraded: [],
        memoryTypes: memoryTypeTable(),
      });
    expect(pack(0.39)).toMatchObject({ results: [], abstained: true });
    expect(pack(0.4)).toMatchObject({ abstained: false });
    expect(pack(null)).toMatchObject({ abstained: false });
    expect(pack(0.1, false).results).toHaveLength(1);
  });
});

describe('a growing array', () => {
  it('keeps its values when it grows', () => {
    const array = growingArray(Int32Array);
    for (let index = 0; index < 1000; index += 1) array.push(index * 3);
    expect(array.length).toBe(1000);
    expect([...array.values]).toEqual(Array.from({ length: 1000 }, (_, index) => index * 3));
  });
});
