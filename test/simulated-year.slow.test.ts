import { describe, expect, it } from 'vitest';
import { createLocalEmbedder } from '../src/models/local-embedder/local-embedder.ts';
import { blockWordLimit } from '../src/record/block.ts';
import { DAY, HOUR, MINUTE } from '../src/record/clock.ts';
import type { Handle } from '../src/handle/handle.ts';
import { openConsolidation, START, type Opened } from './consolidate-fixture.ts';
import { databases, type TestDatabase } from './databases.ts';
import type { Memory } from '../src/record/memory.ts';
import { FORGOTTEN, TRAITS, type Trait } from './simulated-life.ts';
import { simulatedYear, type SimulatedDay, type SimulatedLife, type Truth } from './simulated-year.ts';
import { countWords } from '../src/record/parse.ts';

const CHECKPOINT = 30;
// A year flushes to the disk about fifty thousand times, which is irrelevant for these tests.
const inMemory: TestDatabase = {
  name: 'SQLite in memory',
  skip: null,
  create: async () => ({ options: { path: ':memory:' }, drop: async () => {} }),
};

describe('a simulated year', () => {
  it(
    '[L13] [Q9] [T1] memory grows with the facts, and stays small, true and current',
    { timeout: 600_000 },
    async () => {
      const year = await liveThrough(inMemory);
      const { ana, turns, checkpoints } = year;
      expect(turns).toBeGreaterThan(3300);
      // The bounds are the figures of the last run. The goal is 150 memories after the year, and was reached when the local reader kept .68
      // of what is worth keeping. Now it keeps .79.
      for (const { live, learned } of checkpoints) expect(live).toBeLessThanOrEqual(1.5 * learned + 11);
      const { live, learned } = checkpoints.at(-1) ?? { live: 0, learned: 0 };
      expect(learned).toBeGreaterThan(130);
      expect(live).toBeGreaterThan(70);
      expect(live).toBeLessThanOrEqual(156);
      expect((await ana.intentions.list()).length).toBeLessThanOrEqual(10);
      isMostlyFound(year);

      // Past states are answered by the time at which they held.
      for (const { key, states } of TRAITS) {
        for (const [index, { day, value }] of states.entries()) {
          if (key === undefined) continue;
          const last = (states[index + 1]?.day ?? 364) - 1;
          for (const time of [day + 1, last]) {
            expect((await ana.asOf(START + time * DAY + 20 * HOUR).facts.get(key))?.value).toContain(value);
          }
        }
      }
      // The outcomes of the agent’s decisions were counted over half a year.
      const contents = (await ana.memories.list({ limit: 1000 })).items.map(({ content }) => content).join('\n');
      expect(contents).toContain(
        'worked best with recipe: 305 views on average in 4 cases, against 103 in 2 cases with news',
      );
      await year.close();
    },
  );

  it('[L13] three times as much small talk makes no more memories', { timeout: 400_000 }, async () => {
    const counts: number[] = [];
    for (const perDay of [10, 30]) {
      const life = await liveThrough(inMemory, { days: 30, span: 30, perDay });
      counts.push(life.checkpoints.at(-1)?.live ?? 0);
      isMostlyFound(life);
      await life.close();
    }
    const [some = 0, more = 0] = counts;
    expect(some).toBeGreaterThan(70);
    expect(Math.abs(more - some) / some).toBeLessThan(0.05);
  });

  for (const database of databases().filter(({ name }) => name !== 'SQLite')) {
    it.skipIf(database.skip !== null)(`[L13] [Q9] [T1] a month on ${database.name}`, { timeout: 400_000 }, async () => {
      const life = await liveThrough(database, { days: CHECKPOINT, span: 60 });
      const { live, learned } = life.checkpoints.at(-1) ?? { live: 0, learned: 0 };
      expect(live).toBeLessThanOrEqual(1.5 * learned);
      // Without a model the local reader keeps about two of three.
      expect(live).toBeGreaterThan(0.6 * learned);
      isMostlyFound(life);
      await life.close();
    });
  }
});

interface Lived extends Opened {
  turns: number;
  checkpoints: { day: number; live: number; learned: number }[];
  asked: number;
  missed: string[];
  stale: string[];
}

/** Replays days of a life with the background work that is due, and examines the memory every month. */
async function liveThrough(database: TestDatabase, life: SimulatedLife = {}): Promise<Lived> {
  const opened = await openConsolidation(database, { embedder: createLocalEmbedder() });
  const lived: Lived = { ...opened, turns: 0, checkpoints: [], asked: 0, missed: [], stale: [] };
  for (const day of simulatedYear(life)) {
    await live(opened, day);
    lived.turns += day.exchanges.length;
    await limitsHold(opened.ana);
    if (day.day % CHECKPOINT !== CHECKPOINT - 1) continue;
    const count = (await opened.ana.memories.list({ limit: 1000 })).items.length;
    lived.checkpoints.push({ day: day.day, live: count, learned: day.truth.learned });
    await ask(lived, day);
    await nothingContradicts(opened.ana, day.truth);
    await documentsAreTrue(opened.ana, day);
  }
  return lived;
}

/** A day in four parts, with the due background work after each. The session is closed in the evening. */
async function live({ varve, clock, of }: Opened, { day, exchanges, decisions }: SimulatedDay): Promise<void> {
  const session = of(`day-${day}`);
  const perPart = Math.ceil(exchanges.length / 4);
  for (let part = 0; part < 4; part += 1) {
    clock.set(START + day * DAY + part * 6 * HOUR);
    for (const { user, agent } of exchanges.slice(part * perPart, (part + 1) * perPart)) {
      clock.advance(MINUTE);
      await session.logInteraction({ userMessage: user, agentResponse: agent });
    }
    if (part === 3) {
      for (const { decided, outcome } of decisions) {
        const { id } = await session.decisions.record({ content: decided });
        await session.decisions.recordOutcome(id, { content: outcome, effect: 'positive' });
      }
      if (exchanges.length + decisions.length > 0) await session.session.close();
    }
    clock.advance(20 * MINUTE);
    await varve.drain();
  }
}

/** Asks for everything that is true at that time. */
async function ask(lived: Lived, { day, truth }: SimulatedDay): Promise<void> {
  expect(truth.traits.length).toBeGreaterThanOrEqual(12);
  for (const { trait, value, past } of truth.traits) {
    if (trait.key !== undefined) expect((await lived.ana.facts.get(trait.key))?.value, `${trait.key}`).toContain(value);
    for (const question of trait.asked) {
      const { results } = await lived.ana.recall(question, { limit: 8 });
      const says = ({ text }: { text: string }): boolean => text.toLowerCase().includes(value.toLowerCase());
      const memories = results.flatMap(({ memory }) => memory ?? []);
      const current = memories.findIndex(({ content }) => says({ text: content }));
      const outdated = memories.findIndex((memory) => past.some((each) => claims(memory, trait, each)));
      const seen = `day ${day}, ${question} ${value}: ${results.map(({ text }) => text).join(' | ')}`;
      lived.asked += 1;
      if (!results.some(says)) lived.missed.push(seen);
      if (outdated >= 0 && (current < 0 || outdated < current)) lived.stale.push(seen);
    }
  }
}

/** Whether a memory states a value of a trait as the present one, by its fields. */
function claims(
  { subject, attribute, value, tense, polarity, validTo }: Memory,
  { key }: Trait,
  past: string,
): boolean {
  const isPresent = tense === 'holds' && polarity === 'affirmed' && validTo === null;
  return key !== undefined && subject === 'User' && attribute === key && isPresent && value?.includes(past) === true;
}

function isMostlyFound({ asked, missed, stale }: Lived): void {
  expect(stale).toEqual([]);
  expect((asked - missed.length) / asked, `${missed.join('\n')}`).toBeGreaterThanOrEqual(0.95);
}

/** Checks that no live memory states a past value as present. */
async function nothingContradicts(handle: Handle, { traits }: Truth): Promise<void> {
  const { items } = await handle.memories.list({ limit: 1000 });
  for (const { trait, past } of traits)
    for (const value of past) expect(items.filter((memory) => claims(memory, trait, value))).toEqual([]);
}

/** Checks that every sentence of every document rests on live statements, and that none states a past or forgotten value. */
async function documentsAreTrue(handle: Handle, { day, truth }: SimulatedDay): Promise<void> {
  const prompt = await handle.context({ message: 'Hello.' });
  const forgotten = FORGOTTEN.filter(({ asked: [on] }) => on <= day);
  for (const { word } of forgotten) expect(`${prompt.system} ${prompt.user}`).not.toContain(word);
  for (const kind of ['working_memory', 'profile', 'reflections'] as const) {
    const sentences = (await handle.blocks.basis(kind)).filter(({ stale }) => !stale);
    for (const { text, restsOn } of sentences) {
      for (const { word } of forgotten) expect(text).not.toContain(word);
      for (const id of restsOn) {
        const memory = await handle.memories.get(id);
        if (memory === null) continue;
        expect([
          text,
          memory.archivedAt === null ||
            ['merged', 'absorbed', 'decayed', 'pruned'].includes(memory.archiveReason ?? ''),
        ]).toEqual([text, true]);
        for (const { trait, past } of truth.traits)
          for (const value of past) expect([text, claims(memory, trait, value)]).toEqual([text, false]);
      }
    }
  }
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
