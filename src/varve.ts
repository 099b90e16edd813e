import { type AssembleDeps, type AssembleOptions, createAssembling } from './assemble/assemble-deps.ts';
import { createBackground } from './background.ts';
import type { ConsolidateDeps } from './consolidate/consolidate-deps.ts';
import { consolidationSettings } from './consolidate/consolidation-settings.ts';
import { backfill, type BackfillOptions, type EmbedCounts, type EmbedDeps } from './embed/embed.ts';
import { invalidInput } from './errors.ts';
import { formationSettings, type FormDeps } from './form/formation-settings.ts';
import { createFormation } from './form/form.ts';
import { createHandle, type Handle } from './handle/handle.ts';
import type { RunCounts } from './jobs/worker.ts';
import { createLedger, type Ledger } from './ledger/ledger.ts';
import type { MaintenanceReport } from './maintain/maintain.ts';
import type { Calibrated } from './models/calibrate.ts';
import { systemDelay } from './models/caller.ts';
import { asLanguageModel, redactingModel } from './models/create-language-model.ts';
import { cachedEmbedder, type Embedder } from './models/embedder.ts';
import { LOCAL_EMBEDDER_ID } from './models/local-embedder/local-embedder.ts';
import { sharedLocalEmbedder } from './models/shared-embedder.ts';
import { createOperator, type Operator } from './operate/operator.ts';
import { createAccessTracker } from './recall/recall.ts';
import { createViewCache } from './recall/recall-view.ts';
import { attributeTable } from './record/attribute-table.ts';
import { systemClock } from './record/clock.ts';
import { createIdSource } from './record/id.ts';
import { memoryTypeTable } from './record/memory-types.ts';
import { parse } from './record/parse.ts';
import { type HandleScope, parseHandleScope } from './record/scope.ts';
import { recalledTexts } from './store/context-log-store.ts';
import type { Database } from './store/database.ts';
import { createEmbeddingModels, type EmbeddingModels } from './store/indexing.ts';
import { openStore } from './store/open-store.ts';
import { assertNode, checkOptions, storeOptions, type VarveOptions } from './varve-options.ts';

export type { FactOptions, VarveOptions } from './varve-options.ts';

/** An open Varve store with its background work, from `createVarve()`. */
export interface Varve {
  /** Returns a handle for a scope. Make one for each request. Throws unless the scope has a user or `user: null`. */
  for(scope: HandleScope): Handle;
  /** The recorded use of models, with its cost, credit and budgets. */
  readonly ledger: Ledger;
  /** Operations for operators: keys, audit, jobs, counts, import and export, and the stream of changes. */
  readonly operator: Operator;
  /** Runs all background work that is due now. */
  drain(): Promise<RunCounts>;
  /** Embeds all records without a vector. The default rate is ten texts a second. */
  backfill(options?: BackfillOptions): Promise<EmbedCounts>;
  /** Measures the embedder, so that similarity thresholds mean the same with every model. The local embedder is already measured. */
  calibrate(options?: { signal?: AbortSignal }): Promise<Calibrated>;
  /** Maintains a tenant's memory now: decay, archiving, retention. With `dryRun`, only reports what would change. */
  maintain(options?: { tenant?: string; dryRun?: boolean; signal?: AbortSignal }): Promise<MaintenanceReport>;
  /** Finishes running work and closes the store. Without `close()`, no acknowledged write is lost. */
  close(): Promise<void>;
}

/** Opens a store, migrates it, and starts its background work. */
export async function createVarve(options: VarveOptions = {}): Promise<Varve> {
  assertNode();
  const checked = await checkedSettings(options);
  const database = await openStore(storeOptions(options.store));
  const parts = await createParts(database, options, checked);
  const { access, assembling, embedding, ledger } = parts;
  const deps = { ...parts, formation: createFormation(parts), webhooks: options.webhooks ?? {} };
  const settings = typeof options.background === 'object' ? options.background : {};
  const work = createBackground(deps, settings);
  if (options.background !== false) await work.start();
  const settleLogs = async (): Promise<void> => {
    await access.settle();
    await assembling.log.settle();
  };

  return {
    for: (scope) => createHandle(deps, parseHandleScope(scope)),
    ledger,
    operator: createOperator(deps),
    async drain() {
      // Background work reads the context log.
      await settleLogs();
      return work.drain();
    },
    async calibrate({ signal } = {}) {
      if (embedding.current === null)
        throw invalidInput('There is no embedder to calibrate. Set the option `embedder` of createVarve().');
      const { calibrate } = await import('./models/calibrate.ts');
      const calibrated = await calibrate(embedding.current, { signal });
      await embedding.calibrated(calibrated.calibration);
      return calibrated;
    },
    backfill: (settings) => backfill(deps, settings),
    async maintain({ tenant = 'default', ...how } = {}) {
      const { maintainTenant } = await import('./maintain/maintain.ts');
      return maintainTenant(deps, tenant, { cause: 'hand', ...how });
    },
    async close() {
      await settleLogs();
      await work.stop();
      await parts.closeReading();
      await embedding.close();
      await database.close();
    },
  };
}

// Runs before anything is opened, so that a bad setting leaves no open store.
async function checkedSettings(options: VarveOptions) {
  checkOptions(options);
  const formation = formationSettings(options.formation);
  const checked = {
    memoryTypes: memoryTypeTable(options.memoryTypes),
    attributes: attributeTable(options.attributes),
    settings: formation,
    privacy: formation.privacy,
    sharesFacts: options.facts?.shared === true,
    consolidation: consolidationSettings(options.consolidation),
  };
  if (options.context !== undefined) await checkContextSettings(options.context);
  return checked;
}

type AllDeps = EmbedDeps & AssembleDeps & FormDeps & ConsolidateDeps & { closeReading(): Promise<void> };

async function createParts(
  database: Database,
  options: VarveOptions,
  checked: Awaited<ReturnType<typeof checkedSettings>>,
): Promise<AllDeps> {
  const { clock = systemClock, tracing } = options;
  const ids = options.ids ?? createIdSource(clock);
  const embedding = await createEmbeddingModels(database, {
    current: options.embedder === undefined ? cachedEmbedder(sharedLocalEmbedder()) : options.embedder,
    previous: options.previousEmbedder,
  });
  const reading = readingModel(embedding);
  const ledger = createLedger({ database, clock, ids, ...options.ledger });
  const given = asLanguageModel(options.languageModel);
  const languageModel = given === null ? undefined : redactingModel(given, checked.privacy);
  const models = { languageModel, tracing };
  const assembling = await createAssembling({ database, clock, ids, ledger }, options.context, models);
  const givenLately: FormDeps['recalledTexts'] = async (scope) => {
    await assembling.log.settle();
    return database.read(scope.tenant, (reader) => recalledTexts(reader, scope));
  };
  return {
    ...checked,
    database,
    clock,
    ids,
    embedding,
    ledger,
    assembling,
    delay: systemDelay,
    access: createAccessTracker(database, clock),
    views: createViewCache({ bytes: options.recallCacheBytes, memoryTypes: checked.memoryTypes }),
    reranker: options.reranker ?? null,
    localReader: createLocalReaderOnce(reading),
    readParts: reading.readParts,
    closeReading: async () => reading.close?.(),
    languageModel: languageModel ?? null,
    recalledTexts: options.recalledTexts ?? givenLately,
  };
}

// The local reader is large, so it is loaded at its first use.
function createLocalReaderOnce(model: ReadingModel): FormDeps['localReader'] {
  let reader: ReturnType<FormDeps['localReader']> | undefined;
  return () => (reader ??= import('./form/read/local/local-reader.ts').then(({ readerOn }) => readerOn(model)));
}

type ReadingModel = Embedder & Required<Pick<Embedder, 'readParts'>>;

// The local reader was trained on the local model, so it needs this model even if the application uses another embedder.
function readingModel({ current }: EmbeddingModels): ReadingModel {
  const isLocal = current?.id === LOCAL_EMBEDDER_ID && current.readParts !== undefined;
  return (isLocal ? current : cachedEmbedder(sharedLocalEmbedder())) as ReadingModel;
}

// The schema is large, so it is loaded only if there are settings to check.
async function checkContextSettings({ logDays, staleAfter, ...settings }: AssembleOptions): Promise<void> {
  for (const [name, value] of Object.entries({ logDays, staleAfter })) {
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw invalidInput(`The context setting ${name} must be a number, at least 0.`);
  }
  const { contextOptionsSchema } = await import('./assemble/context-options.ts');
  parse(contextOptionsSchema, settings, 'The context settings');
}
