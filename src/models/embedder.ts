import { hash } from 'node:crypto';
import { z } from 'zod';
import { VarveError } from '../errors.ts';
import { type CallSettings, createCaller } from './caller.ts';
import { estimateTokens } from '../language/words.ts';
import { createLru } from '../record/cache.ts';
import { shareSchema } from '../record/parse.ts';

export interface Embedder {
  /** The id is stored with every vector and must change whenever the vectors change. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * Returns one vector of unit length for each text, in the order of the texts. Throws `embedder_unavailable`, `timed_out` or `cancelled`;
   * `details.usage` is the usage before the failure.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Embedded>;
  /** Classifies the parts of a user's message, given in their order. Only the local embedder has this method. */
  readParts?(parts: readonly string[], options?: ReadPartsOptions): Promise<PartReading>;
  close?(): Promise<void>;
}

export interface EmbedOptions {
  signal?: AbortSignal;
}

export interface ReadPartsOptions extends EmbedOptions {
  /** The clauses of the user's earlier turns, turn by turn, the latest turn first. */
  said?: readonly (readonly string[])[];
}

/** Log-odds for each part of a message and then for each clause of the earlier turns, and the attribute values in the message. */
export interface PartReading {
  /** Whether the words are foreign (pasted, quoted, to be translated, fiction) and not the author's own. */
  foreign: Float32Array;
  /** Whether the part asks to forget something or not to store it. The value has no meaning for earlier turns. */
  asks: Float32Array;
  /** Whether the request of the message refers to this part or clause. */
  meant: Float32Array;
  /** Whether the part withdraws an earlier request. The value has no meaning for earlier turns. */
  takesBack: Float32Array;
  /** Whether the part makes an earlier statement untrue. The value has no meaning for earlier turns. */
  changes: Float32Array;
  /** Whether the message makes this clause of an earlier turn untrue. The value has no meaning for the message itself. */
  ends: Float32Array;
  /** The mean state of the last layer for each part of the message, from which the local reader decides whether the part is worth keeping. */
  states: readonly Float32Array[];
  /** The attribute values in the message; empty if earlier turns were passed as well. */
  values: SlotValue[];
}

/** Words of a part that are probably the value of an attribute of the user. */
export interface SlotValue {
  part: number;
  start: number;
  end: number;
  attribute: string;
  probability: number;
}

export interface Embedded {
  vectors: Float32Array[];
  /** The provider's count, or an estimate; 0 for cached texts. */
  tokens: number;
}

interface ExpectedVectors {
  /** The name of the embedder, for the error message. */
  name: string;
  count: number;
  dimensions: number;
}

/** Normalises an embedder's answer to unit vectors. Throws `embedder_unavailable`, with the reason, if the answer is invalid. */
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
  // NaN, Infinity, text and null at any position are caught here too.
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
  /** The id is stored with every vector. Change the id when the vectors of the function change. */
  id: string;
  dimensions: number;
  /** Returns one vector for each text, in order. The vectors need not be normalised, but no vector may be all zeros. */
  embed(texts: readonly string[], options: { signal: AbortSignal }): Promise<readonly ArrayLike<number>[]>;
}

/** Makes an embedder from a function of the application, with the timeouts, retries and checks of any other embedder. */
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

/** The estimated tokens of all texts together. */
export function estimateTokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

/** The result of `work`, which needs an embedder; null while the embedder fails, so that the caller falls back to keyword search. */
export async function unlessUnavailable<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (VarveError.isInstance(error, 'embedder_unavailable') || VarveError.isInstance(error, 'timed_out')) return null;
    throw error;
  }
}

export interface CacheOptions {
  /** The maximum number of vectors; the least recently used vector is evicted first. Default 2,000, which is 3 MB at 384 dimensions. */
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
      // Copies are returned, so that a caller cannot change the cached vectors.
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

/** The cosine of two vectors of unit length. */
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
 * Maps the cosines of one embedder to the scale that all thresholds of Varve use: 0.92 is the same statement, 0.85 nearly the same, 0.70
 * related, 0.60 relevant enough to show, and 0.20 unrelated.
 */
export interface Calibration {
  /** The id of the embedder to which the cosines belong. */
  readonly embedder: string;
  /**
   * At least two knots. Both numbers increase from knot to knot, and the similarity runs from 0 to 1. Between knots it
   * is interpolated linearly.
   */
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

/** The similarity, from 0 to 1, of a raw cosine. The function is monotonic, and NaN gives 0. */
export function calibratedSimilarity(cosine: number, calibration: Calibration): number {
  return interpolated(calibration, cosine, 'cosine', 'similarity');
}

/**
 * The lowest raw cosine with at least this similarity (up to rounding), so that a search can apply a threshold to raw scores. A
 * similarity of 0 gives -1, because everything passes; a similarity of 1 or more gives the cosine of the last knot.
 */
export function cosineFor(similarity: number, calibration: Calibration): number {
  return similarity <= 0 ? -1 : interpolated(calibration, similarity, 'similarity', 'cosine');
}

type Axis = keyof CalibrationKnot;

/**
 * Interpolates between the knots: the value on one axis for a value on the other axis. Beyond the first and the last knot the value is
 * constant.
 */
function interpolated({ knots }: Calibration, at: number, from: Axis, to: Axis): number {
  let lower = knots[0] as CalibrationKnot;
  if (!(at > lower[from])) return lower[to];
  for (let index = 1; index < knots.length; index += 1) {
    const upper = knots[index] as CalibrationKnot;
    if (at < upper[from]) {
      const rise = ((at - lower[from]) * (upper[to] - lower[to])) / (upper[from] - lower[from]);
      // Rounding must not raise the value above the next knot.
      return Math.min(lower[to] + rise, upper[to]);
    }
    lower = upper;
  }
  return lower[to];
}

/** The calibration of an embedder that was not measured: the identity, with negative cosines as 0. */
export function identityCalibration(embedder: string): Calibration {
  return {
    embedder,
    knots: [
      { cosine: 0, similarity: 0 },
      { cosine: 1, similarity: 1 },
    ],
  };
}

// The id contains the window size, which does not matter here, because all pairs are short.
const LOCAL_EMBEDDER = /^local\/memory-minilm-l6-int8@3(-\d+)?$/;

/** The calibration that `calibrate` measured for the default local embedder. Run `calibrate` again when the pairs change. */
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

/** The calibration that comes with Varve: measured for the default embedder, the identity for any other. */
export function bundledCalibration(embedder: string): Calibration {
  return LOCAL_EMBEDDER.test(embedder) ? { ...LOCAL_EMBEDDER_CALIBRATION, embedder } : identityCalibration(embedder);
}
