import { DATE_VALUE } from '../clauses/read-plain.ts';
import { withoutLeadIn } from '../clauses/without-lead-in.ts';
import type { StatementDraft } from '../statement-draft.ts';

const DATED =
  /^(?:(?:we're|we are|it's|it is) )?(opening|reopening|launching|closing)(?: day)?(?: is)?:? ((?:on |in |next )?\S.{2,30}?)[.!\s]*$/i;
const PLACE =
  /\b(?:the|our|my|an?|User's) ((?:(?!new\b)\p{L}+ )?(?:shop|store|bakery|caf[eé]|restaurant|bar|pub|studio|office|branch|gym|salon|clinic|practice|gallery|hotel|bistro|site|location|market|stall|website|app|platform|product|school))\b/giu;

/** "Opening 1 September", said after "a location for the second shop": when that opens. */
export function openingRule(text: string, before: readonly string[]): StatementDraft | null {
  const [, act, date] = DATED.exec(withoutLeadIn(text)) ?? [];
  if (act === undefined || date === undefined || !DATE_VALUE.test(/^(?:on|in|next) /i.test(date) ? date : `in ${date}`))
    return null;
  const place = before
    .toReversed()
    .flatMap((earlier) => [...earlier.matchAll(PLACE)].toReversed())
    .map((match) => match[1])
    .find((found) => found !== undefined);
  const noun = act.toLowerCase().replace(/^launching$/, 'launch');
  return {
    type: 'fact',
    subject: `The ${noun}${place === undefined ? '' : ` of the ${place}`}`,
    predicate: `is ${/^(?:on|in|next) /i.test(date) ? date : `${/^\d|^\p{L}+ \d/u.test(date) ? 'on' : 'in'} ${date}`}`,
    polarity: 'positive',
    importance: 0.6,
    confidence: 'medium',
    attribute: 'date',
    looksAhead: true,
    ownWords: [place ?? '', 'launch'],
  };
}
