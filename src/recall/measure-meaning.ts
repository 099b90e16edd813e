import { messageOf } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { dot, type Embedder } from '../models/embedder.ts';
import { type Scope, visibleOwners } from '../record/scope.ts';
import type { Database, Reader } from '../store/database.ts';
import { findVectors } from '../store/indexing.ts';
import type { Cohesion, RecallView } from './recall-view.ts';

export interface Links {
  readonly next: Int32Array;
  readonly sessions: Int32Array;
  readonly voices: Int32Array;
}

const SAMPLE = 1500;
// Cohesion in standard deviations of the cosines between unrelated texts, scaled from `none` (0) to `full` (1). Measured for neighbours and
// sessions: 1.5–2.3 and 0.5–0.7 between two people; 0.5 and 0 between a user and an assistant with boilerplate answers; 0.3 and 0.05 if
// many people each ask an assistant; 0 ± 0.1 in shuffled turns.
const NEIGHBOUR_RANGE = { none: 0.25, full: 1.4 };
const SESSION_RANGE = { none: 0.1, full: 0.45 };

function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

interface Moments {
  count: number;
  sum: number;
  squares: number;
}

function noMoments(): Moments {
  return { count: 0, sum: 0, squares: 0 };
}

function addValue(moments: Moments, value: number): void {
  moments.count += 1;
  moments.sum += value;
  moments.squares += value * value;
}

/**
 * Compares a turn with its neighbour, with another turn of its session, and with an unrelated turn by the same speaker. A deterministic
 * sample of pairs keeps the cost independent of the store's size.
 */
function sampleCohesion(
  vectors: ReadonlyMap<number, Float32Array>,
  { next, sessions, voices }: Links,
): Cohesion | null {
  const known = [...vectors.keys()];
  const count = known.length;
  if (count < 20) return null;
  const random = sequence(count);
  const pick = (): number => known[Math.floor(random() * count)] as number;
  const similarity = (left: number, right: number): number =>
    dot(vectors.get(left) as Float32Array, vectors.get(right) as Float32Array);
  // An assistant's turns resemble each other regardless of their topic, so the unrelated turn comes from the same speaker in another
  // session.
  const strangerLike = (ordinal: number): number => {
    let found = -1;
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const other = pick();
      if (sessions[other] === sessions[ordinal]) continue;
      found = other;
      if (voices[other] === voices[ordinal]) break;
    }
    return found;
  };
  const strangers = noMoments();
  const near = { count: 0, gain: 0 };
  const far = { count: 0, gain: 0 };
  const compare = (here: number, related: number, into: { count: number; gain: number }): void => {
    const stranger = strangerLike(related);
    if (stranger < 0) return;
    const background = similarity(here, stranger);
    addValue(strangers, background);
    into.count += 1;
    into.gain += similarity(here, related) - background;
  };
  for (let round = 0; round < SAMPLE; round += 1) {
    const here = pick();
    let related = next[here] as number;
    if (!vectors.has(related)) continue;
    compare(here, related, near);
    // Four turns later, the topic is still the same, but the turn is no longer similar because it is a direct reply.
    for (let step = 0; step < 3 && related >= 0; step += 1) related = next[related] as number;
    if (vectors.has(related)) compare(here, related, far);
  }
  if (near.count < 10) return null;
  const mean = strangers.sum / strangers.count;
  const deviation = Math.sqrt(Math.max(1e-6, strangers.squares / strangers.count - mean * mean));
  return {
    neighbour: near.gain / near.count / deviation,
    session: far.count < 10 ? 0 : far.gain / far.count / deviation,
  };
}

function within(range: { none: number; full: number }, value: number): number {
  return Math.min(1, Math.max(0, (value - range.none) / (range.full - range.none)));
}

export function measureCohesion(vectors: ReadonlyMap<number, Float32Array>, links: Links): Cohesion {
  const evidence = sampleCohesion(vectors, links);
  if (evidence === null) return { neighbour: 0, session: 0 };
  return { neighbour: within(NEIGHBOUR_RANGE, evidence.neighbour), session: within(SESSION_RANGE, evidence.session) };
}

/** `degraded`: the reason why there is no vector. */
export interface EmbeddedQuery {
  vector: Float32Array | null;
  degraded: string[];
}

/** If the embedder fails, recall continues with keyword search. */
export async function embedQuery(
  { ledger }: { ledger: Ledger },
  scope: Scope,
  { query, embedder }: { query: string; embedder: Embedder | null },
): Promise<EmbeddedQuery> {
  if (embedder === null) return { vector: null, degraded: [] };
  try {
    // Recording a local model's usage would cost more than the recall.
    const isFree = ledger.prices.priceOf(embedder.id)?.input === 0;
    const { vectors } = await (isFree
      ? embedder.embed([query])
      : ledger.metered({ scope, operation: 'recall', foreground: true }, (meter) =>
          meter.embedder(embedder).embed([query]),
        ));
    return { vector: vectors[0] ?? null, degraded: [] };
  } catch (error) {
    return { vector: null, degraded: [`meaning: ${messageOf(error)}`] };
  }
}

const SAMPLE_SIZE = 600;
// Runs of consecutive turns, because cohesion is measured on neighbours.
const STRETCH = 20;
// Growth of the view after which a new sample is taken.
const GROWTH = 1.25;

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
  // While most vectors are missing, every recall takes a new sample.
  const isTooEarly = vectors.size < ordinals.length / 2;
  view.sample = { model: embedder.id, takenAt: isTooEarly ? 0 : count, vectors };
  view.cohesion = measureCohesion(vectors, view);
}

export function sampleOrdinals(count: number): number[] {
  if (count <= SAMPLE_SIZE) return Array.from({ length: count }, (_, ordinal) => ordinal);
  const stretches = SAMPLE_SIZE / STRETCH;
  return Array.from({ length: SAMPLE_SIZE }, (_, index) => {
    const start = Math.floor((Math.floor(index / STRETCH) * (count - STRETCH)) / (stretches - 1));
    return start + (index % STRETCH);
  });
}

export interface Meaning {
  /** Cosine per ordinal; NaN if there is none. */
  similarities: Float32Array;
  /** As z-scores; 0 if there is none. */
  meaning: Float32Array;
  /** Per ordinal: the passage nearest to the query, whose cosine is in `similarities`. */
  passages: Int32Array;
  /** False if only the nearest documents were measured. Otherwise, a missing cosine means that there is no vector yet. */
  isComplete: boolean;
}

// Up to this many documents, a database server returns all similarities of an owner, otherwise only the nearest.
const ASK_FOR_ALL = 2000;
const NEAREST = 400;
// A long event has several hits, one for each passage.
const PASSAGES_EACH = 8;

/** If the view is large and its vectors are in a database server, only the nearest documents are measured. */
export async function measureMeaning(
  reader: Reader,
  database: Database,
  { scope, view, embedder, query }: { scope: Scope; view: RecallView; embedder: Embedder; query: Float32Array },
): Promise<Meaning> {
  const similarities = new Float32Array(view.documents.length).fill(Number.NaN);
  const passages = new Int32Array(view.documents.length);
  const place = (ordinal: number | undefined, passage: number, similarity: number): void => {
    if (ordinal === undefined || ordinal < 0 || (similarities[ordinal] as number) >= similarity) return;
    similarities[ordinal] = similarity;
    passages[ordinal] = passage;
  };
  const model = { id: embedder.id, dimensions: embedder.dimensions };
  const search = { tenant: scope.tenant, owners: visibleOwners(scope), model, query };
  const scans = await database.vectors.scan(reader, search);
  for (const { kind, rows, passages: numbers, scores } of scans ?? []) {
    const ordinals = view.ordinalsOf(kind, rows);
    for (let index = 0; index < ordinals.length; index += 1) {
      place(ordinals[index], numbers[index] as number, scores[index] as number);
    }
  }
  const isSmall = view.documents.length <= ASK_FOR_ALL;
  const limit = isSmall ? ASK_FOR_ALL * PASSAGES_EACH : NEAREST;
  for (const kind of scans === null ? (['memory', 'event'] as const) : []) {
    const hits = await database.vectors.nearest(reader, { ...search, kind, limit, archived: true });
    for (const { rowId, passage, similarity } of hits) place(view.ordinalOf(kind, rowId), passage, similarity);
  }
  const isComplete = scans !== null || isSmall;
  const meaning = isComplete ? standardiseByKind(similarities, view) : standardiseBySample(similarities, view, query);
  return { similarities, meaning, passages, isComplete };
}

// Few documents of one kind cannot show its background similarity. Each kind's statistics therefore include all documents of both kinds,
// with the total weight of this many documents.
const COUNTED_OF_ALL = 8;

/** Z-scores for memories and events separately, because statements are nearer to any question than small talk is. */
export function standardiseByKind(
  similarities: Float32Array,
  { isMemory }: Pick<RecallView, 'isMemory'>,
): Float32Array {
  const turns = { ...noMoments(), mean: 0, deviation: 0 };
  const memories = { ...turns };
  for (let ordinal = 0; ordinal < similarities.length; ordinal += 1) {
    const value = similarities[ordinal] as number;
    if (!Number.isNaN(value)) addValue(isMemory[ordinal] === 1 ? memories : turns, value);
  }
  const all = {
    count: turns.count + memories.count,
    sum: turns.sum + memories.sum,
    squares: turns.squares + memories.squares,
  };
  for (const kind of [turns, memories]) {
    const share = COUNTED_OF_ALL / Math.max(1, all.count);
    const count = kind.count + share * all.count;
    kind.mean = (kind.sum + share * all.sum) / Math.max(1, count);
    const spread = (kind.squares + share * all.squares) / Math.max(1, count) - kind.mean * kind.mean;
    kind.deviation = spread < 1e-9 ? Infinity : Math.sqrt(spread);
  }
  const meaning = new Float32Array(similarities.length);
  for (let ordinal = 0; ordinal < meaning.length; ordinal += 1) {
    const value = similarities[ordinal] as number;
    const { mean, deviation } = isMemory[ordinal] === 1 ? memories : turns;
    meaning[ordinal] = Number.isNaN(value) ? 0 : (value - mean) / deviation;
  }
  return meaning;
}

/** The nearest documents are a biased sample, so the mean and the deviation come from the view's own sample. */
function standardiseBySample(similarities: Float32Array, view: RecallView, query: Float32Array): Float32Array {
  const values = [...view.sample.vectors.values()].map((vector) => dot(vector, query));
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
  const spread = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(values.length, 1);
  const deviation = Math.sqrt(spread) || 1;
  return similarities.map((value) => (Number.isNaN(value) ? 0 : (value - mean) / deviation));
}

/** Z-scores. An unknown value (NaN) becomes 0, the mean. */
export function standardise(values: Float32Array, limit = 8): Float32Array {
  const moments = noMoments();
  for (const value of values) if (!Number.isNaN(value)) addValue(moments, value);
  const { count, sum, squares } = moments;
  const mean = sum / count;
  const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean));
  if (count < 2 || deviation < 1e-9) return new Float32Array(values.length);
  return values.map((value) =>
    Number.isNaN(value) ? 0 : Math.max(-limit, Math.min(limit, (value - mean) / deviation)),
  );
}
