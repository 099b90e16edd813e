import { resolveDates } from '../language/resolve-dates.ts';
import { words } from '../language/words.ts';
import { coverageOf, matchLexically } from './lexical-index.ts';
import { MONTHS, QUERY_STOP_TERMS } from './query-words.ts';
import type { RecallView } from './recall-view.ts';

/** A calendar time named in a query; missing parts are open ("in May" is every May). */
export interface MentionedTime {
  readonly year: number | null;
  readonly month: number | null;
  readonly day: number | null;
}

const DAY = 86_400_000;
// People tell what happened within days of it, and announce it a little before.
const DAYS_TOLD_AFTER = 10;
const DAYS_TOLD_BEFORE = 5;
// "may" and "march" are also verbs: without a day or a year beside them they need a word that puts them in time.
const MONTH = new RegExp(`\\b(${MONTHS.join('|')})\\b`, 'iu');
const MONTH_IN_TIME = new RegExp(
  `\\b(?:in|on|during|since|of|by|until|before|after|early|late|mid|last|next|this|every)[ -](${MONTHS.join('|')})\\b`,
  'iu',
);
const DAY_AND_MONTH = new RegExp(
  `\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTHS.join('|')})\\b|\\b(${MONTHS.join('|')}) (\\d{1,2})(?:st|nd|rd|th)?\\b`,
  'iu',
);

export function findMentionedTime(query: string): MentionedTime | null {
  const isoDate = /\b((?:19|20)\d{2})-(\d{2})(?:-(\d{2}))?\b/u.exec(query);
  if (isoDate !== null)
    return {
      year: Number(isoDate[1]),
      month: Number(isoDate[2]) - 1,
      day: isoDate[3] === undefined ? null : Number(isoDate[3]),
    };
  const yearText = /\b((?:19|20)\d{2})\b/u.exec(query)?.[1];
  const year = yearText === undefined ? null : Number(yearText);
  const dayAndMonth = DAY_AND_MONTH.exec(query);
  if (dayAndMonth !== null) {
    const name = (dayAndMonth[2] ?? dayAndMonth[3] ?? '').toLowerCase();
    return { year, month: MONTHS.indexOf(name), day: Number(dayAndMonth[1] ?? dayAndMonth[4]) };
  }
  const name = (year === null ? MONTH_IN_TIME : MONTH).exec(query)?.[1]?.toLowerCase();
  if (name === undefined && year === null) return null;
  return { year, month: name === undefined ? null : MONTHS.indexOf(name), day: null };
}

/** The index terms by which a query spelled the time. */
export function termsOfMentionedTime(mentioned: MentionedTime): Set<string> {
  const parts = [mentioned.year, mentioned.day].filter((part) => part !== null).map(String);
  return new Set(words([...parts, mentioned.month === null ? '' : (MONTHS[mentioned.month] ?? '')].join(' ')));
}

function rangeInYear(mentioned: MentionedTime, year: number): TimeRange {
  if (mentioned.month === null) return { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) };
  if (mentioned.day === null)
    return { from: Date.UTC(year, mentioned.month, 1), to: Date.UTC(year, mentioned.month + 1, 1) };
  return {
    from: Date.UTC(year, mentioned.month, mentioned.day),
    to: Date.UTC(year, mentioned.month, mentioned.day + 1),
  };
}

function closenessToRange(range: TimeRange, time: number): number {
  if (time < range.from) return Math.exp((time - range.from) / DAY / DAYS_TOLD_BEFORE);
  return time < range.to ? 1 : Math.exp((range.to - time) / DAY / DAYS_TOLD_AFTER);
}

/** A stretch of time in milliseconds; `to` is not part of it. */
export interface TimeRange {
  from: number;
  to: number;
}

/** The stretches that a mentioned time means, within the years that the documents come from. */
export function rangesOf(mentioned: MentionedTime, times: Float64Array): TimeRange[] {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const time of times) {
    if (time < first) first = time;
    if (time > last) last = time;
  }
  if (first > last) return [];
  const fromYear = mentioned.year ?? new Date(first).getUTCFullYear() - 1;
  const toYear = mentioned.year ?? new Date(last).getUTCFullYear() + 1;
  const ranges: TimeRange[] = [];
  for (let year = fromYear; year <= toYear; year += 1) ranges.push(rangeInYear(mentioned, year));
  return ranges;
}

/**
 * Per document: 1 when it was told in one of the stretches, fading over some days on both sides, 0 for unknown times
 * (NaN). What lasts is as close in every stretch in which it was true: `ends` says until when, NaN for documents of a moment.
 * Weighed by how much the time tells apart: a year that holds the whole store says nothing.
 */
export function closenessToRanges(
  ranges: readonly TimeRange[],
  times: Float64Array,
  ends: Float64Array = new Float64Array(times.length).fill(Number.NaN),
): Float32Array {
  const closeness = new Float32Array(times.length);
  let sum = 0;
  for (const range of ranges) {
    const [earliest, latest] = [range.from - 8 * DAYS_TOLD_BEFORE * DAY, range.to + 8 * DAYS_TOLD_AFTER * DAY];
    for (let ordinal = 0; ordinal < times.length; ordinal += 1) {
      const time = times[ordinal] as number;
      const wasTrue = time < range.to && (ends[ordinal] as number) > range.from;
      if (!wasTrue && !(time >= earliest && time <= latest)) continue;
      // What lasts and begins after the stretch may have been told late: it counts, but less than what was true.
      const lasts = !Number.isNaN(ends[ordinal] as number);
      const value = wasTrue ? 1 : closenessToRange(range, time) * (lasts ? 0.5 : 1);
      const known = closeness[ordinal] as number;
      if (value <= known) continue;
      sum += value - known;
      closeness[ordinal] = value;
    }
  }
  const information = sum === 0 ? 0 : Math.min(1, -Math.log(sum / times.length) / Math.LN10);
  return closeness.map((value) => value * information);
}

/** The time that a query asks about. */
export interface QueryTimes {
  /** Empty when it names none. */
  ranges: TimeRange[];
  /** The query's words that say when: they are matched against times, not against texts. */
  terms: Set<string>;
  /** The document that tells what "before I moved" refers to; −1 where there is none. */
  anchor: number;
}

const NO_TIMES: QueryTimes = { ranges: [], terms: new Set(), anchor: -1 };

// "before I moved to Berlin", "after Anna's wedding": the time of something that was told.
const ANCHOR =
  /\b(before|after|since|until)\s+((?:i|we|he|she|they|my|our|his|her|their|the)\b[^?.,;!]{2,80}|\p{Lu}[\p{L}'’]+\s[^?.,;!]{2,80})/iu;

/** Finds the time that a query asks about: a date, a relative one ("last week"), or before or after something known. */
export function queryTimes(
  query: string,
  view: RecallView,
  { now, timeZone }: { now: number; timeZone: string },
): QueryTimes {
  const relative = resolveDates(query, { now: new Date(now), timeZone }).filter((date) => date.relative);
  if (relative.length > 0) {
    return {
      ranges: relative.map(({ from, to }) => ({ from: from?.getTime() ?? -Infinity, to: to?.getTime() ?? Infinity })),
      terms: new Set(relative.flatMap(({ text }) => words(text))),
      anchor: -1,
    };
  }
  const mentioned = findMentionedTime(query);
  if (mentioned !== null)
    return { ranges: rangesOf(mentioned, view.times), terms: termsOfMentionedTime(mentioned), anchor: -1 };
  return anchoredTimes(query, view);
}

const SURE_ENOUGH = 0.6;

function anchoredTimes(query: string, view: RecallView): QueryTimes {
  const anchor = ANCHOR.exec(query);
  if (anchor === null) return NO_TIMES;
  const [, relation = '', told = ''] = anchor;
  const terms = words(told).filter((term) => !QUERY_STOP_TERMS.has(term));
  if (terms.length === 0) return NO_TIMES;
  const match = matchLexically(view.index, terms);
  let best = { coverage: SURE_ENOUGH, time: Number.NaN, ordinal: -1 };
  for (const ordinal of match.matched) {
    const coverage = coverageOf(match.termMasks[ordinal] as number, match);
    const time = view.times[ordinal] as number;
    // The last telling counts: people move more than once.
    if (view.live[ordinal] === 1 && coverage >= best.coverage && !Number.isNaN(time))
      best = { coverage, time, ordinal };
  }
  if (Number.isNaN(best.time)) return NO_TIMES;
  const isBefore = /before|until/i.test(relation);
  const range = isBefore ? { from: -Infinity, to: best.time } : { from: best.time, to: Infinity };
  // What it is anchored to is not what is asked for.
  return { ranges: [range], terms: new Set(terms), anchor: best.ordinal };
}
