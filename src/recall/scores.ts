export const RECIPROCAL_RANK_CONSTANT = 60;

/** Reciprocal rank fusion: each list adds 1 / (k + rank), ranks from 1. */
export function fuseByReciprocalRank<Item>(
  rankings: readonly (readonly Item[])[],
  k: number = RECIPROCAL_RANK_CONSTANT,
): Map<Item, number> {
  const scores = new Map<Item, number>();
  for (const ranking of rankings) {
    for (const [index, item] of ranking.entries()) scores.set(item, (scores.get(item) ?? 0) + 1 / (k + index + 1));
  }
  return scores;
}

/** z-scores of the known values; an unknown value (NaN) becomes 0, the mean. */
export function standardise(values: ArrayLike<number>, limit = 8): Float32Array {
  let count = 0;
  let sum = 0;
  let squares = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as number;
    if (Number.isNaN(value)) continue;
    count += 1;
    sum += value;
    squares += value * value;
  }
  const result = new Float32Array(values.length);
  if (count < 2) return result;
  const mean = sum / count;
  const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean));
  if (deviation < 1e-9) return result;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as number;
    result[index] = Number.isNaN(value) ? 0 : Math.max(-limit, Math.min(limit, (value - mean) / deviation));
  }
  return result;
}

const BINS = 2048;

/**
 * The ordinals of the `count` highest values, unordered; NaN is not a value. A histogram finds the cut, so that only
 * the values near it are sorted.
 */
export function highest(values: Float32Array, count: number): number[] {
  if (values.length <= count) return Array.from(values.keys()).filter((ordinal) => !Number.isNaN(values[ordinal]));
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let ordinal = 0; ordinal < values.length; ordinal += 1) {
    const value = values[ordinal] as number;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const scale = high > low ? (BINS - 1) / (high - low) : 0;
  const histogram = new Uint32Array(BINS);
  for (let ordinal = 0; ordinal < values.length; ordinal += 1) {
    const value = values[ordinal] as number;
    if (Number.isNaN(value)) continue;
    const bin = ((value - low) * scale) | 0;
    histogram[bin] = (histogram[bin] as number) + 1;
  }
  let cut = BINS - 1;
  for (let taken = histogram[cut] as number; taken < count && cut > 0;) {
    cut -= 1;
    taken += histogram[cut] as number;
  }
  const chosen: number[] = [];
  for (let ordinal = 0; ordinal < values.length; ordinal += 1) {
    const value = values[ordinal] as number;
    if (!Number.isNaN(value) && (((value - low) * scale) | 0) >= cut) chosen.push(ordinal);
  }
  if (chosen.length <= count) return chosen;
  return chosen
    .sort((left, right) => (values[right] as number) - (values[left] as number) || left - right)
    .slice(0, count);
}
