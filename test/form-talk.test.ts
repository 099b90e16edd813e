import { describe, expect, it } from 'vitest';
import { readPersonas, scorePersona, sumScores, type Persona } from './assistant-talk.ts';

// What was measured, less a little: a rule may cost one memory, not a dozen. `npm run bench:form-talk` shows which.
const FLOORS: Record<Persona['half'], { recall: number; precision: number }> = {
  'worked on': { recall: 0.95, precision: 0.95 },
  'held out': { recall: 0.82, precision: 0.92 },
};

describe('talk with an assistant, without a model', () => {
  it.each(['worked on', 'held out'] as const)('[L6] [Q1] is remembered: %s', { timeout: 120_000 }, async (half) => {
    const scores = [];
    for (const persona of readPersonas().filter((each) => each.half === half)) scores.push(await scorePersona(persona));
    const { recall, precision } = sumScores(scores);
    expect(recall).toBeGreaterThan(FLOORS[half].recall);
    expect(precision).toBeGreaterThan(FLOORS[half].precision);
  });
});
