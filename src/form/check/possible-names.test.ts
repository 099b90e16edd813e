import { describe, expect, it } from 'vitest';
import { possibleNames } from './possible-names.ts';

describe('words that may be the name of a person', () => {
  it.each([
    'The CSV export works.',
    'Screenshots should be small.',
    'Footnotes distract when the page is long.',
    'Shorter replies are read to the end.',
    'Glossaries of terms usually help.',
    'Rewording helps when a request is vague.',
    'Emojis often annoy.',
    'Chat is often better than a call.',
    'Las tablas funcionan mejor que la prosa.',
    'Les exemples sont plus utiles que les règles.',
  ])('none in the sentence %j', (text) => expect(possibleNames(text, 'sentence')).toEqual([]));

  it.each([
    ['Wenke wants screenshots.', 'Wenke'],
    ['Wenke never answered the phone.', 'Wenke'],
    ['Wenke wept in the lift.', 'Wenke'],
    ['Niels often reads in bed.', 'Niels'],
    ['Rose is often late.', 'Rose'],
    ['Hope drinks at work.', 'Hope'],
    ['Will you see, drinks.', 'Will'],
    ['Wenke quiere tablas y no prosa.', 'Wenke'],
    ['Calls with Wenke should be avoided.', 'Wenke'],
  ])('in the sentence %j', (text, name) => expect(possibleNames(text, 'sentence')).toContain(name));

  it.each(['Build machine', 'The CSV export', 'the HR desk', 'Grafana dashboard', 'S3 bucket', 'VPNs'])(
    'none in the label %j',
    (label) => expect(possibleNames(label, 'label')).toEqual([]),
  );

  it.each([
    ['Wenke', 'Wenke'],
    ['Wenke from payroll', 'Wenke'],
    ['Wenke’s desk', 'Wenke'],
    ['J. from payroll', 'J'],
    ['JP', 'JP'],
    ['ROSA', 'ROSA'],
    ['the MacLeod order', 'MacLeod'],
  ])('in the label %j', (label, name) => expect(possibleNames(label, 'label')).toContain(name));
});
