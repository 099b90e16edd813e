import { describe, expect, it } from 'vitest';
import { attributeTable } from '../record/attribute-table.ts';
import type { Memory } from '../record/memory.ts';
import { mayBeDoubles } from './merge-doubles.ts';

const statement = (content: string, given: Partial<Memory> = {}): Memory =>
  ({
    content,
    subject: 'User',
    attribute: null,
    value: null,
    polarity: 'affirmed',
    tense: 'holds',
    state: null,
    validFrom: null,
    validTo: null,
    dueAt: null,
    expiresAt: null,
    ...given,
  }) as unknown as Memory;

type Side = [content: string, fields?: Partial<Memory>];

describe('which statements may be duplicates', () => {
  const may = (one: Side, other: Side): boolean[] => {
    const [left, right] = [statement(...one), statement(...other)];
    const attributes = attributeTable();
    return [mayBeDoubles(left, right, attributes), mayBeDoubles(right, left, attributes)];
  };

  it.each<[string, Side, Side]>([
    ['no field is known', ['Cycles to work.'], ['Goes to work by bike.']],
    [
      'the value has another spelling',
      ['Lives there.', { attribute: 'home_city', value: 'Zürich' }],
      ['Has a flat there.', { attribute: 'home_city', value: 'zurich' }],
    ],
    [
      'one has the attribute and the other only the words',
      ['Is vegan.', { attribute: 'diet', value: 'vegan' }],
      ['Lives on a plant-based diet.'],
    ],
    [
      'a relation is named in one of them',
      ['Plays the cello.', { subject: "User's sister" }],
      ['Plays the cello.', { subject: "User's sister Ana" }],
    ],
    ['one names more people', ['Works with Tom at the port.'], ['Works with Tom and Eva at the port.']],
  ])('[L7] may be duplicates if %s', (_, one, other) => {
    expect(may(one, other)).toEqual([true, true]);
  });

  it.each<[string, Side, Side]>([
    ['subject', ['Plays the cello.', { subject: "User's sister Ana" }], ['Plays the cello.']],
    [
      'attribute',
      ['Linz.', { attribute: 'home_city', value: 'Linz' }],
      ['Linz.', { attribute: 'hometown', value: 'Linz' }],
    ],
    [
      'value of a single-valued attribute',
      ['Lives in Linz.', { attribute: 'home_city', value: 'Linz' }],
      ['Lives in Graz.', { attribute: 'home_city', value: 'Graz' }],
    ],
    [
      'value of an attribute with many',
      ['Is allergic to nuts.', { attribute: 'allergy', value: 'nuts' }],
      ['Is allergic to cats.', { attribute: 'allergy', value: 'cats' }],
    ],
    ['polarity', ['Likes olives.'], ['Does not like olives.', { polarity: 'denied' }]],
    ['tense', ['Runs.', { tense: 'habit' }], ['Ran.', { tense: 'happened' }]],
    ['state', ['Wants to run.', { state: 'open' }], ['Wants to run.', { state: 'achieved' }]],
    ['number', ['Has a room for 2 guests.'], ['Has a room for 3 guests.']],
    ['name', ['Has a dog named Max.'], ['Has a dog named Rex.']],
    ['weekday', ['Swims on Mondays.'], ['Swims on Fridays.']],
    [
      'day',
      ['Flies to Oslo.', { tense: 'planned', validFrom: new Date('2026-05-04') }],
      ['Flies to Oslo.', { tense: 'planned', validFrom: new Date('2026-08-04') }],
    ],
    ['end, which only one has', ['Rents a boat.', { validTo: new Date('2026-08-04') }], ['Rents a boat on the lake.']],
    ['expiry, which only one has', ['Is on call.', { expiresAt: new Date('2026-08-04') }], ['Is on call tonight.']],
  ])('[L7] are not duplicates if they differ in: %s', (_, one, other) => {
    expect(may(one, other)).toEqual([false, false]);
  });
});
