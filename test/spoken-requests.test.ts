import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { MINUTE } from '../src/record/clock.ts';
import { databases } from './databases.ts';
import { openForming } from './form-model.ts';

/** Held out: no pattern was written from these sentences. */
interface SpokenRequests {
  spoken: { language: string; before: string[]; request: string; gone: string; stays: string }[];
  pasted: { language: string; before: string; turn: string; stays: string }[];
}

const { spoken, pasted } = JSON.parse(
  readFileSync(new URL('talk/spoken-requests.json', import.meta.url), 'utf8'),
) as SpokenRequests;

/** Whether anything that is given to a model says these words. */
async function isSaid(handle: Handle, words: string): Promise<boolean> {
  const { items } = await handle.memories.list();
  const { results } = await handle.recall(words, { mode: 'text', limit: 20 });
  const { system, messages } = await handle.context({ message: 'Hello' });
  const said = [...items.map(({ content }) => content), ...results.map(({ text }) => text), system];
  return [...said, JSON.stringify(messages)].join('\n').toLowerCase().includes(words.toLowerCase());
}

describe('[X1] spoken requests to forget that no pattern was written from, in six languages, without a model', () => {
  const sqlite = databases()[0]!;

  it('are understood: nine of ten take away what is meant and nothing else', { timeout: 300_000 }, async () => {
    const { options, drop } = await sqlite.create();
    const { varve, clock } = await openForming(options, { formation: { writes: 'immediate' } });
    const missed: string[] = [];
    for (const [index, { language, before, request, gone, stays }] of spoken.entries()) {
      const handle = varve.for({ agent: 'a', user: `u${index}`, session: `s${index}` });
      for (const userMessage of [...before, request]) {
        await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
        await varve.drain();
        clock.advance(MINUTE);
      }
      const isGone = !(await isSaid(handle, gone));
      const isKept = await isSaid(handle, stays);
      if (!isGone || !isKept) missed.push(`${language} ${isGone ? 'too much' : 'too little'}: ${request}`);
    }
    await varve.close();
    await drop();
    console.log(`understood: ${spoken.length - missed.length} of ${spoken.length}\n${missed.join('\n')}`);
    expect(missed.length).toBeLessThanOrEqual(spoken.length * 0.1);
  });

  it('are not obeyed where they are pasted, quoted or told', { timeout: 300_000 }, async () => {
    const { options, drop } = await sqlite.create();
    const { varve, clock } = await openForming(options, { formation: { writes: 'immediate' } });
    const obeyed: string[] = [];
    for (const [index, { language, before, turn, stays }] of pasted.entries()) {
      const handle = varve.for({ agent: 'a', user: `u${index}`, session: `s${index}` });
      for (const userMessage of [before, turn]) {
        await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
        await varve.drain();
        clock.advance(MINUTE);
      }
      const { items } = await handle.memories.list({ archiveReasons: ['forgotten'] });
      if (items.length > 0 || !(await isSaid(handle, stays))) obeyed.push(`${language}: ${turn}`);
    }
    await varve.close();
    await drop();
    expect(obeyed).toEqual([]);
  });
});

describe('[X1] a request that means its own turn', () => {
  it.each([
    ['I have asthma. Forget that.', /asthma/i],
    ["My salary is 61,000. Please don't keep that.", /61,000/],
    ['Ich habe Brustkrebs. Vergiss das.', /Brustkrebs/],
    ['Vivo en Madrid. Olvida eso.', /Madrid/],
    ["J'habite à Lyon. Oublie ça.", /Lyon/],
    ['Abito a Lecce. Dimenticalo.', /Lecce/],
  ])('leaves neither the words nor a memory of them: %s', async (text, words) => {
    const { options, drop } = await databases()[0]!.create();
    const { varve } = await openForming(options, { formation: { writes: 'immediate' }, embedder: undefined });
    const handle = varve.for({ agent: 'a', user: 'ana', session: 's' });
    await handle.logInteraction({ userMessage: 'My dog is called Rex.', agentResponse: 'Nice.' });
    await handle.logInteraction({ userMessage: text, agentResponse: 'Okay.' });
    await varve.drain();
    const memories = (await handle.memories.list()).items.map(({ content }) => content).join('\n');
    const log = (await handle.events.list()).items.map(({ content }) => content).join('\n');
    expect(memories).not.toMatch(words);
    expect(log).not.toMatch(words);
    expect(memories).toContain('Rex');
    await varve.close();
    await drop();
  });
});

describe('[X1] a request that no phrase tells', () => {
  const SAID = [
    'I make 90k a year at Siemens.',
    'I live at Hauptstrasse 12 in Graz.',
    'My brother Tom has a gambling problem.',
    'I was diagnosed with type 2 diabetes.',
    'We fly to Lisbon in May.',
  ];
  it.each([
    ["I'd sleep better if you didn't know where I live.", ['Hauptstrasse']],
    ["I'm not comfortable with you having my home address.", ['Hauptstrasse']],
    ['Get rid of everything about my health, would you.', ['diabetes']],
    ["I'd rather not talk about my brother.", []],
    ["Ana's mail: I'd feel safer if you didn't know where I live. I told her okay.", []],
    ["I bet you've forgotten where I live.", []],
    ['People should be kinder to my brother.', []],
  ])('takes away what is meant and nothing else: %s', async (request, gone) => {
    const { options, drop } = await databases()[0]!.create();
    const { varve, clock } = await openForming(options, { formation: { writes: 'immediate' }, embedder: undefined });
    const handle = varve.for({ agent: 'a', user: 'ana', session: 's' });
    for (const userMessage of [...SAID, request]) {
      await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
      await varve.drain();
      clock.advance(MINUTE);
    }
    const log = (await handle.events.list({ limit: 100 })).items.map(({ content }) => content).join('\n');
    for (const words of ['90k', 'Hauptstrasse', 'gambling', 'diabetes', 'Lisbon'])
      expect(log.includes(words)).toBe(!gone.some((one) => one === words));
    await varve.close();
    await drop();
  });
});
