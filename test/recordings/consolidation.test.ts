import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLanguageModel } from '../../src/models/create-language-model.ts';
import { covers, loadLife, playLife, type Life } from './life.ts';
import { joined, replayingModel, type Recording } from './recorded-model.ts';

const here = import.meta.dirname;
const lives = globSync(join(here, 'consolidation', '*.json'))
  .map((file) => basename(file, '.json'))
  .sort();
const read = (file: string): Recording[] => JSON.parse(readFileSync(join(here, file), 'utf8')) as Recording[];

/** All characters of the first version on the same kind of life, a session. */
const FIRST_VERSION = 59_150;

describe('consolidation with recorded answers of a model', () => {
  it(
    '[K10] [T1] [T6] documents say nothing that has ended, with about one call a session',
    { timeout: 300_000 },
    async () => {
      expect(lives.length).toBeGreaterThanOrEqual(2);
      let [calls, characters, sessions] = [0, 0, 0];
      for (const id of lives) {
        const life = loadLife(id);
        const [readings, answers] = [
          replayingModel(read(`${id}.json`)),
          replayingModel(read(`consolidation/${id}.json`)),
        ];
        const model = createLanguageModel({ fast: joined(readings, answers), retries: 0 });
        const lived = await playLife(life, model, { consolidation: {} });
        // A night whose turns are shown otherwise has to be recorded anew: node test/recordings/record-consolidation.ts.
        expect({ life: id, missing: answers.missing.length }).toEqual({ life: id, missing: 0 });
        const sentences: string[] = [];
        for (const kind of ['working_memory', 'profile'] as const) {
          const basis = await lived.handle.blocks.basis(kind);
          expect(basis.length).toBeGreaterThan(0);
          // Every sentence can be followed to what it rests on.
          expect(basis.filter(({ restsOn }) => restsOn.length === 0)).toEqual([]);
          sentences.push(...basis.filter(({ stale }) => !stale).map(({ text }) => text));
        }
        expect({ life: id, ended: saysEnded(life, sentences) }).toEqual({ life: id, ended: [] });
        expect(await lived.handle.consolidation.held()).toEqual([]);
        await lived.varve.close();
        calls += answers.calls;
        characters += answers.characters;
        sessions += life.sessions.length;
      }
      const figures = { calls: calls / sessions, characters: characters / sessions / FIRST_VERSION };
      console.log(`recorded consolidation: ${lives.join(' ')} ${JSON.stringify(figures)}`);
      expect(figures.calls).toBeLessThanOrEqual(1.2);
      expect(figures.characters).toBeLessThanOrEqual(0.25);
    },
  );
});

const SAYS = 0.75;

/** The sentences that say what the life itself says has ended, and not what took its place. */
function saysEnded({ memories }: Life, sentences: readonly string[]): string[] {
  return memories
    .filter(({ until }) => until !== null)
    .flatMap((ended) => {
      const next = memories.find(({ id }) => id === ended.replacedBy);
      const saying = sentences.filter(
        (sentence) =>
          covers(ended.text, sentence) >= SAYS &&
          (next === undefined || covers(next.text, sentence) < covers(ended.text, sentence)),
      );
      return saying.map((sentence) => `${ended.text} ← ${sentence}`);
    });
}
