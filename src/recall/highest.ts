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
