import { describe, expect, it } from 'vitest';
import { read } from '../../../../test/read-conversation.ts';

describe('labels', () => {
  it.for([
    ['decided: no more wholesale from august', 'User decided: no more wholesale from August 2027.'],
    ['Decision: we go with Stripe.', 'User decided to go with Stripe.'],
    ['Decision: We are going with Stripe', 'User decided to go with Stripe.'],
    ['decision: day passes go up to 14 pounds', 'User decided that day passes go up to 14 pounds.'],
  ] as const)('[L6] of a decision: %s', ([said, content]) => {
    expect(read(said)).toMatchObject([{ type: 'decision', content }]);
  });

  it.for([
    ['Update: the client is now Siemens Mobility.', 'The client is now Siemens Mobility.'],
    ['TL;DR my biggest client is Volta', "User's biggest client is Volta."],
  ] as const)('of news are no part of it: %s', ([said, content]) => {
    expect(read(said)).toMatchObject([{ content }]);
  });

  it('say nothing of a decision that is asked about', () => {
    expect(read('Decision: Stripe or Adyen?')).toEqual([]);
  });
});
