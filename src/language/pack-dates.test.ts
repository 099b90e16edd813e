import { describe, expect, it } from 'vitest';
import { findDates } from './pack-dates.ts';
import { PACKS } from './packs/packs.ts';

// A Monday.
const NOW = new Date('2026-05-18T10:00:00Z');

describe('dates in the languages of packs', () => {
  it.each([
    ['de', 'Zahnarzt am Donnerstag, den 28.', ['2026-05-28']],
    ['de', 'Freitag 5. Juni', ['2026-06-05']],
    ['de', 'am Dienstag um 10 Uhr', ['2026-05-19']],
    ['es', 'la reunión es el jueves 28', ['2026-05-28']],
    ['fr', 'rendez-vous vendredi 5 juin', ['2026-06-05']],
    ['nl', 'vrijdag 5 juni', ['2026-06-05']],
    ['de', 'ich bin seit April in Bremen', ['2026-04-01']],
    ['fr', 'depuis avril', ['2026-04-01']],
    ['de', 'ab April bin ich in Bremen', ['2027-04-01']],
  ])('%s: %s', (language, text, days) => {
    const pack = PACKS.find((each) => each.language === language);
    expect(pack).toBeDefined();
    const found = findDates(text, pack as NonNullable<typeof pack>, { now: NOW, timeZone: 'UTC', prefer: 'future' });
    expect(found.map(({ from }) => from?.toISOString().slice(0, 10))).toEqual(days);
  });
});
