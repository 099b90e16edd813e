import { resolveDates } from '../language/resolve-dates.ts';
import { words } from '../language/words.ts';
import { coverageOf, matchLexically } from './lexical-index.ts';
import { findMentionedTime, rangesOf, termsOfMentionedTime, type TimeRange } from './mentioned-time.ts';
import { QUERY_STOP_TERMS } from './query-words.ts';
import type { RecallView } from './recall-view.ts';

/** The time that a query asks about. */
export interface QueryTimes {
  /** Empty when it names none. */
  ranges: TimeRange[];
  /** The query's words that say when: they are matched against times, not against texts. */
  terms: Set<string>;
}

const NO_TIMES: QueryTimes = { ranges: [], terms: new Set() };

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
    };
  }
  const mentioned = findMentionedTime(query);
  if (mentioned !== null) return { ranges: rangesOf(mentioned, view.times), terms: termsOfMentionedTime(mentioned) };
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
  let best = { coverage: SURE_ENOUGH, time: Number.NaN };
  for (const ordinal of match.matched) {
    const coverage = coverageOf(match.termMasks[ordinal] as number, match);
    const time = view.times[ordinal] as number;
    // The last telling counts: people move more than once.
    if (view.live[ordinal] === 1 && coverage >= best.coverage && !Number.isNaN(time)) best = { coverage, time };
  }
  if (Number.isNaN(best.time)) return NO_TIMES;
  const isBefore = /before|until/i.test(relation);
  const range = isBefore ? { from: -Infinity, to: best.time } : { from: best.time, to: Infinity };
  // What it is anchored to is not what is asked for.
  return { ranges: [range], terms: new Set(terms) };
}
