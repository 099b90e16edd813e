import type { AssembleOptions, TracingOptions } from './assemble/assemble-deps.ts';
import type { BackgroundOptions } from './background.ts';
import type { ConsolidationOptions } from './consolidate/consolidation-settings.ts';
import { invalidInput, noSuch, VarveError } from './errors.ts';
import type { FormationOptions, FormDeps } from './form/formation-settings.ts';
import type { LedgerOptions } from './ledger/ledger.ts';
import type { Embedder } from './models/embedder.ts';
import type { AiSdkLanguageModel } from './models/ai-sdk.ts';
import type { LanguageModel } from './models/language-model.ts';
import type { Reranker } from './models/reranker.ts';
import type { WebhookOptions } from './operate/webhook-request.ts';
import type { AttributeInput } from './record/attributes.ts';
import type { Clock } from './record/clock.ts';
import type { IdSource } from './record/id.ts';
import type { MemoryTypeInput } from './record/memory-types.ts';
import type { StoreOptions } from './store/open-store.ts';

/** The option `facts` of `createVarve`. */
export interface FactOptions {
  /** Whether all agents of a tenant share the facts about a user. Default false. */
  shared?: boolean;
}

/** The options of `createVarve`. Every option has a default. */
export interface VarveOptions {
  /** The path of an SQLite file, a `postgres://` URL, or the options of either. Default: `.varve/varve.db` in the working folder. */
  store?: string | StoreOptions;
  /** Additional memory types, or changed policies for Varve's own. */
  memoryTypes?: Record<string, MemoryTypeInput>;
  /** Additional attributes, or changed policies for Varve's own: one value or many, category, labels, synonyms. */
  attributes?: Record<string, AttributeInput>;
  /** How permanent facts about a user (name, home city, allergy …) are stored. By default, a fact belongs to the agent that learned it. */
  facts?: FactOptions;
  /** Computes vectors. Default: a local model in this process. With `null`, recall matches words only. */
  embedder?: Embedder | null;
  /** The embedder that is being replaced. Its vectors are used until all records have new ones. */
  previousEmbedder?: Embedder;
  /**
   * The model that reads conversations: a model object of the AI SDK, or several from `createLanguageModel`. Default: only the local reader
   * reads them.
   */
  languageModel?: LanguageModel | AiSdkLanguageModel;
  /** Settings for forming memories: switches, triggers, thresholds, limits, privacy. */
  formation?: FormationOptions;
  /** Settings for consolidating and maintaining memory: switches, thresholds, word limits, decay, retention, intervals. */
  consolidation?: ConsolidationOptions;
  /** Returns what a session's prompts contained, which is not learned again from its conversation. Default: the session's contexts. */
  recalledTexts?: FormDeps['recalledTexts'];
  /** Defaults for contexts: layout, budget, switches, hooks. Each call can override them. */
  context?: AssembleOptions;
  /** Tracing with `@opentelemetry/api`, if it is installed. Default: spans without content. `false` turns tracing off. */
  tracing?: TracingOptions | false;
  /** Reorders the best results of a recall. Default: none. */
  reranker?: Reranker;
  /** The maximum size of recall's caches in bytes, without the vectors. Default 128 MiB. */
  recallCacheBytes?: number;
  /** Prices, credit and budgets for the use of models. Default: use is recorded, and nobody is charged. */
  ledger?: Pick<LedgerOptions, 'prices' | 'credit' | 'budget'>;
  /** Which addresses webhooks may call. Default: public addresses over https. */
  webhooks?: WebhookOptions;
  /** Whether this process does background work, or its settings. Default true. With `false`, call `drain()` or run `varve worker`. */
  background?: boolean | BackgroundOptions;
  /** Default: the machine's clock. */
  clock?: Clock;
  /** Default: ids from the time and random bits. */
  ids?: IdSource;
}

// The oldest Node whose SQLite has full-text search (FTS5), which recall needs. Keep it equal to `engines` in package.json.
export const NODE_NEEDED = '22.16';

export function isNodeNewEnough(version: string = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = NODE_NEEDED.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

export function nodeProblem(version: string = process.versions.node): string {
  return `Varve needs Node ${NODE_NEEDED} or newer, because older versions have no full-text search in SQLite; this is Node ${version}. Install a newer Node.`;
}

export function assertNode(version?: string): void {
  if (!isNodeNewEnough(version)) throw new VarveError(nodeProblem(version), { code: 'store_unavailable' });
}

interface Kind {
  /** Completes the error message "The option … must be <right>". */
  right: string;
  is(value: unknown): boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const hasMethods =
  (...names: string[]) =>
  (value: unknown): boolean =>
    isObject(value) && names.every((name) => typeof value[name] === 'function');
const onlyKeys =
  (checks: Record<string, (value: unknown) => boolean>) =>
  (value: unknown): boolean =>
    isObject(value) &&
    Object.entries(value).every(
      ([name, one]) => Object.hasOwn(checks, name) && (one === undefined || checks[name]?.(one)),
    );
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isPositive = (value: unknown): boolean => typeof value === 'number' && value > 0;

const options: Kind = { right: 'an object', is: isObject };
const embedder: Kind = {
  right:
    'an embedder with `id`, `dimensions` and `embed()`, for example from createLocalEmbedder() or functionEmbedder()',
  is: (value) =>
    hasMethods('embed')(value) &&
    typeof (value as { id?: unknown }).id === 'string' &&
    Number.isInteger((value as { dimensions?: unknown }).dimensions),
};

// Nested options are checked by the modules that read them.
const KINDS: Record<keyof VarveOptions, Kind> = {
  store: {
    right: 'a path, a postgres:// URL, { path }, { url } or { pool }',
    is: (value) => typeof value === 'string' || isStore(value),
  },
  memoryTypes: options,
  attributes: options,
  facts: {
    right: '{ shared: true } or { shared: false }',
    is: onlyKeys({ shared: isBoolean }),
  },
  embedder: {
    ...embedder,
    right: `${embedder.right}, or null for none`,
    is: (value) => value === null || embedder.is(value),
  },
  previousEmbedder: embedder,
  languageModel: {
    right: "a model object of the AI SDK, such as openai('gpt-5-mini'), or models from createLanguageModel()",
    is: (value) => hasMethods('doGenerate')(value) || hasMethods('generate', 'generateText', 'modelOf')(value),
  },
  formation: options,
  consolidation: options,
  recalledTexts: { right: 'a function', is: (value) => typeof value === 'function' },
  context: options,
  tracing: { right: '{ content } or false', is: (value) => value === false || onlyKeys({ content: isBoolean })(value) },
  reranker: { right: 'a reranker with `id` and `rerank()`', is: hasMethods('rerank') },
  recallCacheBytes: { right: 'a positive number of bytes', is: (value) => Number.isFinite(value) && Number(value) > 0 },
  ledger: {
    right: '{ prices, credit, budget }, with credit "user", "tenant" or "off" and budget { perTenant, total }',
    is: onlyKeys({
      prices: isObject,
      credit: (value) => ['user', 'tenant', 'off'].includes(value as string),
      budget: onlyKeys({ perTenant: Number.isFinite, total: Number.isFinite }),
    }),
  },
  webhooks: { right: '{ allowPrivate }, with true or false', is: onlyKeys({ allowPrivate: isBoolean }) },
  background: {
    right: 'true, false or { concurrency, embeddingRate }',
    is: (value) =>
      typeof value === 'boolean' || onlyKeys({ concurrency: isPositive, embeddingRate: isPositive })(value),
  },
  clock: {
    right: 'a clock whose `now()` gives milliseconds since 1970, as Date.now() does',
    is: (value) => hasMethods('now')(value) && Number.isFinite((value as Clock).now()),
  },
  ids: { right: 'an id source with `next()`', is: hasMethods('next') },
};

function isStore(value: unknown): boolean {
  return (
    isObject(value) &&
    (typeof value['path'] === 'string' || typeof value['url'] === 'string' || hasMethods('connect')(value['pool']))
  );
}

export function checkOptions(given: VarveOptions): void {
  if (!isObject(given)) throw invalidInput('createVarve() takes one object of options.');
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(KINDS, name)) {
      const problem = noSuch('option', name, Object.keys(KINDS));
      throw invalidInput(problem, { option: name.slice(0, 60) });
    }
    const { right, is } = KINDS[name as keyof VarveOptions];
    if (value !== undefined && !is(value)) {
      throw invalidInput(`The option ${name} must be ${right}.`, { option: name });
    }
  }
}

// A URL of another scheme must not be read as a path: SQLite would create a folder with the URL's password in its name.
export function storeOptions(store: VarveOptions['store']): StoreOptions {
  if (typeof store === 'object') {
    if ('path' in store) assertPath(store.path);
    else if ('url' in store && typeof store.url === 'string') assertPostgres(store.url);
    return store;
  }
  if (store === undefined) return { path: '.varve/varve.db' };
  if (isPostgresUrl(store)) return { url: store };
  assertPath(store);
  return { path: store };
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text);
}

function assertPostgres(url: string): void {
  if (!isPostgresUrl(url)) throw otherScheme(url);
}

function assertPath(path: string): void {
  if (path.trim() === '')
    throw invalidInput('The path of the store is empty. Name a file, or `:memory:`.', { option: 'store' });
  if (/^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(path)) throw otherScheme(path);
}

// Only the scheme is shown, because the rest of the URL may contain a password.
function otherScheme(url: string): VarveError {
  const scheme = /^[a-z][a-z0-9+.-]{1,20}(?=:)/i.exec(url)?.[0] ?? '';
  return invalidInput(`There is no store for ${scheme}://. Give the path of a file for SQLite, or a postgres:// URL.`, {
    option: 'store',
  });
}
