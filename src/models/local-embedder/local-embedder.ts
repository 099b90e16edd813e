import { availableParallelism } from 'node:os';
import { messageOf, type VarveError } from '../../errors.ts';
import type { Embedded, Embedder, PartReading, SlotValue } from '../embedder.ts';
import { Encoder } from './encoder.ts';
import { allocateMemory, createKernel } from './kernel.ts';
import { HEADS, layoutMemory, MODEL, QUESTIONS, SLOT_HEADS, SLOTS } from './memory-layout.ts';
import { findWeights, openPrepared } from './prepared-weights.ts';
import {
  createGlossary,
  createWordPiece,
  type Glossary,
  messageWindows,
  type MessageWord,
  SPECIAL_IDS,
  vocabularyTable,
  windowsOf,
  type WordPiece,
} from './token-windows.ts';
import { MODEL_NAME, readLexicons, readVocabulary, unavailable } from './weights.ts';
import { type PoolText, ThreadPool, type WorkerPool } from './worker-pool.ts';

/** The id of the local embedder's vectors with the default `maximumTokens`. */
export const LOCAL_EMBEDDER_ID: string = `local/${MODEL_NAME}`;

export interface LocalEmbedderOptions {
  /**
   * The number of threads, which share the work on a single text. Default: 2, or 1 on a single core. With 0 the calling thread computes.
   * This starts fastest but blocks that thread, so it suits a program that embeds one text and exits.
   */
  threads?: number;
  /**
   * The number of tokens of a window, at most 512; longer texts are read in several windows. Default: 256, the value with which the model
   * was published.
   */
  maximumTokens?: number;
  /** The folder with prepared weights (`weights.bin`, `vocabulary.bin`, `lexicons.txt`). Default: the weights of the installed package. */
  modelPath?: string;
}

interface Engine {
  readonly wordPiece: WordPiece;
  readonly glossary: Glossary;
  readonly pool: WorkerPool;
}

/**
 * The default embedder: all-MiniLM-L6-v2, fine-tuned on questions about memories (train/embedder). Texts in other languages are glossed in
 * English word by word (train/lexicons). The embedder runs offline, in this process, on its own threads and without native code. The first
 * `embed()` loads the weights. If the weights are missing or do not match, `embed()` rejects with `embedder_unavailable`, and the first
 * time it also emits a process warning. The next call tries again. The vector of a text beyond `maximumTokens` is the mean of its windows
 * (up to 8), weighted by length.
 */
export function createLocalEmbedder(options: LocalEmbedderOptions = {}): Embedder {
  const threads = options.threads ?? Math.min(2, availableParallelism());
  const maximumTokens = options.maximumTokens ?? 256;
  requireInteger('threads', threads, 0, 64);
  requireInteger('maximumTokens', maximumTokens, 8, MODEL.positions);
  let engine: Promise<Engine> | null = null;
  let isClosed = false;
  let hasWarned = false;

  const onFailure = (pool: WorkerPool, cause: unknown): void => {
    engine = null;
    void pool.close(cannotRun(cause));
  };

  async function load(): Promise<Engine> {
    if (isClosed) throw unavailable('The embedder is closed. Create a new one.');
    const { modelPath } = options;
    engine ??= openEngine({ threads, maximumTokens, modelPath, onFailure }).catch((error: unknown) => {
      engine = null;
      // Recall falls back to keyword search, so without this warning the failure could go unnoticed.
      if (!hasWarned) process.emitWarning(messageOf(error), 'VarveEmbedderWarning');
      hasWarned = true;
      throw error;
    });
    return engine;
  }

  return {
    id: `${LOCAL_EMBEDDER_ID}${maximumTokens === 256 ? '' : `-${maximumTokens}`}`,
    dimensions: MODEL.hidden,

    async embed(texts, { signal } = {}): Promise<Embedded> {
      signal?.throwIfAborted();
      if (texts.length === 0) return { vectors: [], tokens: 0 };
      const { pool, wordPiece, glossary } = await load();
      signal?.throwIfAborted();
      return embedTexts(texts, {
        pool,
        signal,
        windowsOf: (text) => windowsOf(glossary.gloss(text), wordPiece, maximumTokens),
      });
    },

    readParts: async (parts, { said = [], signal } = {}) =>
      readParts([parts, ...said], { ...(await load()), maximumTokens, signal }),

    async close() {
      isClosed = true;
      const opened = await engine?.catch(() => null);
      engine = null;
      await opened?.pool.close(cannotRun(new Error('The embedder was closed.')));
    },
  };
}

/** Classifies the parts of a message and the clauses of the earlier turns, in their order. */
async function readParts(
  [parts = [], ...said]: readonly (readonly string[])[],
  engine: Engine & { maximumTokens: number; signal: AbortSignal | undefined },
): Promise<PartReading> {
  const { pool, wordPiece, glossary, maximumTokens, signal } = engine;
  const [message = [], ...turns] = glossary.glossTogether([parts, ...said]);
  const windows = messageWindows(message, turns, { wordPiece, maximumTokens });
  const sender = createSender(pool, { isUrgent: false, signal });
  try {
    const read = await Promise.all(
      windows.map(async ({ ids, parts: sentences, words }) =>
        sender.send({ ids, parts: [...sentences, ...words.map(({ pieces }) => pieces)] }),
      ),
    );
    const numbers = windows.flatMap(({ parts: sentences, skipped }, index) => [
      ...read[index]!.subarray(skipped * HEADS, sentences.length * HEADS),
    ]);
    // Parts beyond the last window get the values of the last part in that window. Clauses beyond it count as not meant by the request.
    const tellOf = (head: number): Float32Array =>
      Float32Array.from({ length: parts.length + said.flat().length }, (_, part) => {
        const last = said.length === 0 ? numbers[numbers.length - HEADS + head] : -Infinity;
        return numbers[part * HEADS + head] ?? last ?? 0;
      });
    const values = windows.flatMap(({ words, parts: sentences }, index) =>
      valuesOf(words, read[index]!.subarray(sentences.length * HEADS)),
    );
    // The glossary composes letters and accents (NFC), which changes the offsets in a text with decomposed accents.
    const isPlaced = ({ part }: SlotValue): boolean => parts[part] === parts[part]?.normalize('NFC');
    const told = Object.fromEntries(QUESTIONS.map((name, head) => [name, tellOf(head)]));
    return { ...(told as Record<(typeof QUESTIONS)[number], Float32Array>), values: values.filter(isPlaced) };
  } finally {
    sender.end();
  }
}

/** Joins neighbouring words of one part that most likely belong to the same slot, with the probability of the least likely word. */
function valuesOf(words: readonly MessageWord[], numbers: Float32Array): SlotValue[] {
  const values: SlotValue[] = [];
  let last: string | null = null;
  for (const [index, { part, start, end }] of words.entries()) {
    const scores = numbers.subarray(index * HEADS + SLOT_HEADS, (index + 1) * HEADS);
    const best = scores.indexOf(Math.max(...scores));
    const attribute = SLOTS[best - 1] ?? null;
    const probability = 1 / scores.reduce((sum, score) => sum + Math.exp(score - scores[best]!), 0);
    const before = values.at(-1);
    if (attribute !== null && attribute === last && before?.part === part) {
      before.end = end;
      before.probability = Math.min(before.probability, probability);
    } else if (attribute !== null) values.push({ part, start, end, attribute, probability });
    last = attribute;
  }
  return values;
}

interface EngineOptions {
  threads: number;
  maximumTokens: number;
  modelPath: string | undefined;
  onFailure(pool: WorkerPool, cause: unknown): void;
}

async function openEngine({ threads, maximumTokens, modelPath, onFailure }: EngineOptions): Promise<Engine> {
  const weightsFolder = await findWeights(modelPath);
  const given = { maximumTokens, weightsFolder };
  const pool: WorkerPool =
    threads === 0
      ? createCallingThread(given)
      : new ThreadPool({ ...given, threads, onFailure: (cause) => onFailure(pool, cause) });
  try {
    return {
      pool,
      wordPiece: createWordPiece(vocabularyTable(readVocabulary(weightsFolder))),
      glossary: createGlossary(() => readLexicons(weightsFolder)),
    };
  } catch (error) {
    await pool.close(error);
    throw error;
  }
}

function cannotRun(cause: unknown): VarveError {
  return unavailable(`The local embedder cannot run: ${messageOf(cause)}`, cause);
}

function requireInteger(name: string, value: number, minimum: number, maximum: number): void {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return;
  throw new RangeError(`${name} must be a whole number from ${minimum} to ${maximum}, not ${value}.`);
}

/** Tokenizing happens on the caller's thread, so a large batch is tokenized only this many texts ahead of the workers. */
const TEXTS_AHEAD = 64;

/** Embeds texts with the pool and averages the vectors of their windows. A call with a single text takes precedence over batches. */
export async function embedTexts(
  texts: readonly string[],
  deps: { pool: WorkerPool; windowsOf: (text: string) => number[][]; signal?: AbortSignal | undefined },
): Promise<Embedded> {
  const { pool, windowsOf, signal } = deps;
  const sender = createSender(pool, { isUrgent: texts.length === 1, signal });
  const vectors = Array.from<Float32Array>({ length: texts.length });
  let tokens = 0;
  let next = 0;

  async function embedText(text: string): Promise<Float32Array> {
    const windows = windowsOf(text);
    tokens += windows.reduce((sum, ids) => sum + ids.length, 0);
    const parts = await Promise.all(windows.map((ids) => sender.send({ ids })));
    const lengths = windows.map((ids) => ids.length);
    return unit(parts.length === 1 ? parts[0]! : weightedSum(parts, lengths));
  }

  async function embedNext(): Promise<void> {
    while (next < texts.length) {
      const index = next++;
      vectors[index] = await embedText(texts[index]!);
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(texts.length, TEXTS_AHEAD) }, embedNext));
  } catch (error) {
    next = texts.length;
    throw error;
  } finally {
    sender.end();
  }
  return { vectors, tokens };
}

interface Sender {
  send(text: Pick<PoolText, 'ids' | 'parts'>): Promise<Float32Array>;
  end(): void;
}

/** Sends the texts of one call to the pool. When the call is aborted, its waiting texts are removed from the queue. */
function createSender(
  pool: WorkerPool,
  { isUrgent, signal }: { isUrgent: boolean; signal: AbortSignal | undefined },
): Sender {
  const waiting = new Set<PoolText>();
  const abort = (): void => {
    pool.remove(waiting);
    for (const text of waiting) text.reject(signal?.reason);
  };
  signal?.addEventListener('abort', abort, { once: true });
  return {
    async send(text) {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
      const sent: PoolText = { ...text, resolve, reject };
      waiting.add(sent);
      pool.add(sent, { isUrgent });
      return promise.finally(() => waiting.delete(sent));
    },
    end: () => signal?.removeEventListener('abort', abort),
  };
}

function weightedSum(vectors: readonly Float32Array[], weights: readonly number[]): Float32Array {
  const sum = new Float32Array(MODEL.hidden);
  for (const [index, vector] of vectors.entries()) {
    const weight = weights[index] ?? 0;
    for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + weight * vector[i]!;
  }
  return sum;
}

function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const factor = 1 / Math.sqrt(squares);
  return vector.map((value) => value * factor);
}

/**
 * Encodes on the calling thread, one text after the other. This is faster than starting a worker for a single vector, but it must not
 * block a server.
 */
function createCallingThread(options: { maximumTokens: number; weightsFolder: string }): WorkerPool {
  const layout = layoutMemory({ maximumTokens: options.maximumTokens, workspaces: 1 });
  const memory = allocateMemory(layout.bytes);
  const kernel = createKernel(memory);
  const encoder = new Encoder(kernel, memory, layout);
  const prepared = openPrepared(options.weightsFolder, { memory, layout });
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
        // A text with an odd number of tokens is padded.
        const padded = [...text.ids, ...(text.ids.length & 1 ? [SPECIAL_IDS.padding] : [])];
        prepared.readWords(padded);
        ids.set(padded);
        if (text.parts !== undefined) prepared.readReader();
        encoder.encode({ workspace, firstId: 0, tokens: text.ids.length, slot: 0, parts: text.parts });
        const size = text.parts === undefined ? MODEL.hidden : text.parts.length * HEADS;
        text.resolve(new Float32Array(memory.buffer, workspace.vectors, size).slice());
      } catch (error) {
        text.reject(error);
      }
    },
    remove() {},
    async close(reason) {
      if (closeReason === null) prepared.close();
      closeReason = { error: reason };
    },
  };
}
