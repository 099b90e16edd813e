import { describe, expect, it } from 'vitest';
import { lowestTrust, ORIGINS, TRUST_LEVELS, trustOf } from './statement.ts';

describe('trust', () => {
  it('[T6] what is derived from several sources is trusted as far as the least of them, in any order', () => {
    expect(lowestTrust(['high', 'low', 'medium'])).toBe('low');
    expect(lowestTrust(['medium', 'high'])).toBe('medium');
    expect(lowestTrust(['high'])).toBe('high');
    expect(lowestTrust([])).toBe('low');
  });

  it('[T6] nobody from outside is believed like the user', () => {
    const trusted = ORIGINS.filter((origin) => trustOf(origin) === TRUST_LEVELS.at(-1));
    expect(trusted).toEqual(['user', 'system']);
    expect(trustOf('tool')).toBe('low');
    expect(trustOf('document')).toBe('low');
  });
});
