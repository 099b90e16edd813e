import type { Embedded } from '../embedder.ts';
import { MODEL } from './memory-layout.ts';
import type { PoolText, WorkerPool } from './worker-pool.ts';

/** Tokenizing happens on the caller's thread, so a large batch is read a few texts ahead of the workers, not at once. */
const TEXTS_AHEAD = 64;

/** Sends texts through the pool and puts their windows together again. A call with a single text goes before batches. */
export async function embedTexts(
  texts: readonly string[],
  deps: { pool: WorkerPool; windowsOf: (text: string) => number[][]; signal?: AbortSignal | undefined },
): Promise<Embedded> {
  const { pool, windowsOf, signal } = deps;
  const isUrgent = texts.length === 1;
  const waiting = new Set<PoolText>();
  const vectors = Array.from<Float32Array>({ length: texts.length });
  let tokens = 0;
  let next = 0;

  function encode(ids: number[]): Promise<Float32Array> {
    tokens += ids.length;
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    const text: PoolText = { ids, resolve, reject };
    waiting.add(text);
    pool.add(text, { isUrgent });
    return promise.finally(() => waiting.delete(text));
  }

  async function embedText(text: string): Promise<Float32Array> {
    const windows = windowsOf(text);
    const parts = await Promise.all(windows.map(encode));
    return unit(
      parts.length === 1
        ? parts[0]!
        : weightedSum(
            parts,
            windows.map((ids) => ids.length),
          ),
    );
  }

  async function embedNext(): Promise<void> {
    while (next < texts.length) {
      const index = next++;
      vectors[index] = await embedText(texts[index]!);
    }
  }

  function abort(): void {
    next = texts.length;
    pool.remove(waiting);
    for (const text of waiting) text.reject(signal?.reason);
  }

  signal?.addEventListener('abort', abort, { once: true });
  try {
    await Promise.all(Array.from({ length: Math.min(texts.length, TEXTS_AHEAD) }, embedNext));
  } catch (error) {
    next = texts.length;
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  return { vectors, tokens };
}

function weightedSum(vectors: readonly Float32Array[], weights: readonly number[]): Float32Array {
  const sum = new Float32Array(MODEL.hidden);
  for (const [index, vector] of vectors.entries()) {
    const weight = weights[index] ?? 0;
    for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + weight * vector[i]!;
  }
  return sum;
}

function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const factor = 1 / Math.sqrt(squares);
  return vector.map((value) => value * factor);
}
