import { hash } from 'node:crypto';
import { VarveError } from '../errors.ts';
import { type CallSettings, createCaller } from './caller.ts';
import { estimateTokens } from '../language/words.ts';

export interface Embedder {
  /** Stored with every vector; must change whenever the vectors change. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * One vector of unit length for each text, in their order. Throws `embedder_unavailable`, `timed_out` or `cancelled`; `details.usage`
   * is the usage before the failure.
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
  /** Whether the part asks to forget something or not to keep it. Of no use for earlier turns. */
  asks: Float32Array;
  /** Whether the request of the message means the part or the words of an earlier turn. */
  meant: Float32Array;
  /** Whether the part takes an earlier request back. Of no use for earlier turns. */
  takesBack: Float32Array;
  /** Whether the part makes something untrue that was said before. Of no use for earlier turns. */
  changes: Float32Array;
  /** Whether the message makes the words of an earlier turn untrue. Of no use for the message. */
  ends: Float32Array;
  /** Empty if earlier turns were passed as well. */
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
    const found = vector?.length ?? 'no';
    throw wrong(
      expected,
      'wrong_dimensions',
      `returned a vector of ${found} dimensions where ${expected.dimensions} are expected`,
    );
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
  /** Stored with every vector: give a new id when the function's vectors change. */
  id: string;
  dimensions: number;
  /** One vector for each text, in order; they need not be of unit length, but not zero. */
  embed(texts: readonly string[], options: { signal: AbortSignal }): Promise<readonly ArrayLike<number>[]>;
}

/** A function of the application's own as an embedder, with timeout, retries and checks as for any other. */
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
        tokens: texts.reduce((sum, text) => sum + estimateTokens(text), 0),
      };
    },
  };
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
  /** The most vectors; the least recently used one is evicted first. Default 2,000, which is 3 MB at 384 dimensions. */
  size?: number;
}

/** A cache that evicts the least recently used entry first. */
function createLru<Value>(size: number): { get(key: string): Value | undefined; set(key: string, value: Value): void } {
  // A Map keeps the order of insertion, so the first key is the least recently used one.
  const kept = new Map<string, Value>();
  const set = (key: string, value: Value): void => {
    kept.delete(key);
    kept.set(key, value);
    const oldest = kept.size > size ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
  };
  return {
    get(key) {
      const value = kept.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
  };
}

/** Wraps an embedder with an LRU cache, keyed by a hash of the text. */
export function cachedEmbedder(embedder: Embedder, { size = 2000 }: CacheOptions = {}): Embedder {
  const vectors = createLru<Float32Array>(size);
  const readings = createLru<PartReading>(size);

  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    async embed(texts, options) {
      const keys = texts.map((text) => hash('sha256', text, 'base64'));
      const found = new Map<string, Float32Array>();
      const missing = new Map<string, string>();
      for (const [index, key] of keys.entries()) {
        const vector = vectors.get(key);
        if (vector === undefined) missing.set(key, texts[index] ?? '');
        else found.set(key, vector);
      }
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
      // Returns copies, so that a caller cannot change the cached vector.
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
