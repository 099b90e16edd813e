import { describe, expect, it } from 'vitest';
import { ENTITY_TYPES } from '../record/entity.ts';
import { entitySlug, extractEntities } from './entities.ts';

const ENTITIES: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['My Diwali Sweet Recipes post got 340 views', ['diwali-sweet-recipes:content', 'blog:service', 'views:metric']],
  ['I met Ana Lopez at Google in Berlin', ['ana-lopez:person', 'google:organisation', 'berlin:place']],
  [
    'My sister Maria works for Stripe Inc. in San Francisco.',
    ['maria:person', 'stripe-inc:organisation', 'san-francisco:place'],
  ],
  ['We use Project Apollo on an iPhone 15.', ['apollo:project', 'iphone-15:product']],
  ['Yesterday I read "To Kill a Mockingbird".', ['to-kill-a-mockingbird:content']],
  ['Our Instagram reel got 12k likes', ['instagram:service', 'likes:metric']],
  ['Dr. Smith moved to Köln.', ['smith:person', 'koln:place']],
  ['My colleagues are Tom, Ulla and Vic.', ['tom:person', 'ulla:other', 'vic:other']],
  ['Our neighbours are Ulla and Vic', ['ulla:other', 'vic:other']],
  ['Mia and Jonas Weber came', ['mia:person', 'jonas-weber:person']],
  ['I work for Marks and Spencer', ['marks-and-spencer:organisation']],
  ['We fly to Oslo at Easter 2027 and are home for New Year’s Eve or Hanukkah', ['oslo:place']],
  ['hello there, nothing to see', []],
];

describe('extractEntities', () => {
  it.for(ENTITIES)('[L7] finds the named entities: %s', ([text, expected]) => {
    const found = extractEntities(text).map(({ name, type }) => `${entitySlug(name)}:${type}`);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it('[L7] joins all mentions of an entity, and returns its short name as an alias', () => {
    const [company] = extractEntities('I work at Acme Corp. Acme Corp is big.');
    expect(company).toMatchObject({ name: 'Acme Corp', aliases: ['Acme'] });
    expect(company?.spans).toHaveLength(2);
  });

  it('returns only types that an entity can have', () => {
    const found = ENTITIES.flatMap(([text]) => extractEntities(text));
    for (const { type } of found) expect(ENTITY_TYPES).toContain(type);
  });
});
