import { describe, expect, it } from 'vitest';
import { contents, read } from '../../../../test/read-conversation.ts';

const FOREIGN: ReadonlyArray<readonly [string, string, string]> = [
  ['Ich heiße Anna.', 'name', 'Anna'],
  ['Ich heisse Anna Schmidt', 'name', 'Anna Schmidt'],
  ['Ich wohne in Köln.', 'home_city', 'Köln'],
  ['Ich arbeite bei Siemens.', 'employer', 'Siemens'],
  ['Ich bin 30 Jahre alt', 'age', '30'],
  ['Hola, me llamo Lucía', 'name', 'Lucía'],
  ['Vivo en Sevilla.', 'home_city', 'Sevilla'],
  ['Tengo 41 años', 'age', '41'],
  ["J'habite à Lyon.", 'home_city', 'Lyon'],
  ["Je m'appelle Chloé", 'name', 'Chloé'],
  ['Mi chiamo Paolo', 'name', 'Paolo'],
  ['Moro em Lisboa.', 'home_city', 'Lisboa'],
];

describe('other languages', () => {
  it.for(FOREIGN)('give who, where, for whom and how old: %s', ([said, key, value]) => {
    const facts = read(said).flatMap(({ keyedFacts }) => keyedFacts ?? []);
    expect(facts.map((fact) => [fact.key, fact.value])).toEqual([[key, value]]);
  });

  it.each([
    'Ich mag keine Oliven.',
    'Wo wohnst du?',
    'Wohne ich in Köln?',
    'Mi hermana vive en Madrid.',
    'Je ne sais pas.',
    'Meine Schwester wohnt in Rom.',
    '私は東京に住んでいます。',
    'Я живу в Москве.',
    'Me gusta la pizza',
    'Ho un cane',
    'Je voudrais habiter à Paris',
    'Wenn ich in Rom wohnte',
    'No me llamo Ana',
    'Ich wohne nicht in Köln',
  ])('give nothing else: %s', (said) => {
    expect(contents(read(said))).toEqual([]);
  });
});
