import { describe, expect, it } from 'vitest';
import type { Memory } from '../record/memory.ts';
import type { Scope } from '../record/scope.ts';
import { decideByRules, differInValues, saysMore } from './decide-by-rules.ts';
import { formationSettings } from './formation-settings.ts';
import type { Proposal } from './proposal.ts';
import { slotOfText } from './slot.ts';

const scope: Scope = { tenant: 't', agent: null, user: 'ana', session: null, connection: null };
const thresholds = formationSettings().thresholds;
const known = (content: string, type = 'fact', owner: Partial<Scope> = {}): Memory =>
  ({ id: content, content, type, key: null, metadata: {}, scope: { ...scope, ...owner } }) as unknown as Memory;
const proposal = (content: string, type = 'fact'): Proposal =>
  ({
    content,
    type,
    levels: ['user'],
    keyed: null,
    slot: slotOfText(content, type),
    correction: false,
  }) as unknown as Proposal;
const decide = (content: string, candidates: [Memory, number][]): string =>
  decideByRules(
    proposal(content),
    candidates.map(([memory, similarity]) => ({ memory, similarity })),
    { scope, thresholds },
  ).action;

describe('[X2] [Q5] decisions without a model', () => {
  it('adds what is new, knows what is known', () => {
    expect(decide('User plays chess.', [])).toBe('ADD');
    expect(decide('User plays chess.', [[known('user plays CHESS'), 0.99]])).toBe('NONE');
  });

  it('another value of one slot takes its place, the opposite contradicts it, more of it updates', () => {
    expect(decide('User works at TechCorp.', [[known('User works at Acme.'), 0.7]])).toBe('DELETE');
    expect(decide('User hates pizza.', [[known('User loves pizza.'), 0.7]])).toBe('DELETE');
    expect(decide('User works at Acme as CTO.', [[known('User works at Acme.'), 0.8]])).toBe('UPDATE');
    expect(decide('User works at Acme.', [[known('User works at Acme as CTO.'), 0.8]])).toBe('NONE');
  });

  it('above 0.85 of the same owner and type is revised; at 0.85, of another owner or type, it is not', () => {
    const text = 'User plays chess every Sunday in the park';
    expect(decide(text, [[known('User plays chess every Sunday'), 0.86]])).toBe('UPDATE');
    expect(decide(text, [[known('User plays chess every Sunday'), 0.85]])).toBe('ADD');
    expect(decide(text, [[known('User plays chess every Sunday', 'personal'), 0.95]])).toBe('ADD');
    expect(decide(text, [[known('User plays chess every Sunday', 'fact', { user: 'bob' }), 0.95]])).toBe('ADD');
  });

  it('paraphrases are one when they are the same in meaning, and two when they are only near', () => {
    expect(decide('User goes for a jog at dawn', [[known('User runs early in the day'), 0.93]])).not.toBe('ADD');
    expect(decide('User goes for a jog at dawn', [[known('User runs early in the day'), 0.9]])).toBe('ADD');
    expect(decide('User has a cat named Max', [[known('User has a dog named Max'), 0.9]])).toBe('ADD');
    expect(decide('User hates crowds', [[known('User loves crowds'), 0.99]])).toBe('DELETE');
  });

  it('what names another thing or number is another statement', () => {
    expect(differInValues('Paid 30 euros to Ana', 'Paid 40 euros to Ana')).toBe(true);
    expect(differInValues('Paid 30 euros to Ana', 'Paid 30 euros')).toBe(false);
    expect(decide('User bought 30 shares of Apple', [[known('User bought 40 shares of Apple'), 0.97]])).toBe('ADD');
  });

  it('the more specific text says more', () => {
    expect(saysMore('Prefers blog posts under 800 words', 'User prefers short blog posts')).toBe(true);
    expect(saysMore('User prefers short blog posts', 'Prefers blog posts under 800 words')).toBe(false);
  });
});
