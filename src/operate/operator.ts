import type { FormDeps } from '../form/formation-settings.ts';
import { formColdSessions } from '../form/formation-jobs.ts';
import type { Job } from '../store/queue/job.ts';
import { countJobs, getJob, type JobCount, type JobFilter, listJobs } from '../store/queue/list-jobs.ts';
import { listSchedules, type Schedule } from '../jobs/schedules.ts';
import { retryJob } from '../store/queue/settle-jobs.ts';
import type { Page } from '../store/rows.ts';
import { parseScope, type ScopeInput } from '../record/scope.ts';
import { EVERY_TENANT, type StoreProblem } from '../store/database.ts';
import { countHeldChanges } from '../store/held-change-store.ts';
import { countQueued } from '../store/indexing.ts';
import { SCHEMA_VERSION } from '../store/migrations/migrations.ts';
import { type Acts, createActs } from '../store/doors/admin-acts.ts';
import { createKeys, type Keys } from './api-keys.ts';
import { createCursorSeal, type CursorSeal } from './cursor-seal.ts';
import { exportRecords } from './export-records.ts';
import { checkExtraction, type ExtractionReport } from './extraction-checks.ts';
import { followChanges, type FollowOptions, type RecordChange } from './follow-changes.ts';
import { type ImportItem, type ImportOptions, importRecords, type ImportReport } from './import-records.ts';
import { createInspector, type Inspector } from './inspect-records.ts';
import { countRecords, type RecordCounts } from '../store/doors/inspect-scope.ts';
import { onlineMetrics, type OnlineMetrics } from './online-metrics.ts';
import type { RecordLine } from './record-line.ts';
import { createRequestAnswers, type RequestAnswers } from '../store/doors/request-answers.ts';
import type { WebhookDeps } from './webhook-delivery.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

/** The state of a store. */
export interface StoreStatus {
  dialect: 'sqlite' | 'postgres';
  schemaVersion: number;
  /** The id of the embedder, or null without an embedder. */
  embedder: string | null;
  /** Whether records are being embedded again for another model. */
  embedderChanging: boolean;
  /** The number of records that wait for a vector, in all tenants. */
  vectorsWaiting: number;
  /** The number of document changes that wait for review, in all tenants. */
  heldChanges: number;
}

/** Operations for operators: keys, audit, jobs, counts, import and export. */
export interface Operator {
  readonly keys: Keys;
  readonly acts: Acts;
  /** @internal */
  readonly answers: RequestAnswers;
  /** The tenants' webhooks. */
  readonly webhooks: Webhooks;
  /**
   * Seals the cursors that leave the process.
   * @internal
   */
  readonly cursors: CursorSeal;
  readonly jobs: {
    list(filter?: JobFilter): Promise<Page<Job>>;
    get(id: string, options?: { tenant?: string }): Promise<Job | null>;
    count(options?: { tenant?: string }): Promise<JobCount[]>;
    /** Queues a dead job again. Returns null if the job is unknown. Throws `conflict` if it is not dead. */
    retry(id: string, options?: { tenant?: string }): Promise<Job | null>;
    /** The schedules of background work. A long overdue schedule means that no worker is running. */
    schedules(): Promise<Schedule[]>;
  };
  /**
   * What the inspector shows.
   * @internal
   */
  readonly inspect: Inspector;
  /** Measures the memory in use within a scope: utilisation, observations, corrections, repeated questions, growth. */
  metrics(scope: ScopeInput): Promise<OnlineMetrics>;
  /** Checks the memories from a tenant's first conversations for unsupported, duplicate and refused statements. */
  checkExtraction(options?: { tenant?: string }): Promise<ExtractionReport>;
  /** Counts the records within a scope. */
  count(scope: ScopeInput): Promise<RecordCounts>;
  /** Throws if the store cannot be reached. */
  status(): Promise<StoreStatus>;
  /** Finds problems of the database servers that ordinary queries do not show, for example on the nodes of a cluster. */
  examineStore(): Promise<StoreProblem[]>;
  /** Yields all records within a scope. */
  export(scope: ScopeInput): AsyncGenerator<RecordLine>;
  import(
    lines: AsyncIterable<ImportItem> | Iterable<ImportItem>,
    options: Omit<ImportOptions, 'into'> & { into?: ScopeInput },
  ): Promise<ImportReport>;
  /** Queues every session with unread turns, even if it is active. Returns the number of sessions. */
  formWaiting(): Promise<number>;
  /** Yields the changes within a scope as they happen. */
  changes(scope: ScopeInput, options?: FollowOptions): AsyncGenerator<RecordChange>;
}

export function createOperator(parts: FormDeps & WebhookDeps): Operator {
  const { database, clock, embedding } = parts;
  return {
    keys: createKeys(parts),
    acts: createActs(parts),
    answers: createRequestAnswers(parts),
    webhooks: createWebhooks(parts),
    cursors: createCursorSeal(parts),
    jobs: {
      list: (filter) => listJobs(database, filter),
      get: (id, options) => getJob(database, id, options),
      count: (options) => countJobs(database, options),
      retry: (id, options) => retryJob(database, id, { clock, ...options }),
      schedules: () => listSchedules(database),
    },
    inspect: createInspector(parts),
    metrics: (scope) => onlineMetrics(parts, parseScope(scope)),
    checkExtraction: ({ tenant = 'default' } = {}) => checkExtraction(database, tenant),
    count(input) {
      const scope = parseScope(input);
      return database.read(scope.tenant, (reader) => countRecords(reader, scope));
    },
    async status() {
      return {
        dialect: database.dialect,
        schemaVersion: SCHEMA_VERSION,
        embedder: embedding.current?.id ?? null,
        embedderChanging: await database.read(EVERY_TENANT, (reader) => embedding.isChanging(reader)),
        vectorsWaiting: await countQueued(database),
        heldChanges: await database.read(EVERY_TENANT, (reader) => countHeldChanges(reader)),
      };
    },
    examineStore: () => database.examine(),
    export: (scope) => exportRecords(parts, parseScope(scope)),
    import: (lines, { into = {}, ...options }) =>
      importRecords(parts, lines, { ...options, into: { ...into, tenant: into.tenant ?? 'default' } }),
    formWaiting: () => formColdSessions(parts, 0),
    changes: (scope, options) => followChanges(parts, parseScope(scope), options),
  };
}
