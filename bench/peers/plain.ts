import { createBaselines, type BaselineDocument } from '../../src/evaluate/baselines.ts';
import type { Peer } from './peer.ts';

/** A baseline on the same texts and vectors: the sum of the z-scores of cosine and 0.5 × BM25, which is the best of the simple methods. */
export const peer: Peer = {
  name: 'plain',
  install: null,
  async open({ embedder }) {
    const documents: BaselineDocument[] = [];
    return {
      async add(turns) {
        const { vectors } = await embedder.embed(turns.map(({ text }) => text));
        for (const [index, { id, text }] of turns.entries())
          documents.push({ id, text, vector: vectors[index] as Float32Array });
      },
      async search(query, limit) {
        const { vectors } = await embedder.embed([query]);
        const ranked = createBaselines(documents).rank({ text: query, vector: vectors[0] as Float32Array }, limit);
        return ranked['z-sum'];
      },
      close: async () => {},
    };
  },
};
