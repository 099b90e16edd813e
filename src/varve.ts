import { invalidInput } from './errors.ts';
import { createAssembling, type AssembleDeps, type AssembleOptions } from './assemble/assemble-deps.ts';
import type { TracingOptions } from './assemble/tracing.ts';
import { createBackground, type Background, type BackgroundOptions } from './background.ts';
import type { ConsolidateDeps } from './consolidate/consolidate-deps.ts';
import { consolidationSettings, type ConsolidationOptions } from './consolidate/consolidation-settings.ts';
import type { FormDeps } from './form/form-deps.ts';
import { createFormation } from './form/formation.ts';
import { formationSettings, type FormationOptions } from './form/formation-settings.ts';
import { createHandle, type Handle } from './handle/handle.ts';
import type { RunCounts } from './jobs/worker.ts';
import { createLedger, type Ledger, type LedgerOptions } from './ledger/ledger.ts';
import type { MaintenanceReport } from './maintain/maintain-tenant.ts';
import { backfill, type BackfillOptions } from './maintain/backfill.ts';
import type { EmbedCounts, EmbedDeps } from './maintain/embed-records.ts';
import { createEmbeddingModels } from './store/embedding-models.ts';
import { cachedEmbedder } from './models/cached-embedder.ts';
import { systemDelay } from './models/delay.ts';
import type { Distiller } from './models/distiller.ts';
import type { Calibrated } from './models/calibrate.ts';
import type { Embedder } from './models/embedder.ts';
import type { LanguageModel } from './models/language-model.ts';
import { createLocalEmbedder } from './models/local-embedder/local-embedder.ts';
import { createOperator, type Operator } from './operate/operator.ts';
import { systemClock, type Clock } from './record/clock.ts';
import { createIdSource, type IdSource } from './record/id.ts';
import { memoryTypeTable, type MemoryTypeInput } from './record/memory-types.ts';
import { parseScope, type ScopeInput } from './record/scope.ts';
import { createAccessTracker } from './recall/access-tracker.ts';
import { isRecalled } from './recall/recall.ts';
import { createViewCache } from './recall/view-cache.ts';
import type { Reranker } from './models/reranker.ts';
import { recalledTexts } from './store/context-log-store.ts';
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
  /** Distils conversations: a fast and a slow model, from `createLanguageModel`. Default: none, rules do it all. */
  languageModel?: LanguageModel;
  /** How memories are formed: switches, triggers, thresholds, limits, privacy. */
  formation?: FormationOptions;
  /** How memory is consolidated and kept in order: switches, thresholds, word limits, decay, retention, intervals. */
  consolidation?: ConsolidationOptions;
  /**
   * What was recalled for a session, so that it is not learned again when it comes back in the conversation.
   * Default: what its contexts were made of.
   */
  recalledTexts?: FormDeps['recalledTexts'];
  /** How contexts are assembled, unless a call says otherwise: layout, budget, switches, hooks of the application. */
  context?: AssembleOptions;
  /** Spans through `@opentelemetry/api`, where the application has it. Default: without content. `false`: none. */
  tracing?: TracingOptions | false;
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
  /** For those who run Varve: keys, audit, jobs, counts, import and export, what changes. */
  readonly operator: Operator;
  /** Does all background work that is due now, and tells how it ended. */
  drain(): Promise<RunCounts>;
  /** Embeds everything that has no vector, by default ten records a second, and says how many of each kind. */
  backfill(options?: BackfillOptions): Promise<EmbedCounts>;
  /**
   * Measures the embedder on Varve's own pairs of texts and keeps the result in the store, so that "related", "nearly
   * the same" and "the same statement" mean the same with every model. The local embedder comes measured.
   */
  calibrate(options?: { signal?: AbortSignal }): Promise<Calibrated>;
  /** Keeps a tenant's memory in order now: decay, archive, retention. `dryRun`: only says what would change. */
  maintain(options?: { tenant?: string; dryRun?: boolean; signal?: AbortSignal }): Promise<MaintenanceReport>;
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
  const writes = createWriteBell();
  const database = tellingOfWrites(store, () => {
    background?.wake();
    writes.ring();
  });
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
  const { languageModel, tracing } = options;
  const assembling = await createAssembling({ database, clock, ids, ledger }, options.context, {
    languageModel,
    tracing,
  });
  const formation = formationSettings(options.formation);
  const parts: EmbedDeps & AssembleDeps & FormDeps & ConsolidateDeps = {
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
    settings: formation,
    privacy: formation.privacy,
    consolidation: consolidationSettings(options.consolidation),
    local: localDistiller,
    languageModel: options.languageModel ?? null,
    recalledTexts:
      options.recalledTexts ??
      (async (scope) => {
        await assembling.log.settle();
        return database.read(scope.tenant, (reader) => recalledTexts(reader, scope));
      }),
    assembling,
  };
  const deps = { ...parts, formation: createFormation(parts) };
  const settings = typeof options.background === 'object' ? options.background : {};
  const work = (background = createBackground(deps, settings));
  if (options.background !== false) await work.start();

  return {
    for: (scope) => createHandle(deps, parseScope(scope)),
    ledger,
    operator: createOperator(deps, { written: writes.next }),
    drain: () => work.drain(),
    async calibrate({ signal } = {}) {
      if (embedding.current === null) throw invalidInput('There is no embedder to calibrate.');
      const { calibrate } = await import('./models/calibrate.ts');
      const calibrated = await calibrate(embedding.current, { signal });
      await embedding.calibrated(calibrated.calibration);
      return calibrated;
    },
    backfill: (settings) => backfill(deps, settings),
    async maintain({ tenant = 'default', ...how } = {}) {
      const { maintainTenant } = await import('./maintain/maintain-tenant.ts');
      return maintainTenant(deps, tenant, { cause: 'hand', ...how });
    },
    async close() {
      await access.settle();
      await assembling.log.settle();
      await work.stop();
      await embedding.close();
      await store.close();
    },
  };
}

let distiller: Promise<Distiller> | undefined;

/** The rules are large: they are loaded when something is to be read, not when Varve is opened. */
function localDistiller(): Promise<Distiller> {
  distiller ??= import('./form/local/local-distiller.ts').then((module) => module.createLocalDistiller());
  return distiller;
}

/** Lets any number of followers wait for the next write. */
function createWriteBell(): { ring(): void; next(): Promise<void> } {
  let bell = Promise.withResolvers<void>();
  return {
    ring() {
      bell.resolve();
      bell = Promise.withResolvers();
    },
    next: () => bell.promise,
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
