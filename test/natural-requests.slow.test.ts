import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MINUTE } from '../src/record/clock.ts';
import { databases } from './databases.ts';
import { openForming } from './form-model.ts';

/** A request after some turns, with the words that must be gone afterwards and the words that must stay. */
interface NaturalRequest {
  language: string;
  said: string[];
  request: string;
  gone: string[];
  stays: string[];
  /** Whether words of the request itself must be gone too: "don't keep this, but …". */
  self?: boolean;
}

const talk = JSON.parse(readFileSync(new URL('talk/natural-requests.json', import.meta.url), 'utf8')) as Record<
  | 'unseen'
  | 'fresh'
  | 'none'
  | 'freshNone'
  | 'third'
  | 'thirdNone'
  | 'fourth'
  | 'fifth'
  | 'sixth'
  | 'sixthPasted'
  | 'seventh'
  | 'seventhNone'
  | 'eighth'
  | 'eighthNone'
  | 'ninth'
  | 'ninthNone'
  | 'tenth'
  | 'eleventh'
  | 'twelfth'
  | 'orders'
  | 'ordersUnread',
  NaturalRequest[]
>;

/** The requests after which only what was meant is gone from the log and from all memories. */
async function understood(requests: readonly NaturalRequest[]): Promise<number> {
  const { options, drop } = await databases()[0]!.create();
  const { varve, clock } = await openForming(options, { formation: { writes: 'immediate' }, embedder: undefined });
  let count = 0;
  for (const [index, { said, request, gone, stays, self = false }] of requests.entries()) {
    const handle = varve.for({ agent: 'a', user: `u${index}`, session: `s${index}` });
    for (const userMessage of [...said, request]) {
      await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
      await varve.drain();
      clock.advance(MINUTE);
    }
    const turns = (await handle.events.list({ order: 'oldest', limit: 100 })).items.filter(
      ({ origin }) => origin === 'user',
    );
    const memories = (await handle.memories.list()).items;
    const left = [...turns.slice(0, said.length + (self ? 1 : 0)), ...memories]
      .map(({ content }) => content.toLowerCase())
      .join('\n');
    const isLeft = (words: string): boolean => left.includes(words.toLowerCase());
    const asksNothing = gone.length === 0;
    const isUnchanged = !asksNothing || (await handle.forgotten.list()).length === 0;
    if (!gone.some(isLeft) && stays.every(isLeft) && isUnchanged) count += 1;
  }
  await varve.close();
  await drop();
  return count;
}

// Measured with the local embedder and without a model. The floors are the figures of the last run; the goal is nine of ten.
describe('[X1] requests to forget as ordinary users type them, in seven languages, without a model', () => {
  it.each([
    ['by the first author, not read by the developers', talk.unseen, 0.8],
    ['by the second author, not read by the developers', talk.fresh, 0.9],
    ['orders to other programs, 3 of 48 of which are obeyed', talk.orders, 0.93],
    ['orders to other programs, not read by the developers, 5 of 48 of which are obeyed', talk.ordersUnread, 0.89],
    ['by the first author: messages that ask to forget nothing', talk.none, 1],
    ['by the second author: messages that ask to forget nothing, one of which is obeyed', talk.freshNone, 0.96],
    ['by the third author', talk.third, 0.88],
    ['by the third author: messages that ask to forget nothing', talk.thirdNone, 1],
    ['by the fourth author, whose missed requests the developers have read', talk.fourth, 0.86],
    ['by the fourth author, not read by the developers', talk.fifth, 0.82],
    ['by the fifth author, not read by the developers', talk.sixth, 0.84],
    ['by the fifth author: requests in pasted texts of somebody else', talk.sixthPasted, 1],
    ['by the sixth author, not read by the developers', talk.seventh, 0.9],
    ['by the sixth author: messages that ask to forget nothing', talk.seventhNone, 1],
    ['by the seventh author, with follow-ups and exceptions; the developers have read the misses', talk.eighth, 0.66],
    ['by the seventh author: messages that ask to forget nothing', talk.eighthNone, 1],
    ['by the eighth author, not read by the developers', talk.ninth, 0.7],
    ['by the eighth author: messages that ask to forget nothing', talk.ninthNone, 1],
    ['by the ninth author; the developers have read the misses', talk.tenth, 0.8],
    ['by the tenth author, not read by the developers', talk.eleventh, 0.83],
    ['by the eleventh author; the developers have read the misses', talk.twelfth, 0.76],
  ])('%s', { timeout: 600_000 }, async (name, requests, least) => {
    const count = await understood(requests);
    console.log(`natural requests ${name}: ${count} of ${requests.length}`);
    expect(count / requests.length).toBeGreaterThanOrEqual(least);
  });
});
