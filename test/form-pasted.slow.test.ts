import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { contentStems, coveredBy } from '../src/language/words.ts';
import { databases } from './databases.ts';
import { openForming } from './form-model.ts';

/** Messages with the words of somebody else in them, and what a careless reader would take from these words for the user's. */
interface Message {
  text: string;
  claims: string[];
}

const messagesOf = (file: string): Message[] =>
  JSON.parse(readFileSync(new URL(`talk/${file}.json`, import.meta.url), 'utf8')) as Message[];

/** The messages from whose foreign words something was kept as the user's. */
async function believed(messages: readonly Message[]): Promise<string[]> {
  const { options, drop } = await databases()[0]!.create();
  const { varve } = await openForming(options, { formation: { writes: 'immediate' }, embedder: undefined });
  const handleOf = (index: number): Handle => varve.for({ agent: 'a', user: `u${index}`, session: `s${index}` });
  // Each is a user's only message, so that they can be read together, in less time.
  const told = [...messages.map(({ text }) => text), 'I live in Graz and work at Bosch.'];
  for (const [index, content] of told.entries()) await handleOf(index).observe({ content });
  await varve.drain();
  // What the user says is learned: that little is believed is no silence.
  expect(JSON.stringify((await handleOf(messages.length).memories.list()).items)).toMatch(/Graz|Bosch/);
  const claimed: string[] = [];
  for (const [index, { text, claims }] of messages.entries()) {
    const { items } = await handleOf(index).memories.list();
    const isClaimed = items.some(({ content, value }) => {
      const stems = contentStems(`${content} ${value ?? ''}`);
      // Half of the telling words of a claim: a claim is a paraphrase, and often in another language than the text.
      return claims.some((claim) => coveredBy(contentStems(claim), stems) >= 0.5);
    });
    if (isClaimed) claimed.push(text.slice(0, 80));
  }
  await varve.close();
  await drop();
  if (claimed.length > 0) console.log(claimed.join('\n'));
  return claimed;
}

describe('[T3] words of somebody else that a user pastes, without a model', () => {
  // Written by an outsider after the reader; nothing was learned from them. By form alone 33 of the 100 were believed. The messages that
  // the reader was improved with are counted in attacks/bridging.test.ts.
  it('become statements of the user in at most 6 of 100 messages by a stranger', { timeout: 300_000 }, async () => {
    expect((await believed(messagesOf('pasted-fresh'))).length).toBeLessThanOrEqual(6);
  });
});
