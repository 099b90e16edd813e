import { sql } from 'kysely';
import { type Database, EVERY_TENANT, type IndexedKind } from '../store/database.ts';
import { ACTIVE_MODEL, type EmbeddingModels } from '../store/embedding-models.ts';
import { countQueued, queueMissing } from '../store/embedding-store.ts';
import { findMeta, readMeta, removeMeta, setMeta } from '../store/progress-store.ts';

/** How far the queueing of records for a new model has come: kept in the store, so that a restart goes on from there. */
const PROGRESS = 'embedding_change';

interface Progress {
  model: string;
  kind: IndexedKind | null;
  after: number;
}

const STRETCH = 2000;

/**
 * Moves the store on to another embedding model. Queues every record that has no vector of it; when all have one,
 * the model is made the active one in a single step and the old vectors are removed. Until then those still answer.
 * Each call does what can be done now; gives back true once the change is over.
 */
export async function changeEmbedder(
  database: Database,
  embedding: EmbeddingModels,
  signal?: AbortSignal,
): Promise<boolean> {
  const model = embedding.current?.id;
  if (model === undefined || (await readMeta(database, ACTIVE_MODEL)) === model) return true;
  await queueAll(database, model, signal);
  if ((await countQueued(database)) > 0) return false;
  await database.write(EVERY_TENANT, async (writer) => {
    await setMeta(writer, ACTIVE_MODEL, model);
    await removeMeta(writer, PROGRESS);
  });
  await removeOtherVectors(database, model, signal);
  return true;
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
      // Another process may have moved on in between: what is active now decides.
      const active = (await findMeta(writer, ACTIVE_MODEL)) ?? model;
      const { rows } = await sql<{ row: number }>`delete from embeddings
        where (tenant_id, record_kind, record_row, model_id) in
          (select tenant_id, record_kind, record_row, model_id from embeddings where model_id <> ${active} limit ${STRETCH})
        returning record_row as row`.execute(writer);
      return rows.length;
    });
    if (removed < STRETCH) return;
  }
}
