import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../src/evaluate/conversation.ts';
import type { Replay } from '../../src/evaluate/replay.ts';
import { covers } from '../../src/evaluate/says.ts';
import { createLanguageModel } from '../../src/models/create-language-model.ts';
import type { Memory } from '../../src/record/memory.ts';
import { loadLife, playLife } from './life.ts';
import { joined, replayingModel, type Recording } from './recorded-model.ts';

const here = import.meta.dirname;
const lives = globSync(join(here, 'consolidation', '*.json'))
  .map((file) => basename(file, '.json'))
  .sort();
const read = (file: string): Recording[] => JSON.parse(readFileSync(join(here, file), 'utf8')) as Recording[];

/** The number of characters for each session in the first version, on the same kind of life. */
const FIRST_VERSION = 59_150;

describe('consolidation with recorded answers of a model', () => {
  it(
    '[K10] [T1] [T6] documents state nothing that has ended, with about one call a session',
    { timeout: 300_000 },
    async () => {
      expect(lives.length).toBeGreaterThanOrEqual(4);
      let [calls, characters, sessions] = [0, 0, 0];
      for (const id of lives) {
        const life = loadLife(id);
        const [readings, answers] = [
          replayingModel(read(`${id}.json`)),
          replayingModel(read(`consolidation/${id}.json`)),
        ];
        const model = createLanguageModel({ fast: joined(readings, answers), retries: 0 });
        const lived = await playLife(life, model, { consolidation: {} });
        // A night whose turns are shown differently has to be recorded again: node test/recordings/record-consolidation.ts.
        expect({ life: id, missing: answers.missing.length }).toEqual({ life: id, missing: 0 });
        const sentences: { text: string; memories: Memory[] }[] = [];
        for (const kind of ['working_memory', 'profile'] as const) {
          const basis = await lived.handle().blocks.basis(kind);
          expect(basis.length).toBeGreaterThan(0);
          // Every sentence rests on known statements.
          expect(basis.filter(({ restsOn }) => restsOn.length === 0)).toEqual([]);
          for (const { text, restsOn } of basis.filter(({ stale }) => !stale)) {
            const found = await Promise.all(restsOn.map((each) => lived.handle().memories.get(each)));
            sentences.push({ text, memories: found.filter((memory) => memory !== null) });
          }
        }
        expect({ life: id, ended: saysEnded(life, sentences, lived) }).toEqual({ life: id, ended: [] });
        expect(await lived.handle().consolidation.held()).toEqual([]);
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
const NEGATES = /\b(?:no longer|any ?more)\b/i;

/**
 * The sentences that state a memory of the life that has ended, and not its replacement. They are judged by their words and by the
 * statements that they rest on.
 */
function saysEnded(
  { memories }: Conversation,
  sentences: readonly { text: string; memories: readonly Memory[] }[],
  { turnOf }: Replay,
): string[] {
  return memories
    .filter(({ until }) => until !== null)
    .flatMap((ended) => {
      const next = memories.find(({ id }) => id === ended.replacedBy);
      // "Filed the claim on 29 March" stays true when the claim is settled.
      const isOf = (memory: Memory): boolean =>
        memory.tense !== 'happened' &&
        memory.sourceEvents.some((event) => ended.stated.includes(turnOf.get(event) ?? '')) &&
        covers(ended.text, memory.content) >= SAYS;
      const saying = sentences.filter(
        ({ text, memories: behind }) =>
          covers(ended.text, text) >= SAYS &&
          // "The nurse no longer comes" states the end.
          (NEGATES.test(ended.text) || !NEGATES.test(text)) &&
          behind.some(isOf) &&
          (next === undefined || covers(next.text, text) < covers(ended.text, text)),
      );
      return saying.map(({ text }) => `${ended.text} ← ${text}`);
    });
}
