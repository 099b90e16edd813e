import { describe, expect, it } from 'vitest';
import { canonicalSubject, isOneOfSeveral, isSameSubject, knownSubject } from './statement.ts';

describe('subjects', () => {
  it.each([
    ['user', 'User'],
    ['The user', 'User'],
    ['', 'User'],
    ['me', 'User'],
    ['Ravi', 'User'],
    ["Ravi's mother", "User's mother"],
    ['the user’s sister  Ana', "User's sister Ana"],
    ['my boss', "User's boss"],
    ['the Rotterdam order', 'the Rotterdam order'],
    ['Mara', 'Mara'],
  ])('%j is stored as %j', (label, subject) => expect(canonicalSubject(label, ['Ravi'])).toBe(subject));

  it.each([
    ["User's sister", "User's sister Ana"],
    ["User's sister Ana", 'Ana'],
    ["User's fiancé Clive", "User's husband Clive"],
    ["User's Schwester Ana", "User's Schwester Ana"],
  ])('%j is %j', (one, other) => {
    expect(isSameSubject(one, other)).toBe(true);
    expect(isSameSubject(other, one)).toBe(true);
  });

  it.each([
    ["User's partner Ines", "User's business partner Tom"],
    ["User's business partner", "User's partner"],
    ["User's sister Ana", "User's sister Eva"],
    ["User's friend Tom", "User's boss Tom"],
    ['User', "User's sister"],
    ['User', 'Ana'],
  ])('%j is not %j', (one, other) => {
    expect(isSameSubject(one, other)).toBe(false);
    expect(isSameSubject(other, one)).toBe(false);
  });

  it('resolves a subject to its known label, and keeps the given subject if two labels match', () => {
    expect(knownSubject('Ana', ["User's sister Ana", 'User'])).toBe("User's sister Ana");
    expect(knownSubject("User's sister", ["User's sister Ana", "User's sister Eva"])).toBe("User's sister");
    expect(knownSubject("User's sister", ["User's sister Ana", "User's sister"])).toBe("User's sister");
    expect(knownSubject("User's brother", ["User's sister Ana"])).toBe("User's brother");
  });

  it('recognises labels that may mean a different person each time ("mate"), unlike labels of one person ("best mate")', () => {
    for (const label of ["User's mate", "User's school friend", "User's neighbour"])
      expect(isOneOfSeveral(label)).toBe(true);
    for (const label of ["User's best mate", "User's oldest friend", "User's neighbour Iris"])
      expect(isOneOfSeveral(label)).toBe(false);
  });
});
