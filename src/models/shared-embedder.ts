import type { Embedder } from './embedder.ts';
import { createLocalEmbedder } from './local-embedder/local-embedder.ts';

let running: Embedder | undefined;
let users = 0;

/**
 * The local embedder with its usual options, of which a process has at most one: starting its threads takes 0.2 s of processor time, and its
 * weights take 50 MB of memory. `close()` ends this use of it, and the threads end with the last use.
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
