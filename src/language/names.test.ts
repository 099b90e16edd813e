import { describe, expect, it } from 'vitest';
import { canBeName, isOccupation, possibleNames } from './names.ts';

describe('words of people', () => {
  it.each(['Tomás', 'Inés', 'Kit', 'Priya', 'Zbigniew', 'Ryan', "O'Neill"])('%s can be a name', (word) => {
    expect(canBeName(word)).toBe(true);
  });

  it.each([
    'Dutch',
    'Catholic',
    'Team',
    'Brazilian',
    'Japanese',
    'Scottish',
    'INTJ',
    'Berlin',
    'Virgo',
    'tired',
    'Actually',
    'Yesterday',
  ])('%s is not a name', (word) => {
    expect(canBeName(word)).toBe(false);
  });

  it.each(['a software engineer', 'nurse', 'senior product manager at Tado', 'a social worker', 'ward sister'])(
    '%s is an occupation',
    (phrase) => {
      expect(isOccupation(phrase)).toBe(true);
    },
  );

  it.each(['a vegetarian', 'a mother', 'a hard worker', 'a night owl', 'an early riser', 'a big fan', 'a twin sister'])(
    '%s is not an occupation',
    (phrase) => {
      expect(isOccupation(phrase)).toBe(false);
    },
  );
});

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
  ])('finds none in the sentence %j', (text) => expect(possibleNames(text, 'sentence')).toEqual([]));

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
  ])('finds one in the sentence %j', (text, name) => expect(possibleNames(text, 'sentence')).toContain(name));

  it.each(['Build machine', 'The CSV export', 'the HR desk', 'Grafana dashboard', 'S3 bucket', 'VPNs'])(
    'finds none in the label %j',
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
  ])('finds one in the label %j', (label, name) => expect(possibleNames(label, 'label')).toContain(name));
});
