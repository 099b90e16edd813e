import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MINUTE } from '../src/record/clock.ts';
import { databases } from './databases.ts';
import { openForming } from './form-model.ts';

/** The turns of a user, a later request, and the turns that the request means. An empty list means that nothing is to be forgotten. */
interface FreshRequest {
  language: string;
  said: string[];
  request: string;
  forgets: number[];
  kind: string;
}

const { seen, unseen, plain } = JSON.parse(
  readFileSync(new URL('talk/fresh-requests.json', import.meta.url), 'utf8'),
) as Record<'seen' | 'unseen' | 'plain', FreshRequest[]>;

const letters = (text: string): number => (text.match(/[\p{L}\p{N}]/gu) ?? []).length;

/** The requests that remove only what is meant from the log, and those that are rightly not obeyed. */
async function understood(requests: readonly FreshRequest[]): Promise<{ asked: number; ignored: number }> {
  const { options, drop } = await databases()[0]!.create();
  const { varve, clock } = await openForming(options, { formation: { writes: 'immediate' }, embedder: undefined });
  const right = { asked: 0, ignored: 0 };
  for (const [index, { said, request, forgets }] of requests.entries()) {
    const handle = varve.for({ agent: 'a', user: `u${index}`, session: `s${index}` });
    // The turn itself is meant: "I applied elsewhere, but don't save that".
    const placeOf = (words: string): number => request.toLowerCase().indexOf(words.toLowerCase());
    const turns = [...said.filter((words) => placeOf(words) < 0), request];
    for (const userMessage of turns) {
      await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
      await varve.drain();
      clock.advance(MINUTE);
    }
    const { items } = await handle.events.list({ order: 'oldest', limit: 100 });
    const own = items.filter(({ origin }) => origin === 'user');
    const isRight = said.every((words, turn) => {
      const place = Math.max(0, placeOf(words));
      const event = own[placeOf(words) < 0 ? turns.indexOf(words) : turns.length - 1];
      const left = letters(event?.content.slice(place, place + words.length) ?? '');
      return forgets.includes(turn) ? left < letters(words) : left === letters(words);
    });
    if (isRight) right[forgets.length > 0 ? 'asked' : 'ignored'] += 1;
  }
  await varve.close();
  await drop();
  return right;
}

// Measured with the local embedder. The floors are the figures of the last run; the goal is nine of ten.
describe('[X1] requests to forget by outsiders, in nine languages, without a model', () => {
  it.each([
    { name: 'with which the patterns were improved', requests: seen, asked: 60, ignored: 38 },
    { name: 'in unusual words that nobody has seen', requests: unseen, asked: 33, ignored: 32 },
    { name: 'in plain words that nobody has seen', requests: plain, asked: 81, ignored: 29 },
  ])('are understood $name', { timeout: 600_000 }, async ({ name, requests, asked, ignored }) => {
    const all = requests.filter(({ forgets }) => forgets.length > 0).length;
    const right = await understood(requests);
    console.log(
      `fresh requests ${name}: ${right.asked} of ${all}, not obeyed ${right.ignored} of ${requests.length - all}`,
    );
    expect(right.asked).toBeGreaterThanOrEqual(asked);
    expect(right.ignored).toBeGreaterThanOrEqual(ignored);
  });
});
