import { words } from '../language/words.ts';
import { dot } from '../models/embedder.ts';
import { QUERY_STOP_TERMS } from '../recall/analyze-query.ts';
import { addDocument, createLexicalIndex, matchLexically } from '../recall/lexical-index.ts';
import { standardise } from '../recall/measure-meaning.ts';
import { fuseByReciprocalRank } from '../recall/rank-documents.ts';

/** A ranking is only useful if it beats all of these on the same texts and vectors. */
export const BASELINES = ['bm25', 'cosine', 'z-sum', 'reciprocal-rank'] as const;
export type Baseline = (typeof BASELINES)[number];

/** A text to rank. `vector` has unit length and comes from the same embedder as the vectors of the queries. */
export interface BaselineDocument {
  id: string;
  text: string;
  vector: Float32Array;
}

/**
 * Ranks documents by each baseline method. `z-sum` is cosine + 0.5 × BM25, both as z-scores: the best simple fusion on LoCoMo.
 * `reciprocal-rank` fuses the two lists with 1 / (60 + rank). BM25 uses stems and omits the query's function words.
 */
export function createBaselines(documents: readonly BaselineDocument[]): {
  rank(query: { text: string; vector: Float32Array }, limit?: number): Record<Baseline, string[]>;
} {
  const index = createLexicalIndex();
  for (const { text } of documents) addDocument(index, text);
  return {
    rank({ text, vector }, limit = 100) {
      const terms = words(text).filter((term) => !QUERY_STOP_TERMS.has(term));
      const bm25 = matchLexically(index, terms).bm25;
      const cosine = Float32Array.from(documents, (document) => dot(document.vector, vector));
      const [byWords, byMeaning] = [standardise(bm25), standardise(cosine)];
      const sum = Float32Array.from(byMeaning, (score, ordinal) => score + 0.5 * (byWords[ordinal] ?? 0));
      const lexical = order(bm25).filter((ordinal) => (bm25[ordinal] ?? 0) > 0);
      const fused = fuseByReciprocalRank([lexical, order(cosine)]);
      const idsOf = (ordinals: readonly number[]): string[] =>
        ordinals.slice(0, limit).map((ordinal) => documents[ordinal]?.id ?? '');
      return {
        bm25: idsOf(lexical),
        cosine: idsOf(order(cosine)),
        'z-sum': idsOf(order(sum)),
        'reciprocal-rank': idsOf([...fused].sort(([, one], [, other]) => other - one).map(([ordinal]) => ordinal)),
      };
    },
  };
}

/** By descending score. Equal scores keep their order. */
function order(scores: Float32Array): number[] {
  return Array.from(scores.keys()).sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
}
