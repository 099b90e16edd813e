import { describe, expect, it } from 'vitest';
import { timeIn } from './pack-dates.ts';
import { findDates } from './resolve-dates.ts';
import { PACKS } from './packs/packs.ts';

// This day is a Monday.
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
    ['nl', 'het examen is op vrijdag de 10e', ['2026-07-10']],
    ['nl', 'het examen is vrijdag 12-3-2027', ['2027-03-12']],
    ['pt', 'a prova é sexta dia 10', ['2026-07-10']],
    ['pt', 'a prova é dia 30', ['2026-05-30']],
    ['es', 'la última semana de julio', []],
    ['fr', 'le plombier vient mercredi à 9h', ['2026-05-20']],
    ['fr', 'le mercredi je nage', []],
    ['it', 'la visita è giovedì alle 10', ['2026-05-21']],
    ['pt', 'a consulta ficou pra quinta', ['2026-05-21']],
    ['en', 'the marathon is on 4 October next year', ['2027-10-04']],
    ['en', 'we opened on 3 March last year', ['2025-03-03']],
    ['en', 'the course starts in September next year', ['2027-09-01']],
    ['en', 'they moved the hearing to Thursday', ['2026-05-21']],
    ['de', 'Einschulung ist am 4. September nächsten Jahres', ['2027-09-04']],
    ['es', 'la boda es el 3 de octubre del año que viene', ['2027-10-03']],
    ['fr', "le stage commence le 2 novembre de l'année prochaine", ['2027-11-02']],
    ['it', "ci vediamo il 7 dicembre dell'anno prossimo", ['2027-12-07']],
    ['nl', 'de bruiloft is op 8 augustus volgend jaar', ['2027-08-08']],
    ['pt', 'a festa é em 9 de novembro do ano que vem', ['2027-11-09']],
    ['zh', '明年8月3日结婚', ['2027-08-03']],
    ['ja', '来年の9月5日に結婚します', ['2027-09-05']],
    ['de', 'Abgabe ist Ende Mai', ['2026-05-21']],
    ['en', 'the thesis is due end of june', ['2026-06-21']],
    ['en', 'we fly in mid-July', ['2026-07-11']],
    ['es', 'nos vamos a finales de julio', ['2026-07-21']],
    ['fr', "l'ancien numéro sera coupé fin juin", ['2026-06-21']],
    ['it', 'partiamo a metà giugno', ['2026-06-11']],
    ['nl', 'het examen is eind juni', ['2026-06-21']],
    ['pt', 'a mudança é no início de agosto', ['2026-08-01']],
    ['zh', '6月底交论文', ['2026-06-21']],
    ['ja', '6月末に提出します', ['2026-06-21']],
  ])('%s: %s', (language, text, days) => {
    const pack = PACKS.find((each) => each.language === language);
    expect(pack).toBeDefined();
    const found = findDates(text, pack as NonNullable<typeof pack>, { now: NOW, timeZone: 'UTC', prefer: 'future' });
    expect(found.map(({ from }) => from?.toISOString().slice(0, 10))).toEqual(days);
  });
});

describe('the time of day', () => {
  it.each([
    ['en', 'dentist on Friday at 15:30', '15:30'],
    ['en', 'gp appt tues 7 april 8.50', '8:50'],
    ['fr', 'dentiste mardi 17 mars 9h15', '9:15'],
    ['fr', 'je passe à 4 jours par semaine', null],
    ['en', 'at 3pm instead of 2pm', '15:00'],
    ['zh', '3月17日上午9点看牙医', '9:00'],
    ['en', 'call with Ada at 4pm tomorrow', '16:00'],
    ['en', 'breakfast at 7.15 am', '7:15'],
    ['en', 'see Priya on Saturday at 8', null],
    ['en', 'supper with Ola on Saturday at 8', '20:00'],
    ['en', 'vet on thursday at 2', '14:00'],
    ['en', 'ferry leaves 6:50', '6:50'],
    ['en', 'the gig starts 8:15', '20:15'],
    ['en', 'from 10:00 to 12:00', null],
    ['en', 'flat 14, 20 minutes away, 12.50 a week', null],
    ['fr', "2h de route, 12.50 l'entrée", null],
    ['ja', '2時間かかる', null],
    ['de', 'Friseur am Dienstag um 9', '9:00'],
    ['de', 'Elternabend um 19 Uhr', '19:00'],
    ['es', 'el médico a las 16:45', '16:45'],
    ['fr', 'rendez-vous jeudi à 14h30', '14:30'],
    ['it', 'visita alle 11', '11:00'],
    ['nl', 'tandarts om 8.30', '8:30'],
    ['pt', 'reunião às 18h', '18:00'],
    ['zh', '周五下午3点半开会', '15:30'],
    ['ja', '明日の午後2時に歯医者', '14:00'],
  ])('%s: %s', (language, text, time) => {
    const found = timeIn(text, PACKS.find((each) => each.language === language) as (typeof PACKS)[number]);
    expect(found === null ? null : `${found.hour}:${String(found.minute).padStart(2, '0')}`).toBe(time);
  });
});
