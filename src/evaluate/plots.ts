import type { Estimate } from './statistics.ts';

// Plots are SVG without scripts, so that a report can be opened offline, printed and mailed.

/** Reports contain users' words, so they must be escaped. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

export interface Whisker extends Pick<Estimate, 'mean' | 'low' | 'high'> {
  label: string;
  text: string;
  tone?: 'better' | 'worse' | 'same' | 'whole';
}

const LABEL = 230;
const VALUE = 150;
const WIDTH = 860;
const ROW = 26;

export function whiskerPlot(
  whiskers: readonly Whisker[],
  { from, to, zero }: { from: number; to: number; zero?: number },
): string {
  const height = whiskers.length * ROW + 28;
  const right = WIDTH - VALUE;
  const x = (value: number): string =>
    (LABEL + ((Math.min(to, Math.max(from, value)) - from) / (to - from || 1)) * (right - LABEL)).toFixed(1);
  const vertical = (name: string, value: number): string =>
    `<line class="${name}" x1="${x(value)}" x2="${x(value)}" y1="4" y2="${height - 22}"/>`;
  const ticks = ticksOf(from, to).map(
    (tick) =>
      `${vertical('grid', tick)}<text class="tick" x="${x(tick)}" y="${height - 6}" text-anchor="middle">${tickText(tick)}</text>`,
  );
  const base = zero === undefined ? '' : vertical('zero', zero);
  const lines = whiskers.map(({ label, mean, low, high, text, tone = 'same' }, index) => {
    const y = index * ROW + 18;
    const bar = Number.isNaN(low)
      ? ''
      : `<line class="bar ${tone}" x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}"/>`;
    return (
      `<text class="label ${tone}" x="${LABEL - 14}" y="${y + 4}" text-anchor="end">${escaped(label)}</text>${bar}` +
      `<circle class="dot ${tone}" cx="${x(mean)}" cy="${y}" r="4.5"/>` +
      `<text class="value" x="${right + 14}" y="${y + 4}">${escaped(text)}</text>`
    );
  });
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img">${ticks.join('')}${base}${lines.join('')}</svg>`;
}

interface Line {
  name: string;
  points: { x: number; y: number; low?: number; high?: number; label: string }[];
  xTitle: string;
  yTitle: string;
  xs: readonly number[];
  isLogarithmic?: boolean;
}

export function linePlot({ name, points, xTitle, yTitle, xs, isLogarithmic = false }: Line): string {
  const [width, height, left, bottom] = [520, 300, 54, 46];
  const scale = (value: number): number => (isLogarithmic ? Math.log(value) : value);
  const [first, last] = [scale(xs[0] ?? 0), scale(xs.at(-1) ?? 1)];
  const x = (value: number): number => left + ((scale(value) - first) / (last - first || 1)) * (width - left - 16);
  const y = (value: number): number => height - bottom - value * (height - bottom - 14);
  const at = (px: number, value: number): string => `${x(px).toFixed(1)},${y(value).toFixed(1)}`;
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (tick) =>
      `<line class="grid" x1="${left}" x2="${width - 16}" y1="${y(tick)}" y2="${y(tick)}"/>` +
      `<text class="tick" x="${left - 8}" y="${y(tick) + 4}" text-anchor="end">${tickText(tick)}</text>`,
  );
  const marks = xs.map(
    (tick) =>
      `<text class="tick" x="${x(tick).toFixed(1)}" y="${height - bottom + 18}" text-anchor="middle">${tick.toLocaleString('en')}</text>`,
  );
  const banded = points.filter(({ low }) => low !== undefined && !Number.isNaN(low));
  const outline = [
    ...banded.map((point) => at(point.x, point.high ?? point.y)),
    ...banded.toReversed().map((point) => at(point.x, point.low ?? point.y)),
  ];
  const band = outline.length > 2 ? `<polygon class="band line0" points="${outline.join(' ')}"/>` : '';
  const path = points.map((point) => at(point.x, point.y)).join(' ');
  const line = `<polyline class="path line0" points="${path}"><title>${escaped(name)}</title></polyline>`;
  const dots = points.map(
    (point) =>
      `<circle class="dot line0" cx="${x(point.x).toFixed(1)}" cy="${y(point.y).toFixed(1)}" r="3.5"><title>${escaped(point.label)}</title></circle>`,
  );
  const titles =
    `<text class="axis" x="${(left + width) / 2}" y="${height - 6}" text-anchor="middle">${escaped(xTitle)}</text>` +
    `<text class="axis" transform="translate(14 ${(height - bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(yTitle)}</text>`;
  return `<svg class="small" viewBox="0 0 ${width} ${height}" role="img">${grid.join('')}${marks.join('')}${band}${line}${dots.join('')}${titles}</svg>`;
}

function ticksOf(from: number, to: number): number[] {
  const step = to - from > 0.6 ? 0.2 : to - from > 0.25 ? 0.1 : 0.05;
  const ticks: number[] = [];
  for (let tick = Math.ceil(from / step - 1e-9) * step; tick <= to + 1e-9; tick += step)
    ticks.push(Math.round(tick * 100) / 100);
  return ticks;
}

function tickText(tick: number): string {
  if (tick === 0) return '0';
  const digits = Math.abs(tick * 10 - Math.round(tick * 10)) < 1e-9 ? 1 : 2;
  return tick
    .toFixed(digits)
    .replace(/^(-?)0\./, '$1.')
    .replace('-', '−');
}
