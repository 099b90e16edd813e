import { describe, expect, it } from 'vitest';
import { date, dueDay, inSecondPerson, month, monthsOf, statedDay, visibleParts } from '../web/src/words.ts';

const shown = (text: string): string =>
  visibleParts(text)
    .map((part) => (part.isHidden ? `[${part.text}]` : part.text))
    .join('');

describe('stored text as the inspector shows it (T17)', () => {
  it('returns plain text unchanged, with its line breaks', () => {
    expect(shown('Lives in Málaga.\n\tSince <b>May</b> & June')).toBe('Lives in Málaga.\n\tSince <b>May</b> & June');
  });

  it('shows invisible characters and direction marks by their code', () => {
    expect(shown('pay\u200Bpal')).toBe('pay[U+200B]pal');
    expect(shown('\u202Egnp.exe')).toBe('[U+202E]gnp.exe');
    expect(shown('a\u0000b\u00ADc\uFEFF')).toBe('a[U+0000]b[U+00AD]c[U+FEFF]');
    expect(shown(`x${String.fromCodePoint(0xe0041, 0xe0042)}`)).toBe('x[U+E0041][U+E0042]');
    expect(shown('x\uFE01')).toBe('x[U+FE01]');
  });

  it('keeps joiners that emoji and scripts need', () => {
    expect(shown('👩\u200D🚀 and ❤\uFE0F')).toBe('👩\u200D🚀 and ❤\uFE0F');
    expect(shown('می\u200Cخواهم')).toBe('می\u200Cخواهم');
    expect(shown('pass\u200Cword')).toBe('pass[U+200C]word');
  });
});

describe('statements in the view of a person’s own memory use “you” (T17)', () => {
  it.each([
    ['User was a bus driver for nine years.', 'You were a bus driver for nine years.'],
    ['User teaches maths and has two cats.', 'You teach maths and have two cats.'],
    ["User's brother Sam lives with User in Leeds.", 'Your brother Sam lives with you in Leeds.'],
    ["The user's flat is cold.", "The user's flat is cold."],
    [
      "Sam says that User doesn't eat fish, and User's sister agrees.",
      "Sam says that you don't eat fish, and your sister agrees.",
    ],
    ['User and Sam were at the fair. User carries bags.', 'You and Sam were at the fair. You carry bags.'],
    ['User wants to paint the hall himself.', 'You want to paint the hall yourself.'],
    ['User always discusses prices.', 'You always discuss prices.'],
    ['Lives in Oslo. Username: sam', 'Lives in Oslo. Username: sam'],
    ['User wohnt in Köln.', 'You wohnt in Köln.'],
  ])('%s', (text, told) => {
    expect(inSecondPerson(text)).toBe(told);
  });
});

describe('dates in the inspector', () => {
  it('the timeline has every month of the range, and one gap for a pause of more than a year', () => {
    expect(monthsOf(['2025-11-20T12:00:00Z', '2026-02-03T12:00:00Z', '2026-02-09T12:00:00Z'])).toEqual([
      'November 2025',
      'December 2025',
      'January 2026',
      'February 2026',
    ]);
    expect(monthsOf(['1999-05-10T12:00:00Z', '2026-02-03T12:00:00Z'])).toEqual(['May 1999', null, 'February 2026']);
    expect(monthsOf([])).toEqual([]);
  });

  it('a due date that nobody stated is not shown', () => {
    const dueAt = '2026-03-08T00:00:00Z';
    expect([dueDay({ dueAt, internal: {} }), dueDay({ dueAt, internal: { due: 'follow-up' } })]).toEqual([
      `${dueAt.slice(0, 10)}T12:00:00`,
      null,
    ]);
  });
});

describe('the day of a statement', () => {
  it.each([
    ['2026-09-03T22:00:00Z', '+02:00', '4 Sept 2026'],
    ['2026-09-03T22:00:00Z', 'Europe/Berlin', '4 Sept 2026'],
    ['2026-09-04T05:00:00Z', '-05:00', '4 Sept 2026'],
    ['2026-09-03T15:00:00Z', 'Asia/Tokyo', '4 Sept 2026'],
    ['2026-09-04T00:00:00Z', undefined, '4 Sept 2026'],
    ['2026-09-30T22:00:00Z', '+02:00', '1 Oct 2026'],
  ])('%s in the zone %s is %s in every browser', (at, timeZone, shown) => {
    const day = statedDay({ internal: timeZone === undefined ? {} : { timeZone } }, at);
    expect(date(day)).toBe(shown);
    expect(month(day)).toContain(shown.includes('Oct') ? 'October' : 'September');
  });
});
