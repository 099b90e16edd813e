import {
  addDays,
  calendarSpan,
  type CivilDate,
  civilDateAt,
  type CivilSpan,
  type DatePrecision,
  dayOfMonth,
  daysOfMonth,
  daySpan,
  decadeSpan,
  directionOf,
  distantSpan,
  exactDay,
  monthNumber,
  monthSpan,
  nearestDay,
  partOfMonth,
  quarterSpan,
  rangeOfDays,
  relativeMonth,
  relativeSeason,
  relativeWeekday,
  rollingSpan,
  seasonSpan,
  startOfDay,
  vagueSpan,
  weekdayNumber,
  weekdayOfMonth,
  weekOfMonth,
  writeDate,
  writeDay,
  yearSpan,
  MONTH_STARTS,
  WEEKDAYS,
} from './calendar.ts';
import {
  type DateContext,
  daysAlone,
  type FoundDate,
  inNamedMonths,
  isRightBefore,
  type MonthSaid,
  type OfMonth,
  packDates,
} from './pack-dates.ts';
import { english } from './packs/en.ts';
import type { Pack } from './packs/pack.ts';
import { intersects, type TextSpan } from './sentences.ts';
import { ENGLISH_NUMBERS, matchesOf, numberOf } from './words.ts';

const ANY_MONTH = `(?:${english.calendar.months.join('|')})`;

interface DateExpression {
  /** If the lower-case text contains none of these words, the pattern cannot match and is not compiled. */
  needs: readonly string[];
  pattern: () => RegExp;
  relative: boolean;
  month?: MonthSaid | undefined;
  read: (match: RegExpMatchArray, today: CivilDate, prefer: 'past' | 'future') => CivilSpan | null;
}

const NUMBER = `(a couple of|a couple|an?|${[...ENGLISH_NUMBERS.keys()].join('|')}|\\d{1,3})`;
const MONTH = `(${ANY_MONTH})\\.?`;
const WEEKDAY = `(${english.calendar.weekdays.join('|')})`;
/** Without short forms that are other words too: "he sat", "the sun", "they wed". */
const CLEAR_WEEKDAY = `(${english.calendar.weekdays
  .join('|')
  .replace(/\|(?:sat|sun)\b/g, '')
  .replace('weds?', 'weds')})`;
/** The end of a clause, a part of a day or a time: "friday 2pm". */
const AFTER_WEEKDAY =
  '(?= *(?:[.,;!?)]|$)| (?:morning|afternoon|evening|night|at \\d|\\d{1,2}(?:[.:]\\d\\d\\b| ?[ap]m\\b)))';
/** After these words, "from 3 May to 10 June" moves a day and is no range. */
const MOVES =
  "\\b(?:moved|rescheduled|postponed|pushed|shifted|delayed|changed|put back|brought forward)(?: [a-z']{1,12}){0,4} ";
const SEASON = '(spring|summer|autumn|fall|winter)';
// "The last few weeks" means at most this many.
const A_FEW = 5;
const DIGITS = '0 1 2 3 4 5 6 7 8 9';
const NEEDS_MONTH = MONTH_STARTS.replaceAll('|', ' ');
const NEEDS_WEEKDAY = WEEKDAYS.map((name) => name.slice(0, 3).toLowerCase()).join(' ');
const SEASONS = 'spring summer autumn fall winter';

const yearOf = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));

function expression(needs: string, source: string, read: DateExpression['read'], relative = true): DateExpression {
  let compiled: RegExp | undefined;
  const pattern = (): RegExp => (compiled ??= new RegExp(`\\b(?:${source})\\b`, 'gi'));
  return { needs: needs.split(' '), pattern, read, relative, month: source.includes(MONTH) ? 'named' : undefined };
}

function withoutMonth(
  kind: 'day' | 'range',
  needs: string,
  source: string,
  read: DateExpression['read'],
): DateExpression {
  return { ...expression(needs, source, read), month: `${kind} without month` };
}

/** The longest and most specific first: a later pattern cannot match characters that an earlier one has matched. */
const DATE_EXPRESSIONS: readonly DateExpression[] = [
  expression(
    NEEDS_MONTH,
    `(?:in |during )?(?:the )?(first|last) week (?:of|in) ${MONTH}(?: (\\d{4}))?`,
    (m, today, prefer) => weekOfMonth(/^last/i.test(m[1] ?? ''), monthNumber(m[2]), yearOf(m[3]), today, prefer),
  ),
  expression(
    NEEDS_MONTH,
    `(?:(?:in|at|around|by|until|since|from) )?(?:the )?(early|start of|beginning of|mid|middle of|late|end of)[ -]?${MONTH}(?:,? (?:of )?(\\d{4}))?`,
    (m, today, prefer) => {
      const [word = ''] = m[1]?.toLowerCase().split(' ') ?? [];
      const part = word.startsWith('mid') ? 'mid' : word === 'late' || word === 'end' ? 'late' : 'early';
      const { from } = relativeMonth(monthNumber(m[2]), today, prefer);
      const first = { ...from, year: yearOf(m[3]) ?? from.year };
      const { absolute, precision } = monthSpan(first);
      return {
        ...partOfMonth(part, first),
        precision,
        absolute: absolute.replace('in ', `in ${part}${part === 'mid' ? '-' : ' '}`),
      };
    },
  ),
  expression(
    NEEDS_MONTH,
    `(?<!${MOVES})(?:from |between )?(?:the )?(\\d{1,2})(?:st|nd|rd|th)? ?(?:to|until|till|through|and|-|–) ?(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}(?:,? (\\d{4}))?`,
    (m, today, prefer) => daysOfMonth([Number(m[1]), Number(m[2])], monthNumber(m[3]), yearOf(m[4]), today, prefer),
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
    `(?:in )?${MONTH},? (?:of )?(\\d{4})`,
    (m) => monthSpan({ year: Number(m[2]), month: monthNumber(m[1]), day: 1 }),
    false,
  ),
  expression(DIGITS, `(?:in )?(?:the )?${SEASON} (?:of )?(\\d{4})`, (m) => seasonSpan(m[1] ?? '', Number(m[2])), false),
  expression(DIGITS, '(?:in )?q([1-4]) (?:of )?(\\d{4})', (m) => quarterSpan(Number(m[2]), Number(m[1])), false),
  expression(DIGITS, "(?:in )?the (?:early |late |mid-?)?((?:19|20)?\\d0)'?s", (m) => decadeSpan(m[1] ?? ''), false),
  // "Three years ago this May" is one month.
  expression('ago', `${NUMBER} years? ago (this|last|in) ${MONTH}`, (m, today) =>
    monthSpan({
      year: relativeMonth(monthNumber(m[3]), today, m[2] === 'last' ? 'past' : 'this').from.year - numberOf(m[1]),
      month: monthNumber(m[3]),
      day: 1,
    }),
  ),
  expression('yesterday', 'the day before yesterday', (_, today) => daySpan(addDays(today, -2))),
  expression('tomorrow', 'the day after tomorrow', (_, today) => daySpan(addDays(today, 2))),
  expression('last night', 'last night', (_, today) => ({
    ...daySpan(addDays(today, -1)),
    absolute: `on the night of ${writeDate(addDays(today, -1))}`,
  })),
  expression('yesterday', 'yesterday(?: (?:morning|afternoon|evening|night))?', (_, today) =>
    daySpan(addDays(today, -1)),
  ),
  expression(
    'tom tmr tmw 2mor',
    '(?:tomorrow|tomm?or?row|tmrw|tmrrw|tmr|tmw|tomoz|2morrow|2moro)(?: (?:morning|afternoon|evening|night))?',
    (_, today) => daySpan(addDays(today, 1)),
  ),
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
  expression(NEEDS_MONTH, `(?:in )?(last|this|next|this past) ${MONTH}`, (m, today) =>
    relativeMonth(
      monthNumber(m[2]),
      today,
      (m[1] ?? '').toLowerCase() === 'next' ? 'future' : directionOf(m[1]) < 0 ? 'past' : 'this',
    ),
  ),
  expression(
    NEEDS_WEEKDAY,
    `(?:on )?(?:this |next )?${WEEKDAY},? (?:the )?(\\d{1,2})(?:st|nd|rd|th)(?! (?:of )?(?:${ANY_MONTH})\\b)`,
    (m, today, prefer) => {
      const day = weekdayOfMonth(weekdayNumber(m[1] ?? ''), Number(m[2]), today, prefer);
      return day === null ? null : daySpan(day);
    },
  ),
  expression(NEEDS_WEEKDAY, `(?:on )?(last|this|next|this past|this coming) ${WEEKDAY}`, (m, today, prefer) =>
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
  expression(NEEDS_MONTH, `(?:on )?(?:the )?(\\d{1,2})(?:st|nd|rd|th)? (?:of )?${MONTH}`, (m, today, prefer) =>
    nearestDay(monthNumber(m[2]), Number(m[1]), today, prefer),
  ),
  expression(NEEDS_MONTH, `(?:on )?${MONTH} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?`, (m, today, prefer) =>
    nearestDay(monthNumber(m[1]), Number(m[2]), today, prefer),
  ),
  expression(NEEDS_MONTH, `(?:back )?(?:in|since|until|by|during|before|after) ${MONTH}`, (m, today, prefer) =>
    /^may$/i.test(m[1] ?? '') && !/\bMay\b/.test(m[0]) ? null : relativeMonth(monthNumber(m[1]), today, prefer),
  ),
  // "Going with Matthews from April", said in March, is about the next April, although a decision has been made.
  expression(NEEDS_MONTH, `from ${MONTH}(?! ?(?:to|until|till|through|-|–)(?![a-z]))`, (m, today, prefer) => {
    const isSoon = (monthNumber(m[1]) - today.month + 12) % 12 <= A_FEW;
    return relativeMonth(monthNumber(m[1]), today, isSoon ? 'future' : prefer);
  }),
  withoutMonth(
    'range',
    'st nd rd th',
    `(?<!${MOVES})(?:from )?(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: (?:to|until|till|through) (?:the )?| ?[-–] ?)(\\d{1,2})(?:st|nd|rd|th)(?! (?:floor|grade|place|row|street|avenue|century)\\b)`,
    (m, today, prefer) => {
      const range = daysAlone(Number(m[1]), Number(m[2]), today, prefer);
      return range === null ? null : rangeOfDays(range.from, addDays(range.to, -1));
    },
  ),
  withoutMonth(
    'day',
    'st nd rd th',
    "(?:(?:on|by|until|since|from) |(?<=(?<!\\d(?:st|nd|rd|th)? )to |[-–—,:(] ?|\\b(?:not|but|now|exactly|instead of|rather than|(?:booked|set|scheduled|planned|arranged|down) for|(?:day|date|deadline|due|party|wedding|move|exam|appointment|flights?|it) (?:is|it'?s)|(?:day|date|deadline)'s|it'?s) ))the (\\d{1,2})(?:st|nd|rd|th)(?= *(?:[.,;:!?)]|$)| (?:at|and|but|so|not|now|instead|rather|our|your|his|her|their|in the (?:morning|afternoon|evening)|because|same|already|i'?m|i|we|you|he|she|they|it|my|with|to|about|for|please|if|when)\\b)",
    (m, today, prefer) => dayOfMonth(Number(m[1]), today, prefer),
  ),
  expression(NEEDS_WEEKDAY, `(?:on |by |until |since )${WEEKDAY}`, (m, today, prefer) =>
    relativeWeekday(m[1] ?? '', today, '', /^(?:by|until)/i.test(m[0]) ? 'future' : prefer),
  ),
  // After a verb of moving, a weekday is a date: "The dentist moved to Monday".
  expression(
    NEEDS_WEEKDAY,
    `(?<=\\b(?:moved|rescheduled|postponed|pushed|shifted|delayed|brought forward)(?: \\w+){0,2} (?:to|until|till|for) )${WEEKDAY}\\b`,
    (m, today, prefer) => relativeWeekday(m[1] ?? '', today, '', prefer),
  ),
  // In chat a weekday needs no preposition: "driving to Whitby saturday".
  expression(
    NEEDS_WEEKDAY,
    `(?<!\\b(?:every|each|last|next|this|a|the|and|or|to|are|my|of|black|good|today is|tomorrow is|it is|it'?s|today'?s) )${CLEAR_WEEKDAY}${AFTER_WEEKDAY}`,
    (m, today, prefer) => relativeWeekday(m[1] ?? '', today, '', prefer),
  ),
  // "Sat" is a weekday before a part of the day, and at the end of a clause without a subject: "seeing mum sat", "dentist wed".
  expression(
    'sat sun wed',
    `(?<!\\b(?:the|this|in|of|i|we|he|she|they|it|who|just|and) )(sat|sun|wed)(?= (?:morning|afternoon|evening|night|\\d{1,2}(?:[.:]\\d\\d\\b| ?[ap]m\\b)))|(?<=(?:^|[.,;!?] ?)(?:(?:and|so|also|btw|ok|then|i'?m|we'?re|just|got|have|my|a|an) )*(?:[a-z]{3,}ing(?: (?!(?:the|some|any|no|more|of|in|where|who|that|which|he|she|it|they|we|i)\\b)[\\w'&-]+){1,5}|(?:${english.lists['appointment']})) )(sat|wed)${AFTER_WEEKDAY}`,
    (m, today, prefer) => relativeWeekday(m[1] ?? m[2] ?? '', today, '', prefer),
  ),
  expression(
    '19 20',
    '(?:back )?(?:in|since|from|until|till|by|before|after|between|around|to|during|of|and)(?: about| around| early| late)? ((?:19|20)\\d\\d)|(?<=[12]\\d{3} ?[-–] ?)((?:19|20)\\d\\d)|((?:19|20)\\d\\d)(?= ?[-–] ?(?:(?:19|20)\\d\\d|present|now))',
    (m) => yearSpan(Number(m[1] ?? m[2] ?? m[3])),
    false,
  ),
];

/** `to` is exclusive. An open end is null. */
interface ResolvedDate extends TextSpan {
  text: string;
  from: Date | null;
  to: Date | null;
  precision: DatePrecision;
  relation: 'within' | 'since' | 'until';
  absolute: string;
  relative: boolean;
  hasYear?: boolean;
}

/** Without `prefer`, a date without a year is in the past. */
type DateReference = Omit<DateContext, 'prefer'> & Partial<DateContext>;

interface Found extends OfMonth {
  span: CivilSpan;
  relative: boolean;
  text: string;
  hasYear?: boolean;
}

const LONGEST_TEXT = 4_000;

/** Finds dates in the first 4,000 characters of an English text. Throws RangeError for an unknown zone. */
export function resolveDates(text: string, reference: DateReference): ResolvedDate[] {
  const readable = text.slice(0, LONGEST_TEXT);
  const lower = readable.toLowerCase();
  // The first use of a zone costs about 15 ms, and most texts name no date.
  let today: CivilDate | undefined;
  const found: Found[] = [];
  for (const { needs, pattern, read, relative, month } of DATE_EXPRESSIONS) {
    if (!needs.some((word) => lower.includes(word))) continue;
    for (const match of matchesOf(readable, pattern())) {
      const start = match.index;
      const end = start + match[0].length;
      const quoted = /["“']$/.test(readable.slice(0, start).trimEnd());
      if (quoted || found.some((other) => intersects({ start, end }, other))) continue;
      today ??= civilDateAt(reference.now, reference.timeZone);
      // "Since March 1" means the last 1 March, even in a sentence about plans.
      const isSince =
        /\bsince (?:the )?$/i.test(readable.slice(Math.max(0, start - 10), start)) || /^since\b/i.test(match[0]);
      const span = read(match, today, isSince ? 'past' : (reference.prefer ?? 'past'));
      if (span !== null) found.push({ start, end, text: match[0], span, relative, month, isSince });
    }
  }
  found.sort((left, right) => left.start - right.start);
  // "On Wednesday, May 27" is one day, determined by the date. "On Friday, not Thursday" is two days.
  const days = found.filter(
    ({ text: words, end }) =>
      !WEEKDAY_ALONE.test(words) ||
      !found.some((other) => !WEEKDAY_ALONE.test(other.text) && isRightBefore(readable.slice(end, other.start))),
  );
  const resolved =
    today === undefined ? [] : inNamedMonths(readable, days, today, reference.prefer ?? 'past').map(withWording);
  return joinRanges(readable, withYears(readable, resolved), reference.timeZone);
}

function withWording(found: Found): Found {
  const { from, to } = found.span;
  if (found.month === undefined || found.month === 'named') return found;
  return { ...found, span: found.span.precision === 'day' ? daySpan(from) : rangeOfDays(from, addDays(to, -1)) };
}

/** "on 12 June next year" is one day. */
function withYears(text: string, found: readonly Found[]): Found[] {
  const joined: Found[] = [];
  for (const each of found) {
    const before = joined.at(-1);
    const year = each.relative && each.span.precision === 'year' ? each.span.from.year : null;
    const span = before === undefined || year === null ? null : inYear(before, year);
    if (before === undefined || span === null || !/^,? (?:of )?$/.test(text.slice(before.end, each.start))) {
      joined.push(each);
      continue;
    }
    joined[joined.length - 1] = {
      ...before,
      end: each.end,
      text: text.slice(before.start, each.end),
      span,
      hasYear: true,
    };
  }
  return joined;
}

function inYear({ span: { precision, from }, relative, text }: Found, year: number): CivilSpan | null {
  if (!relative || /\d{4}/.test(text)) return null;
  if (precision === 'month') return monthSpan({ ...from, year });
  return precision === 'day' && /\d/.test(text) ? exactDay(year, from.month, from.day) : null;
}

const AFTER_MOVE = new RegExp(`${MOVES}(?:from )?$`, 'i');

function joinRanges(text: string, found: readonly Found[], timeZone: string): ResolvedDate[] {
  const resolved: ResolvedDate[] = [];
  for (let index = 0; index < found.length; index += 1) {
    const first = found[index];
    if (first === undefined) continue;
    const second = found[index + 1];
    const between = second === undefined ? '' : text.slice(first.end, second.start).trim();
    const joined =
      second !== undefined &&
      ((/^(?:to|through|until|till|and|-|–)?$/.test(between) && /^(?:to|until|till|and)\b/i.test(second.text)) ||
        /^(?:to|through|until|till|-|–)$/.test(between));
    // "In May - the 9th" is one day.
    const isWithin = first.span.precision === 'month' && second?.month === 'day without month';
    if (
      joined &&
      !isWithin &&
      !AFTER_MOVE.test(text.slice(0, first.start)) &&
      (/\b(?:from|between)\b/i.test(first.text) ||
        /\b(?:from|between)\s+$/i.test(text.slice(0, first.start)) ||
        /[-–]/.test(between))
    ) {
      resolved.push(range(text, first, second, timeZone));
      index += 1;
    } else resolved.push(single(text, first, timeZone));
  }
  return resolved;
}

function range(text: string, first: Found, second: Found, timeZone: string): ResolvedDate {
  const leading = /\b(?:from|between)\s+$/i.exec(text.slice(0, first.start))?.[0].length ?? 0;
  const start = first.start - leading;
  return {
    start,
    end: second.end,
    text: text.slice(start, second.end),
    precision: 'range',
    relation: 'within',
    relative: first.relative || second.relative,
    from: startOfDay(first.span.from, timeZone),
    to: startOfDay(second.span.to, timeZone),
    absolute: `from ${withoutPreposition(first.span.absolute)} to ${withoutPreposition(second.span.absolute)}`,
  };
}

function single(text: string, found: Found, timeZone: string): ResolvedDate {
  const before = /\b(since|from|until|till|before|after|by)\s+$/i.exec(
    text.slice(Math.max(0, found.start - 10), found.start),
  );
  // "From 10 to 17 June" already has both ends.
  const isRange = found.span.precision === 'range' && /^from\b/i.test(found.text);
  const inside = isRange ? null : /^(since|from|until|till|before|after|by)\b/i.exec(found.text);
  const word = (inside?.[1] ?? before?.[1] ?? '').toLowerCase();
  const start = found.start - (inside === null ? (before?.[0].length ?? 0) : 0);
  const { span } = found;
  const [from, to] = [startOfDay(span.from, timeZone), startOfDay(span.to, timeZone)];
  const common = {
    start,
    end: found.end,
    text: text.slice(start, found.end),
    precision: span.precision,
    relative: found.relative,
    ...(found.hasYear === true ? { hasYear: true } : {}),
    absolute: word === '' ? span.absolute : `${word} ${withoutPreposition(span.absolute)}`,
  };
  if (word === '') return { ...common, from, to, relation: 'within' };
  if (word === 'since' || word === 'from') return { ...common, from, to: null, relation: 'since' };
  if (word === 'after') return { ...common, from: to, to: null, relation: 'since' };
  return { ...common, from: null, to: word === 'before' ? from : to, relation: 'until' };
}

function withoutPreposition(absolute: string): string {
  return absolute.replace(/^(?:in|on) /, '');
}

const LONGEST = 1_000;

/** In order of position. English has its own expressions, because it has more forms of dates than a pack's calendar covers. */
export function findDates(text: string, pack: Pack, context: DateContext): FoundDate[] {
  const readable = text.slice(0, LONGEST);
  return pack === english ? englishDates(readable, pack, context) : packDates(readable, pack, context);
}

const WEEKDAY_ALONE = new RegExp(`^(?:on |by |until |since )?${WEEKDAY}$`, 'i');

function englishDates(text: string, pack: Pack, { now, timeZone, prefer }: DateContext): FoundDate[] {
  return resolveDates(text, { now, timeZone, prefer })
    .filter(({ start, end }) => !/^s\b/i.test(text.slice(end)) && !/\bevery\s+$/i.test(text.slice(0, start)))
    .map((date) => ({
      start: date.start,
      end: date.end,
      // "By Friday" is a deadline, which has a day like an appointment.
      from: date.precision === 'day' && /^(?:by|before) /i.test(date.text) ? dayBefore(date.to, timeZone) : date.from,
      to: date.to,
      relative: date.relative,
      ...(date.hasYear === true ? { hasYear: true } : {}),
      isBareWeekday: WEEKDAY_ALONE.test(date.text),
      isDay: date.precision === 'day',
      isSince: date.to === null,
      written:
        date.precision === 'day' && date.from !== null
          ? writeDay(civilDateAt(date.from, timeZone), pack)
          : withoutPreposition(date.absolute),
    }));
}

function dayBefore(end: Date | null, timeZone: string): Date | null {
  return end === null ? null : startOfDay(addDays(civilDateAt(end, timeZone), -1), timeZone);
}
