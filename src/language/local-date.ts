import { civilDateAt, weekdayOf } from './civil-date.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** The date in a time zone, as 2026-11-15 (Sunday). Throws RangeError for an unknown zone. */
export function localDate(now: number, timeZone: string): string {
  const date = civilDateAt(new Date(now), timeZone);
  const digits = (value: number, length: number): string => String(value).padStart(length, '0');
  return `${digits(date.year, 4)}-${digits(date.month, 2)}-${digits(date.day, 2)} (${WEEKDAYS[weekdayOf(date)]})`;
}
