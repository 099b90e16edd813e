import { describe, expect, it } from 'vitest';
import { nextDue } from './schedules.ts';

const dues = (cron: string, timeZone: string, after: string, count: number): string[] => {
  const found: string[] = [];
  for (let time = Date.parse(after); found.length < count; found.push(new Date(time).toISOString())) {
    time = nextDue({ cron, timeZone }, time);
  }
  return found;
};

describe('nextDue', () => {
  it('is later than the given time, never equal to it', () => {
    expect(dues('0 3 * * *', 'UTC', '2026-01-01T03:00:00.000Z', 1)).toEqual(['2026-01-02T03:00:00.000Z']);
    expect(dues('0 3 * * *', 'UTC', '2026-01-01T02:59:59.999Z', 1)).toEqual(['2026-01-01T03:00:00.000Z']);
  });

  it('is the end of the skipped hour when daylight saving time skips the local time', () => {
    expect(dues('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  it('occurs once when daylight saving time repeats the local time', () => {
    expect(dues('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  it('accepts cron expressions with seconds, and names such as @daily', () => {
    expect(dues('*/20 * * * * *', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
      '2026-01-01T00:00:20.000Z',
      '2026-01-01T00:00:40.000Z',
    ]);
    expect(dues('@daily', 'Asia/Tokyo', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T15:00:00.000Z']);
  });
});
