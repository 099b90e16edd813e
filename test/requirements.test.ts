import { describe, expect, it } from 'vitest';
import { citedRequirements } from './requirement-titles.ts';
import { PENDING, REQUIREMENTS } from './requirements.ts';

describe('the requirements', () => {
  const cited = citedRequirements();

  it('each has a test, or a reason why not yet', () => {
    const unproven = Object.keys(REQUIREMENTS).filter((id) => !cited.has(id) && PENDING[id] === undefined);
    expect(unproven).toEqual([]);
  });

  it('no test names one that does not exist', () => {
    expect([...cited.keys()].filter((id) => REQUIREMENTS[id] === undefined)).toEqual([]);
  });

  it('no reason is given for one that does not exist', () => {
    expect(Object.keys(PENDING).filter((id) => REQUIREMENTS[id] === undefined)).toEqual([]);
  });
});
