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
    ['de', 'übernächsten Freitag ist Chorprobe', ['2026-05-29']],
    ['de', 'nächsten Freitag ist Chorprobe', ['2026-05-22']],
    ['de', 'die Abgabe ist am 9.', ['2026-06-09']],
    ['de', 'am 3. Versuch', []],
    ['es', 'el examen es el 30', ['2026-05-30']],
    ['fr', 'mon oral est le 9 à 14h', ['2026-06-09']],
    ['fr', 'le 9 rue des Lilas', []],
    ['it', "l'esame è il 30", ['2026-05-30']],
    ['nl', 'het examen is op de 9e', ['2026-06-09']],
    ['pt', 'a prova é dia 30', ['2026-05-30']],
    ['es', 'la última semana de julio', []],
    ['fr', 'le plombier vient mercredi à 9h', ['2026-05-20']],
    ['fr', 'le mercredi je nage', []],
    ['it', 'la visita è giovedì alle 10', ['2026-05-21']],
    ['pt', 'a consulta ficou pra quinta', ['2026-05-21']],
  ])('%s: %s', (language, text, days) => {
    const pack = PACKS.find((each) => each.language === language);
    expect(pack).toBeDefined();
    const found = findDates(text, pack as NonNullable<typeof pack>, { now: NOW, timeZone: 'UTC', prefer: 'future' });
    expect(found.map(({ from }) => from?.toISOString().slice(0, 10))).toEqual(days);
  });
});
