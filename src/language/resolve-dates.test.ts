import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveDates } from './resolve-dates.ts';

const NOW = new Date('2026-11-15T10:00:00Z'); // a Sunday
const UTC = { now: NOW, timeZone: 'UTC' };
const day = (date: Date | null | undefined): string => date?.toISOString().slice(0, 10) ?? 'open';
const hours = (text: string, timeZone: string): number => {
  const [date] = resolveDates(text, { now: NOW, timeZone });
  return ((date?.to?.getTime() ?? 0) - (date?.from?.getTime() ?? 0)) / 3_600_000;
};

/** [text, from, to (exclusive), absolute] in UTC. */
const CASES: ReadonlyArray<readonly [string, string, string, string, ('past' | 'future')?]> = [
  ['today', '2026-11-15', '2026-11-16', 'on 15 November 2026'],
  ['yesterday', '2026-11-14', '2026-11-15', 'on 14 November 2026'],
  ['tomorrow morning', '2026-11-16', '2026-11-17', 'on 16 November 2026'],
  ['the day before yesterday', '2026-11-13', '2026-11-14', 'on 13 November 2026'],
  ['last night', '2026-11-14', '2026-11-15', 'on the night of 14 November 2026'],
  ['two days ago', '2026-11-13', '2026-11-14', 'on 13 November 2026'],
  ['thirteen days ago', '2026-11-02', '2026-11-03', 'on 2 November 2026'],
  ['10 days ago', '2026-11-05', '2026-11-06', 'on 5 November 2026'],
  ['in 3 days', '2026-11-18', '2026-11-19', 'on 18 November 2026'],
  ['last week', '2026-11-02', '2026-11-09', 'in the week of 2 November 2026'],
  ['this week', '2026-11-09', '2026-11-16', 'in the week of 9 November 2026'],
  ['next week', '2026-11-16', '2026-11-23', 'in the week of 16 November 2026'],
  ['last weekend', '2026-11-07', '2026-11-09', 'on the weekend of 7 November 2026'],
  ['the weekend before last', '2026-10-31', '2026-11-02', 'on the weekend of 31 October 2026'],
  ['this weekend', '2026-11-14', '2026-11-16', 'on the weekend of 14 November 2026'],
  ['last month', '2026-10-01', '2026-11-01', 'in October 2026'],
  ['next month', '2026-12-01', '2027-01-01', 'in December 2026'],
  ['last year', '2025-01-01', '2026-01-01', 'in 2025'],
  ['next year', '2027-01-01', '2028-01-01', 'in 2027'],
  ['in the last two weeks', '2026-11-01', '2026-11-16', 'from 1 November 2026 to 15 November 2026'],
  ['the past 3 days', '2026-11-12', '2026-11-16', 'from 12 November 2026 to 15 November 2026'],
  ['over the past few months', '2026-06-15', '2026-11-16', 'from 15 June 2026 to 15 November 2026'],
  ['the next two weeks', '2026-11-15', '2026-11-30', 'from 15 November 2026 to 29 November 2026'],
  ['from 10 to 17 June', '2027-06-10', '2027-06-18', 'from 10 June 2027 to 17 June 2027', 'future'],
  ['3rd-9th of May 2025', '2025-05-03', '2025-05-10', 'from 3 May 2025 to 9 May 2025'],
  ['from january', '2027-01-01', 'open', 'from January 2027'],
  ['since march 1st', '2026-03-01', 'open', 'since 1 March 2026', 'future'],
  ['since the 3rd of May', '2026-05-03', 'open', 'since 3 May 2026', 'future'],
  ['the last week of july', '2027-07-25', '2027-08-01', 'from 25 July 2027 to 31 July 2027', 'future'],
  ['the first week of June 2024', '2024-06-01', '2024-06-08', 'from 1 June 2024 to 7 June 2024'],
  ['two years ago last March', '2024-03-01', '2024-04-01', 'in March 2024'],
  ['four years ago this December', '2022-12-01', '2023-01-01', 'in December 2022'],
  ['from august', '2027-08-01', 'open', 'from August 2027', 'future'],
  ['three months ago', '2026-08-01', '2026-09-01', 'in August 2026'],
  ['a year ago', '2025-01-01', '2026-01-01', 'in 2025'],
  ['a couple of years ago', '2024-01-01', '2025-01-01', 'in 2024'],
  ['in two years', '2028-01-01', '2029-01-01', 'in 2028'],
  ['last Friday', '2026-11-13', '2026-11-14', 'on 13 November 2026'],
  ['next Friday', '2026-11-20', '2026-11-21', 'on 20 November 2026'],
  ['this Sunday', '2026-11-15', '2026-11-16', 'on 15 November 2026'],
  ['last Sunday', '2026-11-08', '2026-11-09', 'on 8 November 2026'],
  ['on Friday', '2026-11-20', '2026-11-21', 'on 20 November 2026', 'future'],
  ['on Tuesday the 24th', '2026-11-24', '2026-11-25', 'on 24 November 2026', 'future'],
  ['on Friday, 4 December', '2026-12-04', '2026-12-05', 'on 4 December 2026', 'future'],
  ['Thursday 5th', '2026-11-05', '2026-11-06', 'on 5 November 2026', 'past'],
  ['on Friday', '2026-11-13', '2026-11-14', 'on 13 November 2026', 'past'],
  ['in May 2023', '2023-05-01', '2023-06-01', 'in May 2023'],
  ['in May', '2026-05-01', '2026-06-01', 'in May 2026'],
  ['in December', '2025-12-01', '2026-01-01', 'in December 2025'],
  ['in May', '2027-05-01', '2027-06-01', 'in May 2027', 'future'],
  ['8 May, 2023', '2023-05-08', '2023-05-09', 'on 8 May 2023'],
  ['May 8th, 2023', '2023-05-08', '2023-05-09', 'on 8 May 2023'],
  ['2023-05-08', '2023-05-08', '2023-05-09', 'on 8 May 2023'],
  ['on the 3rd of March', '2026-03-03', '2026-03-04', 'on 3 March 2026'],
  ['since 2019', '2019-01-01', 'open', 'since 2019'],
  ['since May', '2026-05-01', 'open', 'since May 2026'],
  ['until 2020', 'open', '2021-01-01', 'until 2020'],
  ['before 2020', 'open', '2020-01-01', 'before 2020'],
  ['by next Friday', 'open', '2026-11-21', 'by 20 November 2026'],
  ['from 2019 to 2023', '2019-01-01', '2024-01-01', 'from 2019 to 2023'],
  ['between 2015 and 2018', '2015-01-01', '2019-01-01', 'from 2015 to 2018'],
  ['2019-2023', '2019-01-01', '2024-01-01', 'from 2019 to 2023'],
  ['from May 2020 to June 2021', '2020-05-01', '2021-07-01', 'from May 2020 to June 2021'],
  ['last summer', '2026-06-01', '2026-09-01', 'in summer 2026'],
  ['next spring', '2027-03-01', '2027-06-01', 'in spring 2027'],
  ['in summer 2022', '2022-06-01', '2022-09-01', 'in summer 2022'],
  ['in the 90s', '1990-01-01', '2000-01-01', 'in the 1990s'],
  ['Q3 2024', '2024-07-01', '2024-10-01', 'in Q3 2024'],
  ['back in 2015', '2015-01-01', '2016-01-01', 'in 2015'],
];

describe('resolveDates', () => {
  it.for(CASES)('resolves %s to the range from %s to %s, %s', ([text, from, to, absolute, prefer]) => {
    const dates = resolveDates(`It was ${text} there`, { ...UTC, ...(prefer === undefined ? {} : { prefer }) });
    expect(dates.map((date) => [day(date.from), day(date.to), date.absolute])).toEqual([[from, to, absolute]]);
  });

  it('returns the words and the precision of each date, in order', () => {
    const dates = resolveDates('What did we say last week, and in May 2023, and yesterday?', UTC);
    expect(dates.map(({ text, precision }) => [text, precision])).toEqual([
      ['last week', 'week'],
      ['in May 2023', 'month'],
      ['yesterday', 'day'],
    ]);
  });

  it('begins days in the zone of the speaker', () => {
    const late = new Date('2026-11-15T23:30:00Z');
    const from = (text: string, timeZone: string): string | undefined =>
      resolveDates(text, { now: late, timeZone })[0]?.from?.toISOString();
    expect(from('yesterday', 'Europe/Berlin')).toBe('2026-11-14T23:00:00.000Z');
    expect(from('yesterday', 'America/New_York')).toBe('2026-11-14T05:00:00.000Z');
    expect(from('today', 'Asia/Kathmandu')).toBe('2026-11-15T18:15:00.000Z');
    expect(from('today', 'Pacific/Kiritimati')).toBe('2026-11-15T10:00:00.000Z');
  });

  it('resolves a day on which the clocks change to 23 or 25 hours', () => {
    expect(hours('2026-03-29', 'Europe/Berlin')).toBe(23);
    expect(hours('2026-10-25', 'Europe/Berlin')).toBe(25);
    expect(hours('2026-03-08', 'America/New_York')).toBe(23);
    expect(hours('2026-11-01', 'America/New_York')).toBe(25);
    expect(hours('in May 2023', 'Europe/Berlin')).toBe(31 * 24);
  });

  it('begins a day at 1:00 where the clocks skip midnight', () => {
    const [date] = resolveDates('2018-11-04', { now: NOW, timeZone: 'America/Sao_Paulo' });
    expect([date?.from?.toISOString(), date?.to?.toISOString()]).toEqual([
      '2018-11-04T03:00:00.000Z',
      '2018-11-05T02:00:00.000Z',
    ]);
    expect(hours('2018-11-03', 'America/Sao_Paulo')).toBe(24);
  });

  it('counts from the local day, not from the UTC day, on both sides of a clock change', () => {
    const [date] = resolveDates('two days ago', { now: new Date('2026-10-26T00:30:00Z'), timeZone: 'Europe/Berlin' });
    expect([date?.from?.toISOString(), date?.to?.toISOString()]).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-10-24T22:00:00.000Z',
    ]);
  });

  it('never ends a range before it begins, whatever the day and zone', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'America/Sao_Paulo',
      'Asia/Beirut',
      'Australia/Lord_Howe',
    ];
    const instants = fc.date({ min: new Date('1990-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), fc.constantFrom(...CASES), (now, timeZone, [text]) => {
        for (const { from, to } of resolveDates(`It was ${text} there`, { now, timeZone })) {
          if (from !== null && to !== null) expect(from.getTime()).toBeLessThan(to.getTime());
        }
      }),
    );
  });

  it.each([
    'I may go',
    'may I',
    'it is the last straw',
    'march on',
    'in a second',
    'I have 2019 friends',
    'the next thing',
    'room 2023b',
    'My favorite song is "Yesterday."',
    '2020-13-45',
    '0020-01-01',
  ])('finds no date in %s', (text) => {
    expect(resolveDates(text, UTC)).toEqual([]);
  });

  it('refuses an unknown zone', () => {
    expect(() => resolveDates('today', { now: NOW, timeZone: 'Mars/Olympus' })).toThrow(RangeError);
  });
});

describe('a day without its month, and a weekday without a preposition', () => {
  it.each([
    ['The viva is on the 9th.', '2026-12-09'],
    ['The lease ends on the 31st at noon', '2026-12-31'],
    ['hand it in by the 31st', 'open'],
    ['we sit on the 9th floor', undefined],
    ['the kiln is booked for the 9th', '2026-12-09'],
    ['deadline its the 9th im nowhere near done', '2026-12-09'],
    ['they moved the boiler man to the 9th same time', '2026-12-09'],
    ['this is the 9th and last email', undefined],
    ['I asked for the 9th time', undefined],
    ['she is the 9th in the queue', undefined],
    ['driving to Ludlow thursday', '2026-11-19'],
    ['every thursday', undefined],
    ['the sunday papers', undefined],
  ])('%s', (text, from) => {
    const [date] = resolveDates(text, { ...UTC, prefer: 'future' });
    expect(date === undefined ? undefined : day(date.from)).toBe(from);
  });
});
