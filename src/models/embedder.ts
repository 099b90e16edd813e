import { hash } from 'node:crypto';
import { z } from 'zod';
import { VarveError } from '../errors.ts';
import { type CallSettings, createCaller } from './caller.ts';
import { estimateTokens } from '../language/words.ts';
import { createLru } from '../record/cache.ts';
import { shareSchema } from '../record/parse.ts';

export interface Embedder {
  /** Stored with every vector. The id must change whenever the vectors change. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * Returns one vector of unit length for each text, in the same order. Throws `embedder_unavailable`, `timed_out` or `cancelled`;
   * `details.usage` has the usage before the failure.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Embedded>;
  /** Classifies the parts of a user's message, in order. Only the local embedder has this method. */
  readParts?(parts: readonly string[], options?: ReadPartsOptions): Promise<PartReading>;
  close?(): Promise<void>;
}

export interface EmbedOptions {
  signal?: AbortSignal;
}

export interface ReadPartsOptions extends EmbedOptions {
  /** The clauses of the user's earlier turns, turn by turn, latest turn first. */
  said?: readonly (readonly string[])[];
}

/** Log-odds for six questions about each part of a message and then each clause of the earlier turns, and the attribute values found. */
export interface PartReading {
  /** Whether the words are not the author's own: pasted, quoted, to be translated, or fiction. */
  foreign: Float32Array;
  /** Whether the part asks to forget something or not to store it. Meaningless for earlier turns. */
  asks: Float32Array;
  /** Whether the message's request refers to this part or clause. */
  meant: Float32Array;
  /** Whether the part withdraws an earlier request. Meaningless for earlier turns. */
  takesBack: Float32Array;
  /** Whether the part makes an earlier statement untrue. Meaningless for earlier turns. */
  changes: Float32Array;
  /** Whether the message makes this clause of an earlier turn untrue. Meaningless for the message itself. */
  ends: Float32Array;
  /** For each part of the message: the mean state of the last layer, from which the local reader judges the part's worth. */
  states: readonly Float32Array[];
  /** Empty if earlier turns were passed as well. */
  values: SlotValue[];
}

/** Words in a part that are probably the value of one of the user's attributes. */
export interface SlotValue {
  part: number;
  start: number;
  end: number;
  attribute: string;
  probability: number;
}

export interface Embedded {
  vectors: Float32Array[];
  /** The provider's count, or an estimate. 0 for cached texts. */
  tokens: number;
}

interface ExpectedVectors {
  name: string;
  count: number;
  dimensions: number;
}

export function unitVectors(answer: readonly ArrayLike<number>[], expected: ExpectedVectors): Float32Array[] {
  if (!Array.isArray(answer) || answer.length !== expected.count) {
    throw wrong(expected, 'wrong_count', `returned ${answer?.length ?? 'no'} vectors for ${expected.count} texts`);
  }
  return answer.map((vector) => unitVector(vector, expected));
}

function unitVector(vector: ArrayLike<number>, expected: ExpectedVectors): Float32Array {
  if (vector?.length !== expected.dimensions) {
    const what = `returned a vector of ${vector?.length ?? 'no'} dimensions where ${expected.dimensions} are expected`;
    throw wrong(expected, 'wrong_dimensions', what);
  }
  let sum = 0;
  for (let index = 0; index < vector.length; index += 1) sum += (vector[index] as number) ** 2;
  const length = Math.sqrt(sum);
  // Also catches NaN, Infinity, text and null at any position.
  if (!Number.isFinite(length))
    throw wrong(expected, 'not_finite', 'returned a vector with a value that is not a finite number');
  if (length === 0) throw wrong(expected, 'zero_vector', 'returned a vector of zeros only');
  return Float32Array.from(vector, (value) => value / length);
}

function wrong(expected: ExpectedVectors, reason: string, what: string): VarveError {
  return new VarveError(`${expected.name} ${what}.`, {
    code: 'embedder_unavailable',
    details: { model: expected.name, reason, dimensions: expected.dimensions },
  });
}

export interface FunctionEmbedderOptions extends CallSettings {
  /** Stored with every vector. Change the id whenever the function's vectors change. */
  id: string;
  dimensions: number;
  /** Returns one vector for each text, in the same order. A vector need not be normalised, but must not be all zeros. */
  embed(texts: readonly string[], options: { signal: AbortSignal }): Promise<readonly ArrayLike<number>[]>;
}

/** Creates an embedder from the application's own function, with timeouts, retries and checks. */
export function functionEmbedder(options: FunctionEmbedderOptions): Embedder {
  const { id, dimensions } = options;
  const caller = createCaller(id, 'embedder_unavailable', options);
  return {
    id,
    dimensions,
    async embed(texts, { signal } = {}) {
      if (texts.length === 0) return { vectors: [], tokens: 0 };
      const answer = await caller((calling) => options.embed(texts, { signal: calling }), { signal });
      return {
        vectors: unitVectors(answer, { name: id, count: texts.length, dimensions }),
        tokens: estimateTokensOf(texts),
      };
    },
  };
}

export function estimateTokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

/** Returns null if the embedder fails, so that the caller can use keyword search instead. */
export async function unlessUnavailable<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (VarveError.isInstance(error, 'embedder_unavailable') || VarveError.isInstance(error, 'timed_out')) return null;
    throw error;
  }
}

export interface CacheOptions {
  /** The maximum number of vectors. Default 2,000, which is 3 MB at 384 dimensions. */
  size?: number;
}

/** Wraps an embedder with an LRU cache, keyed by a hash of the text. */
export function cachedEmbedder(embedder: Embedder, { size = 2000 }: CacheOptions = {}): Embedder {
  const vectors = createLru<Float32Array>({ most: size });
  const readings = createLru<PartReading>({ most: size });

  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    async embed(texts, options) {
      const keys = texts.map((text) => hash('sha256', text, 'base64'));
      const found = new Map(keys.map((key) => [key, vectors.get(key)]));
      const missing = new Map(keys.flatMap((key, index) => (found.get(key) ? [] : [[key, texts[index] ?? '']])));
      let tokens = 0;
      if (missing.size > 0) {
        const embedded = await embedder.embed([...missing.values()], options);
        tokens = embedded.tokens;
        for (const [index, key] of [...missing.keys()].entries()) {
          const vector = embedded.vectors[index] as Float32Array;
          found.set(key, vector);
          vectors.set(key, vector);
        }
      }
      // Copies, so that a caller cannot change the cached vectors.
      return { vectors: keys.map((key) => (found.get(key) as Float32Array).slice()), tokens };
    },
    ...(embedder.readParts === undefined
      ? {}
      : {
          async readParts(parts, options) {
            const key = hash('sha256', JSON.stringify([parts, options?.said]), 'base64');
            const reading = readings.get(key) ?? (await embedder.readParts!(parts, options));
            readings.set(key, reading);
            return reading;
          },
        }),
    ...(embedder.close === undefined ? {} : { close: () => embedder.close?.() ?? Promise.resolve() }),
  };
}

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] as number) * (other[index] as number);
  return sum;
}

export interface CalibrationKnot {
  readonly cosine: number;
  readonly similarity: number;
}

/**
 * Maps one embedder's cosines to the scale of all Varve's thresholds: 0.92 is the same statement, 0.85 nearly the same, 0.70 related, 0.60
 * relevant enough to show, and 0.20 unrelated.
 */
export interface Calibration {
  /** The id of the embedder whose cosines are mapped. */
  readonly embedder: string;
  /** At least two, both values increasing, with similarities from 0 to 1. Between knots, the similarity is interpolated linearly. */
  readonly knots: readonly CalibrationKnot[];
}

export const calibrationSchema: z.ZodType<Calibration> = z.object({
  embedder: z.string().min(1),
  knots: z
    .array(z.object({ cosine: z.number().min(-1).max(1), similarity: shareSchema }))
    .min(2)
    .max(64)
    .refine(
      (knots) => knots[0]?.similarity === 0 && knots.at(-1)?.similarity === 1,
      'the similarity must begin at 0 and end at 1',
    )
    .refine((knots) => knots.every(isAbovePrevious), 'cosine and similarity must both increase from knot to knot'),
});

function isAbovePrevious(knot: CalibrationKnot, index: number, knots: readonly CalibrationKnot[]): boolean {
  const previous = knots[index - 1];
  return previous === undefined || (knot.cosine > previous.cosine && knot.similarity > previous.similarity);
}

/** Monotonic, from 0 to 1. NaN gives 0. */
export function calibratedSimilarity(cosine: number, calibration: Calibration): number {
  return interpolated(calibration, cosine, 'cosine', 'similarity');
}

/** For a threshold on raw scores: the lowest cosine with at least this similarity. 0 gives -1, because everything passes. */
export function cosineFor(similarity: number, calibration: Calibration): number {
  return similarity <= 0 ? -1 : interpolated(calibration, similarity, 'similarity', 'cosine');
}

type Axis = keyof CalibrationKnot;

/** Interpolates between the knots. Constant before the first and after the last. */
function interpolated({ knots }: Calibration, at: number, from: Axis, to: Axis): number {
  let lower = knots[0] as CalibrationKnot;
  if (!(at > lower[from])) return lower[to];
  for (let index = 1; index < knots.length; index += 1) {
    const upper = knots[index] as CalibrationKnot;
    if (at < upper[from]) {
      const rise = ((at - lower[from]) * (upper[to] - lower[to])) / (upper[from] - lower[from]);
      // Without this, rounding could raise the value above the next knot.
      return Math.min(lower[to] + rise, upper[to]);
    }
    lower = upper;
  }
  return lower[to];
}

/** For an embedder that was not measured: the identity, except that negative cosines give 0. */
export function identityCalibration(embedder: string): Calibration {
  return {
    embedder,
    knots: [
      { cosine: 0, similarity: 0 },
      { cosine: 1, similarity: 1 },
    ],
  };
}

// The id also has the window size, which does not affect the calibration, because all pairs are short.
const LOCAL_EMBEDDER = /^local\/memory-minilm-l6-int8@3(-\d+)?$/;

/** Measured with `calibrate`. Run it again if the pairs change. */
export const LOCAL_EMBEDDER_CALIBRATION: Calibration = {
  embedder: 'local/memory-minilm-l6-int8@3',
  knots: [
    { cosine: -1, similarity: 0 },
    { cosine: 0.2634, similarity: 0.2 },
    { cosine: 0.3964, similarity: 0.6 },
    { cosine: 0.469, similarity: 0.7 },
    { cosine: 0.7326, similarity: 0.85 },
    { cosine: 0.8945, similarity: 0.92 },
    { cosine: 1, similarity: 1 },
  ],
};

export function bundledCalibration(embedder: string): Calibration {
  return LOCAL_EMBEDDER.test(embedder) ? { ...LOCAL_EMBEDDER_CALIBRATION, embedder } : identityCalibration(embedder);
}
