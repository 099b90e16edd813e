import type { Embedder } from '../models/embedder.ts';
import type { Database, Reader } from '../store/database.ts';
import type { RecallView } from './recall-view.ts';

/** How near each document is to a query. */
export interface Meaning {
  /** Cosines per ordinal; NaN where there is none. */
  similarities: Float32Array;
  /** The same in deviations from the mean; 0 where there is none. */
  meaning: Float32Array;
  /** The number of the passage that is nearest, per ordinal: what the similarity is of. */
  passages: Int32Array;
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
  }: { tenant: string; owners: readonly string[]; view: RecallView; embedder: Embedder; query: Float32Array },
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
    const search = { tenant, owners, model, kind, query };
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

// Of a few documents the usual similarity cannot be read: all documents of the view count like so many of the kind.
const COUNTED_OF_ALL = 8;

/** A statement is nearer to any question than a turn of small talk is: each kind is measured against its own. */
export function standardiseByKind(
  similarities: Float32Array,
  { isMemory }: Pick<RecallView, 'isMemory'>,
): Float32Array {
  const all = { count: 0, sum: 0, squares: 0, mean: 0, deviation: 0 };
  const kinds: [typeof all, typeof all] = [{ ...all }, { ...all }];
  for (let ordinal = 0; ordinal < similarities.length; ordinal += 1) {
    const value = similarities[ordinal] as number;
    if (Number.isNaN(value)) continue;
    for (const total of [all, kinds[isMemory[ordinal] as 0 | 1]]) {
      total.count += 1;
      total.sum += value;
      total.squares += value * value;
    }
  }
  for (const kind of kinds) {
    const share = COUNTED_OF_ALL / Math.max(1, all.count);
    const count = kind.count + share * all.count;
    kind.mean = (kind.sum + share * all.sum) / Math.max(1, count);
    const spread = (kind.squares + share * all.squares) / Math.max(1, count) - kind.mean * kind.mean;
    kind.deviation = spread < 1e-9 ? Infinity : Math.sqrt(spread);
  }
  return similarities.map((value, ordinal) => {
    const { mean, deviation } = kinds[isMemory[ordinal] as 0 | 1];
    return Number.isNaN(value) ? 0 : (value - mean) / deviation;
  });
}

/** The nearest are no fair sample of all: what is usual is read from the view's own sample. */
function standardiseBySample(similarities: Float32Array, view: RecallView, query: Float32Array): Float32Array {
  const values = [...view.sample.vectors.values()].map((vector) => product(vector, query));
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
