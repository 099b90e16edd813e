import { describe, expect, it } from 'vitest';
import { readPersonas, scorePersona, sumScores, type Persona } from './assistant-talk.ts';

// What was measured, less a little: a rule may cost one memory, not a dozen. `npm run bench:form-talk` shows which.
const FLOORS: Record<`${Persona['half']}, ${Persona['talk']}`, { recall: number; precision: number }> = {
  'worked on, of themselves': { recall: 0.97, precision: 0.97 },
  'held out, of themselves': { recall: 0.84, precision: 0.96 },
  'worked on, of things': { recall: 0.95, precision: 0.96 },
  'held out, of things': { recall: 0.88, precision: 0.95 },
  'unseen, of themselves': { recall: 0.68, precision: 0.84 },
  'unseen, of things': { recall: 0.47, precision: 0.8 },
};

describe('talk with an assistant, without a model', () => {
  const groups = Object.entries(FLOORS);
  it.each(groups)('[L6] [Q1] is remembered: %s', { timeout: 120_000 }, async (group, floor) => {
    const scores = [];
    for (const persona of readPersonas().filter(({ half, talk }) => `${half}, ${talk}` === group))
      scores.push(await scorePersona(persona));
    const { recall, precision } = sumScores(scores);
    expect(recall).toBeGreaterThan(floor.recall);
    expect(precision).toBeGreaterThan(floor.precision);
  });
});
