import { describe, expect, it } from 'vitest';
import { lowestTrust, ORIGINS, TRUST_LEVELS, trustOf } from './statement.ts';

describe('trust', () => {
  it('[T6] a derived statement is trusted as much as its least trusted source, in any order', () => {
    expect(lowestTrust(['high', 'low', 'medium'])).toBe('low');
    expect(lowestTrust(['medium', 'high'])).toBe('medium');
    expect(lowestTrust(['high'])).toBe('high');
    expect(lowestTrust([])).toBe('low');
  });

  it('[T6] neither a tool nor a document is trusted as much as the user', () => {
    const trusted = ORIGINS.filter((origin) => trustOf(origin) === TRUST_LEVELS.at(-1));
    expect(trusted).toEqual(['user', 'system']);
    expect(trustOf('tool')).toBe('low');
    expect(trustOf('document')).toBe('low');
  });
});
