import type { Evidence } from './evidence.ts';

/** What a theme's evidence comes to, counted in code. */
export interface PatternCount {
  /** The words that all of it has in common. */
  theme: string[];
  /** What was counted; null when only good and bad outcomes are known. */
  measure: string | null;
  /** Whether more of what was counted is good; null: nobody knows. */
  moreIsGood: boolean | null;
  /** The variants of the theme, the best first; by how often they occurred where nobody knows what is good. */
  groups: GroupCount[];
  /** The variant that worked best; null where too few cases, or too little difference, say so. */
  best: string | null;
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
  const moreIsGood = isMoreGood(evidence, measure);
  const groups = [...Map.groupBy(evidence, (each) => variants.get(each) ?? '')]
    .map(([name, members]) => countGroup(name, members))
    .toSorted(
      (one, other) =>
        merit(other, moreIsGood) - merit(one, moreIsGood) ||
        other.count - one.count ||
        (one.label < other.label ? -1 : 1),
    );
  const best = bestOf(groups, moreIsGood);
  const tools = Map.groupBy(
    evidence.flatMap((each) => each.tool ?? []),
    (tool) => tool,
  );
  return {
    theme: inOrderOfSpeech(evidence, common.size > 0 ? common : mostCommon(evidence, groups)),
    measure,
    moreIsGood,
    groups,
    best,
    ratio: best === null || moreIsGood !== true ? null : ratioOf(groups),
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

/** Measures of which less is better, where no outcome was called good or bad. */
const BAD_WHEN_MANY =
  /^(?:complaint|error|failure|fault|bug|return|refund|delay|cancellation|crash|defect|loss|incident|ticket|injur|mistake|unsubscribe|beschwerde|fehler|reklamation|retoure|plainte|erreur|queja|devoluc)/i;
/** Measures of which more is better, in the same case. */
const GOOD_WHEN_MANY =
  /^(?:view|sale|order|like|click|sign|reader|subscriber|customer|booking|point|star|visit|download|reply|replies|share|comment|lead|goal|win|euro|dollar|pound)/i;

/**
 * Whether more of what was counted is good: as the outcomes that were called good and bad show, or where they show nothing, as the name
 * of the measure says. Null: nobody knows.
 */
function isMoreGood(evidence: readonly Evidence[], measure: string | null): boolean | null {
  if (measure === null) return null;
  const meanOf = (effect: Evidence['effect']): number | null => {
    const values = evidence.flatMap((each) => (each.effect === effect ? (each.measure?.value ?? []) : []));
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const [good, bad] = [meanOf('positive'), meanOf('negative')];
  if (good !== null && bad !== null && good !== bad) return good > bad;
  if (BAD_WHEN_MANY.test(measure)) return false;
  if (GOOD_WHEN_MANY.test(measure)) return true;
  return null;
}

/** How well a variant did: by its measure in the direction that is good, or by the share of its good outcomes. */
function merit({ mean, positive, negative, count }: GroupCount, moreIsGood: boolean | null): number {
  if (mean !== null && moreIsGood !== null) return moreIsGood ? mean : -mean;
  // A single good outcome is not better than nine of ten: each share is drawn to the middle by two cases.
  return positive + negative === 0 ? 0 : (positive + 1) / (positive + negative + 2) + count * 1e-6;
}

/** So many cases a variant needs before it can be said to work best, and so many the one that it is compared with. */
const CASES = 3;
const COMPARED = 2;

/** The variant that worked best, where enough cases and a clear difference say so. */
function bestOf(groups: readonly GroupCount[], moreIsGood: boolean | null): string | null {
  const named = groups.filter(({ label }) => label !== '');
  const [best, ...others] = named;
  const next = others.find(({ count }) => count >= COMPARED);
  if (best === undefined || next === undefined || best.count < CASES) return null;
  const isJudged = (moreIsGood !== null && best.mean !== null) || best.positive + best.negative > 0;
  if (!isJudged || merit(best, moreIsGood) <= merit(next, moreIsGood)) return null;
  // What mostly went badly is not the best of anything.
  return best.negative > best.positive ? null : best.label;
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

/** "recipe 303 views on average in 3 cases, news 103 in 2 cases" */
export function writeCount({ groups, measure }: PatternCount): string {
  return listed(groups.map((group, index) => `${nameOf(group)} ${outcomeOf(group, index === 0 ? measure : null)}`));
}

function nameOf({ label }: GroupCount): string {
  return label === '' ? 'the others' : label;
}

/** "303 views on average in 3 cases", "a good result in 2 of 3 cases". */
function outcomeOf({ count, mean, positive, negative }: GroupCount, measure: string | null): string {
  const cases = count === 1 ? '1 case' : `${count} cases`;
  if (mean === null) return positive + negative === 0 ? cases : `a good result in ${positive} of ${cases}`;
  const amount = mean.toLocaleString('en');
  return measure === null
    ? `${amount} in ${cases}`
    : `${amount} ${measure}${count === 1 ? '' : ' on average'} in ${cases}`;
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/**
 * "In 5 cases of “suggested post”, recipe worked best: 303 views on average in 3 cases, against news with 103 in 2 cases (2.9 times as
 * many).", or only what was counted where that does not show what is best.
 */
export function sayCount(count: PatternCount): string {
  const { best, groups, ratio, measure, total } = count;
  const theme = count.theme.join(' ');
  const what = `In ${total} cases${theme === '' ? '' : ` of “${theme}”`}`;
  const [first, ...others] = groups;
  if (best === null || first === undefined) {
    return `${what}: ${writeCount(count)}. That is too little to say what works best.`;
  }
  const against = listed(others.map((group) => `${nameOf(group)} with ${outcomeOf(group, null)}`));
  const times = ratio === null || ratio <= 1 ? '' : ` (${ratio.toFixed(1)} times as many)`;
  return `${what}, ${best} worked best: ${outcomeOf(first, measure)}, against ${against}${times}.`;
}
