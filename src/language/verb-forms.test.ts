import { describe, expect, it } from 'vitest';
import { analyseVerb, thirdPerson } from './verb-forms.ts';

describe('verbs', () => {
  it.each([
    ['went', 'go'],
    ['taught', 'teach'],
    ['loved', 'love'],
    ['stopped', 'stop'],
    ['studies', 'study'],
    ['watches', 'watch'],
    ['hiking', 'hike'],
    ['running', 'run'],
    ['moved', 'move'],
    ['works', 'work'],
    ['needed', 'need'],
    ['playing', 'play'],
    ['studied', 'study'],
    ['baking', 'bake'],
    ['visited', 'visit'],
    ['travelled', 'travel'],
    ['cancelled', 'cancel'],
  ])('are taken to their base: %s → %s', (word, base) => {
    expect(analyseVerb(word).base).toBe(base);
  });

  it.each([
    ['go', 'goes'],
    ['have', 'has'],
    ['be', 'is'],
    ['study', 'studies'],
    ['play', 'plays'],
    ['watch', 'watches'],
    ['do', 'does'],
    ['fix', 'fixes'],
    ['love', 'loves'],
  ])('are put into the third person: %s → %s', (base, third) => {
    expect(thirdPerson(base)).toBe(third);
  });
});
