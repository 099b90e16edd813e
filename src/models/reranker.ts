import { VarveError } from '../errors.ts';
import { aiSdkModelId, type AiSdkRerankingModel, assertModel } from './ai-sdk.ts';
import { type CallSettings, createCaller } from './caller.ts';
import { estimateTokensOf } from './embedder.ts';

/** Ranks texts by how well they answer a query. Slower but more accurate than comparing vectors. */
export interface Reranker {
  readonly id: string;
  /** Throws `model_unavailable`, `model_answer_invalid`, `timed_out` or `cancelled`; callers then keep their own order. */
  rerank(query: string, documents: readonly string[], options?: RerankOptions): Promise<Reranked>;
  close?(): Promise<void>;
}

export interface RerankOptions {
  /** The maximum number of results. Default: all. */
  limit?: number;
  signal?: AbortSignal;
}

export interface Reranked {
  /** Best first. `index` is the text's position in the call. Scores can only be compared within one call. */
  ranking: { index: number; score: number }[];
  tokens: number;
}

/** Creates a reranker from any AI SDK reranking model object. */
export function aiSdkReranker(model: AiSdkRerankingModel, settings: CallSettings = {}): Reranker {
  assertModel(model, 'doRerank');
  const id = aiSdkModelId(model);
  const caller = createCaller(id, 'model_unavailable', settings);
  return {
    id,
    async rerank(query, documents, { limit = documents.length, signal } = {}) {
      if (documents.length === 0 || limit <= 0) return { ranking: [], tokens: 0 };
      const asked = { query, documents: { type: 'text' as const, values: [...documents] } };
      const topN = Math.min(limit, documents.length);
      const answer = await caller((abortSignal) => model.doRerank({ ...asked, topN, abortSignal }), { signal });
      return {
        ranking: checkedRanking(id, answer.ranking, documents.length).slice(0, limit),
        tokens: estimateTokensOf(documents) + estimateTokensOf([query]) * documents.length,
      };
    },
  };
}

function checkedRanking(
  name: string,
  ranking: readonly { index: number; relevanceScore: number }[],
  count: number,
): Reranked['ranking'] {
  const isInRange = (index: number): boolean => Number.isInteger(index) && index >= 0 && index < count;
  const isRanked = ranking.every((each) => isInRange(each.index) && Number.isFinite(each.relevanceScore));
  if (!isRanked || new Set(ranking.map(({ index }) => index)).size < ranking.length) {
    throw new VarveError(
      `${name} returned a ranking with an index that is out of range, duplicated or without a score.`,
      { code: 'model_answer_invalid', details: { model: name, documents: count } },
    );
  }
  return ranking
    .map(({ index, relevanceScore }) => ({ index, score: relevanceScore }))
    .toSorted((first, second) => second.score - first.score);
}
