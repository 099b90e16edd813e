import { describe, expect, it } from 'vitest';
import { contents, read, readDialogue } from '../../../../test/read-conversation.ts';

const CORRECTIONS: ReadonlyArray<readonly [readonly string[], string, string, string | undefined]> = [
  [
    ['I live in Berlin.', 'A: Noted.', "Actually, it's Munich, not Berlin"],
    'User lives in Munich.',
    'home_city',
    'Berlin',
  ],
  [['A: You live in Berlin, right?', "No, it's Munich, not Berlin."], 'User lives in Munich.', 'home_city', 'Berlin'],
  [['I live in Berlin.', "It's not Berlin, it's Munich."], 'User lives in Munich.', 'home_city', 'Berlin'],
  [['I live in Berlin.', 'Not Berlin, Munich.'], 'User lives in Munich.', 'home_city', 'Berlin'],
  [
    ['I work at Acme', 'A: So you work at Acme.', 'No, TechCorp, not Acme.'],
    'User works at TechCorp.',
    'employer',
    'Acme',
  ],
  [['My name is Jon.', 'A: Hi Jon', 'Sorry, I meant John.'], "User's name is John.", 'name', 'Jon'],
  [
    ['I work at Acme', 'A: OK', "That's wrong, my employer is TechCorp."],
    "User's employer is TechCorp.",
    'employer',
    undefined,
  ],
  [['A: You work at Acme.', 'Actually, I work at TechCorp now.'], 'User works at TechCorp.', 'employer', undefined],
  [["I'm 34 years old", "Sorry, it's 43, not 34."], 'User is 43 years old.', 'age', '34'],
  [['My favorite color is red.', 'no, I meant green'], "User's favorite color is green.", 'favorite_color', 'red'],
];

describe('corrections', () => {
  it.for(CORRECTIONS)('[L6] take back what was said: %s', ([lines, content, attribute, rejected]) => {
    const last = read(lines).at(-1);
    expect(last).toMatchObject({ content, attribute, subject: 'User' });
    expect(last?.correction).toEqual(rejected === undefined ? {} : { rejected });
    const values = (last?.keyedFacts ?? []).map(({ value }) => value);
    expect(values.length).toBeGreaterThan(0);
    expect(values).not.toContain(rejected);
  });

  it('reach a weekday in what was planned', () => {
    expect(read(['My flight is on Monday.', 'No, I meant Tuesday.']).at(-1)?.content).toBe(
      "User's flight is on 17 November 2026.",
    );
  });

  it.each([
    'No, I meant Tuesday.',
    "Actually, it's Munich, not Berlin",
    "It's a joke, not a fact.",
    'Not now, later.',
    'No, thanks.',
    'Actually no.',
  ])('invent nothing when there is nothing to correct: %s', (said) => {
    expect(read([said])).toEqual([]);
  });

  it("do not turn another's words into one's own", () => {
    expect(contents(readDialogue(['Ann: I live in Berlin.', "Bob: Actually, it's Munich, not Berlin."]))).toEqual([
      'Ann lives in Berlin.',
    ]);
    expect(contents(read(['T: you live in Berlin', "No, it's Munich, not Berlin."]))).toEqual([]);
    expect(contents(read(['A: I live in the Berlin data center.', "No, it's Munich, not Berlin."]))).toEqual([]);
  });
});
