import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from '../record/parse.ts';
import {
  bundledCalibration,
  calibratedSimilarity,
  type Calibration,
  calibrationSchema,
  cosineFor,
  identityCalibration,
  LOCAL_EMBEDDER_CALIBRATION,
} from './embedder.ts';

const risingNumbers = (from: number, count: number): fc.Arbitrary<number[]> =>
  fc
    .uniqueArray(fc.integer({ min: from * 10_000 + 1, max: 9_999 }), { minLength: count, maxLength: count })
    .map((numbers) => numbers.sort((a, b) => a - b).map((number) => number / 10_000));

const calibrations: fc.Arbitrary<Calibration> = fc
  .integer({ min: 2, max: 9 })
  .chain((count) => fc.tuple(risingNumbers(-1, count), risingNumbers(0, count - 2)))
  .map(([cosines, inner]) => {
    const similarities = [0, ...inner, 1];
    return {
      embedder: 'any',
      knots: cosines.map((cosine, index) => ({ cosine, similarity: similarities[index] as number })),
    };
  });
const cosines = fc.double({ min: -1, max: 1, noNaN: true });
const similarities = fc.double({ min: 0, max: 1, noNaN: true });

describe('calibratedSimilarity', () => {
  it('is between 0 and 1 for any number', () => {
    fc.assert(
      fc.property(calibrations, fc.double(), (calibration, cosine) => {
        const similarity = calibratedSimilarity(cosine, calibration);
        expect(similarity >= 0 && similarity <= 1).toBe(true);
      }),
    );
    expect(calibratedSimilarity(Number.NaN, LOCAL_EMBEDDER_CALIBRATION)).toBe(0);
  });

  it('is monotonic', () => {
    fc.assert(
      fc.property(calibrations, cosines, cosines, fc.nat(8), (calibration, a, b, place) => {
        // Rounding errors would show at a knot and beside it.
        const knot = calibration.knots[place % calibration.knots.length]?.cosine ?? 0;
        const [low, middle, high] = [a, b, knot].sort((x, y) => x - y).map((x) => calibratedSimilarity(x, calibration));
        expect(low).toBeLessThanOrEqual(middle as number);
        expect(middle).toBeLessThanOrEqual(high as number);
      }),
      { numRuns: 1000 },
    );
  });

  it('interpolates linearly between the knots and is exact at them', () => {
    fc.assert(
      fc.property(calibrations, (calibration) => {
        for (const [index, knot] of calibration.knots.entries()) {
          expect(calibratedSimilarity(knot.cosine, calibration)).toBe(knot.similarity);
          const next = calibration.knots[index + 1] ?? knot;
          const between = calibratedSimilarity((knot.cosine + next.cosine) / 2, calibration);
          expect(between).toBeCloseTo((knot.similarity + next.similarity) / 2, 9);
        }
      }),
    );
  });
});

describe('cosineFor', () => {
  it('is the inverse of calibratedSimilarity', () => {
    fc.assert(
      fc.property(calibrations, similarities, (calibration, similarity) => {
        expect(calibratedSimilarity(cosineFor(similarity, calibration), calibration)).toBeCloseTo(similarity, 9);
      }),
    );
  });

  it('as a threshold on cosines, lets the same results pass as the similarity, and is exact at a knot', () => {
    fc.assert(
      fc.property(calibrations, cosines, similarities, (calibration, cosine, similarity) => {
        const cut = cosineFor(similarity, calibration);
        const passes = calibratedSimilarity(cosine, calibration) >= similarity;
        // For a smaller difference, rounding decides the result.
        if (Math.abs(cosine - cut) > 1e-9) expect(cosine >= cut).toBe(passes);
        for (const knot of calibration.knots.slice(1))
          expect(cosineFor(knot.similarity, calibration)).toBe(knot.cosine);
      }),
    );
  });

  it('lets every cosine pass for a similarity of 0, and only the cosine of the top knot for 1', () => {
    expect(cosineFor(0, identityCalibration('any'))).toBe(-1);
    expect(cosineFor(1, identityCalibration('any'))).toBe(1);
    expect(cosineFor(7, identityCalibration('any'))).toBe(1);
  });
});

describe('identityCalibration', () => {
  it('returns the cosine, and 0 for a negative cosine', () => {
    const identity = identityCalibration('unknown');
    fc.assert(
      fc.property(cosines, (cosine) => {
        expect(calibratedSimilarity(cosine, identity)).toBe(Math.max(0, cosine) + 0);
        if (cosine > 0) expect(cosineFor(cosine, identity)).toBe(cosine);
      }),
    );
  });
});

describe('calibrationSchema', () => {
  it('reads a calibration that was stored as JSON', () => {
    fc.assert(
      fc.property(calibrations, (calibration) => {
        expect(parse(calibrationSchema, JSON.parse(JSON.stringify(calibration)), 'The calibration')).toEqual(
          calibration,
        );
      }),
    );
    expect(calibrationSchema.safeParse(LOCAL_EMBEDDER_CALIBRATION).success).toBe(true);
    expect(calibrationSchema.safeParse(identityCalibration('any')).success).toBe(true);
  });

  const knot = (cosine: number, similarity: number) => ({ cosine, similarity });
  it.each([
    ['a single knot', [knot(0, 0)]],
    ['falling cosines', [knot(0.5, 0), knot(0.4, 0.5), knot(1, 1)]],
    ['equal similarities', [knot(0, 0), knot(0.4, 0.5), knot(0.5, 0.5), knot(1, 1)]],
    ['a start above 0', [knot(0, 0.1), knot(1, 1)]],
    ['an end below 1', [knot(0, 0), knot(1, 0.9)]],
    ['a cosine beyond 1', [knot(0, 0), knot(1.2, 1)]],
    ['a value that is not a number', [knot(Number.NaN, 0), knot(1, 1)]],
  ])('refuses %s', (_name, knots) => {
    expect(() => parse(calibrationSchema, { embedder: 'any', knots }, 'The calibration')).toThrow('knots');
  });
});

describe('bundledCalibration', () => {
  it('has a calibration for the local embedder with any window size, and the identity for other embedders', () => {
    expect(bundledCalibration('local/memory-minilm-l6-int8@3')).toEqual(LOCAL_EMBEDDER_CALIBRATION);
    expect(bundledCalibration('local/memory-minilm-l6-int8@3-128')).toEqual({
      embedder: 'local/memory-minilm-l6-int8@3-128',
      knots: LOCAL_EMBEDDER_CALIBRATION.knots,
    });
    for (const other of ['local/memory-minilm-l6-int8@33', 'openai.embedding:text-embedding-3-small/1536']) {
      expect(bundledCalibration(other)).toEqual(identityCalibration(other));
    }
  });
});
