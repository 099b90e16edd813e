import { describe, expect, it } from 'vitest';
import { noteInFirstPerson } from './first-person.ts';

describe('noteInFirstPerson', () => {
  it.for([
    ['User left Siemens and now works at BMW', 'I left Siemens and now work at BMW'],
    ['The user quit her job at Lidl yesterday.', 'I quit my job at Lidl yesterday.'],
    ["User's daughter Mia is allergic to cats", 'My daughter Mia is allergic to cats'],
    ["User's sister has a dog and is vegan", 'My sister has a dog and is vegan'],
    ['User has cats and dogs', 'I have cats and dogs'],
    ['User studies law and is tired of it', 'I study law and am tired of it'],
    ['User no longer teaches at the Kepler school', 'I no longer teach at the Kepler school'],
    ['User was born in Split', 'I was born in Split'],
    ['Lives in Oslo', 'Lives in Oslo'],
    ['Nutzer arbeitet bei BMW', 'Nutzer arbeitet bei BMW'],
  ])('%s', ([note, spoken]) => {
    expect(noteInFirstPerson(note as string)).toBe(spoken);
  });
});
