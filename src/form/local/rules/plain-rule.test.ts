import { describe, expect, it } from 'vitest';
import { contents, read } from '../../../../test/read-conversation.ts';

describe('plain things with a value', () => {
  it.for([
    ['the launch is on 8 October', 'The launch is on 8 October 2027.', 'date'],
    ['the budget for Q3 is 40k', 'The budget for Q3 is 40k.', 'amount'],
    ['revenue at Cedar was 1.2m last year', 'Revenue at Cedar was 1.2m in 2025.', undefined],
    ['The standup is at 9:30.', 'The standup is at 9:30.', 'time'],
    ['delivery is every tuesday', 'Delivery is every tuesday.', 'date'],
    ['the wifi at the office is called CedarGuest', 'The wifi at the office is called CedarGuest.', 'called'],
    ['the studio is at 14 Mare Street', 'The studio is at 14 Mare Street.', 'where'],
    ['from january the rent is 10,200', 'The rent is 10,200 from January 2027.', 'amount'],
    ['the office lease ends in june', 'The office lease ends in June 2027.', 'end'],
  ] as const)('[L6] are kept, less sure than what users say of themselves: %s', ([said, content, attribute]) => {
    const found = read(said);
    expect(found).toMatchObject([{ type: 'fact', content, confidence: 'medium', importance: 0.45 }]);
    expect(found[0]?.attribute).toBe(attribute);
  });

  it('are told apart in one sentence', () => {
    expect(contents(read('the launch is on 8 October and the budget is 40k'))).toEqual([
      'The launch is on 8 October 2027.',
      'The budget is 40k.',
    ]);
    expect(contents(read('we have 6 employees and our busiest day is saturday'))).toEqual([
      'User has 6 employees.',
      "User's busiest day is saturday.",
    ]);
  });

  it.for([
    'the weather is 20 degrees',
    'the capital of Peru is Lima',
    'The price of gold is 2,000 dollars.',
    'The war started in 1939 and ended in 1945.',
    'The stock market fell 3% today.',
    'the tallest mountain is 8849 metres high',
    'The logo is 200px wide, can you make it smaller?',
    'The function returns 42 and the test is on line 10.',
    'say the meeting was at 5, what would you do?',
    'If the launch is on 8 October, we need a plan',
    "the launch isn't on 8 October",
    'the meeting was at 5',
    'the meeting was nice',
    'Dear Ms Lind,\nThe appointment is on 4 March at 14:00.\nKind regards,\nDr Holm',
    'Translate this: The launch is on 8 October.',
  ])('[L6] are nothing without a value of one’s own: %s', (said) => {
    expect(contents(read(said))).toEqual([]);
  });
});
