import type { Embedder } from '../models/embedder.ts';
import type { Database, Reader } from '../store/database.ts';
import { findVectors } from '../store/embedding-store.ts';
import { measureCohesion } from './measure-cohesion.ts';
import type { RecallView } from './recall-view.ts';

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

function sampleOrdinals(count: number): number[] {
  if (count <= SAMPLE_SIZE) return Array.from({ length: count }, (_, ordinal) => ordinal);
  const stretches = SAMPLE_SIZE / STRETCH;
  return Array.from({ length: SAMPLE_SIZE }, (_, index) => {
    const start = Math.floor((Math.floor(index / STRETCH) * (count - STRETCH)) / (stretches - 1));
    return start + (index % STRETCH);
  });
}
