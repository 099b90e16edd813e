import { findMeta, readMeta, removeMeta, setMeta } from '../store/meta-store.ts';
import { nextOwnerVersion, partsOfOwner } from '../store/owner-store.ts';
import { chunks } from '../store/rows.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { UsageScope } from '../store/doors/usage-store.ts';
import type { Embedder } from '../models/embedder.ts';
import { type Database, EVERY_TENANT, type IndexedKind, type Parts } from '../store/database.ts';
import {
  ACTIVE_MODEL,
  countQueued,
  type EmbeddingModels,
  nextToEmbed,
  ownersToEmbed,
  queueMissing,
  type RecordToEmbed,
  removeVectorsExcept,
  saveVectors,
  unqueue,
} from '../store/indexing.ts';

export interface EmbedDeps extends Parts {
  embedding: EmbeddingModels;
  ledger: Ledger;
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface EmbedOptions {
  /** Maximum number of texts per second, where each passage of a long event is one text. Default: no limit, or 10 for a backfill. */
  rate?: number;
  signal?: AbortSignal;
}

/** Numbers of embedded records, by type of memory or kind of event. */
export type EmbedCounts = Record<string, number>;

const BATCH = 32;

export async function embedRecords(
  deps: EmbedDeps,
  { tenant, owner }: { tenant: string; owner: string },
  { rate = Infinity, signal }: EmbedOptions = {},
): Promise<EmbedCounts> {
  const { database, clock } = deps;
  const counts: EmbedCounts = {};
  const size = Math.max(1, Math.min(BATCH, Math.floor(rate)));
  for (;;) {
    signal?.throwIfAborted();
    const started = clock.now();
    const { records, embedders, scope } = await database.read(tenant, async (reader) => ({
      records: await nextToEmbed(reader, tenant, owner, size),
      embedders: await deps.embedding.forRecords(reader),
      scope: await partsOfOwner(reader, tenant, owner),
    }));
    if (records.length === 0 || embedders.length === 0) return counts;
    await embedBatch(deps, { scope, owner, records, embedders, signal });
    for (const { type } of records) counts[type] = (counts[type] ?? 0) + 1;
    const texts = records.reduce((sum, record) => sum + record.texts.length, 0);
    // If the clock was set back meanwhile, the elapsed time is negative, and the pause would last until the clock has caught up.
    const pause = (texts / rate) * 1000 - Math.max(0, clock.now() - started);
    if (pause > 0) await deps.delay(pause, signal);
  }
}

interface Batch {
  scope: UsageScope;
  owner: string;
  records: readonly RecordToEmbed[];
  embedders: readonly Embedder[];
  signal?: AbortSignal;
}

async function embedBatch(deps: EmbedDeps, batch: Batch): Promise<void> {
  const { scope, owner, records, embedders, signal } = batch;
  const { tenant } = scope;
  const { database, ledger } = deps;
  const texts = records.flatMap((record) => record.texts);
  await ledger.metered({ scope, operation: 'embedding' }, async (meter) => {
    const made: { model: string; vectors: Float32Array[] }[] = [];
    for (const embedder of embedders) {
      const vectors: Float32Array[] = [];
      for (const some of chunks(texts, BATCH)) {
        vectors.push(...(await meter.embedder(embedder).embed(some, { signal })).vectors);
      }
      made.push({ model: embedder.id, vectors });
    }
    await database.write(tenant, async (writer) => {
      const sequence = await nextOwnerVersion(writer, tenant, owner);
      for (const { model, vectors } of made) {
        let next = 0;
        const embedded = records.map((record) => ({
          ...record,
          vectors: vectors.slice(next, (next += record.texts.length)),
        }));
        await saveVectors(writer, database, embedded, { model, sequence });
      }
      await unqueue(writer, records);
      await meter.settle(writer);
    });
  });
}

const STRETCH = 2000;
const OWNERS = 100;

const DEFAULT_RATE = 10;

export interface BackfillOptions extends EmbedOptions {
  /** Default: every tenant. */
  tenant?: string;
}

/** Queues and embeds all records without a vector from the current model. Returns their numbers by kind. */
export async function backfill(
  deps: EmbedDeps,
  { rate = DEFAULT_RATE, signal, tenant }: BackfillOptions = {},
): Promise<EmbedCounts> {
  const model = deps.embedding.current?.id;
  const total: EmbedCounts = {};
  if (model === undefined) return total;
  for (const kind of ['memory', 'event'] as const) await queueEvery(deps, { kind, model, tenant }, signal);
  for (;;) {
    const owners = await ownersToEmbed(deps.database, OWNERS, tenant);
    if (owners.length === 0) return total;
    for (const owner of owners) {
      const counts = await embedRecords(deps, owner, { rate, signal });
      for (const [type, count] of Object.entries(counts)) total[type] = (total[type] ?? 0) + count;
    }
  }
}

async function queueEvery(
  { database }: EmbedDeps,
  missing: { kind: IndexedKind; model: string; tenant?: string },
  signal?: AbortSignal,
): Promise<void> {
  let after: number | null = 0;
  while (after !== null) {
    signal?.throwIfAborted();
    after = await queueMissing(database, { ...missing, after, limit: STRETCH });
  }
}

/** The setting that stores the last row that a migration has queued. After a restart, queueing continues there. */
const PROGRESS = 'embedding_change';

interface Progress {
  model: string;
  kind: IndexedKind | null;
  after: number;
}

/** Queries use the old vectors until every record has a new one. Then one transaction makes the new model active. */
export async function changeEmbedder(
  database: Database,
  embedding: EmbeddingModels,
  signal?: AbortSignal,
): Promise<void> {
  const model = embedding.current?.id;
  if (model === undefined || (await readMeta(database, ACTIVE_MODEL)) === model) return;
  await queueAll(database, model, signal);
  if ((await countQueued(database)) > 0) return;
  await database.write(EVERY_TENANT, async (writer) => {
    await setMeta(writer, ACTIVE_MODEL, model);
    await removeMeta(writer, PROGRESS);
  });
  await removeOtherVectors(database, model, signal);
}

async function queueAll(database: Database, model: string, signal?: AbortSignal): Promise<void> {
  let progress = parseProgress(await readMeta(database, PROGRESS), model);
  while (progress.kind !== null) {
    signal?.throwIfAborted();
    const last = await queueMissing(database, { kind: progress.kind, model, after: progress.after, limit: STRETCH });
    if (last !== null) progress = { ...progress, after: last };
    else progress = { model, kind: progress.kind === 'memory' ? 'event' : null, after: 0 };
    const text = JSON.stringify(progress);
    await database.write(EVERY_TENANT, (writer) => setMeta(writer, PROGRESS, text));
  }
}

function parseProgress(stored: string | null, model: string): Progress {
  const progress = stored === null ? null : (JSON.parse(stored) as Progress);
  return progress?.model === model ? progress : { model, kind: 'memory', after: 0 };
}

async function removeOtherVectors(database: Database, model: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const removed = await database.write(EVERY_TENANT, async (writer) => {
      // Another process may have changed the active model since.
      const active = (await findMeta(writer, ACTIVE_MODEL)) ?? model;
      return removeVectorsExcept(writer, active, STRETCH);
    });
    if (removed < STRETCH) return;
  }
}
