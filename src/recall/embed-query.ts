import { messageOf } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Embedder } from '../models/embedder.ts';
import type { Scope } from '../record/scope.ts';
import type { Database, Reader } from '../store/database.ts';
import { findVectors } from '../store/embedding-store.ts';
import { measureCohesion } from './measure-cohesion.ts';
import type { RecallView } from './recall-view.ts';

/** A query's vector, or why there is none. */
export interface EmbeddedQuery {
  embedder: Embedder | null;
  vector: Float32Array | null;
  degraded: string[];
}

/** Embeds a query. An embedder that is down costs the vectors, not the recall: words are still there. */
export async function embedQuery(
  { ledger }: { ledger: Ledger },
  scope: Scope,
  { query, embedder }: { query: string; embedder: Embedder | null },
): Promise<EmbeddedQuery> {
  if (embedder === null) return { embedder: null, vector: null, degraded: [] };
  try {
    const { vectors } = await (isFree(ledger, embedder)
      ? embedder.embed([query])
      : ledger.metered({ scope, operation: 'recall', foreground: true }, (meter) =>
          meter.embedder(embedder).embed([query]),
        ));
    return { embedder, vector: vectors[0] ?? null, degraded: [] };
  } catch (error) {
    return { embedder, vector: null, degraded: [`meaning: ${messageOf(error)}`] };
  }
}

/** A local model costs nothing: writing that down for every recall would cost more than the recall. */
function isFree(ledger: Ledger, embedder: Embedder): boolean {
  return ledger.prices.priceOf(embedder.id)?.input === 0;
}

const SAMPLE_SIZE = 600;
// Stretches of turns, because cohesion is read from neighbours.
const STRETCH = 20;
// A sample is taken anew when the view has grown by a quarter.
const GROWTH = 1.25;

/** Reads from some of the view's vectors how much the order of its documents means. Cheap, and seldom needed. */
export async function refreshSample(
  reader: Reader,
  database: Database,
  { tenant, view, embedder }: { tenant: string; view: RecallView; embedder: Embedder },
): Promise<void> {
  const count = view.documents.length;
  const { sample } = view;
  if (sample.model === embedder.id && count < sample.takenAt * GROWTH && sample.vectors.size > 0) return;
  const ordinals = sampleOrdinals(count);
  const vectors = new Map<number, Float32Array>();
  for (const kind of ['memory', 'event'] as const) {
    const some = ordinals.filter((ordinal) => view.documents[ordinal]?.kind === kind);
    const rowIds = some.map((ordinal) => view.documents[ordinal]?.rowId ?? 0);
    const found = await findVectors(reader, database, { tenant, model: embedder.id, kind, rowIds });
    for (const ordinal of some) {
      const vector = found.get(view.documents[ordinal]?.rowId ?? 0);
      if (vector !== undefined) vectors.set(ordinal, vector);
    }
  }
  // Most vectors are still to be made: look again at the next recall.
  const isTooEarly = vectors.size < ordinals.length / 2;
  view.sample = { model: embedder.id, takenAt: isTooEarly ? 0 : count, vectors };
  view.cohesion = measureCohesion(vectors, view);
}

/** Which documents are looked at, of so many: stretches of turns from all over. */
export function sampleOrdinals(count: number): number[] {
  if (count <= SAMPLE_SIZE) return Array.from({ length: count }, (_, ordinal) => ordinal);
  const stretches = SAMPLE_SIZE / STRETCH;
  return Array.from({ length: SAMPLE_SIZE }, (_, index) => {
    const start = Math.floor((Math.floor(index / STRETCH) * (count - STRETCH)) / (stretches - 1));
    return start + (index % STRETCH);
  });
}
