import { describe, expect, it } from 'vitest';
import { canBeName, isOccupation } from '../form/read/local/slot-values.ts';

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
  ])('%s is no name', (word) => {
    expect(canBeName(word)).toBe(false);
  });

  it.each(['a software engineer', 'nurse', 'senior product manager at Tado', 'a social worker', 'ward sister'])(
    '%s is an occupation',
    (phrase) => {
      expect(isOccupation(phrase)).toBe(true);
    },
  );

  it.each(['a vegetarian', 'a mother', 'a hard worker', 'a night owl', 'an early riser', 'a big fan', 'a twin sister'])(
    '%s is no occupation',
    (phrase) => {
      expect(isOccupation(phrase)).toBe(false);
    },
  );
});
