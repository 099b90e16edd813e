import { appendFileSync } from 'node:fs';

/** Times of one operation, in milliseconds. */
export interface Times {
  p50: number;
  p95: number;
  /** The limits of the 95 % interval of the median. */
  low: number;
  high: number;
  mean: number;
  perSecond: number;
}

/** Runs an operation `count` times, one after the other, after a short warm-up, and returns the times. */
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

/** Summarises a list of times. The interval of the median comes from order statistics, which assume no distribution. */
export function summary(times: readonly number[]): Times {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (place: number): number =>
    sorted[Math.max(0, Math.min(Math.floor(place), sorted.length - 1))] ?? Number.NaN;
  const mean = sorted.reduce((sum, time) => sum + time, 0) / sorted.length;
  const reach = 0.98 * Math.sqrt(sorted.length);
  return {
    p50: at(sorted.length * 0.5),
    p95: at(sorted.length * 0.95),
    low: at(sorted.length * 0.5 - reach),
    high: at(sorted.length * 0.5 + reach),
    mean,
    perSecond: 1000 / mean,
  };
}

/** A table of a benchmark, as docs/benchmarks.md shows it. */
export interface BenchTable {
  title: string;
  header: readonly string[];
  rows: readonly (readonly string[])[];
  /** Further information, such as sizes and goals. */
  note: string;
}

/**
 * Prints a table of a benchmark. `npm run benchmarks -- --measure …` runs the scripts with the name of a file in BENCH_TABLES. The table
 * is appended to that file, so that nobody has to copy figures to the page.
 */
export function report(
  title: string,
  { header, rows, note = '' }: { header: readonly string[]; rows: readonly (readonly string[])[]; note?: string },
): void {
  console.log(`\n${title}${note === '' ? '' : `\n${note}`}\n`);
  printTable(header, rows);
  const file = process.env['BENCH_TABLES'];
  if (file !== undefined)
    appendFileSync(file, `${JSON.stringify({ title, header, rows, note } satisfies BenchTable)}\n`);
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

/** Formats milliseconds for a table. */
export function ms(time: number): string {
  return time < 1 ? `${(time * 1000).toFixed(0)} µs` : `${time.toFixed(time < 100 ? 2 : 0)} ms`;
}

/** The mark of a cell whose goal was missed. The page lists such rows. */
export const MISSED = ': missed';

/** A goal in words, and whether it was missed. */
export function goal(text: string, isMet: boolean): string {
  return isMet ? text : `${text}${MISSED}`;
}

/** A goal in milliseconds, and whether it was met. */
export function timeGoal({ p50, p95 }: Times, most: { p50: number; p95?: number }): string {
  const text = [`≤ ${most.p50} ms`, ...(most.p95 === undefined ? [] : [`p95 ≤ ${most.p95} ms`])].join(', ');
  return goal(text, p50 <= most.p50 && p95 <= (most.p95 ?? Infinity));
}

/** A median with its interval, and the 95th percentile: two cells of a table. */
export function timeCells({ p50, p95, low, high }: Times): [string, string] {
  return [`${ms(p50)} (${ms(low)} to ${ms(high)})`, ms(p95)];
}
