import { expect, it } from 'vitest';
import { localDate } from './local-date.ts';

it.each([
  ['2026-11-15T10:00:00Z', 'UTC', '2026-11-15 (Sunday)'],
  ['2026-11-15T23:30:00Z', 'Europe/Berlin', '2026-11-16 (Monday)'],
  ['2026-03-01T04:00:00Z', 'America/New_York', '2026-02-28 (Saturday)'],
])('the day of %s in %s is %s', (instant, timeZone, day) => {
  expect(localDate(Date.parse(instant), timeZone)).toBe(day);
});
