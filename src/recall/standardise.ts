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
