import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { contentStems, coveredBy } from '../src/language/words.ts';
import { databases } from './databases.ts';
import { openForming } from './form-model.ts';

/** Messages that contain the words of somebody else, and the claims that a careless reader would attribute to the user. */
interface Message {
  text: string;
  claims: string[];
}

/** Messages of both kinds by one outsider. Half of the pasted ones have no introduction, and the user's own look like a pasted text. */
const MIXED = JSON.parse(readFileSync(new URL('talk/pasted-and-own.json', import.meta.url), 'utf8')) as (Message & {
  kind: 'pasted' | 'own';
})[];

const messagesOf = (file: string): Message[] =>
  JSON.parse(readFileSync(new URL(`talk/${file}.json`, import.meta.url), 'utf8')) as Message[];

/** The messages from which a claim of somebody else was attributed to the user. */
async function believed(messages: readonly Message[]): Promise<string[]> {
  const { options, drop } = await databases()[0]!.create();
  const { varve } = await openForming(options, { formation: { writes: 'immediate' }, embedder: undefined });
  const handleOf = (index: number): Handle => varve.for({ agent: 'a', user: `u${index}`, session: `s${index}` });
  // Each is the only message of a user, so that all can be read together, which takes less time.
  const told = [...messages.map(({ text }) => text), 'I live in Graz and work at Bosch.'];
  for (const [index, content] of told.entries()) await handleOf(index).observe({ content });
  await varve.drain();
  // The user’s own words are learned, so the low count does not come from a reader that learns nothing.
  expect(JSON.stringify((await handleOf(messages.length).memories.list()).items)).toMatch(/Graz|Bosch/);
  const claimed: string[] = [];
  for (const [index, { text, claims }] of messages.entries()) {
    const { items } = await handleOf(index).memories.list();
    const isClaimed = items.some(({ content, value }) => {
      const stems = contentStems(`${content} ${value ?? ''}`);
      // A memory matches a claim if it contains half of the claim’s content words. A claim is a paraphrase, often in another language than
      // the text.
      return claims.some((claim) => coveredBy(contentStems(claim), stems) >= 0.5);
    });
    if (isClaimed) claimed.push(text.slice(0, 80));
  }
  await varve.close();
  await drop();
  return claimed;
}

describe('[T3] words of somebody else that a user pastes, without a model', () => {
  // An outsider wrote these messages after the reader was trained, and they are in no training data. By form alone, 33 of the 100 would be
  // believed. attacks/bridging.test.ts counts the messages that the reader was improved with.
  it('become statements of the user in at most 6 of 100 messages by an outsider', { timeout: 300_000 }, async () => {
    expect((await believed(messagesOf('pasted-fresh'))).length).toBeLessThanOrEqual(6);
  });

  // The developers have not read these messages.
  it('are told from the user’s own words that look like them', { timeout: 300_000 }, async () => {
    const [own, pasted] = [MIXED.filter(({ kind }) => kind === 'own'), MIXED.filter(({ kind }) => kind === 'pasted')];
    const counts = { own: (await believed(own)).length, pasted: (await believed(pasted)).length };
    console.log(
      `learned from ${counts.own} of ${own.length} own messages and ${counts.pasted} of ${pasted.length} pasted ones`,
    );
    expect(counts.pasted).toBeLessThanOrEqual(5);
    expect(counts.own).toBeGreaterThanOrEqual(44);
  });
});
