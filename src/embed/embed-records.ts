import type { Ledger } from '../ledger/ledger.ts';
import type { UsageScope } from '../ledger/usage-report.ts';
import type { Embedder } from '../models/embedder.ts';
import { chunks, type Reader, type Writer } from '../store/database.ts';
import type { EmbeddingModels } from '../store/embedding-models.ts';
import { nextToEmbed, type RecordToEmbed, saveVectors, unqueue } from '../store/embedding-store.ts';
import type { Parts } from '../store/parts.ts';

/** What embedding works with. */
export interface EmbedDeps extends Parts {
  embedding: EmbeddingModels;
  ledger: Ledger;
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface EmbedOptions {
  /** The most texts a second; a long event counts once for each passage. Default: as fast as the embedder. */
  rate?: number;
  signal?: AbortSignal;
}

/** How many records got a vector, by what they are: the type of a memory, the kind of an event. */
export type EmbedCounts = Record<string, number>;

const BATCH = 32;

/** Makes the vectors that an owner's records lack, the newest first, until none is missing. */
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
      scope: await findOwner(reader, tenant, owner),
    }));
    if (records.length === 0 || embedders.length === 0) return counts;
    await embedBatch(deps, { scope, owner, records, embedders, signal });
    for (const { type } of records) counts[type] = (counts[type] ?? 0) + 1;
    const texts = records.reduce((sum, record) => sum + record.texts.length, 0);
    const pause = (texts / rate) * 1000 - (clock.now() - started);
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
      const sequence = await nextSequence(writer, tenant, owner);
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

/** Who pays: the owner of the records. */
async function findOwner(reader: Reader, tenant: string, owner: string): Promise<UsageScope> {
  const row = await reader
    .selectFrom('owners')
    .select(['agent_id', 'user_id'])
    .where('tenant_id', '=', tenant)
    .where('owner_key', '=', owner)
    .executeTakeFirst();
  return { tenant, agent: row?.agent_id ?? null, user: row?.user_id ?? null };
}

/** The owner's next version, so that caches ask for what was just written. An owner that was erased has none. */
async function nextSequence(writer: Writer, tenant: string, owner: string): Promise<number> {
  const row = await writer
    .updateTable('owners')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('tenant_id', '=', tenant)
    .where('owner_key', '=', owner)
    .returning('version')
    .executeTakeFirst();
  return row?.version ?? 0;
}
