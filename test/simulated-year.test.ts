import { describe, expect, it } from 'vitest';
import { blockWordLimit, countWords } from '../src/record/block.ts';
import { DAY, HOUR, MINUTE } from '../src/record/clock.ts';
import type { Handle } from '../src/handle/handle.ts';
import { openConsolidation, START, type Opened } from './consolidate-fixture.ts';
import { databases } from './databases.ts';
import { simulatedYear, type Truth } from './simulated-year.ts';

const [sqlite] = databases();
const CHECKPOINT = 30;

describe('a simulated year', () => {
  it(
    '[L13] [Q9] [T1] memory grows with what there is to know, and stays small, true and current',
    { timeout: 240_000 },
    async () => {
      const opened = await openConsolidation(sqlite!);
      const counts: number[] = [];
      let turns = 0;
      for (const { day, exchanges, truth } of simulatedYear()) {
        await live(opened, day, exchanges);
        turns += exchanges.length;
        await limitsHold(opened.ana);
        if (day % CHECKPOINT !== CHECKPOINT - 1) continue;
        await isKnown(opened.ana, truth);
        counts.push(await liveCount(opened.ana));
      }
      const { ana } = opened;
      expect(turns).toBeGreaterThan(3500);
      expect(Math.max(...counts)).toBeLessThan(150);
      expect(counts.at(-1)).toBeGreaterThan(20);
      // Old truth, by the time at which it held.
      for (const [day, city, employer] of [
        [60, 'Berlin', 'Acme'],
        [200, 'Munich', 'TechCorp'],
        [360, 'Lisbon', 'Nimbus'],
      ] as const) {
        const then = ana.asOf(START + day * DAY);
        expect((await then.facts.get('home_city'))?.value).toBe(city);
        expect(
          JSON.stringify((await then.memories.list({ limit: 1000 })).items.map(({ content }) => content)),
        ).toContain(employer);
      }
      // The goal was reached; what was loved once is no longer.
      const goals = (await ana.memories.list({ types: ['goal'], archived: 'include', limit: 1000 })).items;
      expect(goals.filter(({ content }) => /marathon/i.test(content)).every(({ state }) => state === 'achieved')).toBe(
        true,
      );
      const contents = (await ana.memories.list({ limit: 1000 })).items.map(({ content }) => content).join('\n');
      expect(contents).not.toMatch(/loves sushi/i);
      // Said once in spring, and never spoken of since.
      for (const [question, answer] of [
        ['Which languages does the user speak?', 'Portuguese'],
        ['What is the name of the boss?', 'Henrik'],
        ['What is the name of the sister?', 'Clara'],
        ['What is the user allergic to?', 'peanuts'],
      ] as const) {
        const { results } = await ana.recall(question, { limit: 8 });
        expect(
          results
            .filter(({ kind }) => kind === 'memory')
            .map(({ text }) => text)
            .join('\n'),
        ).toContain(answer);
      }
      await opened.close();
    },
  );
});

/** A day in four parts, with the background work that is due after each, and the session closed in the evening. */
async function live(
  { varve, clock, of }: Opened,
  day: number,
  exchanges: readonly { user: string; agent: string }[],
): Promise<void> {
  const session = of(`day-${day}`);
  const perPart = Math.ceil(exchanges.length / 4);
  for (let part = 0; part < 4; part += 1) {
    clock.set(START + day * DAY + part * 6 * HOUR);
    for (const { user, agent } of exchanges.slice(part * perPart, (part + 1) * perPart)) {
      clock.advance(MINUTE);
      await session.logInteraction({ userMessage: user, agentResponse: agent });
    }
    if (part === 3) await session.session.close();
    clock.advance(20 * MINUTE);
    await varve.drain();
  }
}

async function liveCount(handle: Handle): Promise<number> {
  return (await handle.memories.list({ limit: 1000 })).items.length;
}

async function limitsHold(handle: Handle): Promise<void> {
  for (const [kind, level] of [
    ['working_memory', 'user'],
    ['profile', 'user'],
    ['reflections', 'user'],
    ['reflections', 'agent'],
  ] as const) {
    const block = await handle.blocks.read(kind, { level });
    if (block === null) continue;
    expect(countWords(String(block.content))).toBeLessThanOrEqual(blockWordLimit(kind, block.scope) ?? 0);
  }
}

/** The current truth is found, and nothing live contradicts it. */
async function isKnown(handle: Handle, truth: Truth): Promise<void> {
  expect((await handle.facts.get('home_city'))?.value).toBe(truth.city);
  for (const [question, answer] of [
    ['Where does the user live?', truth.city],
    ['Which company does the user work at?', truth.employer],
    ['What is the name of the dog?', truth.dog],
  ] as const) {
    const { results } = await handle.recall(question, { limit: 8 });
    expect(results.map((result) => result.text).join('\n')).toContain(answer);
  }
  const live = (await handle.memories.list({ limit: 1000 })).items.map(({ content }) => content);
  for (const city of truth.past.city)
    expect(live.filter((content) => new RegExp(`\\b(?:lives?|moved|home).*\\b${city}`, 'i').test(content))).toEqual([]);
  for (const employer of truth.past.employer)
    expect(live.filter((content) => new RegExp(`\\bworks (?:at|for) ${employer}`, 'i').test(content))).toEqual([]);
}
