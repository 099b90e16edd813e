import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contentStems, coveredBy } from '../src/language/words.ts';
import { MINUTE } from '../src/record/clock.ts';
import { databases } from './databases.ts';
import { openForming } from './form-model.ts';

/** Messages with the words of somebody else in them, and what a careless reader would take from these words for the user's. */
const messages = JSON.parse(readFileSync(new URL('talk/pasted.json', import.meta.url), 'utf8')) as {
  text: string;
  claims: string[];
}[];

describe('[T3] words of somebody else that a user pastes, without a model', () => {
  it('become no statement about the user', { timeout: 120_000 }, async () => {
    const { options, drop } = await databases()[0]!.create();
    const { varve, clock } = await openForming(options, { formation: { writes: 'immediate' } });
    const claimed: string[] = [];
    for (const [index, { text, claims }] of messages.entries()) {
      const handle = varve.for({ agent: 'a', user: `u${index}`, session: `s${index}` });
      await handle.observe({ content: text });
      await varve.drain();
      clock.advance(MINUTE);
      const { items } = await handle.memories.list();
      for (const { content, value } of items) {
        const stems = contentStems(`${content} ${value ?? ''}`);
        // Half of the telling words of a claim: a claim is a paraphrase, and often in another language than the text.
        const of = claims.filter((claim) => coveredBy(contentStems(claim), stems) >= 0.5);
        if (of.length > 0) claimed.push(`${content} ← ${text.slice(0, 80)}`);
      }
    }
    await varve.close();
    await drop();
    if (claimed.length > 0) console.log(claimed.join('\n'));
    expect(new Set(claimed).size).toBeLessThanOrEqual(messages.length * 0.02);
  });
});
