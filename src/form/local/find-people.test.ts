import { describe, expect, it } from 'vitest';
import { findPeople, joinAppositions } from './find-people.ts';

const found = (text: string): string[] => findPeople(text).map(({ name, relation }) => `${relation} ${name}`);

describe('findPeople', () => {
  it.for([
    ['My wife Inés is expecting.', ['wife Inés']],
    ['our daughter, Alba, is four', ['daughter Alba']],
    ['Inés, my wife, got a job.', ['wife Inés']],
    ['I live with my partner Jonas and our cat Pixel.', ['partner Jonas', 'cat Pixel']],
    ["I've got two kids, Isla (9) and Finn (5).", ['kid Isla', 'kid Finn']],
    ['My sons Max and Leo play chess.', ['son Max', 'son Leo']],
    ['We have an old spaniel called Biscuit.', ['spaniel Biscuit']],
    ['I have three employees: Bisi does packaging, Tunde handles deliveries.', ['employee Bisi', 'employee Tunde']],
    ['My older brother Luis lives in Toronto', ['older brother Luis']],
    ["User's wife Inés is expecting a child.", ['wife Inés']],
  ] as const)('reads whom a text names: %s', ([text, people]) => {
    expect(found(text)).toEqual(people);
  });

  it.each([
    'My wife is Dutch.',
    'My brother lives in Toronto.',
    'Call Ana tomorrow.',
    'our office in Berlin',
    'my Mondays',
  ])('names nobody: %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('puts a name in apposition beside the person', () => {
    expect(joinAppositions('Inés, my wife, got a job.')).toBe('my wife Inés got a job.');
    expect(joinAppositions('My brother, Luis, moved.')).toBe('My brother Luis moved.');
    expect(joinAppositions('Berlin, my home, is big.')).toBe('Berlin, my home, is big.');
  });
});
