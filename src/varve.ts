import { createBackground, type Background, type BackgroundOptions } from './background.ts';
import { createHandle, type Handle } from './handle/handle.ts';
import type { RunCounts } from './jobs/worker.ts';
import { createLedger, type Ledger, type LedgerOptions } from './ledger/ledger.ts';
import { backfill } from './maintain/backfill.ts';
import type { EmbedCounts, EmbedDeps, EmbedOptions } from './maintain/embed-records.ts';
import { createEmbeddingModels } from './store/embedding-models.ts';
import { cachedEmbedder } from './models/cached-embedder.ts';
import { systemDelay } from './models/delay.ts';
import type { Embedder } from './models/embedder.ts';
import { createLocalEmbedder } from './models/local-embedder/local-embedder.ts';
import { systemClock, type Clock } from './record/clock.ts';
import { createIdSource, type IdSource } from './record/id.ts';
import { memoryTypeTable, type MemoryTypeInput } from './record/memory-types.ts';
import { parseScope, type ScopeInput } from './record/scope.ts';
import { createAccessTracker } from './recall/access-tracker.ts';
import { isRecalled, type RecallDeps } from './recall/recall.ts';
import { createViewCache } from './recall/view-cache.ts';
import type { Reranker } from './models/reranker.ts';
import type { Database } from './store/database.ts';
import { openStore, type StoreOptions } from './store/open-store.ts';

/** How to open Varve. Everything has a default. */
export interface VarveOptions {
  /**
   * Where memory is kept: the path of an SQLite file, a `postgres://` URL, or the options of either.
   * Default: `.varve/varve.db` in the working folder.
   */
  store?: string | StoreOptions;
  /** Memory types of the application's own, or other policies for Varve's. */
  memoryTypes?: Record<string, MemoryTypeInput>;
  /** Makes vectors. Default: a local model, in this process, without a network. `null`: none, recall by words alone. */
  embedder?: Embedder | null;
  /** The embedder before a change: its vectors answer until all are made anew. */
  previousEmbedder?: Embedder;
  /** Orders the best results of a recall once more. Default: none. */
  reranker?: Reranker;
  /** The most memory that recall may use for what it keeps at hand, besides vectors. Default 128 MiB. */
  recallCacheBytes?: number;
  /** Prices, credit and budgets of model use. Default: use is counted and nobody is charged. */
  ledger?: Pick<LedgerOptions, 'prices' | 'credit' | 'budget'>;
  /**
   * Work in the background, in this process. Default true. With `false` nothing goes on by itself: call `drain()`,
   * or leave the work to another process on the same store.
   */
  background?: boolean | BackgroundOptions;
  /** Where the time comes from. Default: the machine's clock. */
  clock?: Clock;
  /** Where ids come from. Default: time and randomness. */
  ids?: IdSource;
}

/** An open memory. */
export interface Varve {
  /** Everything that can be read and written within a scope. Cheap: make one for each request. */
  for(scope: ScopeInput): Handle;
  /** What models are used for, what that costs, and who pays. */
  readonly ledger: Ledger;
  /** Does all background work that is due now, and tells how it ended. */
  drain(): Promise<RunCounts>;
  /** Embeds everything that has no vector, by default ten records a second, and says how many of each kind. */
  backfill(options?: EmbedOptions): Promise<EmbedCounts>;
  /** Finishes the work that runs and lets go of the store. What was acknowledged is on the disk already. */
  close(): Promise<void>;
}

/** Opens a memory: brings the store up to date, begins to work in the background, and hands out scoped handles. */
export async function createVarve(options: VarveOptions = {}): Promise<Varve> {
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? createIdSource(clock);
  const memoryTypes = memoryTypeTable(options.memoryTypes);
  const store = await openStore(storeOptions(options.store));
  let background: Background | null = null;
  const database = tellingOfWrites(store, () => background?.wake());
  const embedding = await createEmbeddingModels(database, {
    current: options.embedder === undefined ? cachedEmbedder(createLocalEmbedder()) : options.embedder,
    previous: options.previousEmbedder,
  });
  const ledger = createLedger({ database, clock, ids, ...options.ledger });
  const access = createAccessTracker(database, clock);
  const views = createViewCache({
    bytes: options.recallCacheBytes,
    isRecalled: isRecalled({ memoryTypes }),
  });
  const reranker = options.reranker ?? null;
  const deps: EmbedDeps & RecallDeps = {
    database,
    clock,
    ids,
    memoryTypes,
    embedding,
    ledger,
    delay: systemDelay,
    access,
    views,
    reranker,
  };
  const settings = typeof options.background === 'object' ? options.background : {};
  const work = (background = createBackground(deps, settings));
  if (options.background !== false) await work.start();

  return {
    for: (scope) => createHandle(deps, parseScope(scope)),
    ledger,
    drain: () => work.drain(),
    backfill: (settings) => backfill(deps, settings),
    async close() {
      await access.settle();
      await work.stop();
      await embedding.close();
      await store.close();
    },
  };
}

/** The same database, which says when something was written, so that work in the background begins at once. */
function tellingOfWrites(database: Database, tell: () => void): Database {
  return {
    ...database,
    async write(tenant, work) {
      const result = await database.write(tenant, work);
      tell();
      return result;
    },
  };
}

function storeOptions(store: VarveOptions['store']): StoreOptions {
  if (typeof store === 'object') return store;
  if (store === undefined) return { path: '.varve/varve.db' };
  return /^postgres(ql)?:\/\//.test(store) ? { url: store } : { path: store };
}
