import { cached } from '../record/cache.ts';
import { DAY } from '../record/clock.ts';
import type { Event } from '../record/event.ts';
import { isoDay } from '../record/memory.ts';
import { knownTimeZone } from '../record/parse.ts';
import { english } from './packs/en.ts';
import type { Pack } from './packs/pack.ts';
import { perPack } from './packs/packs.ts';

/** A calendar day without a time zone. `month` counts from 1. */
export interface CivilDate {
  year: number;
  month: number;
  day: number;
}

export const MONTHS: readonly string[] = english.calendar.months.map(wholeName);
export const WEEKDAYS: readonly string[] = english.calendar.weekdays.map(wholeName);

function wholeName(alternatives: string): string {
  const [name = ''] = alternatives.split('|');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** In lower case, without "may", which is a verb in most texts. */
export const UNAMBIGUOUS_DAYS: readonly string[] = [...MONTHS, ...WEEKDAYS]
  .map((name) => name.toLowerCase())
  .filter((name) => name !== 'may');

/** In lower case. Like a month, a feast says when something happens and names no person, place or thing. */
export const FEASTS: ReadonlySet<string> = new Set(
  `new year,new year's,new year's eve,new year's day,christmas,christmas eve,christmas day,boxing day,xmas,easter,easter sunday,easter
  monday,good friday,whitsun,pentecost,ramadan,eid,diwali,hanukkah,passover,yom kippur,rosh hashanah,thanksgiving,halloween,valentine's
  day,mother's
  day,father's day,labour day,labor day,independence day`
    .split(',')
    .map((name) => name.trim().replaceAll(/\s+/g, ' ')),
);

export const MONTH_STARTS: string = MONTHS.map((name) => name.slice(0, 3).toLowerCase()).join('|');

/** Years and written-out English dates. A model may have computed them, so they need not occur in a source. */
export const WRITTEN_DATE: RegExp = new RegExp(
  `\\b(?:\\d{1,2}(?:st|nd|rd|th)?\\s+)?(?:${MONTH_STARTS})[a-z]*\\.?(?:\\s+\\d{1,2}(?:st|nd|rd|th)?\\b)?(?:,?\\s+(?:19|20)\\d{2})?|\\b(?:19|20)\\d{2}(?:-\\d{2}){0,2}\\b`,
  'gi',
);

// Building a formatter takes about a millisecond, using one takes microseconds.
const MOST_ZONES = 1_000;
const formatterOf = cached(
  MOST_ZONES,
  (timeZone) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
);

/**
 * Returns the speaker's zone. If that is an offset such as "-06:00" which the given zone also has at that time, returns the given zone,
 * because its daylight saving time is known.
 */
export function zoneOf({ metadata, occurredAt }: Pick<Event, 'metadata' | 'occurredAt'>, otherwise: string): string {
  const own = knownTimeZone(metadata['timeZone'], otherwise);
  const time = occurredAt.getTime();
  return /^[+-]/.test(own) && offsetAt(time, own) === offsetAt(time, otherwise) ? otherwise : own;
}

/** Throws RangeError for an unknown zone. */
export function civilDateAt(instant: Date, timeZone: string): CivilDate {
  const parts = partsAt(instant, timeZone);
  return { year: parts.year, month: parts.month, day: parts.day };
}

/** Returns the ISO day in a stored time zone, or in UTC if none is stored. */
export function localDay(instant: Date, timeZone: unknown): string {
  const { year, month, day } = civilDateAt(instant, knownTimeZone(timeZone, 'UTC'));
  return isoDay(new Date(Date.UTC(year, month - 1, day)));
}

export function dayOf({ internal }: { internal?: Record<string, unknown> }, instant: Date): string {
  return localDay(instant, internal?.['timeZone']);
}

export function startOfDay(date: CivilDate, timeZone: string): Date {
  const utc = Date.UTC(date.year, date.month - 1, date.day);
  const first = utc - offsetAt(utc, timeZone);
  // The offset may change between the guess and the result (daylight saving).
  const second = utc - offsetAt(first, timeZone);
  // If clocks skip midnight itself, the second guess is on the day before.
  return new Date(second < first && civilDateAt(new Date(second), timeZone).day !== date.day ? first : second);
}

export function instantAt(date: CivilDate, { hour, minute }: ClockTime, timeZone: string): Date {
  return fromLocal(new Date(Date.UTC(date.year, date.month - 1, date.day, hour, minute)), timeZone);
}

/** Returns the instant at which the clocks in a zone show the UTC time of the given instant. */
function fromLocal(utc: Date, timeZone: string): Date {
  const time = utc.getTime();
  const isMidnight = time % DAY === 0;
  return isMidnight
    ? startOfDay(fromUtc(time), timeZone)
    : new Date(time - offsetAt(time - offsetAt(time, timeZone), timeZone));
}

/** Parses an ISO date. Without an offset, it is a day or a time in the given zone. Null for any other text. */
export function parseDate(text: string | null, timeZone: string): Date | null {
  if (text === null || !/^\d{4}(?:-\d{2}){0,2}/.test(text.trim())) return null;
  const [, date = '', time = ''] = /^([\d-]+)(?:[T ]([\d:.]+))?$/.exec(text.trim()) ?? [];
  const instant = new Date(date === '' ? text.trim() : `${date}${time === '' ? '' : `T${time}Z`}`);
  return Number.isNaN(instant.getTime()) ? null : date === '' ? instant : fromLocal(instant, timeZone);
}

export interface ClockTime {
  hour: number;
  minute: number;
}

export function addDays(date: CivilDate, days: number): CivilDate {
  return fromUtc(Date.UTC(date.year, date.month - 1, date.day) + days * DAY);
}

export function daysBetween(from: CivilDate, to: CivilDate): number {
  return (Date.UTC(to.year, to.month - 1, to.day) - Date.UTC(from.year, from.month - 1, from.day)) / DAY;
}

export function firstOfMonth(date: CivilDate, months: number): CivilDate {
  const index = date.year * 12 + (date.month - 1) + months;
  return { year: Math.floor(index / 12), month: (index % 12) + 1, day: 1 };
}

/** 0 is Monday, 6 is Sunday. */
export function weekdayOf(date: CivilDate): number {
  return (new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay() + 6) % 7;
}

export function mondayOf(date: CivilDate): CivilDate {
  return addDays(date, -weekdayOf(date));
}

export function isValidDate(date: CivilDate): boolean {
  return (
    date.year >= 1000 && date.month >= 1 && date.month <= 12 && date.day >= 1 && addDays(date, 0).month === date.month
  );
}

export function writeDate(date: CivilDate): string {
  return `${date.day} ${MONTHS[date.month - 1] ?? ''} ${date.year}`;
}

const monthFormat = perPack(({ language }) => new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' }));

const YEAR = /(?: de)? ?\{y\}年?/u;

/** Writes the day and month in the pack's language. Without a pack, writes the ISO date, which all readers understand. */
export function dayOfYear(at: Date, timeZone: string, pack: Pack | null): string {
  const date = civilDateAt(at, timeZone);
  if (pack !== null) return writeDay(date, pack, pack.calendar.written.replace(YEAR, ''));
  return new Date(Date.UTC(date.year, date.month - 1, date.day)).toISOString().slice(0, 10);
}

export function writeDay(date: CivilDate, pack: Pack, written: string = pack.calendar.written): string {
  return written
    .replace('{d}', String(date.day))
    .replace('{month}', () => monthFormat(pack).format(Date.UTC(date.year, date.month - 1)))
    .replace('{m}', String(date.month))
    .replace('{y}', String(date.year));
}

function fromUtc(time: number): CivilDate {
  const date = new Date(time);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function offsetAt(time: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const { year, month, day, hour, minute, second } = partsAt(new Date(time), timeZone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000;
}

function partsAt(instant: Date, timeZone: string): CivilDate & { hour: number; minute: number; second: number } {
  if (timeZone === 'UTC')
    return {
      ...fromUtc(instant.getTime()),
      hour: instant.getUTCHours(),
      minute: instant.getUTCMinutes(),
      second: instant.getUTCSeconds(),
    };
  const numbers: Record<string, number> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(instant)) numbers[type] = Number(value);
  return {
    year: numbers['year'] ?? 1970,
    month: numbers['month'] ?? 1,
    day: numbers['day'] ?? 1,
    hour: numbers['hour'] ?? 0,
    minute: numbers['minute'] ?? 0,
    second: numbers['second'] ?? 0,
  };
}

export type DatePrecision = 'day' | 'week' | 'weekend' | 'month' | 'season' | 'quarter' | 'year' | 'decade' | 'range';

/** End exclusive. `absolute` is the wording: "in May 2026". */
export interface CivilSpan {
  from: CivilDate;
  to: CivilDate;
  precision: DatePrecision;
  absolute: string;
}

// Meteorological seasons of the northern hemisphere. The wording has only season and year, which is right in the south too.
const SEASON_START: Readonly<Record<string, number>> = { spring: 3, summer: 6, autumn: 9, fall: 9, winter: 12 };

export function exactDay(year: number, month: number, day: number): CivilSpan | null {
  return isValidDate({ year, month, day }) ? daySpan({ year, month, day }) : null;
}

export function daySpan(day: CivilDate): CivilSpan {
  return { from: day, to: addDays(day, 1), precision: 'day', absolute: `on ${writeDate(day)}` };
}

export function monthSpan(first: CivilDate): CivilSpan {
  return {
    from: first,
    to: firstOfMonth(first, 1),
    precision: 'month',
    absolute: `in ${MONTHS[first.month - 1] ?? ''} ${first.year}`,
  };
}

export function yearSpan(year: number): CivilSpan {
  return {
    from: { year, month: 1, day: 1 },
    to: { year: year + 1, month: 1, day: 1 },
    precision: 'year',
    absolute: `in ${year}`,
  };
}

/** "90" or "1990". Two digits below 30 belong to this century. */
export function decadeSpan(text: string): CivilSpan {
  const year = text.length === 4 ? Number(text) : Number(text) >= 30 ? 1900 + Number(text) : 2000 + Number(text);
  return {
    from: { year, month: 1, day: 1 },
    to: { year: year + 10, month: 1, day: 1 },
    precision: 'decade',
    absolute: `in the ${year}s`,
  };
}

/** Three months. Winter 2023 begins in December 2023. */
export function seasonSpan(season: string, year: number): CivilSpan {
  const from = { year, month: SEASON_START[season.toLowerCase()] ?? 1, day: 1 };
  return {
    from,
    to: firstOfMonth(from, 3),
    precision: 'season',
    absolute: `in ${season.toLowerCase()} ${year}${from.month === 12 ? `/${String(year + 1).slice(2)}` : ''}`,
  };
}

export function quarterSpan(year: number, quarter: number): CivilSpan {
  const from = { year, month: quarter * 3 - 2, day: 1 };
  return { from, to: firstOfMonth(from, 3), precision: 'quarter', absolute: `in Q${quarter} ${year}` };
}

function weekSpan(monday: CivilDate): CivilSpan {
  return { from: monday, to: addDays(monday, 7), precision: 'week', absolute: `in the week of ${writeDate(monday)}` };
}

/** "last week", "next month": a whole calendar unit, `steps` units from the present one. */
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

export function relativeSeason(season: string, today: CivilDate, steps: number): CivilSpan {
  const thisYear = seasonSpan(season, today.year);
  const begun = today.month >= thisYear.from.month;
  if (steps < 0) return begun && !isWithin(today, thisYear) ? thisYear : seasonSpan(season, today.year - 1);
  return steps > 0 && begun ? seasonSpan(season, today.year + 1) : thisYear;
}

export function relativeMonth(month: number, today: CivilDate, side: 'past' | 'future' | 'this'): CivilSpan {
  const shift = side === 'past' && month > today.month ? -1 : side === 'future' && month < today.month ? 1 : 0;
  return monthSpan({ year: today.year + shift, month, day: 1 });
}

export function nearestDay(month: number, day: number, today: CivilDate, prefer: 'past' | 'future'): CivilSpan | null {
  return exactDay(nearestYear(month, day, today, prefer), month, day);
}

/** The year of a day on the preferred side of today. Today is on both. */
export function nearestYear(month: number, day: number, today: CivilDate, prefer: 'past' | 'future'): number {
  const order = month * 100 + day - (today.month * 100 + today.day);
  return today.year + (prefer === 'past' && order > 0 ? -1 : prefer === 'future' && order < 0 ? 1 : 0);
}

/** "Next Friday" is the Friday of the next calendar week, "this Friday" the first from today on, "last Friday" the last before today. */
export function relativeWeekday(name: string, today: CivilDate, side: string, prefer: 'past' | 'future'): CivilSpan {
  const target = weekdayNumber(name);
  const current = weekdayOf(today);
  if (side === 'next') return daySpan(addDays(mondayOf(today), 7 + target));
  if (side === 'last' || side === 'this past' || (side === '' && prefer === 'past'))
    return daySpan(addDays(today, -((current - target + 6) % 7) - 1));
  // "On Sunday", said on a Sunday, means the next Sunday; "this Sunday" means today.
  return daySpan(addDays(today, (target - current + 7) % 7 || (side === '' ? 7 : 0)));
}

/**
 * On the preferred side of today, the day may be two months further away than on the other: "born on Thursday the 28th", said on the 30th,
 * was two days ago. Null if none is within half a year.
 */
export function weekdayOfMonth(
  weekday: number,
  dayOfMonth: number,
  today: CivilDate,
  prefer: 'past' | 'future',
): CivilDate | null {
  const sign = prefer === 'future' ? 1 : -1;
  const matches = (away: number): boolean => {
    const day = addDays(today, away);
    return day.day === dayOfMonth && weekdayOf(day) === weekday;
  };
  for (let away = 0; away <= HALF_A_YEAR; away += 1) {
    if (matches(sign * away)) return addDays(today, sign * away);
    const other = away - NEAR;
    if (other >= 0 && matches(-sign * other)) return addDays(today, -sign * other);
  }
  return null;
}

const NEAR = 62;

/** Resolves "the 17th". Today counts as the future. Null for the 32nd. */
export function dayOfMonth(number: number, today: CivilDate, prefer: 'past' | 'future'): CivilSpan | null {
  if (number < 1 || number > 31) return null;
  for (let away = prefer === 'future' ? 0 : 1; ; away += 1) {
    const day = addDays(today, prefer === 'future' ? away : -away);
    if (day.day === number) return daySpan(day);
  }
}

export const HALF_A_YEAR = 183;

/** Monday is 0. -1 if the word is not a weekday. */
export function weekdayNumber(name: string): number {
  return WEEKDAYS.findIndex((weekday) => weekday.toLowerCase().startsWith(name.slice(0, 3).toLowerCase()));
}

/** For decades, a span of one year. */
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

export function rollingSpan(direction: number, count: number, unit: string, today: CivilDate): CivilSpan {
  const edge = shifted(today, direction * count, unit.toLowerCase());
  return direction < 0 ? rangeOfDays(edge, today) : rangeOfDays(today, edge);
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

export function daysOfMonth(
  [first, last]: readonly [number, number],
  month: number,
  year: number | null,
  today: CivilDate,
  prefer: 'past' | 'future',
): CivilSpan | null {
  const end = year === null ? nearestDay(month, last, today, prefer) : exactDay(year, month, last);
  const start = end === null ? null : exactDay(end.from.year, month, first);
  return start === null || end === null || first >= last ? null : rangeOfDays(start.from, end.from);
}

/** "the last week of August": the first or the last seven days of a month. */
export function weekOfMonth(
  isLast: boolean,
  month: number,
  year: number | null,
  today: CivilDate,
  prefer: 'past' | 'future',
): CivilSpan {
  const first = { year: year ?? relativeMonth(month, today, prefer).from.year, month, day: 1 };
  const from = isLast ? addDays(firstOfMonth(first, 1), -7) : first;
  return rangeOfDays(from, addDays(from, 6));
}

/** "Early May" is its first ten days, "the end of May" the days from the 21st on. */
export function partOfMonth(part: 'early' | 'mid' | 'late', first: CivilDate): Pick<CivilSpan, 'from' | 'to'> {
  const [from, to] = { early: [1, 11], mid: [11, 21], late: [21, null] }[part] as [number, number | null];
  return { from: { ...first, day: from }, to: to === null ? firstOfMonth(first, 1) : { ...first, day: to } };
}

export function rangeOfDays(first: CivilDate, last: CivilDate): CivilSpan {
  const absolute = `from ${writeDate(first)} to ${writeDate(last)}`;
  return { from: first, to: addDays(last, 1), precision: 'range', absolute };
}

export function directionOf(word: string | undefined): number {
  const lower = (word ?? '').toLowerCase();
  return lower === 'last' || lower === 'past' || lower === 'this past' || lower === 'previous'
    ? -1
    : lower === 'next' || lower === 'coming'
      ? 1
      : 0;
}

/** 9 for "Sept", 0 if the word is not a month. */
export function monthNumber(name: string | undefined): number {
  return MONTHS.findIndex((month) => month.toLowerCase().startsWith((name ?? '').slice(0, 3).toLowerCase())) + 1;
}
