import type { Embedder } from './embedder.ts';
import { createLocalEmbedder } from './local-embedder/local-embedder.ts';

let running: Embedder | undefined;
let users = 0;

/**
 * Returns the local embedder with its default options. A process has at most one, because starting its threads takes 0.2 s of processor
 * time, and its weights take 50 MB of memory. Each caller calls `close()` when done; the threads end after the last one.
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
