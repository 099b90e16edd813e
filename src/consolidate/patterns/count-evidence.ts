import type { Evidence } from './evidence.ts';

/** What a theme's evidence comes to, counted in code. */
export interface PatternCount {
  /** The words that all of it has in common. */
  theme: string[];
  /** What was counted; null when only good and bad outcomes are known. */
  measure: string | null;
  /** The variants of the theme, the best first. */
  groups: GroupCount[];
  /** How many times the best group's mean is that of the last, as both are shown; null when there is no comparing. */
  ratio: number | null;
  total: number;
  sessions: number;
  tools: Record<string, number>;
}

export interface GroupCount {
  label: string;
  count: number;
  /** Rounded as it is shown. */
  mean: number | null;
  positive: number;
  negative: number;
}

// A word that nearly all have is the theme; one that some have tells the variants apart.
const COMMON = 0.8;

/** Counts the evidence of one theme by its variants. */
export function countEvidence(evidence: readonly Evidence[]): PatternCount {
  const common = new Set(
    [...frequenciesOf(evidence)].filter(([, count]) => count >= evidence.length * COMMON).map(([stem]) => stem),
  );
  const variants = variantsOf(evidence, common);
  const measure = evidence.find((each) => each.measure !== null)?.measure?.name ?? null;
  const groups = [...Map.groupBy(evidence, (each) => variants.get(each) ?? '')]
    .map(([name, members]) => countGroup(name, members))
    .toSorted(
      (one, other) =>
        (other.mean ?? share(other)) - (one.mean ?? share(one)) ||
        other.count - one.count ||
        (one.label < other.label ? -1 : 1),
    );
  const tools = Map.groupBy(
    evidence.flatMap((each) => each.tool ?? []),
    (tool) => tool,
  );
  return {
    theme: inOrderOfSpeech(evidence, common.size > 0 ? common : mostCommon(evidence, groups)),
    measure,
    groups,
    ratio: ratioOf(groups),
    total: evidence.length,
    sessions: new Set(evidence.map(({ session }) => session ?? '')).size,
    tools: Object.fromEntries([...tools].map(([tool, uses]) => [tool, uses.length])),
  };
}

/**
 * The words by which cases of a theme differ, by case: first the one that tells most about how they came out, or that
 * most of them have, then the same of the rest. A case that shares no word with another has none.
 */
function variantsOf(evidence: readonly Evidence[], common: ReadonlySet<string>): Map<Evidence, string> {
  const labels = new Map<Evidence, string>();
  for (let rest = evidence; ;) {
    const [best] = [...frequenciesOf(rest)]
      .filter(([stem, count]) => count > 1 && !common.has(stem))
      .map(([stem, count]) => ({ stem, count, told: toldBy(stem, rest) }))
      .toSorted((one, other) => other.told - one.told || other.count - one.count || (one.stem < other.stem ? -1 : 1));
    if (best === undefined) return labels;
    const { stem } = best;
    const having = rest.filter(({ stems }) => stems.has(stem));
    const label = wordFor(stem, having[0]?.text ?? '');
    for (const each of having) labels.set(each, label);
    rest = rest.filter(({ stems }) => !stems.has(stem));
  }
}

/** How much of the difference in what was counted a word explains: the squares between those that have it and the rest. */
function toldBy(stem: string, evidence: readonly Evidence[]): number {
  const measured = evidence.flatMap(({ stems, measure }) =>
    measure === null ? [] : [{ has: stems.has(stem), value: measure.value }],
  );
  const mean = (values: readonly { value: number }[]): number =>
    values.reduce((sum, { value }) => sum + value, 0) / Math.max(1, values.length);
  const all = mean(measured);
  return [true, false]
    .map((has) => measured.filter((each) => each.has === has))
    .reduce((sum, group) => sum + group.length * (mean(group) - all) ** 2, 0);
}

function frequenciesOf(evidence: readonly Evidence[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const { stems } of evidence) for (const stem of stems) frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1);
  return frequencies;
}

/** The word of the text that a stem stands for. */
function wordFor(stem: string, text: string): string {
  const plain = text.toLowerCase().match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? [];
  return plain.find((word) => word.startsWith(stem.slice(0, Math.max(3, stem.length - 1)))) ?? stem;
}

/** Where nearly all have no word in common: those that most have, other than the names of variants. */
function mostCommon(evidence: readonly Evidence[], groups: readonly GroupCount[]): Set<string> {
  const labels = new Set(groups.map(({ label }) => label));
  const most = [...frequenciesOf(evidence)].filter(
    ([stem, count]) => count > evidence.length / 2 && !labels.has(wordFor(stem, textWith(stem, evidence))),
  );
  return new Set(most.map(([stem]) => stem));
}

function textWith(stem: string, evidence: readonly Evidence[]): string {
  return evidence.find(({ stems }) => stems.has(stem))?.text ?? '';
}

function inOrderOfSpeech(evidence: readonly Evidence[], common: ReadonlySet<string>): string[] {
  const first = evidence.find(({ stems }) => [...common].every((stem) => stems.has(stem))) ?? evidence[0];
  return [...(first?.stems ?? [])].filter((stem) => common.has(stem)).map((stem) => wordFor(stem, first?.text ?? ''));
}

function countGroup(label: string, members: readonly Evidence[]): GroupCount {
  const values = members.flatMap(({ measure }) => measure?.value ?? []);
  const mean = values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    label,
    count: members.length,
    mean: mean === null ? null : rounded(mean),
    positive: members.filter(({ effect }) => effect === 'positive').length,
    negative: members.filter(({ effect }) => effect === 'negative').length,
  };
}

function share({ positive, negative }: GroupCount): number {
  return positive + negative === 0 ? 0 : positive / (positive + negative);
}

/** Whole numbers from 10 on, one decimal below. */
function rounded(value: number): number {
  return Math.abs(value) >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
}

/** Of the means as they are shown, so that who divides them gets the same. One case alone is no group to compare with. */
function ratioOf(groups: readonly GroupCount[]): number | null {
  const counted = groups.filter(({ mean, count, label }) => mean !== null && count > 1 && label !== '');
  const [best, last] = [counted[0], counted.at(-1)];
  if (counted.length < 2 || best?.mean == null || last?.mean == null || last.mean <= 0) return null;
  return Math.round((best.mean / last.mean) * 10) / 10;
}

/** "recipe: 3, mean 303 views; news: 2, mean 103 views; 2.9×" */
export function writeCount({ groups, measure, ratio }: PatternCount): string {
  const parts = groups.map(({ label, count, mean, positive, negative }) => {
    const outcome =
      mean !== null ? `mean ${mean.toLocaleString('en')} ${measure ?? ''}`.trim() : `${positive} good, ${negative} bad`;
    return `${label === '' ? 'others' : label}: ${count}, ${outcome}`;
  });
  return [...parts, ...(ratio === null ? [] : [`${ratio.toFixed(1)}×`])].join('; ');
}
