/** A day of the calendar, without a zone. `month` counts from 1. */
export interface CivilDate {
  year: number;
  month: number;
  day: number;
}

const DAY = 86_400_000;
/** January first. */
export const MONTHS: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

// Building a formatter takes about a millisecond, using one takes microseconds.
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The calendar day that an instant falls on in a zone. Throws RangeError for an unknown zone. */
export function civilDateAt(instant: Date, timeZone: string): CivilDate {
  const parts = partsAt(instant, timeZone);
  return { year: parts.year, month: parts.month, day: parts.day };
}

/** The instant at which a day begins in a zone. */
export function startOfDay(date: CivilDate, timeZone: string): Date {
  const utc = Date.UTC(date.year, date.month - 1, date.day);
  const first = utc - offsetAt(utc, timeZone);
  // The offset may change between the guess and the result (daylight saving).
  const second = utc - offsetAt(first, timeZone);
  // Where clocks skip midnight itself, the second guess lies on the day before.
  return new Date(second < first && civilDateAt(new Date(second), timeZone).day !== date.day ? first : second);
}

/** The day so many days later, or earlier when negative. */
export function addDays(date: CivilDate, days: number): CivilDate {
  return fromUtc(Date.UTC(date.year, date.month - 1, date.day) + days * DAY);
}

/** The first day of the month that lies so many months away. */
export function firstOfMonth(date: CivilDate, months = 0): CivilDate {
  const index = date.year * 12 + (date.month - 1) + months;
  return { year: Math.floor(index / 12), month: (index % 12) + 1, day: 1 };
}

/** 0 is Monday, 6 is Sunday. */
export function weekdayOf(date: CivilDate): number {
  return (new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay() + 6) % 7;
}

/** The Monday of the week a day lies in. */
export function mondayOf(date: CivilDate): CivilDate {
  return addDays(date, -weekdayOf(date));
}

/** False for 31 February, month 13 and years of less than four digits. */
export function isValidDate(date: CivilDate): boolean {
  return (
    date.year >= 1000 && date.month >= 1 && date.month <= 12 && date.day >= 1 && addDays(date, 0).month === date.month
  );
}

/** "14 November 2026". */
export function writeDate(date: CivilDate): string {
  return `${date.day} ${MONTHS[date.month - 1] ?? ''} ${date.year}`;
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
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(timeZone, formatter);
  }
  const numbers: Record<string, number> = {};
  for (const { type, value } of formatter.formatToParts(instant)) numbers[type] = Number(value);
  return {
    year: numbers['year'] ?? 1970,
    month: numbers['month'] ?? 1,
    day: numbers['day'] ?? 1,
    hour: numbers['hour'] ?? 0,
    minute: numbers['minute'] ?? 0,
    second: numbers['second'] ?? 0,
  };
}
