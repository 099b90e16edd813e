import { MONTH as ANY_MONTH } from './calendar-pattern.ts';
import { addDays, writeDate, type CivilDate } from './civil-date.ts';
import {
  calendarSpan,
  daySpan,
  decadeSpan,
  directionOf,
  distantSpan,
  exactDay,
  monthNumber,
  monthSpan,
  nearestDay,
  numberOf,
  quarterSpan,
  relativeMonth,
  relativeSeason,
  relativeWeekday,
  rollingSpan,
  seasonSpan,
  vagueSpan,
  yearSpan,
  type CivilSpan,
} from './civil-span.ts';

/** One way to write a date, and how to read it. */
export interface DateExpression {
  /** Without one of these in the text, in lower case, the pattern cannot match and need not be compiled. */
  needs: readonly string[];
  pattern: () => RegExp;
  /** False for expressions that already name their year. */
  relative: boolean;
  read: (match: RegExpMatchArray, today: CivilDate, prefer: 'past' | 'future') => CivilSpan | null;
}

const NUMBER =
  '(a couple of|a couple|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|\\d{1,3})';
const MONTH = `(${ANY_MONTH})\\.?`;
// Also short, as in a calendar.
const WEEKDAY =
  '(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)';
const SEASON = '(spring|summer|autumn|fall|winter)';
// "The last few weeks": up to as many.
const A_FEW = 5;
const DIGITS = '0 1 2 3 4 5 6 7 8 9';
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec';
const WEEKDAYS = 'mon tue wed thu fri sat sun';
const SEASONS = 'spring summer autumn fall winter';

function expression(needs: string, source: string, read: DateExpression['read'], relative = true): DateExpression {
  let compiled: RegExp | undefined;
  const pattern = (): RegExp => (compiled ??= new RegExp(`\\b(?:${source})\\b`, 'gi'));
  return { needs: needs.split(' '), pattern, read, relative };
}

/** "From 10 to 17 June": days of one month. */
function daysOfMonth(m: RegExpMatchArray, today: CivilDate, prefer: 'past' | 'future'): CivilSpan | null {
  const month = monthNumber(m[3]);
  const last =
    m[4] === undefined ? nearestDay(month, Number(m[2]), today, prefer) : exactDay(Number(m[4]), month, Number(m[2]));
  const first = last === null ? null : exactDay(last.from.year, month, Number(m[1]));
  if (first === null || last === null || Number(m[1]) >= Number(m[2])) return null;
  return {
    from: first.from,
    to: last.to,
    precision: 'range',
    absolute: `from ${writeDate(first.from)} to ${writeDate(last.from)}`,
  };
}

/** All of them, longest and most specific first: an earlier match takes its characters. */
export const DATE_EXPRESSIONS: readonly DateExpression[] = [
  expression(
    MONTHS,
    `(?:from |between )?(?:the )?(\\d{1,2})(?:st|nd|rd|th)? ?(?:to|until|till|through|and|-|–) ?(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}(?:,? (\\d{4}))?`,
    (m, today, prefer) => daysOfMonth(m, today, prefer),
  ),
  expression(DIGITS, '(\\d{4})-(\\d{2})-(\\d{2})', (m) => exactDay(Number(m[1]), Number(m[2]), Number(m[3])), false),
  expression(
    DIGITS,
    `(?:on )?(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH},? (\\d{4})`,
    (m) => exactDay(Number(m[3]), monthNumber(m[2]), Number(m[1])),
    false,
  ),
  expression(
    DIGITS,
    `(?:on )?${MONTH} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})`,
    (m) => exactDay(Number(m[3]), monthNumber(m[1]), Number(m[2])),
    false,
  ),
  expression(
    DIGITS,
    `(?:in |early |late |mid-?)?${MONTH},? (?:of )?(\\d{4})`,
    (m) => monthSpan({ year: Number(m[2]), month: monthNumber(m[1]), day: 1 }),
    false,
  ),
  expression(DIGITS, `(?:in )?(?:the )?${SEASON} (?:of )?(\\d{4})`, (m) => seasonSpan(m[1] ?? '', Number(m[2])), false),
  expression(DIGITS, '(?:in )?q([1-4]) (?:of )?(\\d{4})', (m) => quarterSpan(Number(m[2]), Number(m[1])), false),
  expression(DIGITS, "(?:in )?the (?:early |late |mid-?)?((?:19|20)?\\d0)'?s", (m) => decadeSpan(m[1] ?? ''), false),
  expression('yesterday', 'the day before yesterday', (_, today) => daySpan(addDays(today, -2))),
  expression('tomorrow', 'the day after tomorrow', (_, today) => daySpan(addDays(today, 2))),
  expression('last night', 'last night', (_, today) => ({
    ...daySpan(addDays(today, -1)),
    absolute: `on the night of ${writeDate(addDays(today, -1))}`,
  })),
  expression('yesterday', 'yesterday(?: (?:morning|afternoon|evening|night))?', (_, today) =>
    daySpan(addDays(today, -1)),
  ),
  expression('tomorrow', 'tomorrow(?: (?:morning|afternoon|evening|night))?', (_, today) => daySpan(addDays(today, 1))),
  expression('today tonight this', '(?:earlier |later )?today|tonight|this (?:morning|afternoon|evening)', (_, today) =>
    daySpan(today),
  ),
  expression('before last', '(?:the )?(weekend|week|month|year) before last', (m, today) =>
    calendarSpan(m[1] ?? '', today, -2),
  ),
  expression(
    'last past next coming',
    `(?:(?:in|over|during|within|for) )?(?:the |these )?(last|past|next|coming) (?:${NUMBER}|few|several) (day|week|month|year)s`,
    (m, today) => rollingSpan(directionOf(m[1]), m[2] === undefined ? A_FEW : numberOf(m[2]), m[3] ?? '', today),
  ),
  expression(
    'week month year',
    '(?:(?:earlier|later|over|on|during|at) )?(?:the )?(last|past|this|next|coming|previous) (weekend|week|month|year)',
    (m, today) => calendarSpan(m[2] ?? '', today, directionOf(m[1])),
  ),
  expression(SEASONS, `(?:in )?(last|this|next|this past) ${SEASON}`, (m, today) =>
    relativeSeason(m[2] ?? '', today, directionOf(m[1])),
  ),
  expression(MONTHS, `(?:in )?(last|this|next|this past) ${MONTH}`, (m, today) =>
    relativeMonth(
      monthNumber(m[2]),
      today,
      (m[1] ?? '').toLowerCase() === 'next' ? 'future' : directionOf(m[1]) < 0 ? 'past' : 'this',
    ),
  ),
  expression(WEEKDAYS, `(?:on )?(last|this|next|this past|this coming) ${WEEKDAY}`, (m, today, prefer) =>
    relativeWeekday(m[2] ?? '', today, (m[1] ?? '').toLowerCase(), prefer),
  ),
  expression(
    'ago back earlier',
    `(?:about |around |almost |over )?${NUMBER} (day|week|month|year|decade)s? (?:ago|back|earlier)`,
    (m, today) => distantSpan(-numberOf(m[1]), m[2] ?? '', today),
  ),
  expression('ago back', 'a few (day|week|month|year)s (?:ago|back)', (m, today) => vagueSpan(-1, m[1] ?? '', today)),
  expression('day week month year', `in (?:about |around )?${NUMBER} (day|week|month|year)s?(?:' time)?`, (m, today) =>
    distantSpan(numberOf(m[1]), m[2] ?? '', today),
  ),
  expression('from now', `${NUMBER} (day|week|month|year)s? from now`, (m, today) =>
    distantSpan(numberOf(m[1]), m[2] ?? '', today),
  ),
  expression(MONTHS, `(?:on )?(?:the )?(\\d{1,2})(?:st|nd|rd|th)? (?:of )?${MONTH}`, (m, today, prefer) =>
    nearestDay(monthNumber(m[2]), Number(m[1]), today, prefer),
  ),
  expression(MONTHS, `(?:on )?${MONTH} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?`, (m, today, prefer) =>
    nearestDay(monthNumber(m[1]), Number(m[2]), today, prefer),
  ),
  expression(
    MONTHS,
    `(?:back )?(?:in|since|until|by|during|before|after) (?:early |late |mid-?)?${MONTH}`,
    (m, today, prefer) =>
      /^may$/i.test(m[1] ?? '') && !/\bMay\b/.test(m[0])
        ? null
        : relativeMonth(monthNumber(m[1]), today, /^since/i.test(m[0]) ? 'past' : prefer),
  ),
  expression(MONTHS, `from ${MONTH}(?! ?(?:to|until|till|through|-|–)(?![a-z]))`, (m, today, prefer) =>
    relativeMonth(monthNumber(m[1]), today, prefer),
  ),
  expression(
    WEEKDAYS,
    `(?:on |by |until |since )(monday|tuesday|wednesday|thursday|friday|saturday|sunday)`,
    (m, today, prefer) =>
      relativeWeekday(
        m[1] ?? '',
        today,
        '',
        /^since/i.test(m[0]) ? 'past' : /^(?:by|until)/i.test(m[0]) ? 'future' : prefer,
      ),
  ),
  expression(
    '19 20',
    '(?:back )?(?:in|since|from|until|till|by|before|after|between|around|to|during|of|and)(?: about| around| early| late)? ((?:19|20)\\d\\d)|(?<=[12]\\d{3} ?[-–] ?)((?:19|20)\\d\\d)|((?:19|20)\\d\\d)(?= ?[-–] ?(?:(?:19|20)\\d\\d|present|now))',
    (m) => yearSpan(Number(m[1] ?? m[2] ?? m[3])),
    false,
  ),
];
