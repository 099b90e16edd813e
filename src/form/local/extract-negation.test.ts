import { describe, expect, it } from 'vitest';
import { read } from '../../../test/read-conversation.ts';

const CASES: ReadonlyArray<readonly [string, string, 'positive' | 'negative']> = [
  ["I don't want posts longer than 800 words", 'User prefers posts under 800 words.', 'positive'],
  ['I do not want emails longer than 3 paragraphs.', 'User prefers emails under 3 paragraphs.', 'positive'],
  ["I don't want meetings shorter than 30 minutes", 'User prefers meetings of at least 30 minutes.', 'positive'],
  ["I don't want any newsletters", 'User does not want any newsletters.', 'negative'],
  ["I don't like olives.", 'User does not like olives.', 'negative'],
  ['I dont like olives', 'User does not like olives.', 'negative'],
  ["I'm not a fan of spicy food", 'User is not a fan of spicy food.', 'negative'],
  ["I'm not a big fan of crowds.", 'User is not a big fan of crowds.', 'negative'],
  ["I can't stand loud music.", 'User cannot stand loud music.', 'negative'],
  ['I hate cilantro', 'User hates cilantro.', 'negative'],
  ["I don't hate mushrooms", 'User does not hate mushrooms.', 'positive'],
  ['I no longer eat meat.', 'User no longer eats meat.', 'negative'],
  ["I don't drink coffee anymore", 'User does not drink coffee anymore.', 'negative'],
  ['I stopped smoking in 2019.', 'User stopped smoking in 2019.', 'negative'],
  ['I quit drinking two years ago', 'User quit drinking in 2024.', 'negative'],
  ['I never eat breakfast.', 'User never eats breakfast.', 'negative'],
  ["I've never been to Italy", 'User has never been to Italy.', 'negative'],
  ["I don't have any kids.", 'User does not have any kids.', 'negative'],
  ["I'm not married.", 'User is not married.', 'negative'],
  ["I didn't graduate from high school.", 'User did not graduate from high school.', 'negative'],
  ["I can't swim.", 'User cannot swim.', 'negative'],
  ["I'm no longer vegan", 'User is no longer vegan.', 'negative'],
];

describe('negation', () => {
  it.for(CASES)('[L6] is kept: %s → %s', ([said, content, polarity]) => {
    expect(read(said).map((one) => [one.content, one.polarity])).toEqual([[content, polarity]]);
  });

  it.each([
    "I don't live in Berlin",
    "I'm not a teacher",
    "I don't work at Google anymore",
    'I no longer live in Rome',
    'My name is not Bob',
  ])('fills no slot with a value: %s', (said) => {
    expect(read(said).flatMap(({ keyedFacts }) => keyedFacts ?? [])).toEqual([]);
  });
});

describe('the past', () => {
  it.each([
    'I used to live in Paris',
    'I used to work at IBM.',
    'I used to be a teacher',
    'I was a nurse',
    'I lived in Rome from 2001 to 2004',
  ])('is past: %s', (said) => {
    const [statement] = read(said);
    expect(statement?.validTo).toBeDefined();
    expect(statement?.keyedFacts).toBeUndefined();
  });
});
