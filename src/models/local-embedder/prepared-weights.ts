import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { SharedMemory } from './kernel.ts';
import { type MemoryLayout, MODEL } from './memory-layout.ts';
import {
  IMAGE_FILE,
  LEXICONS_FILE,
  missingWeights,
  packageFolder,
  readable,
  TABLE_FILE,
  verify,
  WEIGHTS_NAME,
} from './weights.ts';

/** Checksums of the parts of the file. They change with the memory layout. */
const WEIGHTS_CRC32 = 699_770_908;
const WORDS_CRC32 = 1_066_826_237;
const READER_CRC32 = 2_203_539_914;

/** Uses `modelPath`, or else `weights/` in this package, which a new checkout prepares. Throws `embedder_unavailable` without weights. */
export async function findWeights(modelPath?: string): Promise<string> {
  const own = modelPath ?? join(packageFolder(), 'weights', WEIGHTS_NAME);
  if ([IMAGE_FILE, TABLE_FILE, LEXICONS_FILE].every((file) => existsSync(join(own, file)))) return own;
  if (modelPath !== undefined)
    throw missingWeights(`no folder with ${IMAGE_FILE}, ${TABLE_FILE} and ${LEXICONS_FILE} at ${own}`);
  const { prepareOnce } = await import('./prepare-weights.ts');
  return prepareOnce(packageFolder(), own);
}

/** The words' rows and the reader's layers are read on demand. */
interface PreparedWeights {
  readAllWords(): void;
  readWords(ids: readonly number[]): void;
  readReader(): void;
  close(): void;
}

/** The file is a memory image, followed by a CRC-32 for each word's row. Throws `embedder_unavailable` if it has another version. */
export function openPrepared(
  folder: string,
  { memory, layout }: { memory: SharedMemory; layout: MemoryLayout },
): PreparedWeights {
  const path = join(folder, IMAGE_FILE);
  const file = readable(path, () => openSync(path, 'r'));
  const read = (target: Uint8Array, position: number): Uint8Array => {
    readable(path, () => {
      for (let end = 0, count = -1; end < target.length && count !== 0; end += count) {
        count = readSync(file, target, end, target.length - end, position + end);
      }
    });
    return target;
  };
  const checks = new Uint32Array(MODEL.vocabulary);
  const rest = read(new Uint8Array(memory.buffer, 0, layout.words), 0);
  const ofRows = read(new Uint8Array(checks.buffer), layout.weightsEnd);
  verify(path, 'CRC-32', crc32(ofRows, crc32(rest)), WEIGHTS_CRC32);
  const isThere = new Set<number>();
  let hasReader = false;

  return {
    readAllWords() {
      const rows = new Uint8Array(memory.buffer, layout.words, MODEL.vocabulary * MODEL.hidden);
      verify(path, 'CRC-32', crc32(read(rows, layout.words)), WORDS_CRC32);
    },
    readWords(ids) {
      for (const id of ids) {
        if (isThere.has(id)) continue;
        const address = layout.words + id * MODEL.hidden;
        const row = read(new Uint8Array(memory.buffer, address, MODEL.hidden), address);
        verify(path, 'CRC-32', crc32(row), checks[id] ?? 0);
        isThere.add(id);
      }
    },
    readReader() {
      if (hasReader) return;
      const start = layout.words + MODEL.vocabulary * MODEL.hidden;
      const rows = read(new Uint8Array(memory.buffer, start, layout.weightsEnd - start), start);
      verify(path, 'CRC-32', crc32(rows), READER_CRC32);
      hasReader = true;
    },
    close: () => closeSync(file),
  };
}
