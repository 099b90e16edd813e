import { describe, expect, it } from 'vitest';
import { read } from '../../../../test/read-conversation.ts';
import { readSlot } from './read-slot.ts';

describe('readSlot', () => {
  it.each([
    ['User works at Acme.', 'User', 'employer', 'positive'],
    ['The user now works at Acme', 'User', 'employer', 'positive'],
    ['John works at TechCorp.', 'John', 'employer', 'positive'],
    ['User no longer works at Acme.', 'User', 'employer', 'negative'],
    ["User's sister works at Google.", "User's sister", 'employer', 'positive'],
    ["User's favorite food is pizza.", 'User', 'favorite_food', 'positive'],
    ["User's wife's name is Ana.", 'User', 'partner_name', 'positive'],
    ['User is allergic to peanuts.', 'User', 'allergy:peanut', 'positive'],
    ['User is not allergic to peanuts.', 'User', 'allergy:peanut', 'negative'],
    ["User doesn't like olives.", 'User', 'likes:oliv', 'negative'],
    ['User does not hate mushrooms.', 'User', 'likes:mushroom', 'positive'],
    ['User really enjoys pizza.', 'User', 'likes:pizza', 'positive'],
    ['User wants the agent to never use emojis.', 'User', 'instruction:emoji', 'negative'],
    ['User was a nurse at Acme.', 'User', 'employment:acm', 'positive'],
    ['User has two dogs.', 'User', null, 'positive'],
  ])('reads %s', (content, subject, attribute, polarity) => {
    expect(readSlot(content)).toEqual({ subject, attribute, polarity });
  });

  it.each(['works on it.', 'the weather is fine', ''])('reads nothing from %j', (content) => {
    expect(readSlot(content)).toBeNull();
  });

  it.each([
    'I live in Berlin.',
    'I moved to Munich last month.',
    "I'm a vegan",
    "I'm no longer vegan",
    'I love pizza',
    "I can't stand loud music.",
    "I'm allergic to peanuts.",
    'My favorite color is dark green',
    'My partner is Ana',
    'Never use emojis',
    "Don't use corporate buzzwords.",
    'I was born in Accra.',
    "I don't work at Google anymore",
    "I've never been to Italy",
  ])('reads from the statement what the rules read from the words: %s', (said) => {
    const [statement] = read(said);
    expect(readSlot(statement?.content ?? '', statement?.type)).toEqual({
      subject: statement?.subject,
      attribute: statement?.attribute ?? null,
      polarity: statement?.polarity,
    });
  });
});

describe('abilities', () => {
  it.each(['User can swim.', 'User cannot swim.', 'User is not able to swim.'])(
    'reads "%s" as one slot, affirmed or denied',
    (content) => {
      expect(readSlot(content)?.attribute).toBe('ability:swim');
    },
  );
  it('leaves tastes alone', () => {
    expect(readSlot('User cannot stand noise.')?.attribute).not.toMatch(/^ability/);
  });
});
