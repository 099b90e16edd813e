import { describe, expect, it } from 'vitest';
import { concernsSame, normaliseAttribute, slotOfText } from './slot.ts';

const same = (one: string, other: string): boolean =>
  concernsSame({ slot: slotOfText(one, 'fact'), content: one }, { slot: slotOfText(other, 'fact'), content: other });

describe('[E5] what may retire what', () => {
  it.each([
    ['John works at Acme Corp', 'John works at TechCorp'],
    ['User lives in Berlin.', 'User moved to Munich.'],
    ['John likes pizza', 'John hates pizza'],
    ['John enjoys pizza.', 'John dislikes pizza.'],
    ['User loves pizza', 'User loves Margherita pizza'],
    ['The project deadline is Jan 15', 'The project deadline moved to Feb 1'],
    ['John works at Acme', 'John works at Acme as CTO'],
  ])('%j and %j are about the same', (one, other) => {
    expect(same(one, other)).toBe(true);
  });

  it.each([
    ['John works at Acme', 'Mary works at Acme'],
    ['User lives in Berlin', "User's sister lives in Munich"],
    ['John likes pizza', 'John likes tea'],
    ['User works at Acme', 'User lives in Berlin'],
    ['User has a dog named Max', 'User has a cat named Tom'],
    ['User worked at Stripe from 2019 to 2023', 'User works at Acme'],
    ['User is vegetarian', 'User is 34 years old'],
  ])('%j and %j are not', (one, other) => {
    expect(same(one, other)).toBe(false);
  });

  it('one name for one attribute', () => {
    expect(normaliseAttribute('Workplace')).toBe('employer');
    expect(normaliseAttribute('dislikes: Pizza')).toBe(normaliseAttribute('likes:pizza'));
    expect(normaliseAttribute('  ')).toBeNull();
  });
});
