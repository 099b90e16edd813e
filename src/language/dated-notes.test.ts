import { expect, it } from 'vitest';
import { timedRendering } from './sentences.ts';

const END = new Date('2026-06-12T00:00:00Z');
const stated = { subject: 'User', attribute: null, reader: 'local' } as const;
const ended = { tense: 'holds', validFrom: null, validTo: END, dueAt: null } as const;
const planned = { tense: 'planned', validFrom: END, validTo: null, dueAt: null } as const;

it.each([
  ['Lives in Oslo', ended, 'Lives in Oslo (until 2026-06-12)'],
  ['Lives in Oslo', planned, 'Lives in Oslo (planned for 2026-06-12)'],
  ['Pia runs the kiosk.', ended, 'Pia runs the kiosk. (until 2026-06-12)'],
  ['Lebt in Köln', ended, 'Lebt in Köln (bis 2026-06-12)'],
  ['Ich ziehe nach Hamburg.', planned, 'Ich ziehe nach Hamburg. (geplant für 2026-06-12)'],
  ['Ich ziehe nach Hamburg.', { ...planned, validFrom: null }, 'Ich ziehe nach Hamburg. (geplant)'],
  // The day on which prompts bring an intention up was not stated.
  [
    'Wants to learn to sail.',
    { ...planned, validFrom: null, dueAt: END, internal: { due: 'follow-up' } },
    'Wants to learn to sail. (planned)',
  ],
  ['Vive en una casa de Madrid', ended, 'Vive en una casa de Madrid (hasta el 2026-06-12)'],
  ['住在上海', ended, '住在上海 (至 2026-06-12)'],
])('a note is in the language of its statement: %s', (content, timed, rendering) => {
  expect(timedRendering({ content, ...stated, ...timed })).toBe(rendering);
});

it.each([
  ['appointment', '8 avril 2026', 'Rendez-vous : 8 avril 2026', 'prévu pour le'],
  ['appointment', '8. April 2026', 'Termin: 8. April 2026', 'geplant für'],
  ['home_city', 'Lyon', 'Vive a Lyon', 'previsto per il'],
  ['home_city', 'Lyon', 'Vive en Lyon', 'previsto para el'],
  ['home_city', 'Lyon', 'Madre: Vive en Lyon', 'previsto para el'],
  ['rent', '520 €', 'Huur: 520 €', 'gepland voor'],
  ['home_city', 'Lyon', 'Lives in Lyon', 'planned for'],
])('a note is in the language of the template of a %s: %s', (attribute, value, content, note) => {
  expect(timedRendering({ content, ...stated, ...planned, attribute, value })).toBe(`${content} (${note} 2026-06-12)`);
});

it('a Japanese rendering without kana has a Japanese note', () => {
  const said = { content: '予定：2026年4月8日', attribute: 'appointment', value: '2026年4月8日' };
  expect(timedRendering({ ...stated, ...planned, ...said })).toBe('予定：2026年4月8日 (2026-06-12 の予定)');
});

it.each([
  ['Anna', 'local', 'Anna: I am moving (planned for 2026-06-12)'],
  ["Anna's son Tim", 'local', 'Anna: I am moving (planned for 2026-06-12)'],
  ["User's son Tim", 'local', 'I am moving (planned for 2026-06-12)'],
  ['Anna', 'model', 'I am moving (planned for 2026-06-12)'],
])('the words of a speaker follow the name: %s, read by the %s reader', (subject, reader, rendering) => {
  expect(timedRendering({ content: 'I am moving', ...stated, ...planned, subject, reader })).toBe(rendering);
});
