import type { Embedder } from './embedder.ts';
import { createLocalEmbedder } from './local-embedder/local-embedder.ts';

let running: Embedder | undefined;
let users = 0;

/**
 * One per process: it takes 0.2 s to start its threads and 50 MB for its weights. The threads end when every caller has called `close()`.
 */
export function sharedLocalEmbedder(): Required<Embedder> {
  const embedder = (running ??= createLocalEmbedder()) as Required<Embedder>;
  users += 1;
  let isClosed = false;
  return {
    ...embedder,
    async close() {
      if (isClosed) return;
      isClosed = true;
      users -= 1;
      if (users > 0) return;
      running = undefined;
      await embedder.close();
    },
  };
}
