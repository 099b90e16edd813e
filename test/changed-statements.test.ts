import { afterEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { DAY } from '../src/record/clock.ts';
import { searchMemory } from '../src/tools/search-tools.ts';
import type { Varve } from '../src/varve.ts';
import { openVarve } from './assemble-users.ts';

const open: Varve[] = [];
afterEach(async () => {
  for (const varve of open.splice(0)) await varve.close();
});

/** A user who said these sentences, each in a session of its own and a month after the one before. */
async function told(...turns: readonly string[]): Promise<Handle> {
  const { varve, clock } = await openVarve();
  open.push(varve);
  for (const [index, userMessage] of turns.entries()) {
    const handle = varve.for({ agent: 'a', user: 'ann', session: `s${index}` });
    await handle.logInteraction({ userMessage });
    await handle.session.close();
    await varve.drain();
    clock.advance(30 * DAY);
  }
  return varve.for({ agent: 'a', user: 'ann', session: 'now' });
}

async function promptOf(handle: Handle, options: Parameters<Handle['context']>[0] = {}): Promise<string[]> {
  const { system, user } = await handle.context(options);
  return `${system}\n${user}`.split('\n');
}

const NO_DOCUMENTS = { profile: false, workingMemory: false, scaffold: false, summaries: false };

const CHANGED = [
  ['I live in Ghent and keep three noisy parrots.', 'I moved to Antwerp.'],
  ['I work at Umicore and I adore the roof terrace there.', 'I left Umicore and started at Solvay.'],
  ['Ich wohne in Kassel und habe einen alten Traktor.', 'Ich bin nach Erfurt gezogen.'],
  ['Trabajo en Iberdrola y me encanta la cafetería de allí.', 'Dejé Iberdrola y ahora trabajo en Repsol.'],
  ["J'habite à Rennes et j'ai deux ânes têtus.", "J'ai déménagé à Brest."],
  ['I adore my balcony tomatoes and I take metformin every day.', 'I stopped taking metformin.'],
] as const;

const HARMLESS = [
  ['My mother lives in Ghent and keeps three noisy parrots.', 'I moved to Antwerp.'],
  ['I was born in Ghent and my whole family loves waffles.', 'I moved to Antwerp.'],
  ['I live in Ghent and keep three noisy parrots.', 'My brother moved to Antwerp.'],
  ['I work at Umicore and I adore the roof terrace there.', 'My wife left Solvay and started at Bayer.'],
  ['Meine Schwester wohnt in Kassel und hat einen alten Traktor.', 'Ich bin nach Erfurt gezogen.'],
  ['I adore my balcony tomatoes and I take metformin every day.', 'My uncle stopped taking metformin.'],
  ['Ghent has the nicest parrots in its zoo.', 'I moved to Antwerp.'],
] as const;

describe('a statement in the user’s own words, of which a part was changed later', () => {
  it.each(CHANGED)('is marked in every prompt: %s %s', async (before, after) => {
    const handle = await told(before, after);
    for (const options of [{}, { sections: NO_DOCUMENTS }]) {
      const lines = (await promptOf(handle, options)).filter((line) => line.includes(before));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/^- (?:\[\w+\] )?2026-04-24: .* \(changed later\)$/);
    }
  });

  it.each(HARMLESS)('is not marked if the change does not concern it: %s %s', async (before, after) => {
    const handle = await told(before, after);
    const lines = (await promptOf(handle)).filter((line) => /parrots|family|terrace|Traktor|tomatoes/.test(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('(changed');
  });

  it('is not marked if it is read from the same words, but does not contain the value', async () => {
    const handle = await told(...CHANGED[0]);
    const { items } = await handle.memories.list();
    const quotes = items.find(({ content }) => content === CHANGED[0][0])?.quotes ?? [];
    await handle.memories.create({ type: 'fact', content: 'The three parrots are noisy', quotes });
    const lines = (await promptOf(handle)).filter((line) => line.includes('parrots are noisy'));
    expect(lines).toEqual([expect.stringMatching(/noisy$/)]);
  });

  it('is marked in the results of recall and of tools, but not in the memory', async () => {
    const handle = await told(...CHANGED[0]);
    const { results } = await handle.recall('parrots', { abstain: false, sources: ['memories'] });
    const parrots = results.find(({ text }) => text.includes('parrots'));
    expect(parrots?.text).toBe(`${CHANGED[0][0]} (changed later)`);
    expect(parrots?.memory?.content).toBe(CHANGED[0][0]);
    const found = JSON.stringify(await searchMemory.run(handle, { query: 'parrots' }));
    expect(found).toContain('noisy parrots. (changed later)');
  });

  it('is among the recalled records, although most of its turn was changed', async () => {
    const handle = await told(...CHANGED[0]);
    const message = 'How many parrots do I keep now?';
    const lines = await promptOf(handle, { message, lookup: 'always', topMemories: 0, sections: NO_DOCUMENTS });
    expect(lines.filter((line) => line.startsWith('- ') && line.includes('parrots'))).toEqual([
      `- [fact] ${CHANGED[0][0]} (changed later)`,
    ]);
  });
});
