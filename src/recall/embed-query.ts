import { messageOf } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Embedder } from '../models/embedder.ts';
import type { Scope } from '../record/scope.ts';
import type { QueryAnalysis } from './analyze-query.ts';
import type { QueryVectors } from './measure-meaning.ts';

/** A query's vectors, or why there are none. */
export interface EmbeddedQuery {
  embedder: Embedder | null;
  vectors: QueryVectors | null;
  degraded: string[];
}

/** Embeds a query. An embedder that is down costs the vectors, not the recall: words are still there. */
export async function embedQuery(
  { ledger }: { ledger: Ledger },
  scope: Scope,
  { query, analysis, embedder }: { query: string; analysis: QueryAnalysis; embedder: Embedder | null },
): Promise<EmbeddedQuery> {
  if (embedder === null) return { embedder: null, vectors: null, degraded: [] };
  const texts = analysis.turnEmbeddingText === query ? [query] : [query, analysis.turnEmbeddingText];
  try {
    const { vectors } = await (isFree(ledger, embedder)
      ? embedder.embed(texts)
      : ledger.metered({ scope, operation: 'recall', foreground: true }, (meter) =>
          meter.embedder(embedder).embed(texts),
        ));
    const [asked, spoken] = vectors as [Float32Array, Float32Array | undefined];
    return {
      embedder,
      vectors: { asked, spoken: spoken === undefined ? asked : between(asked, spoken) },
      degraded: [],
    };
  } catch (error) {
    return { embedder, vectors: null, degraded: [`meaning: ${messageOf(error)}`] };
  }
}

/** A local model costs nothing: writing that down for every recall would cost more than the recall. */
function isFree(ledger: Ledger, embedder: Embedder): boolean {
  return ledger.prices.priceOf(embedder.id)?.input === 0;
}

// Half-way between the two finds what people say of themselves and what others say of them.
function between(left: Float32Array, right: Float32Array): Float32Array {
  const sum = left.map((value, index) => value + (right[index] as number));
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}
