import type { Kernel, SharedMemory } from './kernel.ts';
import { loadModel } from './load-model.ts';
import type { MemoryLayout } from './memory-layout.ts';
import { openPrepared, type PreparedWeights } from './prepared-weights.ts';
import { isPrepared, readModel } from './weights.ts';

interface Target {
  memory: SharedMemory;
  layout: MemoryLayout;
  kernel: Kernel;
}

/** Puts the weights of a folder into the memory, in the kernel's order. Throws `embedder_unavailable` if they are others. */
export function loadWeights(folder: string, target: Target): void {
  const prepared = loadWithoutWords(folder, target);
  prepared?.readAllWords();
  prepared?.close();
}

/** The same, where the folder allows it without the words, which are then read as texts have them; else null. */
export function loadWithoutWords(folder: string, target: Target): PreparedWeights | null {
  if (isPrepared(folder)) return openPrepared(folder, target);
  const file = readModel(folder);
  loadModel(file, target);
  // Gives back the file's 23 MB now; a thread that allocates nothing more may not collect garbage for hours.
  file.buffer.transfer(0);
  return null;
}
