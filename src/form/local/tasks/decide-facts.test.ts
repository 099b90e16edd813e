import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../models/distiller.ts';
import { decideFacts } from './decide-facts.ts';

function decide(content: string, ...candidates: (string | readonly [string, number])[]): Decision | undefined {
  const known = candidates.map((candidate) => {
    const [text, similarity] = typeof candidate === 'string' ? ([candidate, 0.8] as const) : candidate;
    return { content: text, similarity, updatedAt: new Date(0) };
  });
  return decideFacts({ facts: [{ content, candidates: known }] })[0];
}

describe('decideFacts', () => {
  it('[E5] gives exactly one decision for each fact, in order', () => {
    const facts = ['User likes tea.', 'User lives in Rome.'].map((content) => ({ content, candidates: [] }));
    expect(decideFacts({ facts })).toEqual([
      { fact: 1, action: 'ADD' },
      { fact: 2, action: 'ADD' },
    ]);
  });

  it.each([
    ['User lives in Berlin.', 'User lives in Berlin.'],
    ['User loves pizza.', 'User really enjoys pizza.'],
    ['User lives in Berlin.', 'User moved to Berlin in October 2026.'],
    ['User has two dogs.', 'User has two dogs and a cat.'],
  ])('[E5] NONE when the candidate says it already: %s %s', (fact, candidate) => {
    expect(decide(fact, candidate)).toEqual({ fact: 1, action: 'NONE', candidate: 1 });
  });

  it.each([
    ['User moved to Berlin in October 2026.', 'User lives in Berlin.'],
    ['User is a senior software engineer.', 'User is a software engineer.'],
    ['User plays the violin in an orchestra.', 'User plays the violin.'],
  ])('[E5] UPDATE when the new one says more: %s %s', (fact, candidate) => {
    expect(decide(fact, candidate)).toEqual({ fact: 1, action: 'UPDATE', candidate: 1, content: fact });
  });

  it.each([
    ['User moved to Munich.', 'User lives in Berlin.'],
    ['User works at TechCorp.', 'User works at Acme.'],
    ['User hates pizza.', 'User loves pizza.'],
    ['John works at TechCorp.', 'John works at Acme.'],
    ["User's favorite food is pizza.", "User's favorite food is ramen."],
    ['User no longer works at Acme.', 'User works at Acme as a designer.'],
    ['User is not allergic to peanuts.', 'User is allergic to peanuts.'],
  ])('[E5] DELETE when the same slot has another value: %s %s', (fact, candidate) => {
    expect(decide(fact, 'User has a dog.', candidate)).toEqual({ fact: 1, action: 'DELETE', candidate: 2 });
  });

  it.each([
    ['John works at Acme.', 'User works at Acme.'],
    ['User likes tea.', 'User likes coffee.'],
    ['User is allergic to cats.', 'User is allergic to peanuts.'],
    ["User's sister lives in Oslo.", 'User lives in Berlin.'],
    ['User ran 5 miles on 3 May 2023.', 'User ran 7 miles on 9 May 2023.'],
    ['User visited Rome in 2019.', 'User visited Paris in 2019.'],
  ])('[E5] ADD when they are about different things, however similar: %s %s', (fact, candidate) => {
    expect(decide(fact, [candidate, 0.97])).toEqual({ fact: 1, action: 'ADD' });
  });

  it('[X2] revises what is nearly the same in other words', () => {
    const fact = 'User goes hiking in the mountains near the lake on weekends.';
    const known = 'User hikes in the hills on weekends.';
    expect(decide(fact, [known, 0.9])).toMatchObject({ action: 'UPDATE', candidate: 1, content: fact });
    expect(decide(known, [fact, 0.9])).toMatchObject({ action: 'NONE', candidate: 1 });
    expect(decide(fact, [known, 0.75])).toMatchObject({ action: 'ADD' });
  });
});
