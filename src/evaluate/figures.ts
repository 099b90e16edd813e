import { invalidInput } from '../errors.ts';
import { abstentionArea, abstentionCurve, type AbstentionPoint } from './metrics.ts';
import { METRICS, type Row } from './row.ts';
import type { Run } from './run-file.ts';
import { difference, estimate, type Difference, type Estimate, type Observation } from './statistics.ts';

/** The mean of a metric over its items, with a confidence interval. */
export interface Figure extends Estimate {
  arm: string;
  metric: string;
  /** The kind of question or memory; null for all together. */
  kind: string | null;
}

function observationsOf(
  rows: readonly Row[],
  { arm, metric, kind = null }: { arm: string; metric: string; kind?: string | null },
): Observation[] {
  return rows.flatMap(({ conversation, measure, item, values, ...row }) => {
    const value = values[metric];
    if (value === undefined || row.arm !== arm || (kind !== null && row.kind !== kind)) return [];
    return [{ conversation, item: `${measure} ${item}`, value }];
  });
}

/** Figures over all rows, in the order of the metrics. With `byKind`, also for each kind. */
export function figuresOf(run: Run, { byKind = false }: { byKind?: boolean } = {}): Figure[] {
  const { rows } = run;
  const { seed } = run.header;
  return armsOf(run).flatMap((arm) =>
    Object.keys(METRICS).flatMap((metric) => {
      const own = rows.filter((row) => row.arm === arm && row.values[metric] !== undefined);
      if (own.length === 0) return [];
      const kinds = byKind ? [...new Set(own.map((row) => row.kind))].sort() : [];
      return [null, ...kinds].map((kind) => {
        return { arm, metric, kind, ...estimate(observationsOf(own, { arm, metric, kind }), { seed }) };
      });
    }),
  );
}

function armsOf({ header, rows }: Run): string[] {
  const there = new Set(rows.map(({ arm }) => arm));
  const named = header.arms.filter((arm) => there.has(arm));
  return [...named, ...[...there].filter((arm) => !named.includes(arm)).sort()];
}

/** How often recall abstains at each confidence threshold. */
export interface Abstention {
  arm: string;
  area: number;
  points: AbstentionPoint[];
}

const THRESHOLDS = Array.from({ length: 19 }, (_, index) => (index + 1) / 20);

/** Arms without confidences for both answerable and unanswerable questions are left out. */
export function abstentionOf(run: Run): Abstention[] {
  return armsOf(run).flatMap((arm) => {
    const questions = run.rows.flatMap(({ values, ...row }) => {
      const { confidence } = values;
      if (row.arm !== arm || confidence === undefined) return [];
      return [{ isAnswerable: values['silentOnUnanswerable'] === undefined, confidence }];
    });
    if (new Set(questions.map(({ isAnswerable }) => isAnswerable)).size < 2) return [];
    return [{ arm, area: abstentionArea(questions), points: abstentionCurve(questions, THRESHOLDS) }];
  });
}

/** The difference of one metric between two runs or two arms. */
export interface Compared {
  arm: string;
  metric: string;
  before: Estimate;
  after: Estimate;
  difference: Difference;
  /** `better` or `worse` only if the difference is significant (p < 0.05). */
  verdict: 'better' | 'worse' | 'same';
}

const SIGNIFICANT = 0.05;

/** Compares two runs on the same data, by arm and metric, over their common items. */
export function compareRuns(before: Run, after: Run): Compared[] {
  const [one, other] = [before.header.dataset, after.header.dataset];
  if (one !== other)
    throw invalidInput(`The runs have different data sets, ${one} and ${other}, and cannot be compared.`);
  const arms = armsOf(after).filter((arm) => armsOf(before).includes(arm));
  if (arms.length === 0) throw invalidInput('The two runs have no arm in common.');
  return arms.flatMap((arm) => compared({ rows: before.rows, arm }, { rows: after.rows, arm }));
}

/** Compares every arm of a run with the first arm. */
export function compareArms(run: Run): Compared[] {
  const [base, ...others] = armsOf(run);
  const { rows } = run;
  return base === undefined ? [] : others.flatMap((arm) => compared({ rows, arm: base }, { rows, arm }));
}

interface Side {
  rows: readonly Row[];
  arm: string;
}

function compared(before: Side, after: Side): Compared[] {
  return Object.entries(METRICS).flatMap(([metric, { better }]) => {
    const earlier = observationsOf(before.rows, { arm: before.arm, metric });
    const later = observationsOf(after.rows, { arm: after.arm, metric });
    const change = difference(earlier, later);
    if (change.items === 0) return [];
    const isSure = change.p < SIGNIFICANT && better !== 'none';
    const isBetter = better === 'higher' ? change.mean > 0 : change.mean < 0;
    const verdict = !isSure ? ('same' as const) : isBetter ? ('better' as const) : ('worse' as const);
    // Over the common items, because some arms, such as the ablations of recall signals, have rows for only some questions.
    const shared = (one: readonly Observation[], other: readonly Observation[]): Estimate => {
      const keys = new Set(other.map(({ conversation, item }) => `${conversation} ${item}`));
      return estimate(one.filter(({ conversation, item }) => keys.has(`${conversation} ${item}`)));
    };
    const means = { before: shared(earlier, later), after: shared(later, earlier) };
    return [{ arm: after.arm, metric, ...means, difference: change, verdict }];
  });
}

/** A share as .713, a count as 6.5, milliseconds with their unit, and a missing value as "–". */
export function shown(metric: string, value: number): string {
  if (Number.isNaN(value)) return '–';
  const unit = METRICS[metric]?.unit ?? 'share';
  if (unit === 'milliseconds') return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  if (unit === 'count') return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
  return value.toFixed(3).replace(/^(-?)0\./, '$1.');
}

export function shownWithInterval(metric: string, figure: Estimate): string {
  const mean = shown(metric, figure.mean);
  return Number.isNaN(figure.low) ? mean : `${mean} (${shownInterval(metric, figure, '')})`;
}

export function shownInterval(metric: string, { low, high }: Estimate, otherwise: string): string {
  return Number.isNaN(low) ? otherwise : `${shown(metric, low)} to ${shown(metric, high)}`;
}
