import { createEncoder } from './encoder.ts';
import { allocateMemory, createKernel } from './kernel.ts';
import { loadWithoutWords } from './load-weights.ts';
import { MODEL, layoutMemory } from './memory-layout.ts';
import { SPECIAL_IDS } from './word-piece.ts';
import type { WorkerPool } from './worker-pool.ts';

/**
 * Encodes in the thread that asks, one text after the other. A program that wants one vector has it before another thread
 * would have started; one that also answers others must not wait for it.
 */
export function createCallingThread(options: { maximumTokens: number; weightsFolder: string }): WorkerPool {
  const layout = layoutMemory({ maximumTokens: options.maximumTokens, workspaces: 1 });
  const memory = allocateMemory(layout.bytes);
  const kernel = createKernel(memory);
  const encoder = createEncoder(kernel, memory, layout);
  const prepared = loadWithoutWords(options.weightsFolder, { memory, layout, kernel });
  const [workspace] = layout.workspaces;
  if (!workspace) throw new RangeError('There is no workspace.');
  const ids = new Int32Array(memory.buffer, workspace.ids);
  let closeReason: { error: unknown } | null = null;

  return {
    add(text) {
      if (closeReason !== null) {
        text.reject(closeReason.error);
        return;
      }
      try {
        // An odd text is filled up with padding.
        const padded = [...text.ids, ...(text.ids.length & 1 ? [SPECIAL_IDS.padding] : [])];
        prepared?.readWords(padded);
        ids.set(padded);
        encoder.encode({ workspace, firstId: 0, tokens: text.ids.length, slot: 0 });
        text.resolve(new Float32Array(memory.buffer, workspace.vectors, MODEL.hidden).slice());
      } catch (error) {
        text.reject(error);
      }
    },
    remove() {},
    async close(reason) {
      if (closeReason === null) prepared?.close();
      closeReason = { error: reason };
    },
  };
}
