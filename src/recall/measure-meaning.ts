import type { Embedder } from '../models/embedder.ts';
import type { Database, Reader } from '../store/database.ts';
import type { RecallView } from './recall-view.ts';
import { standardise } from './scores.ts';

/** How near each document is to a query. */
export interface Meaning {
  /** Cosines per ordinal; NaN where there is none. */
  similarities: Float32Array;
  /** The same in deviations from the mean; 0 where there is none. */
  meaning: Float32Array;
  /** The number of the passage that is nearest, per ordinal: what the similarity is of. */
  passages: Int32Array;
}

/** The vectors of a query: as it was put, and as the person it names would have put it, which is how turns are put. */
export interface QueryVectors {
  asked: Float32Array;
  spoken: Float32Array;
}

// Up to here a server is asked for all of an owner's similarities; beyond, for the nearest.
const ASK_FOR_ALL = 2000;
const NEAREST = 400;
// Long events are several hits each.
const PASSAGES_EACH = 8;

/** Measures a query against all documents of a view, or against the nearest where the vectors are in a server. */
export async function measureMeaning(
  reader: Reader,
  database: Database,
  {
    tenant,
    owners,
    view,
    embedder,
    query,
  }: { tenant: string; owners: readonly string[]; view: RecallView; embedder: Embedder; query: QueryVectors },
): Promise<Meaning> {
  const similarities = new Float32Array(view.documents.length).fill(Number.NaN);
  const passages = new Int32Array(view.documents.length);
  // A document is as near as its nearest passage.
  const place = (ordinal: number | undefined, passage: number, similarity: number): void => {
    if (ordinal === undefined || ordinal < 0 || (similarities[ordinal] as number) >= similarity) return;
    similarities[ordinal] = similarity;
    passages[ordinal] = passage;
  };
  const model = { id: embedder.id, dimensions: embedder.dimensions };
  let isComplete = true;
  for (const kind of ['memory', 'event'] as const) {
    const search = { tenant, owners, model, kind, query: kind === 'memory' ? query.asked : query.spoken };
    const scans = await database.vectors.scan(reader, search);
    if (scans !== null) {
      for (const { rows, passages: numbers, scores } of scans) {
        const ordinals = view.ordinalsOf(kind, rows);
        for (let index = 0; index < ordinals.length; index += 1) {
          place(ordinals[index], numbers[index] as number, scores[index] as number);
        }
      }
      continue;
    }
    const all = view.documents.length <= ASK_FOR_ALL;
    isComplete &&= all;
    const hits = await database.vectors.nearest(reader, {
      ...search,
      limit: all ? ASK_FOR_ALL * PASSAGES_EACH : NEAREST,
      archived: true,
    });
    for (const { rowId, passage, similarity } of hits) place(view.ordinalOf(kind, rowId), passage, similarity);
  }
  const meaning = isComplete ? standardiseByKind(similarities, view) : standardiseBySample(similarities, view, query);
  return { similarities, meaning, passages };
}

/** A statement is nearer to any question than a turn of small talk is: each kind is measured against its own. */
function standardiseByKind(similarities: Float32Array, { isMemory }: RecallView): Float32Array {
  const memories = similarities.map((value, ordinal) => (isMemory[ordinal] === 1 ? value : Number.NaN));
  const events = similarities.map((value, ordinal) => (isMemory[ordinal] === 0 ? value : Number.NaN));
  const meaning = standardise(memories);
  const ofEvents = standardise(events);
  for (let ordinal = 0; ordinal < meaning.length; ordinal += 1) {
    if (isMemory[ordinal] === 0) meaning[ordinal] = ofEvents[ordinal] as number;
  }
  return meaning;
}

/** The nearest are no fair sample of all: what is usual is read from the view's own sample. */
function standardiseBySample(similarities: Float32Array, view: RecallView, query: QueryVectors): Float32Array {
  const values = [...view.sample.vectors].map(([ordinal, vector]) =>
    product(vector, view.documents[ordinal]?.kind === 'memory' ? query.asked : query.spoken),
  );
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
  const spread = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(values.length, 1);
  const deviation = Math.sqrt(spread) || 1;
  return similarities.map((value) => (Number.isNaN(value) ? 0 : (value - mean) / deviation));
}

function product(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] as number) * (right[index] as number);
  return sum;
}
