import { resolveDates, type DateReference, type ResolvedDate } from './resolve-dates.ts';

/** Rewrites relative dates in a text as absolute ones and returns what was found. */
export function absolutiseDates(text: string, reference: DateReference): { text: string; dates: ResolvedDate[] } {
  const dates = resolveDates(text, reference);
  let rewritten = '';
  let position = 0;
  for (const date of dates) {
    if (!date.relative) continue;
    const before = text.slice(position, date.start);
    // "in the last week" and "for the past month": one preposition is enough.
    rewritten += before.replace(/\b(?:in|on|over|during|at|for) the $/i, '') + date.absolute;
    position = date.end;
  }
  return { text: (rewritten + text.slice(position)).replace(/ {2,}/g, ' '), dates };
}
