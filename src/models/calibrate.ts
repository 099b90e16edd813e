import { VarveError } from '../errors.ts';
import {
  type CalibrationPair,
  calibrationPairs,
  type CalibrationPairsOptions,
  type PairClass,
} from './calibration-pairs.ts';
import { type Calibration, dot, type Embedder, identityCalibration, unitVectors } from './embedder.ts';

interface CalibrateOptions extends CalibrationPairsOptions {
  signal?: AbortSignal;
}

/** A calibration and the measurements on which it is based. */
export interface Calibrated {
  calibration: Calibration;
  report: CalibrationReport;
}

/** The cosines that the embedder gave to the pairs, and how well they separate the classes. */
export interface CalibrationReport {
  embedder: string;
  /** False if the embedder cannot distinguish related texts from unrelated ones. The calibration is then the identity. */
  usable: boolean;
  classes: Record<PairClass, CosineSummary>;
  /** From the lowest similarity to the highest. */
  boundaries: CalibrationBoundary[];
  /** Empty if there are none. */
  warnings: string[];
  /** How many tokens the embedder counted. */
  tokens: number;
}

/** The cosines in one class of pairs. */
export interface CosineSummary {
  pairs: number;
  minimum: number;
  lowerQuartile: number;
  median: number;
  upperQuartile: number;
  maximum: number;
}

/** The cosine at which a threshold is placed, and how well it separates the two classes next to it. */
export interface CalibrationBoundary {
  similarity: number;
  above: PairClass;
  below: PairClass;
  cosine: number;
  /** The share of pairs in `above` at or above the cosine. */
  aboveFound: number;
  /** The share of pairs in `below` below the cosine. */
  belowKeptOut: number;
  /** The mean of `aboveFound` and `belowKeptOut`: 1 is perfect, 0.5 is chance. */
  accuracy: number;
  /** The area under the ROC curve: the probability that a pair in `above` has a higher cosine than one in `below`. */
  separation: number;
}

interface Threshold extends Pick<CalibrationBoundary, 'similarity' | 'above' | 'below'> {
  /** How much a false positive costs compared with a false negative. */
  caution: number;
}

const THRESHOLDS: readonly Threshold[] = [
  // Showing an irrelevant record costs as much as missing a relevant one.
  { similarity: 0.6, above: 'related', below: 'unrelated', caution: 1 },
  // An unrelated candidate costs a model call, and most candidates are unrelated. Missing a merely related one costs nothing.
  { similarity: 0.7, above: 'related', below: 'unrelated', caution: 3 },
  // Updates and merges happen without confirmation. A duplicate is harmless, but a statement that is wrongly merged is lost.
  { similarity: 0.85, above: 'near', below: 'related', caution: 2 },
  { similarity: 0.92, above: 'same', below: 'near', caution: 2 },
];

const NOTHING_IN_COMMON = 0.2;
const SMALLEST_STEP = 0.002;
const BATCH = 64;
/** With 65 pairs per class, random vectors have a separation of 0.5 ± 0.05. */
const SEPARATION = { none: 0.65, weak: 0.85 };

const MEANING: Record<PairClass, string> = {
  same: 'the same statement in other words',
  near: 'a changed or more detailed statement',
  related: 'related statements',
  unrelated: 'unrelated statements',
};

type Cosines = Record<PairClass, number[]>;

/**
 * Finds an embedder's cosine for each of Varve's thresholds, by measuring it on the bundled pairs. Deterministic for the same vectors. If
 * the embedder cannot distinguish related texts from unrelated ones, the calibration is the identity, and the report has a warning. Throws
 * `embedder_unavailable` for invalid vectors, and `cancelled` or `timed_out` if aborted.
 */
export async function calibrate(embedder: Embedder, options: CalibrateOptions = {}): Promise<Calibrated> {
  const { cosines, tokens } = await measure(embedder, calibrationPairs(options), options.signal);
  const found = THRESHOLDS.map((threshold) => bestBoundary(cosines, threshold));
  const [floor = 0, ...placed] = rising([quantile(cosines.unrelated, 0.5), ...found]);
  const boundaries = THRESHOLDS.map((threshold, index) => judge(cosines, threshold, placed[index] ?? 1));
  const usable = boundaries.every(({ below, separation }) => below !== 'unrelated' || separation >= SEPARATION.none);
  const knots = [
    { cosine: -1, similarity: 0 },
    { cosine: floor, similarity: NOTHING_IN_COMMON },
    ...boundaries.map(({ cosine, similarity }) => ({ cosine, similarity })),
    { cosine: 1, similarity: 1 },
  ];
  const { same, near, related, unrelated } = cosines;
  return {
    calibration: usable ? { embedder: embedder.id, knots } : identityCalibration(embedder.id),
    report: {
      embedder: embedder.id,
      usable,
      classes: { same: summary(same), near: summary(near), related: summary(related), unrelated: summary(unrelated) },
      boundaries,
      warnings: warningsOf(embedder.id, boundaries, usable),
      tokens,
    },
  };
}

async function measure(
  embedder: Embedder,
  pairs: readonly CalibrationPair[],
  signal: AbortSignal | undefined,
): Promise<{ cosines: Cosines; tokens: number }> {
  const cosines: Cosines = { same: [], near: [], related: [], unrelated: [] };
  let tokens = 0;
  for (let start = 0; start < pairs.length; start += BATCH / 2) {
    const batch = pairs.slice(start, start + BATCH / 2);
    const texts = batch.flatMap(({ first, second }) => [first, second]);
    const embedded = await cancellable(signal, () => embedder.embed(texts, { signal }));
    const expected = { name: embedder.id, count: texts.length, dimensions: embedder.dimensions };
    const vectors = unitVectors(embedded.vectors, expected);
    for (const [index, pair] of batch.entries()) {
      const cosine = dot(vectors[index * 2] as Float32Array, vectors[index * 2 + 1] as Float32Array);
      cosines[pair.class].push(Math.min(1, Math.max(-1, cosine)));
    }
    tokens += embedded.tokens;
  }
  for (const values of Object.values(cosines)) values.sort((a, b) => a - b);
  return { cosines, tokens };
}

async function cancellable<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
  try {
    signal?.throwIfAborted();
    const result = await work();
    signal?.throwIfAborted();
    return result;
  } catch (cause) {
    if (!signal?.aborted || VarveError.isInstance(cause)) throw cause;
    const timedOut = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
    throw new VarveError(`The calibration ${timedOut ? 'timed out' : 'was cancelled'}.`, {
      code: timedOut ? 'timed_out' : 'cancelled',
      cause,
    });
  }
}

/**
 * Finds the cosine that separates two classes best. Pairs near the cut are weighted smoothly: over resampled pairs, the best hard cut
 * varies by 0.02 to 0.05 (MiniLM), the smooth one by 0.01 to 0.03. Of equally good cosines, a higher `caution` selects a higher one.
 */
function bestBoundary(cosines: Cosines, { above, below, caution }: Threshold): number {
  const [upper, lower] = [cosines[above], cosines[below]];
  const softness = Math.max(1e-6, (spread(upper) + spread(lower)) / 8);
  const lowest = Math.min(upper[0] as number, lower[0] as number);
  const highest = Math.max(upper.at(-1) as number, lower.at(-1) as number);
  const cuts = Array.from({ length: 1001 }, (_, index) => lowest + ((highest - lowest) * index) / 1000);
  const scores = cuts.map((cut) => {
    const found = mean(upper.map((cosine) => degree((cosine - cut) / softness)));
    const keptOut = mean(lower.map((cosine) => degree((cut - cosine) / softness)));
    return found + caution * keptOut;
  });
  const best = Math.max(...scores) - 1e-9;
  const first = cuts[scores.findIndex((score) => score >= best)] as number;
  const last = cuts[scores.findLastIndex((score) => score >= best)] as number;
  return first + ((last - first) * caution) / (1 + caution);
}

function rising(values: readonly number[]): number[] {
  let lowest = -1;
  const pushedUp = values.map((value) => (lowest = Math.max(value, lowest + SMALLEST_STEP)));
  return pushedUp.map((value, index) => round(Math.min(value, 1 - (values.length - index) * SMALLEST_STEP)));
}

function judge(cosines: Cosines, { similarity, above, below }: Threshold, cosine: number): CalibrationBoundary {
  const [upper, lower] = [cosines[above], cosines[below]];
  const aboveFound = mean(upper.map((value) => Number(value >= cosine)));
  const belowKeptOut = mean(lower.map((value) => Number(value < cosine)));
  const wins = upper.flatMap((high) => lower.map((low) => (Math.sign(high - low) + 1) / 2));
  return {
    similarity,
    above,
    below,
    cosine,
    aboveFound: round(aboveFound),
    belowKeptOut: round(belowKeptOut),
    accuracy: round((aboveFound + belowKeptOut) / 2),
    separation: round(mean(wins)),
  };
}

function warningsOf(embedder: string, boundaries: readonly CalibrationBoundary[], usable: boolean): string[] {
  const unusable =
    `${embedder} cannot distinguish related texts from unrelated ones: its similarities are a poor measure of relevance, and ` +
    'are left as they are. Check that it is an embedding model for sentences, in the language of the texts.';
  // The thresholds 0.60 and 0.70 separate the same two classes, so only one of them gets a warning.
  const byClass = new Map(boundaries.map((boundary) => [boundary.above, boundary]));
  const weak = [...byClass.values()].flatMap(({ similarity, above, below, separation, ...boundary }) => {
    if (separation >= SEPARATION.weak || (!usable && below === 'unrelated')) return [];
    const verb = separation < SEPARATION.none ? 'cannot distinguish' : 'only roughly distinguishes';
    const missed = `${percent(1 - boundary.belowKeptOut)} of the latter reach ${similarity.toFixed(2)}`;
    const found = `${percent(boundary.aboveFound)} of the former`;
    return [`${embedder} ${verb} ${MEANING[above]} from ${MEANING[below]}: ${missed}, and ${found}.`];
  });
  return usable ? weak : [unusable, ...weak];
}

function summary(sorted: readonly number[]): CosineSummary {
  const at = (share: number): number => round(quantile(sorted, share));
  return {
    pairs: sorted.length,
    minimum: at(0),
    lowerQuartile: at(0.25),
    median: at(0.5),
    upperQuartile: at(0.75),
    maximum: at(1),
  };
}

function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
  return low + (high - low) * (place - Math.floor(place));
}

function spread(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function degree(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
