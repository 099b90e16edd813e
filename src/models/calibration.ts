import { z } from 'zod';
import { shareSchema } from '../record/parse.ts';

export interface CalibrationKnot {
  readonly cosine: number;
  readonly similarity: number;
}

/**
 * Maps the cosines of one embedder to the scale of all thresholds of Varve: 0.92 the same statement, 0.85 nearly the same, 0.70 related,
 * 0.60 relevant enough to show, 0.20 nothing in common.
 */
export interface Calibration {
  /** Id of the embedder whose cosines these are. */
  readonly embedder: string;
  /** At least two knots, in which both numbers increase and the similarity is from 0 to 1; interpolated linearly. */
  readonly knots: readonly CalibrationKnot[];
}

export const calibrationSchema: z.ZodType<Calibration> = z.object({
  embedder: z.string().min(1),
  knots: z
    .array(z.object({ cosine: z.number().min(-1).max(1), similarity: shareSchema }))
    .min(2)
    .max(64)
    .refine((knots) => knots[0]?.similarity === 0 && knots.at(-1)?.similarity === 1, 'similarity must go from 0 to 1')
    .refine((knots) => knots.every(isAbovePrevious), 'cosine and similarity must both rise from knot to knot'),
});

function isAbovePrevious(knot: CalibrationKnot, index: number, knots: readonly CalibrationKnot[]): boolean {
  const previous = knots[index - 1];
  return previous === undefined || (knot.cosine > previous.cosine && knot.similarity > previous.similarity);
}

/** The similarity, from 0 to 1, of a raw cosine. Monotonic; NaN gives 0. */
export function calibratedSimilarity(cosine: number, calibration: Calibration): number {
  let lower = calibration.knots[0] as CalibrationKnot;
  if (!(cosine > lower.cosine)) return lower.similarity;
  for (let index = 1; index < calibration.knots.length; index += 1) {
    const upper = calibration.knots[index] as CalibrationKnot;
    if (cosine < upper.cosine) {
      const rise = ((cosine - lower.cosine) * (upper.similarity - lower.similarity)) / (upper.cosine - lower.cosine);
      // Rounding must not lift it above the next knot.
      return Math.min(lower.similarity + rise, upper.similarity);
    }
    lower = upper;
  }
  return lower.similarity;
}

/** The cosine of two vectors of unit length. */
export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] as number) * (other[index] as number);
  return sum;
}

/**
 * The lowest raw cosine with at least this similarity (up to rounding), so that a search can apply a threshold to raw scores. A
 * similarity of 0 gives -1, because everything passes; a similarity above 1 gives the cosine of 1.
 */
export function cosineFor(similarity: number, calibration: Calibration): number {
  if (similarity <= 0) return -1;
  let lower = calibration.knots[0] as CalibrationKnot;
  for (let index = 1; index < calibration.knots.length; index += 1) {
    const upper = calibration.knots[index] as CalibrationKnot;
    if (similarity < upper.similarity) {
      const run =
        ((similarity - lower.similarity) * (upper.cosine - lower.cosine)) / (upper.similarity - lower.similarity);
      return Math.min(lower.cosine + run, upper.cosine);
    }
    lower = upper;
  }
  return lower.cosine;
}

/** The identity, with negative cosines as 0: for an embedder that was not measured. */
export function identityCalibration(embedder: string): Calibration {
  return {
    embedder,
    knots: [
      { cosine: 0, similarity: 0 },
      { cosine: 1, similarity: 1 },
    ],
  };
}

// The window size is part of the id, but no pair is long enough for it to matter.
const LOCAL_EMBEDDER = /^local\/memory-minilm-l6-int8@2(-\d+)?$/;

/** The default local embedder, as `calibrate` measured it: run it again when the pairs change. */
export const LOCAL_EMBEDDER_CALIBRATION: Calibration = {
  embedder: 'local/memory-minilm-l6-int8@2',
  knots: [
    { cosine: -1, similarity: 0 },
    { cosine: 0.2148, similarity: 0.2 },
    { cosine: 0.3318, similarity: 0.6 },
    { cosine: 0.4146, similarity: 0.7 },
    { cosine: 0.6781, similarity: 0.85 },
    { cosine: 0.8698, similarity: 0.92 },
    { cosine: 1, similarity: 1 },
  ],
};

/** The calibration that comes with Varve: measured for the default embedder, the identity for any other. */
export function bundledCalibration(embedder: string): Calibration {
  return LOCAL_EMBEDDER.test(embedder) ? { ...LOCAL_EMBEDDER_CALIBRATION, embedder } : identityCalibration(embedder);
}
