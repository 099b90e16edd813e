import { estimateTokens } from '../language/token-count.ts';
import { createCaller, type CallSettings } from './caller.ts';
import { unitVectors } from './check-vectors.ts';
import type { Embedder } from './embedder.ts';

export interface FunctionEmbedderOptions extends CallSettings {
  /** Stored with every vector: give a new one when the function's vectors change. */
  id: string;
  dimensions: number;
  /** One vector for each text, in their order; any length but zero will do. */
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
