import { hash } from 'node:crypto';
import type { Embedder } from './embedder.ts';

/** How much is kept. */
export interface CacheOptions {
  /** Vectors kept; the one unused for longest goes first. Default 2,000, which is 3 MB at 384 dimensions. */
  size?: number;
}

/** The same embedder, which does not embed again what it has embedded lately. Texts are known by the hash of their content. */
export function cachedEmbedder(embedder: Embedder, { size = 2000 }: CacheOptions = {}): Embedder {
  // A Map keeps the order of insertion: the first key is the one unused for longest.
  const kept = new Map<string, Float32Array>();

  const recall = (key: string): Float32Array | undefined => {
    const vector = kept.get(key);
    if (vector === undefined) return undefined;
    kept.delete(key);
    kept.set(key, vector);
    return vector;
  };

  const keep = (key: string, vector: Float32Array): void => {
    kept.set(key, vector);
    if (kept.size <= size) return;
    const oldest = kept.keys().next().value;
    if (oldest !== undefined) kept.delete(oldest);
  };

  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    async embed(texts, options) {
      const keys = texts.map((text) => hash('sha256', text, 'base64'));
      const found = new Map<string, Float32Array>();
      const missing = new Map<string, string>();
      for (const [index, key] of keys.entries()) {
        const vector = recall(key);
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
          keep(key, vector);
        }
      }
      // Copies: what a caller does to its vector is not seen by the next.
      return { vectors: keys.map((key) => (found.get(key) as Float32Array).slice()), tokens };
    },
    ...(embedder.close === undefined ? {} : { close: () => embedder.close?.() ?? Promise.resolve() }),
  };
}
