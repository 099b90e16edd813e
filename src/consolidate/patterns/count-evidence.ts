import { english } from '../../language/packs/en.ts';
import type { Pack } from '../../language/packs/pack.ts';
import { detectPack, wordsOfAll } from '../../language/packs/packs.ts';
import { contentStems } from '../../language/words.ts';
import type { Evidence } from './evidence.ts';

/** The counts for one theme. Code computes them, never a model. */
export interface PatternCount {
  /** The words that nearly all cases share. */
  theme: string[];
  /** The theme as one case words it, with a gap where the cases differ: "Shipped the parcels with ___". */
  phrase: string;
  pack: Pack;
  /** The name of the measure. Null if nothing was measured and outcomes are only good or bad. */
  measure: string | null;
  /** The variants of the theme, the best first. If it is unknown which is better, the most frequent comes first. */
  groups: GroupCount[];
  /** The variant that worked best. Null if there are too few cases or the difference is too small. */
  best: string | null;
  /** The best group's mean divided by the last group's mean, both rounded as in the text. Null if they are not comparable. */
  ratio: number | null;
  total: number;
  sessions: number;
  tools: Record<string, number>;
}

interface GroupCount {
  label: string;
  count: number;
  /** Rounded as in the text. Null if nothing was measured. */
  mean: number | null;
  /** Infinite for a single case. */
  error: number;
  positive: number;
  negative: number;
}

// A word that occurs in at least this share of the cases belongs to the theme. A rarer word distinguishes variants.
const COMMON = 0.8;

/** `usual` is the language of the conversations, for evidence that is too short to detect its own language. */
export function countEvidence(evidence: readonly Evidence[], usual: Pack | null = null): PatternCount {
  const stemCounts = [...frequenciesOf(evidence.map(({ stems }) => stems))];
  const common = new Set(stemCounts.filter(([, count]) => count >= evidence.length * COMMON).map(([stem]) => stem));
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
  const tools = frequenciesOf(evidence.map(({ tool }) => (tool === null ? [] : [tool])));
  const theme = common.size > 0 ? common : mostCommon(evidence, groups);
  // The theme takes its words and their order from the first case that contains all of it.
  const example = evidence.find(({ stems }) => [...theme].every((stem) => stems.has(stem))) ?? evidence[0];
  const { stems, text } = example ?? { stems: [], text: '' };
  return {
    theme: [...stems].filter((stem) => theme.has(stem)).map((stem) => wordFor(stem, text)),
    phrase: phraseOf(text, evidence, theme),
    pack: detectPack(evidence.map(({ written }) => written).join('\n'), usual ?? english) ?? english,
    measure,
    groups,
    best,
    ratio: best === null || moreIsGood !== true ? null : ratioOf(groups),
    total: evidence.length,
    sessions: new Set(evidence.map(({ session }) => session ?? '')).size,
    tools: Object.fromEntries(tools),
  };
}

/**
 * Names each case by the word that explains most of the measure's variance, then the remaining cases by the next such word. A case that
 * shares no such word with another case has no variant.
 */
function variantsOf(evidence: readonly Evidence[], common: ReadonlySet<string>): Map<Evidence, string> {
  const labels = new Map<Evidence, string>();
  for (let rest = evidence; ;) {
    const [best] = [...frequenciesOf(rest.map(({ stems }) => stems))]
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

/** The sum of squares between the cases with the word and those without. */
function toldBy(stem: string, evidence: readonly Evidence[]): number {
  const all = meanOf(valuesOf(evidence)) ?? 0;
  return [true, false]
    .map((has) => valuesOf(evidence.filter(({ stems }) => stems.has(stem) === has)))
    .reduce((sum, values) => sum + values.length * ((meanOf(values) ?? 0) - all) ** 2, 0);
}

function valuesOf(evidence: readonly Evidence[]): number[] {
  return evidence.flatMap(({ measure }) => measure?.value ?? []);
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function frequenciesOf(lists: readonly Iterable<string>[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const list of lists) for (const word of list) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  return frequencies;
}

function wordFor(stem: string, text: string): string {
  return wordsOf(text).find((word) => contentStems(word).has(stem)) ?? stem;
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? [];
}

// An ellipsis would end a sentence.
const GAP = '___';

function phraseOf(example: string, evidence: readonly Evidence[], theme: ReadonlySet<string>): string {
  const texts = evidence.map(({ text }) => new Set(wordsOf(text.toLowerCase())));
  const isCommon = (word: string): boolean =>
    [...contentStems(word)].some((stem) => theme.has(stem)) ||
    texts.filter((words) => words.has(word.toLowerCase())).length >= evidence.length * COMMON;
  const words = wordsOf(example).map((word) => (isCommon(word) ? word : GAP));
  return words.filter((word, index) => word !== GAP || words[index - 1] !== GAP).join(' ');
}

/** For cases without a word that nearly all share: the words that more than half of them share, without the variants' names. */
function mostCommon(evidence: readonly Evidence[], groups: readonly GroupCount[]): Set<string> {
  const labels = new Set(groups.map(({ label }) => label));
  const isLabel = (stem: string): boolean =>
    labels.has(wordFor(stem, evidence.find(({ stems }) => stems.has(stem))?.text ?? ''));
  const most = [...frequenciesOf(evidence.map(({ stems }) => stems))].filter(
    ([stem, count]) => count > evidence.length / 2 && !isLabel(stem),
  );
  return new Set(most.map(([stem]) => stem));
}

function countGroup(label: string, members: readonly Evidence[]): GroupCount {
  const values = valuesOf(members);
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - (mean ?? 0)) ** 2, 0);
  return {
    label,
    count: members.length,
    mean: mean === null ? null : rounded(mean),
    error: values.length < 2 ? Infinity : Math.sqrt(squares / (values.length - 1) / values.length),
    positive: members.filter(({ effect }) => effect === 'positive').length,
    negative: members.filter(({ effect }) => effect === 'negative').length,
  };
}

const BAD_WHEN_MANY = new RegExp(`^(?:${wordsOfAll('badWhenMany')})`, 'i');
const GOOD_WHEN_MANY = new RegExp(`^(?:${wordsOfAll('goodWhenMany')})`, 'i');

/** The outcomes that were called good or bad decide, and then the measure's name. Null if neither does. */
function isMoreGood(evidence: readonly Evidence[], measure: string | null): boolean | null {
  if (measure === null) return null;
  const [good = null, bad = null] = ['positive', 'negative'].map((effect) =>
    meanOf(valuesOf(evidence.filter((each) => each.effect === effect))),
  );
  if (good !== null && bad !== null && good !== bad) return good > bad;
  if (BAD_WHEN_MANY.test(measure)) return false;
  return GOOD_WHEN_MANY.test(measure) ? true : null;
}

function merit({ mean, positive, negative, count }: GroupCount, moreIsGood: boolean | null): number {
  if (mean !== null && moreIsGood !== null) return moreIsGood ? mean : -mean;
  // Laplace smoothing keeps a single good outcome from ranking above nine out of ten.
  return positive + negative === 0 ? 0 : (positive + 1) / (positive + negative + 2) + count * 1e-6;
}

/** The best variant needs at least `CASES` cases, and the variant that it is compared with at least `COMPARED`. */
const CASES = 3;
const COMPARED = 2;

function bestOf(groups: readonly GroupCount[], moreIsGood: boolean | null): string | null {
  const named = groups.filter(({ label }) => label !== '');
  const [best, ...others] = named;
  const next = others.find(({ count }) => count >= COMPARED);
  if (best === undefined || next === undefined || best.count < CASES) return null;
  // A variant with more bad outcomes than good ones is not called the best.
  return best.negative > best.positive || !isClearlyBetter(best, next, moreIsGood) ? null : best.label;
}

/**
 * A variant is clearly better if the means differ by `ERRORS` standard errors and by `CLEAR_MEAN` of the second mean, or the shares of good
 * outcomes by `CLEAR_SHARE`.
 */
const ERRORS = 2;
const CLEAR_MEAN = 0.1;
const CLEAR_SHARE = 0.25;

function isClearlyBetter(best: GroupCount, next: GroupCount, moreIsGood: boolean | null): boolean {
  const difference = merit(best, moreIsGood) - merit(next, moreIsGood);
  if (best.mean === null || next.mean === null || moreIsGood === null) return difference >= CLEAR_SHARE;
  const least = Math.max(ERRORS * Math.hypot(best.error, next.error), CLEAR_MEAN * Math.abs(next.mean));
  return difference >= least && difference > 0;
}

function rounded(value: number): number {
  return Math.abs(value) >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
}

/** Divides the rounded means, so that readers of the text get the same ratio. Null if it is unclear which variants are compared. */
function ratioOf(groups: readonly GroupCount[]): number | null {
  const [best, last, ...others] = groups;
  if (others.length > 0 || best?.mean == null || last?.mean == null || last.mean <= 0) return null;
  if (last.count < COMPARED || last.label === '') return null;
  return Math.round((best.mean / last.mean) * 10) / 10;
}

/** Such as "303 views on average in 3 cases with recipe and 103 in 2 cases with news". */
export function writeCount(count: PatternCount): string {
  return listed(count, count.groups, true);
}

function withName(count: PatternCount, group: GroupCount, isFirst: boolean): string {
  const outcome = outcomeOf(count, group, isFirst);
  if (count.groups.length === 1 && group.label === '') return outcome;
  return fill(count.pack.tried.with, {
    outcome,
    name: group.label === '' ? count.pack.tried.words.others : group.label,
  });
}

/** Such as "303 views on average in 3 cases" or "a good result in 2 of 3 cases". Only the first group of a list names the measure. */
function outcomeOf(
  count: PatternCount,
  { count: size, mean, positive, negative }: GroupCount,
  isFirst: boolean,
): string {
  const { pack, measure } = count;
  const { words } = pack.tried;
  const cases = `${size}${pack.script === 'han' ? '' : ' '}${size === 1 ? words.case : words.cases}`;
  if (mean === null)
    return positive + negative === 0 ? cases : fill(pack.tried.good, { good: String(positive), cases });
  const template = isFirst ? pack.tried.mean.replace(/[[\]]/g, '') : pack.tried.mean.replace(/\[[^[\]]*\]/g, '');
  const unit = mean === 1 && pack.language === 'en' ? measure?.replace(/s$/, '') : measure;
  return fill(template, { mean: mean.toLocaleString(pack.language), measure: unit ?? '', cases });
}

function listed(count: PatternCount, groups: readonly GroupCount[], namesMeasure: boolean): string {
  const parts = groups.map((group, index) => withName(count, group, namesMeasure && index === 0));
  const last = parts.pop() ?? '';
  return parts.length === 0 ? last : `${parts.join(', ')}${count.pack.tried.words.and}${last}`;
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/**
 * Such as "“Suggested ___ post” worked best with recipe: 303 views on average in 3 cases, against 103 in 2 cases with news (2.9 times as
 * many)." Makes no comparison if the counts do not show which variant is best.
 */
export function sayCount(count: PatternCount): string {
  const { best, groups, ratio, pack, phrase } = count;
  const [first, ...rest] = groups;
  if (best === null || first === undefined) {
    return fill(pack.tried.counted, { theme: phrase, all: writeCount(count) });
  }
  const others = listed(count, rest, false);
  const times =
    ratio === null || ratio <= 1 ? '' : ` (${ratio.toLocaleString(pack.language)} ${pack.tried.words.times})`;
  const outcome = outcomeOf(count, first, true);
  return fill(pack.tried.best, { theme: phrase, name: best, first: outcome, others: `${others}${times}` });
}
