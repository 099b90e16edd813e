import type { Ledger } from '../ledger/ledger.ts';
import { VarveError } from '../errors.ts';
import type { Reranker } from '../models/reranker.ts';
import type { Scope } from '../record/scope.ts';
import type { RecallOptions, RecallResult } from './recall-options.ts';

const MOST_RERANKED = 30;

/** Lets a reranker order the best results. One that fails leaves the order as it was. */
export async function rerankResults(
  { reranker, ledger }: { reranker: Reranker | null; ledger: Ledger },
  scope: Scope,
  { query, results, options }: { query: string; results: RecallResult[]; options: RecallOptions },
): Promise<RecallResult[]> {
  if (reranker === null || options.rerank === false || results.length < 2) return results;
  const best = results.slice(0, MOST_RERANKED);
  try {
    const { ranking } = await ledger.metered({ scope, operation: 'recall', foreground: true }, (meter) =>
      meter.reranker(reranker).rerank(
        query,
        best.map(({ text }) => text),
      ),
    );
    const ordered = ranking.flatMap(({ index, score }) => {
      const result = best[index];
      if (result === undefined) return [];
      return [{ ...result, explanation: [...result.explanation, { signal: 'reranker', value: score, weight: 0 }] }];
    });
    const left = best.filter((result) => !ordered.some(({ id }) => id === result.id));
    return [...ordered, ...left, ...results.slice(MOST_RERANKED)];
  } catch (error) {
    if (!VarveError.isInstance(error)) throw error;
    return results;
  }
}
