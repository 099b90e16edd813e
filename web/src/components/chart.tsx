import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlotType from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { theme } from '../theme.ts';
import { Swatch } from './basics.tsx';

export interface Series {
  name: string;
  /** The number of a colour of the style sheet. */
  hue: number;
  values: (number | null)[];
}

/**
 * A chart over days. Stacked series lie on top of each other. The legend shows the numbers of the day under the pointer, or of the last
 * day.
 */
export function Chart({
  days,
  series,
  kind,
  label,
  format = String,
}: {
  days: readonly string[];
  series: readonly Series[];
  kind: 'area' | 'bars' | 'line';
  label: string;
  format?(value: number): string;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const currentTheme = theme.value;
  const key = JSON.stringify([days, series, kind, currentTheme]);
  useEffect(() => {
    const element = box.current;
    if (element === null || days.length === 0) return undefined;
    let chart: uPlotType | null = null;
    let isOver = false;
    const resize = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height: HEIGHT }));
    void import('uplot').then(({ default: UPlot }) => {
      if (isOver) return;
      chart = draw(UPlot, element, { days, series, kind, format, onPoint: setPointed });
      resize.observe(element);
    });
    return () => {
      isOver = true;
      resize.disconnect();
      chart?.destroy();
    };
  }, [key]);
  // Charts end one column after today.
  const last = Math.max(0, days.length - 2);
  return (
    <figure class="chart">
      <div ref={box} class="chart-box" role="img" aria-label={label} />
      <figcaption class="legend">
        <span>{dayLabel(Date.parse(days[pointed ?? last] ?? '') / 1000, 0)}</span>
        {series.map(({ name, hue, values }) => (
          <span key={name} class="legend-item">
            <Swatch hue={hue} />
            {name} <strong>{format(values[pointed ?? last] ?? 0)}</strong>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

const HEIGHT = 220;

interface Drawing extends Required<Pick<Parameters<typeof Chart>[0], 'days' | 'series' | 'kind' | 'format'>> {
  /** Is called with the column under the pointer. */
  onPoint(index: number | null): void;
}

function draw(UPlot: typeof uPlotType, element: HTMLElement, drawing: Drawing): uPlotType {
  const { days, series, kind, format, onPoint } = drawing;
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const isStacked = kind !== 'line';
  // The topmost series of a stack is drawn first, so that lower series cover their part of it.
  const drawn = isStacked ? stacked(series).toReversed() : series;
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui',
  };
  const bars = UPlot.paths.bars?.({ size: [0.7, 24] });
  const stepped = UPlot.paths.stepped?.({ align: 1 });
  return new UPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { size: 6 } },
      padding: [8, 8, 0, 0],
      hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
      scales: { x: { time: true }, y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.05)] } },
      axes: [
        {
          ...axis,
          space: 72,
          grid: { show: false },
          values: (_plot, splits, _index, _space, step) => splits.map((at) => dayLabel(at, step)),
        },
        { ...axis, size: 52, values: (_plot, splits) => splits.map((value) => format(value)) },
      ],
      series: [
        {},
        ...drawn.map(({ name, hue }) => ({
          label: name,
          stroke: color(`--hue-${hue}`),
          width: kind === 'bars' ? 0 : 1.5,
          fill: isStacked ? color(`--hue-${hue}`) : undefined,
          paths: kind === 'bars' ? bars : kind === 'area' ? stepped : undefined,
          points: { show: kind === 'line' && days.length < 40 },
        })),
      ],
    },
    [
      days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000),
      ...drawn.map(({ values }) => values),
    ] as uPlotType.AlignedData,
    element,
  );
}

/** Series whose values include the values of the series before them. */
function stacked(series: readonly Series[]): Series[] {
  const sums: number[] = [];
  return series.map((one) => ({
    ...one,
    values: one.values.map((value, index) => (sums[index] = (sums[index] ?? 0) + (value ?? 0))),
  }));
}

const MONTH = 28 * 86_400;
const MONTH_NAME = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
const DAY_NAME = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A label of the time axis: the year where a year begins, otherwise the month or the day. */
function dayLabel(at: number, step: number): string {
  const date = new Date(at * 1000);
  if (step < MONTH) return DAY_NAME.format(date);
  return date.getUTCMonth() === 0 ? String(date.getUTCFullYear()) : MONTH_NAME.format(date);
}

const DAY = 86_400_000;
const MOST_COLUMNS = 90;

/** The columns of a chart from the first day until today, and the column that a day belongs to: a day, a week or a month. */
export function columnsFrom(days: readonly string[]): { days: string[]; columnOf(day: string): string } {
  const first = days.toSorted()[0];
  if (first === undefined) return { days: [], columnOf: String };
  const start = Date.parse(first);
  const span = (Date.now() - start) / DAY;
  const step = span <= MOST_COLUMNS ? DAY : span <= MOST_COLUMNS * 7 ? 7 * DAY : 30 * DAY;
  const columnOf = (day: string): string =>
    new Date(start + Math.floor((Date.parse(day) - start) / step) * step).toISOString().slice(0, 10);
  const all: string[] = [];
  for (let at = start - step; at <= Date.now() + step; at += step) all.push(new Date(at).toISOString().slice(0, 10));
  return { days: all, columnOf };
}

/** Counts by column. */
export function counted<Row extends { day: string; count: number }>(
  rows: readonly Row[],
  columnOf: (day: string) => string,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { day, count } of rows) sums.set(columnOf(day), (sums.get(columnOf(day)) ?? 0) + count);
  return sums;
}
