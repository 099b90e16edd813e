import {
  addDays,
  firstOfMonth,
  isValidDate,
  mondayOf,
  MONTHS,
  weekdayOf,
  writeDate,
  type CivilDate,
} from './civil-date.ts';

/** How wide a span of days is. */
export type DatePrecision = 'day' | 'week' | 'weekend' | 'month' | 'season' | 'quarter' | 'year' | 'decade' | 'range';

/** A span of days, end exclusive, and how to say it without a reference. */
export interface CivilSpan {
  from: CivilDate;
  to: CivilDate;
  precision: DatePrecision;
  absolute: string;
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
// Meteorological seasons of the northern hemisphere; the year in the text holds anywhere.
const SEASON_START: Readonly<Record<string, number>> = { spring: 3, summer: 6, autumn: 9, fall: 9, winter: 12 };

const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  'a couple': 2,
  'a couple of': 2,
  couple: 2,
};
/** One day by number, or null when the calendar has no such day. */
export function exactDay(year: number, month: number, day: number): CivilSpan | null {
  return isValidDate({ year, month, day }) ? daySpan({ year, month, day }) : null;
}

/** One day. */
export function daySpan(day: CivilDate): CivilSpan {
  return { from: day, to: addDays(day, 1), precision: 'day', absolute: `on ${writeDate(day)}` };
}

/** The month that begins on the day given. */
export function monthSpan(first: CivilDate): CivilSpan {
  return {
    from: first,
    to: firstOfMonth(first, 1),
    precision: 'month',
    absolute: `in ${MONTHS[first.month - 1] ?? ''} ${first.year}`,
  };
}

/** One calendar year. */
export function yearSpan(year: number): CivilSpan {
  return {
    from: { year, month: 1, day: 1 },
    to: { year: year + 1, month: 1, day: 1 },
    precision: 'year',
    absolute: `in ${year}`,
  };
}

/** "90" or "1990": ten years; two digits below 30 are of this century. */
export function decadeSpan(text: string): CivilSpan {
  const year = text.length === 4 ? Number(text) : Number(text) >= 30 ? 1900 + Number(text) : 2000 + Number(text);
  return {
    from: { year, month: 1, day: 1 },
    to: { year: year + 10, month: 1, day: 1 },
    precision: 'decade',
    absolute: `in the ${year}s`,
  };
}

/** Three months; a winter begins in the year that names it. */
export function seasonSpan(season: string, year: number): CivilSpan {
  const from = { year, month: SEASON_START[season.toLowerCase()] ?? 1, day: 1 };
  return {
    from,
    to: firstOfMonth(from, 3),
    precision: 'season',
    absolute: `in ${season.toLowerCase()} ${year}${from.month === 12 ? `/${String(year + 1).slice(2)}` : ''}`,
  };
}

/** A quarter of a calendar year. */
export function quarterSpan(year: number, quarter: number): CivilSpan {
  const from = { year, month: quarter * 3 - 2, day: 1 };
  return { from, to: firstOfMonth(from, 3), precision: 'quarter', absolute: `in Q${quarter} ${year}` };
}

function weekSpan(monday: CivilDate): CivilSpan {
  return { from: monday, to: addDays(monday, 7), precision: 'week', absolute: `in the week of ${writeDate(monday)}` };
}

/** "last week", "next month": whole calendar units, counted in steps from the present one. */
export function calendarSpan(unit: string, today: CivilDate, steps: number): CivilSpan {
  if (unit === 'week') return weekSpan(addDays(mondayOf(today), steps * 7));
  if (unit === 'month') return monthSpan(firstOfMonth(today, steps));
  if (unit === 'year') return yearSpan(today.year + steps);
  const saturday = addDays(mondayOf(today), 5 + steps * 7);
  return {
    from: saturday,
    to: addDays(saturday, 2),
    precision: 'weekend',
    absolute: `on the weekend of ${writeDate(saturday)}`,
  };
}

/** "last summer", "next spring". */
export function relativeSeason(season: string, today: CivilDate, steps: number): CivilSpan {
  const thisYear = seasonSpan(season, today.year);
  const begun = today.month >= thisYear.from.month;
  if (steps < 0) return begun && !isWithin(today, thisYear) ? thisYear : seasonSpan(season, today.year - 1);
  return steps > 0 && begun ? seasonSpan(season, today.year + 1) : thisYear;
}

/** A month without a year, on the side given. */
export function relativeMonth(month: number, today: CivilDate, side: 'past' | 'future' | 'this'): CivilSpan {
  const shift = side === 'past' && month > today.month ? -1 : side === 'future' && month < today.month ? 1 : 0;
  return monthSpan({ year: today.year + shift, month, day: 1 });
}

/** A day and month without a year, on the side given. */
export function nearestDay(month: number, day: number, today: CivilDate, prefer: 'past' | 'future'): CivilSpan | null {
  const order = month * 100 + day - (today.month * 100 + today.day);
  return exactDay(
    today.year + (prefer === 'past' && order > 0 ? -1 : prefer === 'future' && order < 0 ? 1 : 0),
    month,
    day,
  );
}

/** "next Friday" is the Friday of the next calendar week, "this Friday" of this one, "last Friday" the latest before today. */
export function relativeWeekday(name: string, today: CivilDate, side: string, prefer: 'past' | 'future'): CivilSpan {
  const target = WEEKDAYS.findIndex((weekday) => weekday.startsWith(name.slice(0, 3).toLowerCase()));
  const current = weekdayOf(today);
  if (side === 'next') return daySpan(addDays(mondayOf(today), 7 + target));
  if (side === 'last' || side === 'this past' || (side === '' && prefer === 'past'))
    return daySpan(addDays(today, -((current - target + 6) % 7) - 1));
  // "On Sunday", said on a Sunday, is the next one; "this Sunday" is today.
  return daySpan(addDays(today, (target - current + 7) % 7 || (side === '' ? 7 : 0)));
}

/** "two weeks ago", "in three years": as wide as its unit. */
export function distantSpan(count: number, unit: string, today: CivilDate): CivilSpan {
  switch (unit.toLowerCase()) {
    case 'day':
      return daySpan(addDays(today, count));
    case 'week':
      return weekSpan(mondayOf(addDays(today, count * 7)));
    case 'month':
      return monthSpan(firstOfMonth(today, count));
    case 'decade':
      return yearSpan(today.year + count * 10);
    default:
      return yearSpan(today.year + count);
  }
}

/** "a few weeks ago": two to five units away. */
export function vagueSpan(sign: number, unit: string, today: CivilDate): CivilSpan {
  const far = distantSpan(sign * 5, unit, today);
  const near = distantSpan(sign * 2, unit, today);
  return {
    from: far.from,
    to: near.to,
    precision: 'range',
    absolute: `a few ${unit.toLowerCase()}s before ${writeDate(today)}`,
  };
}

/** "the last two weeks", "the next three days": from today on, counted in days or calendar months and years. */
export function rollingSpan(direction: number, count: number, unit: string, today: CivilDate): CivilSpan {
  const edge = shifted(today, direction * count, unit.toLowerCase());
  const from = direction < 0 ? edge : today;
  const to = direction < 0 ? today : edge;
  return {
    from,
    to: addDays(to, 1),
    precision: 'range',
    absolute: `from ${writeDate(from)} to ${writeDate(to)}`,
  };
}

function shifted(day: CivilDate, count: number, unit: string): CivilDate {
  if (unit === 'day' || unit === 'week') return addDays(day, unit === 'week' ? count * 7 : count);
  const first = firstOfMonth(day, unit === 'year' ? count * 12 : count);
  const same = { ...first, day: day.day };
  return isValidDate(same) ? same : addDays(firstOfMonth(first, 1), -1);
}

function isWithin(day: CivilDate, span: CivilSpan): boolean {
  const number = (date: CivilDate): number => date.year * 10_000 + date.month * 100 + date.day;
  return number(day) >= number(span.from) && number(day) < number(span.to);
}

/** -1 for last, 1 for next, 0 for this. */
export function directionOf(word: string | undefined): number {
  const lower = (word ?? '').toLowerCase();
  return lower === 'last' || lower === 'past' || lower === 'this past' || lower === 'previous'
    ? -1
    : lower === 'next' || lower === 'coming'
      ? 1
      : 0;
}

/** "Sept" → 9. */
export function monthNumber(name: string | undefined): number {
  return MONTHS.findIndex((month) => month.toLowerCase().startsWith((name ?? '').slice(0, 3).toLowerCase())) + 1;
}

/** "a couple of" → 2, "12" → 12. */
export function numberOf(word: string | undefined): number {
  const lower = (word ?? '').toLowerCase();
  return NUMBERS[lower] ?? Number(lower);
}
