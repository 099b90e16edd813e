import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { createLocalEmbedder } from '../src/models/local-embedder/local-embedder.ts';
import { DAY, manualClock } from '../src/record/clock.ts';
import { createVarve, type Varve } from '../src/varve.ts';

const { close: closeEmbedder, ...embedder } = createLocalEmbedder();
afterAll(() => closeEmbedder?.());

describe('what the assistant says about a forgotten statement', () => {
  let varve: Varve;
  const clock = manualClock(new Date('2026-03-02T10:00:00Z'));
  beforeEach(async () => {
    varve = await createVarve({ store: ':memory:', background: false, embedder, clock });
  });
  afterEach(() => varve.close());

  const open = (session: string): Handle => varve.for({ agent: 'a', user: 'u', session });
  const say = async (handle: Handle, ...turns: [said: string, answer: string][]): Promise<void> => {
    for (const [userMessage, agentResponse] of turns) await handle.logInteraction({ userMessage, agentResponse });
    await varve.drain();
  };
  const all = async (handle: Handle): Promise<string> => {
    const events = (await handle.events.list({ limit: 100 })).items.map(({ content }) => content);
    const memories = (await handle.memories.list({ limit: 100 })).items.map(({ content }) => content);
    const { system, user } = await handle.context({ message: 'What do you know of me?', lookup: 'always' });
    return [...events, ...memories, system, user].join('\n');
  };

  it.each([
    ['I joined the Zorbian Socialists in spring.', 'Right, the Socialists.', 'my party membership', /Socialist/],
    ['I was diagnosed with narcolepsy.', 'Narcolepsy, I see.', 'my diagnosis', /arcoleps/],
  ])('is hidden even if a summary has the words: %s', async (said, answer, what, words) => {
    const before = open('one');
    await say(
      before,
      ['It rains in Porto.', 'Stay inside!'],
      [said, answer],
      ['I play the cello on Sundays.', 'Lovely.'],
    );
    clock.advance(1.2 * DAY);
    await before.reflect();
    await varve.maintain();
    await varve.drain();
    const handle = open('two');
    await say(handle, [`Please forget ${what}.`, 'Done.']);
    expect((await handle.forgotten.list()).map(({ text }) => text).join()).toMatch(words);
    expect(await all(handle)).not.toMatch(words);
    expect(await all(handle)).toMatch(/cello/);
  });

  it('is hidden if it repeats only a number, however the number is written', async () => {
    const handle = open('one');
    await say(
      handle,
      ['I still owe my aunt 7,450 from the roof thing.', 'Noted: 7,450.'],
      ['Forget what I owe my aunt.', 'Gone.'],
      ['What is left?', 'Nothing but the 7.450 from then.'],
    );
    expect((await handle.forgotten.list()).map(({ text }) => text)).toEqual([
      'I still owe my aunt 7,450 from the roof thing.',
    ]);
    expect(await all(handle)).not.toMatch(/7[,.]450/);
  });

  it('is hidden when the assistant repeats it later in other words, until the user states it again', async () => {
    const handle = open('one');
    await say(
      handle,
      ['I joined the Zorbian Socialists in spring.', 'Right.'],
      ['Please forget my party membership.', 'I no longer know of the Socialists.'],
      ['What else?', 'A man of the Socialists like you knows that.'],
      ['And now?', 'Zorbians would agree. It is late.'],
    );
    expect(await all(handle)).not.toMatch(/Socialist|Zorbian/);
    expect(await all(handle)).toMatch(/It is late/);
    await say(handle, ['Who leads the Socialists?', 'The Socialists are led by Ada.']);
    expect(await all(handle)).toMatch(/The Socialists are led by Ada/);
  });
});
