/** Times of one operation, in milliseconds. */
export interface Times {
  p50: number;
  p95: number;
  mean: number;
  perSecond: number;
}

/** Runs an operation `count` times, one after the other, after a short warm-up, and says how long it took. */
export async function measure(count: number, operation: (index: number) => unknown): Promise<Times> {
  const warmUp = Math.min(Math.ceil(count / 10), 100);
  for (let index = 0; index < warmUp; index += 1) await operation(index);
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const start = performance.now();
    await operation(warmUp + index);
    times.push(performance.now() - start);
  }
  return summary(times);
}

/** What a list of times says. */
export function summary(times: readonly number[]): Times {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
  const mean = sorted.reduce((sum, time) => sum + time, 0) / sorted.length;
  return { p50: at(0.5), p95: at(0.95), mean, perSecond: 1000 / mean };
}

/** Prints rows as a table with aligned columns. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  console.log(line(header));
  console.log(widths.map((width) => '─'.repeat(width)).join('  '));
  for (const row of rows) console.log(line(row));
}

/** Milliseconds for a table. */
export function ms(time: number): string {
  return time < 1 ? `${(time * 1000).toFixed(0)} µs` : `${time.toFixed(2)} ms`;
}
