import { describe, expect, it } from 'vitest';
import { attributeTable } from '../../record/attribute-table.ts';
import { memoryTypeTable } from '../../record/memory-types.ts';
import { readStatement, type ReadStatement } from '../read/reader.ts';
import { resolveNames } from './check.ts';

const context = {
  memoryTypes: memoryTypeTable(),
  attributes: attributeTable(),
  userNames: ['Ines'],
  subjects: [],
};
const read = (fields: Partial<ReadStatement>): ReadStatement =>
  resolveNames(readStatement({ text: '', type: 'fact', quotes: [], ...fields }), context);

describe('the check of the subject and the names of a statement', () => {
  it('[K5] makes the user the subject of the name of a partner, child or pet; other statements keep that person as their subject', () => {
    expect(read({ subject: "User's son Bram", attribute: 'child_name', value: 'Bram' }).subject).toBe('User');
    expect(read({ subject: 'Pixel', attribute: 'pet_name', value: 'Pixel, a whippet' }).subject).toBe('User');
    expect(read({ subject: "User's son Bram", attribute: 'school', value: 'Ashdown' }).subject).toBe("User's son Bram");
    for (const value of ["N'Golo", 'N’Golo', "Ines's", 'Ines'])
      expect(read({ subject: `User's husband ${value}`, attribute: 'husband', value }).subject).toBe('User');
    // The subject has another name than the value, so the statement is about that person's partner and keeps its subject.
    expect(read({ subject: "User's sister Ana", attribute: 'partner', value: 'Joost' }).subject).toBe(
      "User's sister Ana",
    );
    expect(read({ subject: "User's uncle Martin", attribute: 'partner', value: 'Mart' }).subject).toBe(
      "User's uncle Martin",
    );
    expect(read({ subject: "User's sister D'Amore", attribute: 'partner', value: "D'Angelo" }).subject).toBe(
      "User's sister D'Amore",
    );
  });

  it('[K5] capitalises names of people, and does not change other values', () => {
    expect(read({ attribute: 'name', value: 'maeve o’dowd-lynch' }).value).toBe('Maeve O’dowd-Lynch');
    expect(read({ attribute: 'employer', value: 'eBay' }).value).toBe('eBay');
    expect(read({ attribute: 'hobby', value: 'sea swimming' }).value).toBe('sea swimming');
    expect(read({ attribute: 'school', value: 'finished at 17' }).value).toBe('finished at 17');
    expect(read({ attribute: 'employer', value: 'the hospital laundry' }).value).toBe('the hospital laundry');
    const quotes = [{ turn: 1, words: 'i live in hamburg' }];
    expect(read({ attribute: 'home_city', value: 'hamburg', text: 'Lives in hamburg', quotes }).text).toBe(
      'Lives in Hamburg',
    );
    // The user's own words stay as they were typed.
    expect(read({ attribute: 'home_city', value: 'hamburg', text: 'i live in hamburg', quotes }).text).toBe(
      'i live in hamburg',
    );
    // An honorary office is not the user's job.
    expect(read({ attribute: 'role', value: 'union delegate' }).attribute).toBe('role');
  });
});
