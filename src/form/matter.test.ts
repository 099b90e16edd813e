import { describe, expect, it } from 'vitest';
import { packOf } from '../language/packs/packs.ts';
import { akin, type Meanable, recent, withContinuations, withSameNames, namesAnother } from './matter.ts';

const english = packOf('en');
const DAY = 86_400_000;

/** Statements without an attribute, a day apart, in the order of their texts. */
function told(...contents: (string | string[])[]): Meanable[] {
  return contents.flatMap((turn, day) =>
    [turn].flat().map((content) => ({ attribute: null, value: null, content, statedAt: new Date(day * DAY) })),
  );
}

function contents(items: readonly Meanable[]): string[] {
  return items.map(({ content }) => content);
}

/** The statements that go on about the first one. */
function continuing(items: readonly Meanable[], isAll: boolean, pack = english): string[] {
  return contents(withContinuations(items.slice(0, 1), items, { pack, isAll })).slice(1);
}

describe('a matter', () => {
  it('includes the topics that are told in the same words, and no others', () => {
    expect(akin(new Set(['debt']))).toContain('gambling');
    expect(akin(new Set(['debt']))).not.toContain('medication');
    expect(akin(new Set(['hobby']))).toEqual(new Set());
  });

  it('ends 90 days before its last statement', () => {
    const [old, early, late] = [0, 50, 140].map((day) => ({ ...told('the trip')[0]!, statedAt: new Date(day * DAY) }));
    expect(recent([old!, early!, late!])).toEqual([early, late]);
  });

  it('includes what names the same person or place', () => {
    const items = told('The row with Pavel is about the fence.', 'I met Pavel at the shop.', 'I met Ida at the shop.');
    expect(contents(withSameNames(items.slice(0, 1), items, english))).toEqual(contents(items.slice(0, 2)));
  });

  it('does not include everything about a name that is in more than three statements', () => {
    const items = told('We saw Pavel.', 'I like Pavel.', 'I called Pavel.', 'We visited Pavel.');
    expect(withSameNames(items.slice(0, 1), items, english)).toHaveLength(1);
    expect(withSameNames(items.slice(0, 1), items.slice(0, 3), english)).toHaveLength(3);
  });

  it('is not continued by a weekday, nor in German by a noun, although both are written like names', () => {
    const items = told('The row was on Tuesday.', 'I swim on Tuesday.');
    expect(withSameNames(items.slice(0, 1), items, english)).toHaveLength(1);
    const german = told('Der Streit war im Garten.', 'Ich sitze im Garten.');
    expect(withSameNames(german.slice(0, 1), german, packOf('de'))).toHaveLength(1);
  });
});

describe('what goes on about a matter', () => {
  const items = told('My sister is ill.', 'I bought bread.', 'she starts chemo in May.');

  it('is a later sentence with a pronoun, where all that was told is meant', () => {
    expect(continuing(items, true)).toEqual(['she starts chemo in May.']);
    expect(continuing(items, false)).toEqual([]);
  });

  it('is not a pronoun after somebody else was mentioned', () => {
    const others = told('My sister is ill.', 'My boss is from Linz.', 'she starts chemo in May.');
    expect(continuing(others, true)).toEqual([]);
    expect(continuing(told('My sister is ill.', 'my boss says she is late.'), true)).toEqual([]);
  });

  it('is a part of it that the same turn or the next one mentions', () => {
    const parts = told(['We are having a baby.', 'the clinic gave us a date.'], 'the due date is in June.', 'I cook.');
    expect(continuing(parts, false)).toEqual(['the clinic gave us a date.', 'the due date is in June.']);
  });

  it('is not a part after another turn, a sentence about the user, a date, or a statement with an attribute', () => {
    expect(continuing(told('We are having a baby.', 'I cook.', 'the clinic gave us a date.'), false)).toEqual([]);
    expect(continuing(told('We are having a baby.', 'the shop is where I work.'), false)).toEqual([]);
    expect(continuing(told('We are having a baby.', 'the May sale is on.'), false)).toEqual([]);
    const [first, second] = told('We are having a baby.', 'the clinic gave us a date.');
    expect(continuing([first!, { ...second!, attribute: 'hospital' }], false)).toEqual([]);
  });

  it('is not told where the language is not known or writes no spaces', () => {
    expect(continuing(items, true, null)).toEqual([]);
    expect(continuing(items, true, packOf('ja'))).toEqual([]);
  });
});

describe('a request that names something else', () => {
  it.each([
    ['I worked at Norbell', 'Works at Kestra', 'en', true],
    ['I worked at Kestra', 'Works at Kestra', 'en', false],
    ['where I work, my uncle at Norbell must not know', 'Works at Kestra', 'en', false],
    ['flat I told Marta about', 'Lives in Kassel', 'en', false],
    ['vergiss, wo ich in Hessen wohne', 'Lebt in Kassel', 'de', false],
    ['dass ich bei Norbell gearbeitet habe', 'Arbeitet bei Kestra', 'de', true],
    ['trabajé en Norbell', 'Trabaja en Kestra', 'es', true],
  ])('states a value: "%s" beside "%s"', (words, content, language, expected) => {
    expect(namesAnother(words, told(content)[0]!, packOf(language))).toBe(expected);
  });
});
