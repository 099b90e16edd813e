import { availableParallelism } from 'node:os';
import { VarveError } from '../../errors.ts';
import type { Embedder, Embedded } from '../embedder.ts';
import { createCallingThread } from './calling-thread.ts';
import { embedTexts } from './embed-texts.ts';
import { MODEL } from './memory-layout.ts';
import { findWeights, readVocabulary } from './weights.ts';
import { SPECIAL_IDS, type WordPiece, createWordPiece } from './word-piece.ts';
import { type WorkerPool, createWorkerPool } from './worker-pool.ts';

/** The id of the local embedder's vectors, unless it reads longer texts. */
export const LOCAL_EMBEDDER_ID = 'local/all-minilm-l6-v2-int8@1';

/** Options of {@link createLocalEmbedder}. */
export interface LocalEmbedderOptions {
  /**
   * Threads that compute; one text alone is shared between them. Default: 2, or 1 on a single core. 0: the one that calls,
   * which is ready soonest and does nothing else meanwhile: for a program that embeds a text and ends.
   */
  threads?: number;
  /** Tokens read at once, at most 512; longer texts are read in several windows. Default: 256, as the model was published. */
  maximumTokens?: number;
  /** Folder with `onnx/model_quantized.onnx` and `tokenizer.json`, or with prepared weights. Default: the weights that came with the installation. */
  modelPath?: string;
}

/** Longer texts are cut: the mean of ever more windows says ever less. */
const MAXIMUM_WINDOWS = 8;

interface Engine {
  readonly wordPiece: WordPiece;
  readonly pool: WorkerPool;
}

/**
 * The default embedder: all-MiniLM-L6-v2 in this process, offline, on threads of its own, without native code.
 * Loads at the first `embed()`, which rejects with `embedder_unavailable` if the weights are missing or not the right ones;
 * the next call then tries again. A text beyond `maximumTokens` gets the mean of its windows (up to 8), weighted by length.
 */
export function createLocalEmbedder(options: LocalEmbedderOptions = {}): Embedder {
  const threads = options.threads ?? Math.min(2, availableParallelism());
  const maximumTokens = options.maximumTokens ?? 256;
  requireInteger('threads', threads, 0, 64);
  requireInteger('maximumTokens', maximumTokens, 8, MODEL.positions);
  let engine: Promise<Engine> | null = null;
  let isClosed = false;

  async function open(): Promise<Engine> {
    const weightsFolder = findWeights(options.modelPath);
    if (threads === 0) {
      const pool = createCallingThread({ maximumTokens, weightsFolder });
      return { pool, wordPiece: createWordPiece(readVocabulary(weightsFolder)) };
    }
    const pool = createWorkerPool({
      threads,
      maximumTokens,
      weightsFolder,
      onFailure: (cause) => {
        engine = null;
        void pool.close(unavailable(cause));
      },
    });
    try {
      return { pool, wordPiece: createWordPiece(readVocabulary(weightsFolder)) };
    } catch (error) {
      await pool.close(error);
      throw error;
    }
  }

  async function load(): Promise<Engine> {
    if (isClosed)
      throw new VarveError('The embedder is closed. Create a new one.', {
        code: 'embedder_unavailable',
        retryable: false,
      });
    engine ??= open().catch((error: unknown) => {
      engine = null;
      throw error;
    });
    return engine;
  }

  function windowsOf(text: string, wordPiece: WordPiece): number[][] {
    const size = maximumTokens - 2;
    const pieces = wordPiece.encode(text, size * MAXIMUM_WINDOWS);
    const count = Math.max(1, Math.ceil(pieces.length / size));
    const share = Math.ceil(pieces.length / count);
    return Array.from({ length: count }, (_, index) => [
      SPECIAL_IDS.start,
      ...pieces.slice(index * share, (index + 1) * share),
      SPECIAL_IDS.end,
    ]);
  }

  return {
    id: `${LOCAL_EMBEDDER_ID}${maximumTokens === 256 ? '' : `-${maximumTokens}`}`,
    dimensions: MODEL.hidden,

    async embed(texts, { signal } = {}): Promise<Embedded> {
      signal?.throwIfAborted();
      if (texts.length === 0) return { vectors: [], tokens: 0 };
      const { pool, wordPiece } = await load();
      signal?.throwIfAborted();
      return embedTexts(texts, { pool, signal, windowsOf: (text) => windowsOf(text, wordPiece) });
    },

    async close() {
      isClosed = true;
      const opened = await engine?.catch(() => null);
      engine = null;
      await opened?.pool.close(unavailable(new Error('The embedder was closed.')));
    },
  };
}

function unavailable(cause: unknown): VarveError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new VarveError(`The local embedder cannot run: ${message}`, {
    code: 'embedder_unavailable',
    retryable: false,
    cause,
  });
}

function requireInteger(name: string, value: number, minimum: number, maximum: number): void {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return;
  throw new RangeError(`${name} must be a whole number from ${minimum} to ${maximum}, not ${value}.`);
}
