import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { manualClock, MINUTE } from '../src/record/clock.ts';
import { openForming, START } from './form-model.ts';
import { copyableSqlite, type CopyableStore } from './prepared-store.ts';

/**
 * Thirty facts of one person, and requests with the words of the facts that each of them means. A request without such words asks nothing.
 */
interface Crowd {
  facts: string[];
  cases: [request: string, gone: string[]][];
}

function crowdsOf(name: string): Crowd[] {
  const text = readFileSync(new URL(`talk/${name}.json`, import.meta.url), 'utf8');
  return Object.values(JSON.parse(text) as Record<string, Crowd>);
}

type Told = Awaited<ReturnType<typeof say>>;

async function say(options: CopyableStore['options'], lines: readonly string[], minutes: number) {
  const clock = manualClock(START.getTime() + minutes * MINUTE);
  const { varve } = await openForming(options, { formation: { writes: 'immediate' }, embedder: undefined, clock });
  const handle = varve.for({ agent: 'a', user: 'ana', session: 's' });
  for (const userMessage of lines) {
    await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
    await varve.drain();
    clock.advance(MINUTE);
  }
  const events = (await handle.events.list({ order: 'oldest', limit: 200 })).items;
  const told = {
    turns: events.filter(({ origin }) => origin === 'user'),
    memories: (await handle.memories.list({ limit: 200 })).items,
    forgotten: await handle.forgotten.list(),
  };
  await varve.close();
  return told;
}

/** Whether only the meant words are gone from the turns and memories, and the request has become no memory. */
function isRight(
  { facts }: Crowd,
  gone: readonly string[],
  before: Told,
  { turns, memories, forgotten }: Told,
): boolean {
  if (gone.length === 0) return forgotten.length === 0;
  const areTurnsRight = facts.every((fact, index) => {
    const words = gone.filter((each) => fact.includes(each));
    const left = turns[index]?.content ?? '';
    return words.length === 0 ? left === fact : !words.some((each) => left.includes(each));
  });
  const changed = new Set(turns.filter(({ content }, index) => content !== facts[index]).map(({ id }) => id));
  const areMemoriesRight = before.memories.every(
    ({ id, sourceEvents }) =>
      memories.some((memory) => memory.id === id) || sourceEvents.some((event) => changed.has(event)),
  );
  const request = turns[facts.length]?.id ?? '';
  return areTurnsRight && areMemoriesRight && !memories.some(({ sourceEvents }) => sourceEvents.includes(request));
}

/** Counts the requests that are obeyed exactly and the turns without a request that are left alone, and lists the others. */
async function count(name: string): Promise<{ asked: number; ignored: number }> {
  const right = { asked: 0, ignored: 0 };
  const missed: string[] = [];
  for (const crowd of crowdsOf(name)) {
    const store = await copyableSqlite();
    const before = await say(store.options, crowd.facts, 0);
    for (const [request, gone] of crowd.cases) {
      const { options, drop } = await store.copy();
      const after = await say(options, [request], crowd.facts.length);
      if (isRight(crowd, gone, before, after)) right[gone.length > 0 ? 'asked' : 'ignored'] += 1;
      else missed.push(request);
      await drop();
    }
    await store.drop();
  }
  console.log(`${name}: obeyed ${right.asked}, not obeyed ${right.ignored}\n${missed.join('\n')}`);
  return right;
}

describe('[X1] requests to forget among many facts, in six languages, without a model', () => {
  it('typed without capitals, remove only the statement that is meant', { timeout: 600_000 }, async () => {
    const { asked, ignored } = await count('crowded-requests');
    expect(asked).toBeGreaterThanOrEqual(25);
    // One of fifteen is obeyed wrongly.
    expect(ignored).toBeGreaterThanOrEqual(14);
  });

  it('keep statements that the user excludes, corrects or names as a reason', { timeout: 600_000 }, async () => {
    const { asked } = await count('keep-requests');
    expect(asked).toBeGreaterThanOrEqual(23);
  });
});
