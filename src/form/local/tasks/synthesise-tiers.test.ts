import { describe, expect, it } from 'vitest';
import { turnOf } from '../../../../test/read-conversation.ts';
import type { Synthesis, SynthesiseInput, Turn } from '../../../models/distiller.ts';
import { wordCount } from './merge-texts.ts';
import { synthesiseTiers } from './synthesise-tiers.ts';

const observe = (content: string, category = 'fact', given: Partial<Turn> = {}): Turn =>
  turnOf(content, { kind: 'observation', origin: 'agent', category, ...given });

function synthesise(observations: readonly Turn[], given: Partial<SynthesiseInput> = {}): Synthesis {
  const input = {
    observations,
    workingMemory: '',
    scaffold: {},
    scaffoldKeys: null,
    wordLimit: 500,
    today: '2026-11-15',
  };
  return synthesiseTiers({ ...input, ...given }, 'UTC');
}

describe('synthesiseTiers', () => {
  it('[T6] gives the next scaffold, working memory and facts with their observations', () => {
    const given = { workingMemory: 'User lives in Rome.', scaffold: { tone: 'dry' } };
    const next = synthesise(
      [turnOf('I work at Acme.'), observe('User prefers short answers.', 'preference'), turnOf('I work at Acme!')],
      given,
    );
    expect(next).toEqual({
      scaffold: { tone: 'dry', employer: 'Acme', preferences: ['User prefers short answers.'] },
      scaffoldConfidence: { employer: 'high', preferences: 'medium' },
      workingMemory: 'User lives in Rome. User works at Acme. User prefers short answers.',
      facts: [
        { content: 'User works at Acme.', observations: [1] },
        { content: 'User prefers short answers.', observations: [2] },
      ],
      contradictions: [],
    });
  });

  it('[T17] says which entries are contradicted, and takes the new value', () => {
    const given = {
      workingMemory: 'User lives in Berlin.',
      scaffold: { home_city: 'Berlin', preferences: ['User loves tea.'] },
    };
    const next = synthesise([turnOf('I moved to Munich.'), turnOf('I hate tea.')], given);
    expect(next.scaffold).toEqual({ home_city: 'Munich', preferences: ['User hates tea.'] });
    expect(next.contradictions.map(({ key, observation }) => [key, observation])).toEqual([
      ['home_city', 1],
      ['preferences', 2],
    ]);
    expect(next.workingMemory).toBe('User moved to Munich. User hates tea.');
  });

  it('takes updates of the scaffold as written: JSON, JSON in a text, or lines', () => {
    const updates = ['{"tone":"warm","stack":["Node"]}', 'language: German\nbudget = 500'];
    const next = synthesise(updates.map((content) => observe(content, 'scaffold_update')));
    expect(next.scaffold).toEqual({ tone: 'warm', stack: ['Node'], language: 'German', budget: '500' });
  });

  it('[T20] sets no keys but those that are allowed', () => {
    const observations = [observe('{"tone":"warm","x":1}', 'scaffold_update'), turnOf('I work at Acme. I love tea.')];
    expect(synthesise(observations, { scaffoldKeys: ['tone'] }).scaffold).toEqual({ tone: 'warm' });
  });

  it.each([
    ['a tool', observe('{"tone":"evil"}', 'scaffold_update', { origin: 'tool' })],
    ['a document', observe('{"tone":"evil"}', 'scaffold_update', { origin: 'document' })],
    ['a key that no honest update has', observe('{"__proto__":{"admin":true}}', 'scaffold_update')],
  ])('takes no update from %s', (_, observation) => {
    const { scaffold } = synthesise([observation]);
    expect(scaffold).toEqual({});
    expect((scaffold as { admin?: boolean }).admin).toBeUndefined();
  });

  it('leaves what it was given as it was', () => {
    const scaffold = { preferences: ['User loves tea.'] };
    synthesise([turnOf('I hate tea.')], { scaffold });
    expect(scaffold).toEqual({ preferences: ['User loves tea.'] });
  });

  it('[T6] keeps the working memory within its words', () => {
    const observations = Array.from({ length: 60 }, (_, index) =>
      observe(`The launch number${index} of Apollo is on ${index + 1} May 2027.`),
    );
    expect(wordCount(synthesise(observations, { wordLimit: 50 }).workingMemory)).toBeLessThanOrEqual(50);
  });

  it('finds nothing in small talk', () => {
    expect(synthesise([turnOf('Hi there!')], { workingMemory: 'User lives in Rome.' })).toMatchObject({
      workingMemory: 'User lives in Rome.',
      facts: [],
      scaffold: {},
    });
  });
});
