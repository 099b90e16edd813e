import { availableParallelism } from 'node:os';
import { messageOf, type VarveError } from '../../errors.ts';
import type { Embedded, Embedder, PartReading, SlotValue } from '../embedder.ts';
import { Encoder, type TextPart } from './encoder.ts';
import { allocateMemory, createKernel, type SharedMemory } from './kernel.ts';
import {
  HEADS,
  layoutMemory,
  type MemoryLayout,
  MODEL,
  PART_SIZE,
  PHASES,
  QUESTIONS,
  SLOT_HEADS,
  SLOTS,
  TEXTS_PER_TASK,
} from './memory-layout.ts';
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
import { MODEL_NAME, packageFolder, readLexicons, readVocabulary, unavailable } from './weights.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WorkerReply, WorkerSetup, WorkerTask } from './embed-worker.ts';

/** The id of the local embedder's vectors for the default `maximumTokens`. */
export const LOCAL_EMBEDDER_ID: string = `local/${MODEL_NAME}`;

export interface LocalEmbedderOptions {
  /**
   * How many threads to use. They share the work even on a single text. Default: 2, or 1 on a single core. With 0, the calling thread
   * computes. This starts fastest but blocks that thread, so it suits a program that embeds one text and exits.
   */
  threads?: number;
  /** How many tokens a window has, at most 512. Longer texts are read in several windows. Default: 256, as the model was published. */
  maximumTokens?: number;
  /**
   * The folder that contains the prepared weights (`weights.bin`, `vocabulary.bin`, `lexicons.txt`). Default: the installed package's
   * weights.
   */
  modelPath?: string;
}

interface Engine {
  readonly wordPiece: WordPiece;
  readonly glossary: Glossary;
  readonly pool: WorkerPool;
}

/**
 * Creates the default embedder: all-MiniLM-L6-v2, fine-tuned on questions about memories (train/embedder). Texts in other languages are
 * translated to English word by word (train/lexicons). The embedder runs offline, in this process, on its own threads and without native
 * code. The first `embed()` loads the weights. If the weights are missing or do not match, `embed()` rejects with `embedder_unavailable`;
 * the first time, it also emits a process warning. The next call tries again. For a text beyond `maximumTokens`, the vector is the mean of
 * its windows (up to 8), weighted by length.
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

/** Classifies a message's parts, and then the clauses of the earlier turns, in order. */
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
    // The glossary composes letters and accents (NFC). If a text has decomposed accents, this changes its offsets, so its values are left
    // out.
    const isPlaced = ({ part }: SlotValue): boolean => parts[part] === parts[part]?.normalize('NFC');
    const told = Object.fromEntries(QUESTIONS.map((name, head) => [name, tellOf(head)]));
    const states = parts.map((_, part) => (numbers[part] ?? last ?? new Float32Array(PART_SIZE)).slice(HEADS));
    return { ...(told as Record<(typeof QUESTIONS)[number], Float32Array>), states, values: values.filter(isPlaced) };
  } finally {
    sender.end();
  }
}

/** Splits the reader's output into one row for each part and word. */
function rowsOf(numbers: Float32Array): Float32Array[] {
  return Array.from({ length: numbers.length / PART_SIZE }, (_, row) =>
    numbers.subarray(row * PART_SIZE, (row + 1) * PART_SIZE),
  );
}

/** Joins neighbouring words in a part if they most likely belong to the same slot. The result has the lowest of their probabilities. */
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

/** The caller's thread tokenizes, so for a large batch, it tokenizes at most this many texts ahead of the workers. */
const TEXTS_AHEAD = 64;

/** Embeds texts with the pool and averages the vectors of each text's windows. A call with a single text takes precedence over batches. */
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

/** Sends one call's texts to the pool. If the call is aborted, removes those that are still in the queue. */
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
 * Creates a pool that encodes on the calling thread, one text after the other. For a single vector, this is faster than starting a worker,
 * but it must not block a server.
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
        // If a text has an odd number of tokens, it is padded.
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

/** A text's ids (at most `maximumTokens`), and the functions that receive its vector or an error. */
interface PoolText {
  readonly ids: readonly number[];
  /**
   * The parts (at most {@link TEXTS_PER_TASK}) and their words, which the reader classifies. If set, the result is not the vector but
   * `PART_SIZE` numbers for each of them.
   */
  readonly parts?: readonly TextPart[];
  resolve(vector: Float32Array): void;
  reject(error: unknown): void;
}

/** A set of threads that share one copy of the weights. */
export interface WorkerPool {
  /** Queues a text. An urgent text is processed before all others. */
  add(text: PoolText, options: { isUrgent: boolean }): void;
  /** Removes texts from the queue. Texts that a worker is already processing are not affected. */
  remove(texts: ReadonlySet<PoolText>): void;
  /** Ends the threads. Rejects queued, running and later texts with `reason`. */
  close(reason: unknown): Promise<void>;
}

/** A task of this size takes one thread about 20 ms. Limits how long an urgent text has to wait. */
const TOKENS_PER_TASK = 128;

/** A text shorter than this is faster on one thread than shared between several. */
const TOKENS_WORTH_SHARING = 12;

interface Lane {
  readonly index: number;
  readonly worker: Worker;
  task: RunningTask | null;
}

interface RunningTask {
  readonly texts: readonly PoolText[];
  readonly workspace: number;
  readonly isShared: boolean;
  readonly startedAt: number;
}

/**
 * Returns the thread's file: the TypeScript source in development; in a build, the file beside this module; and if an application has
 * bundled this code, the file in the installed package.
 */
function workerFile(): string {
  const folder: string | undefined = import.meta.dirname;
  const beside = ['embed-worker.ts', 'embed-worker.js'].map((name) => join(folder ?? '', name));
  const found = folder === undefined ? undefined : beside.find((file) => existsSync(file));
  return found ?? join(packageFolder(), 'dist/models/local-embedder/embed-worker.js');
}

interface PoolOptions {
  threads: number;
  maximumTokens: number;
  weightsFolder: string;
  onFailure: (error: unknown) => void;
}

/** Starts the threads; the first one loads the weights. Calls `onFailure` if a thread cannot continue. */
class ThreadPool implements WorkerPool {
  readonly #options: PoolOptions;
  readonly #layout: MemoryLayout;
  readonly #memory: SharedMemory;
  readonly #int32: Int32Array;
  readonly #lanes: readonly Lane[];
  readonly #sharing = createSharingChoice();
  #urgent: PoolText[] = [];
  #others: PoolText[] = [];
  /** How many threads have not started yet. */
  #waitingFor: number;
  #closeReason: { error: unknown } | null = null;

  constructor(options: PoolOptions) {
    const { threads, maximumTokens } = options;
    this.#options = options;
    this.#layout = layoutMemory({ maximumTokens, workspaces: threads });
    this.#memory = allocateMemory(this.#layout.bytes);
    this.#int32 = new Int32Array(this.#memory.buffer);
    this.#waitingFor = threads;
    const file = workerFile();
    this.#lanes = Array.from({ length: threads }, (_, index) => this.#startThread(file, index));
  }

  add(text: PoolText, { isUrgent }: { isUrgent: boolean }): void {
    if (this.#closeReason !== null) {
      text.reject(this.#closeReason.error);
      return;
    }
    (isUrgent ? this.#urgent : this.#others).push(text);
    // Texts that arrive together are dispatched together: threads share a text only if fewer texts are waiting than threads are idle.
    if (this.#urgent.length + this.#others.length === 1) queueMicrotask(() => this.#dispatchAndKeepAlive());
  }

  remove(texts: ReadonlySet<PoolText>): void {
    this.#urgent = this.#urgent.filter((text) => !texts.has(text));
    this.#others = this.#others.filter((text) => !texts.has(text));
    this.#keepProcessAlive();
  }

  async close(reason: unknown): Promise<void> {
    this.#closeReason = { error: reason };
    const open = [...this.#urgent, ...this.#others, ...this.#lanes.flatMap((lane) => lane.task?.texts ?? [])];
    this.#urgent = [];
    this.#others = [];
    for (const text of open) text.reject(reason);
    // Without ref(), a program that awaits close() would exit before the threads have ended.
    for (const { worker } of this.#lanes) worker.ref();
    await Promise.all(this.#lanes.map(({ worker }) => worker.terminate()));
  }

  #startThread(file: string, index: number): Lane {
    const { threads, maximumTokens, weightsFolder } = this.#options;
    const weights = index === 0 ? { weightsFolder } : {};
    const setup: WorkerSetup = { memory: this.#memory, maximumTokens, workspaces: threads, ...weights };
    // The program's flags are not passed on, because a worker refuses some of them, such as --input-type.
    const worker = new Worker(file, { workerData: setup, name: `varve-embedder-${index}`, execArgv: [] });
    const lane: Lane = { index, worker, task: null };
    worker.on('message', (reply: WorkerReply) => this.#receive(lane, reply));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', (code) => this.#fail(new Error(`The embedding thread ended with code ${code}.`)));
    worker.unref();
    return lane;
  }

  #fail(error: unknown): void {
    if (this.#closeReason === null) this.#options.onFailure(error);
  }

  #receive(lane: Lane, reply: WorkerReply): void {
    if (this.#closeReason !== null) return;
    if (reply.type === 'failed') this.#fail(new Error(reply.message));
    if (reply.type === 'ready') this.#waitingFor--;
    if (reply.type === 'done') {
      const task = lane.task;
      lane.task = null;
      if (task && reply.vectors) this.#deliver(task);
    }
    this.#dispatchAndKeepAlive();
  }

  #deliver({ texts, workspace, isShared, startedAt }: RunningTask): void {
    const tokens = texts.reduce((sum, { ids }) => sum + ids.length, 0);
    this.#sharing.record({ isShared, milliseconds: performance.now() - startedAt, tokens });
    const start = this.#layout.workspaces[workspace]?.vectors ?? 0;
    for (const [slot, { parts, resolve }] of texts.entries()) {
      const size = parts === undefined ? MODEL.hidden : parts.length * PART_SIZE;
      resolve(new Float32Array(this.#memory.buffer, start + slot * size * 4, size).slice());
    }
  }

  #dispatch(): void {
    while (this.#waitingFor === 0) {
      const idle = this.#lanes.filter((lane) => !lane.task && !this.#isWorkspaceBusy(lane.index));
      const queue = this.#urgent.length > 0 ? this.#urgent : this.#others;
      const leader = idle[0];
      const next = queue[0];
      if (!leader || !next) return;
      const waiting = this.#urgent.length + this.#others.length;
      const isShared = waiting < idle.length && next.ids.length >= TOKENS_WORTH_SHARING && this.#sharing.shouldShare();
      const team = isShared ? idle.slice(0, Math.floor(idle.length / waiting)) : [leader];
      const texts = isShared ? queue.splice(0, 1) : this.#takeTask(queue, Math.ceil(waiting / idle.length));
      this.#start(team, { texts, workspace: leader.index, isShared, startedAt: performance.now() });
    }
  }

  /** Checks whether a workspace is busy. It is until every thread of its last task has released it. */
  #isWorkspaceBusy(workspace: number): boolean {
    return this.#lanes.some((lane) => lane.task?.workspace === workspace);
  }

  #takeTask(queue: PoolText[], maximumTexts: number): PoolText[] {
    let tokens = 0;
    let count = 0;
    for (const { ids, parts } of queue) {
      tokens += ids.length + (ids.length & 1);
      if (parts !== undefined) return queue.splice(0, Math.max(1, count));
      const isFull = count > 0 && tokens > Math.min(TOKENS_PER_TASK, this.#options.maximumTokens);
      if (isFull || count === Math.min(maximumTexts, TEXTS_PER_TASK)) break;
      count++;
    }
    return queue.splice(0, count);
  }

  #start(team: readonly Lane[], task: RunningTask): void {
    const workspace = this.#layout.workspaces[task.workspace];
    if (!workspace) throw new RangeError(`There is no workspace ${task.workspace}.`);
    this.#int32.fill(0, workspace.progress / 4, workspace.progress / 4 + PHASES * 2);
    let place = workspace.ids / 4;
    for (const { ids } of task.texts) {
      this.#int32.set(ids, place);
      place += ids.length;
      if (ids.length & 1) this.#int32[place++] = 0;
    }
    const message: WorkerTask = {
      workspace: task.workspace,
      lengths: task.texts.map(({ ids }) => ids.length),
      parts: team.length,
      textParts: task.texts[0]?.parts,
    };
    for (const lane of team) {
      lane.task = task;
      lane.worker.postMessage(message);
    }
  }

  #dispatchAndKeepAlive(): void {
    this.#dispatch();
    this.#keepProcessAlive();
  }

  /** Lets a finished program exit while threads are idle, but not while they are busy. */
  #keepProcessAlive(): void {
    const isBusy = this.#urgent.length + this.#others.length > 0 || this.#lanes.some((lane) => lane.task);
    for (const { worker } of this.#lanes) {
      if (isBusy) worker.ref();
      else worker.unref();
    }
  }
}

/** Chooses whether threads share a single text, based on recent timings. */
interface SharingChoice {
  shouldShare(): boolean;
  /** Records how long a text with this many tokens took. */
  record(text: { isShared: boolean; milliseconds: number; tokens: number }): void;
}

/** How much the latest text weighs in the moving average. */
const WEIGHT = 0.3;

/** One text in this many is encoded in the slower way, to detect whether that way has become faster. */
const TRIAL_EVERY = 64;

/**
 * Creates the choice between sharing a text and using one thread. While cores are free, sharing halves the time. If other programs keep the
 * cores busy, the threads wait for one another, and sharing takes longer than one thread.
 */
export function createSharingChoice(): SharingChoice {
  const cost = { shared: 0, alone: Number.POSITIVE_INFINITY };
  let asked = 0;
  return {
    shouldShare() {
      asked++;
      const isBetter = cost.shared <= cost.alone;
      return asked % TRIAL_EVERY === 0 ? !isBetter : isBetter;
    },
    record({ isShared, milliseconds, tokens }) {
      const way = isShared ? 'shared' : 'alone';
      const latest = milliseconds / tokens;
      const before = cost[way];
      const isFirst = before === 0 || before === Number.POSITIVE_INFINITY;
      cost[way] = isFirst ? latest : before + WEIGHT * (latest - before);
    },
  };
}
