import { overlap } from '../../language/words.ts';
import { calibratedSimilarity, type Calibration } from '../../models/calibration.ts';
import type { Evidence } from './evidence.ts';

/**
 * Groups evidence by theme: alike in meaning, or alike in words, and never against each other. What names the same things
 * needs to be a little less alike. Average linkage, so that a chain of neighbours does not join strangers; and alike in
 * meaning alone is not enough: what is joined has to have a word in common somewhere, or a thing.
 */
export function clusterEvidence(
  evidence: readonly Evidence[],
  { similarity, calibration }: { similarity: number; calibration: Calibration | null },
): Evidence[][] {
  const size = evidence.length;
  const alike = similarities(evidence, calibration);
  let clusters = evidence.map((_, index) => [index]);
  for (;;) {
    let best = { score: similarity, left: -1, right: -1 };
    for (let left = 0; left < clusters.length; left += 1) {
      for (let right = left + 1; right < clusters.length; right += 1) {
        const score = meanBetween(clusters[left] ?? [], clusters[right] ?? [], alike, size);
        const isBetter = score >= best.score && (best.left === -1 || score > best.score);
        if (isBetter && haveInCommon(clusters[left] ?? [], clusters[right] ?? [], evidence))
          best = { score, left, right };
      }
    }
    if (best.left === -1) break;
    const joined = [...(clusters[best.left] ?? []), ...(clusters[best.right] ?? [])];
    clusters = clusters.filter((_, index) => index !== best.left && index !== best.right);
    clusters.push(joined);
  }
  return clusters.map((members) =>
    members.toSorted((one, other) => one - other).flatMap((index) => evidence[index] ?? []),
  );
}

const SAME_ENTITY = 0.05;
// Decisions whose outcomes were counted in the same unit were taken for the same end, in whatever words: 0.70 is the default
// threshold of a theme.
const SAME_END = 0.55;
const SAME_MEASURE = 0.15;

function similarities(evidence: readonly Evidence[], calibration: Calibration | null): Float64Array {
  const size = evidence.length;
  const matrix = new Float64Array(size * size);
  for (let left = 0; left < size; left += 1) {
    for (let right = left + 1; right < size; right += 1) {
      const value = similarityOf(evidence[left] as Evidence, evidence[right] as Evidence, calibration);
      matrix[left * size + right] = value;
      matrix[right * size + left] = value;
    }
  }
  return matrix;
}

function similarityOf(one: Evidence, other: Evidence, calibration: Calibration | null): number {
  // Views are not compared with sales.
  if (one.measure !== null && other.measure !== null && one.measure.name !== other.measure.name) return 0;
  if (one.tool !== null && other.tool !== null && one.tool !== other.tool) return 0;
  const share = overlap(one.stems, other.stems);
  const lexical = share === 0 ? 0 : 0.45 + 0.5 * share;
  const semantic =
    calibration === null || one.vector === null || other.vector === null
      ? 0
      : calibratedSimilarity(dot(one.vector, other.vector), calibration);
  const alike = Math.max(lexical, semantic, haveOneEnd(one, other) ? SAME_END : 0);
  if (alike === 0) return 0;
  return Math.min(1, alike + (nameTheSame(one, other) ? SAME_ENTITY : 0) + (haveOneEnd(one, other) ? SAME_MEASURE : 0));
}

/** Decisions whose outcomes are counted in the same unit. */
function haveOneEnd(one: Evidence, other: Evidence): boolean {
  const areDecided = one.events.includes(one.id) && other.events.includes(other.id);
  return areDecided && one.measure !== null && one.measure.name === other.measure?.name;
}

function nameTheSame(one: Evidence, other: Evidence): boolean {
  return one.entities.some((entity) => other.entities.includes(entity));
}

/** Whether any of one has a word or a thing in common with any of the other. */
function haveInCommon(left: readonly number[], right: readonly number[], evidence: readonly Evidence[]): boolean {
  return left.some((one) =>
    right.some((other) => {
      const [first, second] = [evidence[one] as Evidence, evidence[other] as Evidence];
      return overlap(first.stems, second.stems) > 0 || nameTheSame(first, second) || haveOneEnd(first, second);
    }),
  );
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

function meanBetween(left: readonly number[], right: readonly number[], alike: Float64Array, size: number): number {
  let sum = 0;
  for (const one of left) for (const other of right) sum += alike[one * size + other] ?? 0;
  return sum / (left.length * right.length);
}
