import { availableParallelism } from 'node:os';
import { messageOf, type VarveError } from '../../errors.ts';
import type { Embedded, Embedder, PartReading, SlotValue } from '../embedder.ts';
import { Encoder } from './encoder.ts';
import { allocateMemory, createKernel } from './kernel.ts';
import { HEADS, layoutMemory, MODEL, PART_SIZE, QUESTIONS, SLOT_HEADS, SLOTS } from './memory-layout.ts';
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
import { type PoolText, ThreadPool, type WorkerPool } from './thread-pool.ts';

/** The id of the local embedder's vectors for the default `maximumTokens`. */
export const LOCAL_EMBEDDER_ID: string = `local/${MODEL_NAME}`;

export interface LocalEmbedderOptions {
  /**
   * How many threads share the work, even on a single text. Default 2, or 1 on a single core. 0 computes in the calling thread: it starts
   * fastest but blocks that thread, so it suits a program that embeds one text and exits.
   */
  threads?: number;
  /** How many tokens a window has, at most 512. Longer texts are read in several windows. Default 256, as the model was published. */
  maximumTokens?: number;
  /** The folder with `weights.bin`, `vocabulary.bin` and `lexicons.txt`. Default: the installed package's weights. */
  modelPath?: string;
}

interface Engine {
  readonly wordPiece: WordPiece;
  readonly glossary: Glossary;
  readonly pool: WorkerPool;
}

/**
 * Creates the default embedder: all-MiniLM-L6-v2, fine-tuned on questions about memories (train/embedder). Texts in other languages are
 * translated to English word by word (train/lexicons). It runs offline, in this process, on its own threads and without native code. The
 * first `embed()` loads the weights. If they are missing or do not match, it rejects with `embedder_unavailable`, the first time with a
 * process warning, and the next call tries again. The vector of a longer text is the mean of its windows (up to 8), weighted by length.
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
      // If the embedder fails, recall uses keyword search, so without this warning the failure could go unnoticed.
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
    const numbers = windows.flatMap(({ parts: sentences, skipped }, index) =>
      rowsOf(read[index]!).slice(skipped, sentences.length),
    );
    // Parts after the last window get the values of the last part in it. Clauses after it count as not meant by the request.
    const last = said.length === 0 ? numbers.at(-1) : undefined;
    const tellOf = (head: number): Float32Array =>
      Float32Array.from(
        { length: parts.length + said.flat().length },
        (_, part) => (numbers[part] ?? last)?.[head] ?? (said.length === 0 ? 0 : -Infinity),
      );
    const values = windows.flatMap(({ words, parts: sentences }, index) =>
      valuesOf(words, rowsOf(read[index]!).slice(sentences.length)),
    );
    // The glossary composes letters and accents (NFC), which moves the offsets in a text with decomposed accents. Its values are left out.
    const isPlaced = ({ part }: SlotValue): boolean => parts[part] === parts[part]?.normalize('NFC');
    const told = Object.fromEntries(QUESTIONS.map((name, head) => [name, tellOf(head)]));
    const states = parts.map((_, part) => (numbers[part] ?? last ?? new Float32Array(PART_SIZE)).slice(HEADS));
    return { ...(told as Record<(typeof QUESTIONS)[number], Float32Array>), states, values: values.filter(isPlaced) };
  } finally {
    sender.end();
  }
}

function rowsOf(numbers: Float32Array): Float32Array[] {
  return Array.from({ length: numbers.length / PART_SIZE }, (_, row) =>
    numbers.subarray(row * PART_SIZE, (row + 1) * PART_SIZE),
  );
}

/** Joins neighbouring words of the same slot. The result has the lowest of their probabilities. */
function valuesOf(words: readonly MessageWord[], numbers: readonly Float32Array[]): SlotValue[] {
  const values: SlotValue[] = [];
  let last: string | null = null;
  for (const [index, { part, start, end }] of words.entries()) {
    const scores = numbers[index]!.subarray(SLOT_HEADS, HEADS);
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

/** The calling thread tokenizes at most this many texts of a batch ahead of the workers. */
const TEXTS_AHEAD = 64;

/** A call with a single text takes precedence over batches. */
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

/** An aborted call removes its texts that are still in the queue. */
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

/** Encodes on the calling thread. For a single vector, this is faster than starting a worker, but it must not block a server. */
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
        // Rows are computed in pairs, so an odd number of tokens is padded.
        const padded = [...text.ids, ...(text.ids.length & 1 ? [SPECIAL_IDS.padding] : [])];
        prepared.readWords(padded);
        ids.set(padded);
        if (text.parts !== undefined) prepared.readReader();
        encoder.encode({ workspace, firstId: 0, tokens: text.ids.length, slot: 0, parts: text.parts });
        const size = text.parts === undefined ? MODEL.hidden : text.parts.length * PART_SIZE;
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
