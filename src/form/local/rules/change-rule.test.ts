import { describe, expect, it } from 'vitest';
import { contents, read } from '../../../../test/read-conversation.ts';

describe('changes of what was said', () => {
  it.for([
    [
      ['remember that the council inspection is on 3 july', 'actually the inspection got moved to 5 july'],
      'The council inspection is now on 5 July 2027.',
      'The council inspection',
      'date',
    ],
    [
      ['the launch is on 8 October', 'the launch slipped to february'],
      'The launch is now in February 2027.',
      'The launch',
      'date',
    ],
    [['the budget for Q3 is 40k', "it's 45k now"], 'The budget for Q3 is now 45k.', 'The budget for Q3', 'amount'],
    [
      ['my meeting is at 2pm', 'my meeting got moved to 3pm'],
      "User's meeting is now at 3pm.",
      "User's meeting",
      'meeting',
    ],
    [
      ['our launch budget is 40k', "it's 45k now"],
      "User's launch budget is now 45k.",
      "User's launch budget",
      'launch_budget',
    ],
    [['the budget is 60k', 'actually the budget is 65k'], 'The budget is 65k.', 'The budget', 'amount'],
    [['we have 6 employees', "we're now 9 people"], 'User has a team of 9 people.', 'User', 'headcount'],
  ] as const)('[Q4] fill the slot of the old value: %s', ([lines, content, subject, attribute]) => {
    const found = read(lines).at(-1);
    expect(found).toMatchObject({ content, subject, attribute, confidence: 'high', correction: {} });
  });

  it('[Q4] name the new one of a kind', () => {
    expect(
      read(['our flour supplier is Shipton Mill', "we switched suppliers, it's Doves Farm now"]).at(-1),
    ).toMatchObject({
      content: "User's flour supplier is Doves Farm.",
      keyedFacts: [{ key: 'flour_supplier_name', value: 'Doves Farm' }],
    });
    expect(read(['my accountant is Raj', 'Raj left, my new accountant is Priya']).at(-1)).toMatchObject({
      keyedFacts: [{ key: 'accountant_name', value: 'Priya' }],
    });
  });

  it('are read against what is known from other sessions', () => {
    const known = ['The council inspection is on 3 July 2027 at 10am.'];
    expect(read('the inspection was pushed to 5 july', { known })).toMatchObject([
      { subject: 'The council inspection' },
    ]);
  });

  it('belong to what was spoken of before', () => {
    expect(contents(read(["found a location for the second shop, it's on Kirkgate"]))).toContain(
      'The location for the second shop is on Kirkgate.',
    );
    expect(
      contents(read(['found a location for the second shop', 'signed the lease yesterday!!! opening 1 september'])),
    ).toContain('The opening of the second shop is on 1 September 2027.');
  });

  it.for(["it's 45k now", "it's cold now", 'my boss moved to Madrid', 'now it is Friday'])(
    '[L6] without anything that changes are none: %s',
    (said) => {
      expect(read(said).filter(({ correction }) => correction !== undefined)).toEqual([]);
    },
  );
});
