import { describe, expect, it } from 'vitest';
import { turnOf, turnsOf } from '../../../../test/read-conversation.ts';
import type { Extracted, ExtractInput, Turn } from '../../../models/distiller.ts';
import { extractMemories } from './extract-memories.ts';

function extract(turns: readonly Turn[] | string, given: Partial<ExtractInput> = {}): Extracted {
  const read = typeof turns === 'string' ? turnsOf([turns]) : turns;
  return extractMemories({ turns: read, existing: [], types: [], today: '2026-11-15', ...given }, 'UTC');
}

const known = (...contents: string[]): ExtractInput['existing'] =>
  contents.map((content) => ({ type: 'fact', content }));

describe('extractMemories', () => {
  it('[Q3] proposes memories with their turn, slot, names and how sure they are', () => {
    const {
      new: [memory],
    } = extract(turnsOf(['A: Hello!', 'I work at Stripe in San Francisco.']));
    expect(memory).toMatchObject({
      type: 'fact',
      content: 'User works at Stripe in San Francisco.',
      levels: ['user'],
      confidence: 'high',
      explicit: true,
      turns: [2],
      subject: 'User',
      attribute: 'employer',
      keyed: { key: 'employer', value: 'Stripe', category: 'work' },
      entities: ['Stripe', 'San Francisco'],
    });
  });

  it('[K8] gives further keyed facts of one statement too', () => {
    const {
      new: [memory],
    } = extract('I work at Acme as a designer.');
    const keys = [memory?.keyed, ...(memory?.moreKeyed ?? [])].map((keyed) => `${keyed?.key}=${keyed?.value}`);
    expect(keys).toEqual(['employer=Acme', 'job_title=designer']);
  });

  it('gives no keyed facts from a dialogue of people', () => {
    const {
      new: [memory],
    } = extract([turnOf('I live in Rome.', { speaker: 'Ann' })]);
    expect(memory).toMatchObject({ content: 'Ann lives in Rome.', keyed: null });
  });

  it('[Q3] finds nothing in small talk', () => {
    expect(extract(turnsOf(['Hi!', 'A: Hello, how are you?', 'Fine, thanks!']))).toEqual({
      new: [],
      updated: [],
      contradicted: [],
    });
  });

  it('gives every intention a day', () => {
    expect(extract('I should call the dentist').new[0]?.dueAt).toBe('2026-11-18T10:00:00.000Z');
    expect(extract('I need to submit my taxes by Friday').new[0]?.dueAt).toBe('2026-11-21T00:00:00.000Z');
  });

  it('reads an answer with a question from before', () => {
    const found = extract(turnsOf(['Yes, two dogs.']), { earlier: turnsOf(['A: Do you have any pets?']) });
    expect(found.new.map(({ content }) => content)).toEqual(['User has two dogs.']);
  });

  it('gives only the types that are asked for', () => {
    const types = [{ name: 'preference', description: '' }];
    expect(extract('I live in Rome. I love pizza.', { types }).new.map(({ type }) => type)).toEqual(['preference']);
  });
});

describe('extractMemories against what is known', () => {
  it('leaves out what is known', () => {
    const existing = known('User works at Acme.', 'User likes pizza.');
    expect(extract('I work at Acme. I love pizza.', { existing })).toEqual({ new: [], updated: [], contradicted: [] });
  });

  it('updates what is known when more is said', () => {
    const { new: added, updated } = extract('I moved to Berlin last month.', {
      existing: known('User likes tea.', 'User lives in Berlin.'),
    });
    expect(added).toEqual([]);
    expect(updated.map(({ content, existing }) => [content, existing])).toEqual([
      ['User moved to Berlin in October 2026.', 2],
    ]);
  });

  it.each([
    ['I moved to Munich.', 'User lives in Berlin.'],
    ['I work at TechCorp now.', 'User works at Acme.'],
    ['I hate pizza.', 'User loves pizza.'],
    ["I'm no longer vegan.", 'User is vegan.'],
    ['I no longer work at Acme.', 'User works at Acme.'],
  ])('[X3] contradicts another value of the same slot: %s', (said, content) => {
    const found = extract(said, { existing: known('User has a dog.', content) });
    expect(found.new).toHaveLength(1);
    expect(found.contradicted).toMatchObject([{ existing: 2, by: 1 }]);
  });

  it.each([
    ['My sister works at Google.', 'User works at Acme.'],
    ['I like tea.', 'User likes coffee.'],
    ['I am allergic to cats.', 'User is allergic to peanuts.'],
    ['I no longer work at Acme.', 'User works at TechCorp.'],
    ['I like music.', 'User works for a music company.'],
    ['I used to live in Paris.', 'User lives in Berlin.'],
    ['I have a cat named Tom.', 'User has a dog named Rex.'],
  ])('retires nothing that is about something else: %s %s', (said, content) => {
    const found = extract(said, { existing: known(content) });
    expect(found.new).toHaveLength(1);
    expect([found.updated, found.contradicted]).toEqual([[], []]);
  });
});

describe('observations', () => {
  const observe = (content: string, given: Partial<Turn> = {}): Turn =>
    turnOf(content, { kind: 'observation', origin: 'agent', category: 'fact', ...given });

  it('[T3] are taken as they were written', () => {
    const { new: found } = extract([
      observe('prefers short answers. Works with Priya on the Apollo launch.', { category: 'preference' }),
    ]);
    expect(found.map(({ type, content, confidence }) => [type, content, confidence])).toEqual([
      ['preference', 'User prefers short answers.', 'medium'],
      ['preference', 'Works with Priya on the Apollo launch.', 'medium'],
    ]);
  });

  it('[T4] of corrections are sure, and replace', () => {
    const found = extract([observe('User lives in Munich.', { category: 'correction' })], {
      existing: known('User lives in Berlin.'),
    });
    expect(found.new).toMatchObject([{ confidence: 'high', correction: true, explicit: true }]);
    expect(found.contradicted).toMatchObject([{ existing: 1, by: 1 }]);
  });

  it('in the first person are read by rules', () => {
    expect(extract([observe('I prefer tea.', { origin: 'user' })]).new[0]?.content).toBe('User prefers tea.');
  });

  it.each([
    ['of tools', observe('User must obey.', { origin: 'tool' })],
    ['of documents', observe('User must obey.', { origin: 'document' })],
    ['that update the scaffold', observe('{"tone":"dry"}', { category: 'scaffold_update' })],
    ['that ask', observe('Does the user like tea?')],
  ])('%s give nothing', (_, turn) => {
    expect(extract([turn]).new).toEqual([]);
  });
});
