import { attributeLabel, attributeTable } from './attribute-table.ts';
import { ATTRIBUTES, attributesWith, hasTrait } from './attributes.ts';
import { isSameValue } from './statement.ts';
import { SLOTS } from '../models/local-embedder/memory-layout.ts';
import { describe, expect, it } from 'vitest';

describe('the table of attributes', () => {
  it('resolves synonyms and spellings to its own names, and keeps unknown names', () => {
    const table = attributeTable();
    for (const [name, attribute] of [
      ['city', 'home_city'],
      ['Home City', 'home_city'],
      ['current_city', 'home_city'],
      // A hotel is not a home.
      ['current_location', 'current_location'],
      ['new_location', 'home_city'],
      ['spouse', 'partner_name'],
      ['Company', 'employer'],
      ['business_partner', 'business_partner'],
      ['Führungsstil', 'fuhrungsstil'],
      ['Schuhgröße', 'schuhgrosse'],
      ['schuhgro_e', 'schuhgro_e'],
    ] as const) {
      expect(table.resolve(name)).toBe(attribute);
    }
    expect(table.resolve('')).toBeNull();
    expect(table.resolve('年齢')).toBeNull();
  });

  it('gives an unknown attribute many values, which do not replace each other', () => {
    expect(attributeTable().policyOf('leadership_style')).toMatchObject({ values: 'many', permanent: false });
  });

  it('has only the fields of an attribute in its rows', () => {
    expect(() => attributeTable(ATTRIBUTES)).not.toThrow();
    const misspelt = { car: { synonim: ['vehicle'] } as object };
    expect(() => attributeTable(misspelt)).toThrow(/car.*synonim/s);
  });

  it('has the attributes that the reading layers find', () => {
    expect(SLOTS.filter((name) => !Object.hasOwn(ATTRIBUTES, name))).toEqual([]);
  });

  it('lists the attributes that have a trait', () => {
    expect(attributesWith('close')).toEqual(['manager_name', 'partner_name', 'child_name', 'pet_name']);
    expect(attributesWith('lasting')).toEqual(['home_city', 'home_country', 'employer', 'job_title']);
    expect(attributesWith('event')).toEqual(['deadline', 'appointment']);
    expect(attributesWith('quits')).toEqual(['employer', 'school']);
    expect(attributesWith('drug')).toEqual(['allergy', 'medication']);
    expect(hasTrait(null, 'person')).toBe(false);
    const table = attributeTable({ boat: { traits: ['disposed'] }, hobby: { values: 'one' } });
    expect([hasTrait('boat', 'disposed', table), hasTrait('hobby', 'dropped', table)]).toEqual([true, true]);
    expect([hasTrait('boat', 'disposed'), attributesWith('disposed', table).at(-1)]).toEqual([false, 'boat']);
  });

  it('contains each synonym only once, and no synonym that is the name of an attribute', () => {
    const synonyms = Object.values(ATTRIBUTES).flatMap((attribute) => attribute.synonyms);
    expect(synonyms.filter((name, index) => synonyms.indexOf(name) !== index)).toEqual([]);
    expect(synonyms.filter((name) => Object.hasOwn(ATTRIBUTES, name))).toEqual([]);
  });

  it('adds an application’s attributes, and applies its changes to Varve’s own', () => {
    const table = attributeTable({
      house_style: { values: 'one', permanent: true, labels: { en: 'House style' }, synonyms: ['style_guide'] },
      hobby: { values: 'one' },
    });
    expect(table.resolve('style guide')).toBe('house_style');
    expect(attributeLabel(table, 'house_style')).toBe('House style');
    const sizes = attributeTable({ shoe_size: { synonyms: ['schuhgrosse'] }, ring_size: { synonyms: ['ringgro_e'] } });
    expect(sizes.resolve('Schuhgröße')).toBe('shoe_size');
    expect(sizes.resolve('Ringgröße')).toBe('ring_size');
    expect(table.policyOf('hobby')).toMatchObject({ values: 'one', category: 'preference' });
    expect(attributeTable().policyOf('hobby').values).toBe('many');
    expect(() => attributeTable({ 'House Style': {} })).toThrow(/snake_case/);
  });

  it('labels an attribute in a language, in English, or by its name', () => {
    const table = attributeTable();
    expect(attributeLabel(table, 'home_city', 'de')).toBe('Wohnort');
    expect(attributeLabel(table, 'home_city', 'sw')).toBe('Home city');
    expect(attributeLabel(table, 'leadership_style')).toBe('Leadership style');
  });
});

describe('values', () => {
  it.each([
    ['40k', '40,000', 'number'],
    ['€ 1.200', '1200 euros', 'number'],
    ['Zürich', 'zurich', 'name'],
    ['a Volvo', 'Volvo.', 'text'],
    ['+43 660 123', '+43660123', 'phone'],
  ] as const)('%j is %j', (one, other, shape) => expect(isSameValue(one, other, shape)).toBe(true));

  it.each([
    ['40k', '41k', 'number'],
    ['Zürich', 'Basel', 'name'],
    [null, 'Basel', 'name'],
  ] as const)('%j is not %j', (one, other, shape) => expect(isSameValue(one, other, shape)).toBe(false));
});
