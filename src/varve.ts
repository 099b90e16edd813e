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
import { redactingModel } from './models/create-language-model.ts';
import { cachedEmbedder, type Embedder } from './models/embedder.ts';
import { LOCAL_EMBEDDER_ID } from './models/local-embedder/local-embedder.ts';
import { sharedLocalEmbedder } from './models/shared-embedder.ts';
import { createOperator, type Operator } from './operate/operator.ts';
import { createAccessTracker } from './recall/recall.ts';
import { createViewCache } from './recall/recall-view.ts';
import { attributeTable } from './record/statement.ts';
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

/** An open Varve store with its workers, from `createVarve()`. */
export interface Varve {
  /**
   * Returns the handle that reads and writes within a scope. A handle is cheap: make one for each request. The scope must contain a user or
   * `user: null`. If the user is `undefined` or an empty string, the call throws.
   */
  for(scope: HandleScope): Handle;
  /** What the models have used and cost: tasks, credit and budgets. */
  readonly ledger: Ledger;
  /** Operations for operators: keys, audit, jobs, counts, import and export, and the stream of changes. */
  readonly operator: Operator;
  /** Runs all background work that is due now and returns its outcomes. */
  drain(): Promise<RunCounts>;
  /** Embeds all records that have no vector, by default ten texts a second, and returns how many it embedded of each kind. */
  backfill(options?: BackfillOptions): Promise<EmbedCounts>;
  /**
   * Measures the embedder on Varve's own pairs of texts and stores the result. Then "related", "nearly the same" and "the same statement"
   * have the same meaning with every model. The local embedder is already measured.
   */
  calibrate(options?: { signal?: AbortSignal }): Promise<Calibrated>;
  /** Maintains a tenant's memory now: decay, archiving, retention. With `dryRun` it only reports what would change. */
  maintain(options?: { tenant?: string; dryRun?: boolean; signal?: AbortSignal }): Promise<MaintenanceReport>;
  /**
   * Finishes running work and closes the store. The remaining work is done after the next start. A program that ends without `close()`
   * loses no acknowledged write, because these are already on the disk.
   */
  close(): Promise<void>;
}

/** Opens a memory: migrates the store, starts background work, and provides scoped handles. */
export async function createVarve(options: VarveOptions = {}): Promise<Varve> {
  assertNode();
  const checked = await checkedSettings(options);
  // All options have been checked, so resources can be opened from here on.
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
      // Writes the pending rows of the context log first, because background work reads them.
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

/** Checks the settings before anything is opened. Throws `invalid_input` if one is invalid. */
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
  const languageModel =
    options.languageModel === undefined ? undefined : redactingModel(options.languageModel, checked.privacy);
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

/** Loads the local reader at its first use and not when Varve is opened, because it is large. */
function createLocalReaderOnce(model: ReadingModel): FormDeps['localReader'] {
  let reader: ReturnType<FormDeps['localReader']> | undefined;
  return () => (reader ??= import('./form/read/local/local-reader.ts').then(({ readerOn }) => readerOn(model)));
}

type ReadingModel = Embedder & Required<Pick<Embedder, 'readParts'>>;

/** Returns the local model, even if the application has chosen another embedder, because the local reader was trained on it. */
function readingModel({ current }: EmbeddingModels): ReadingModel {
  const isLocal = current?.id === LOCAL_EMBEDDER_ID && current.readParts !== undefined;
  return (isLocal ? current : cachedEmbedder(sharedLocalEmbedder())) as ReadingModel;
}

/** Checks the default options of contexts. Loads their schema only if there are settings to check, because the schema is large. */
async function checkContextSettings({ logDays, staleAfter, ...settings }: AssembleOptions): Promise<void> {
  for (const [name, value] of Object.entries({ logDays, staleAfter })) {
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw invalidInput(`The context setting ${name} must be a number, at least 0.`);
  }
  const { contextOptionsSchema } = await import('./assemble/context-options.ts');
  parse(contextOptionsSchema, settings, 'The context settings');
}
