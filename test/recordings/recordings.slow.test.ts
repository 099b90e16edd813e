import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLanguageModel } from '../../src/models/create-language-model.ts';
import { loadLife, playLife, scoreLife, sumScores, type LifeScore } from './life.ts';
import { replayingModel, type Recording } from './recorded-model.ts';

// Answers of a careful model to the prompts of these lives, written by a person who saw only the prompts (README.md).
const lives = globSync(join(import.meta.dirname, '*.json'))
  .map((file) => basename(file, '.json'))
  .sort();

/** Calls and characters for each session in the first version, on the same kind of life, as a measure of the cost of reading. */
const FIRST_VERSION = { characters: 59_150 };

describe('lives with recorded answers of a model', () => {
  it('[Q3] [K20] keeps what holds, retires what ended, and asks once a session', { timeout: 600_000 }, async () => {
    expect(lives.length).toBeGreaterThanOrEqual(8);
    const scores: LifeScore[] = [];
    let [calls, characters, sessions] = [0, 0, 0];
    for (const id of lives) {
      const life = loadLife(id);
      const recordings = JSON.parse(readFileSync(join(import.meta.dirname, `${id}.json`), 'utf8')) as Recording[];
      const replaying = replayingModel(recordings);
      const lived = await playLife(life, createLanguageModel({ fast: replaying.model, retries: 0 }));
      // A prompt whose turns are shown differently has to be recorded again: node test/recordings/record.ts.
      expect({ life: id, missing: replaying.missing.length }).toEqual({ life: id, missing: 0 });
      scores.push(await scoreLife(lived));
      await lived.varve.close();
      calls += replaying.calls;
      characters += replaying.characters;
      sessions += life.sessions.length;
    }
    const sum = sumScores(scores);
    const figures = {
      kept: sum.kept / sum.holds,
      stale: sum.stale / sum.ended,
      junk: sum.junk / sum.statements,
      perHolding: sum.statements / sum.holds,
      callsPerSession: calls / sessions,
      charactersOfFirstVersion: characters / sessions / FIRST_VERSION.characters,
    };
    console.log(
      `recorded lives: ${lives.join(' ')} ${JSON.stringify(figures, (_, value: unknown) => (typeof value === 'number' ? Math.round(value * 1000) / 1000 : value))}`,
    );
    expect(figures.kept).toBeGreaterThanOrEqual(0.854);
    expect(figures.stale).toBeLessThanOrEqual(0.1);
    expect(figures.junk).toBeLessThanOrEqual(0.05);
    expect(figures.perHolding).toBeLessThanOrEqual(1.5);
    expect(figures.callsPerSession).toBeLessThanOrEqual(1.5);
    expect(figures.charactersOfFirstVersion).toBeLessThanOrEqual(0.35);
  });
});
