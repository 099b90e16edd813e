import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { manualClock, MINUTE } from '../src/record/clock.ts';
import type { Event } from '../src/record/event.ts';
import { databases } from './databases.ts';
import { openForming, START } from './form-model.ts';
import { copyableSqlite, type CopyableStore } from './prepared-store.ts';
import { allOrOneIn } from './random.ts';

type Forming = Awaited<ReturnType<typeof openForming>>;

/** Held-out sentences, from which no pattern was written. */
interface SpokenRequests {
  spoken: { language: string; before: string[]; request: string; gone: string; stays: string }[];
  pasted: { language: string; before: string; turn: string; stays: string }[];
}

const talk = JSON.parse(readFileSync(new URL('talk/spoken-requests.json', import.meta.url), 'utf8')) as SpokenRequests;
const [spoken, pasted] = [allOrOneIn(3, talk.spoken), allOrOneIn(3, talk.pasted)];

/** Whether the memories, the context or recall still contain each of these words. */
async function saidOf(handle: Handle, words: readonly string[]): Promise<boolean[]> {
  const { items } = await handle.memories.list();
  const { system, messages } = await handle.context({ message: 'Hello' });
  const given = [...items.map(({ content }) => content), system, JSON.stringify(messages)];
  const said: boolean[] = [];
  for (const one of words) {
    const { results } = await handle.recall(one, { mode: 'text', limit: 20 });
    const texts = [...given, ...results.map(({ text }) => text)].join('\n').toLowerCase();
    said.push(texts.includes(one.toLowerCase()));
  }
  return said;
}

/** Sends lines of many users, a minute apart. The lines of one minute are read together, which takes less time. */
async function sayInTurn({ varve, clock }: Forming, linesOf: readonly (readonly string[])[]): Promise<Handle[]> {
  const handles = linesOf.map((_, index) => varve.for({ agent: 'a', user: `u${index}`, session: `s${index}` }));
  for (let minute = 0; minute < Math.max(...linesOf.map(({ length }) => length)); minute += 1) {
    for (const [index, handle] of handles.entries()) {
      const userMessage = linesOf[index]?.[minute];
      if (userMessage !== undefined) await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
    }
    await varve.drain();
    clock.advance(MINUTE);
  }
  return handles;
}

/** A conversation that each test continues in its own copy. It is read only once, because reading takes most of the time. */
function toldOnce(lines: readonly string[]): (request: string) => Promise<Event[]> {
  let store: CopyableStore;
  const say = async (options: CopyableStore['options'], told: readonly string[], minutes: number): Promise<Event[]> => {
    const clock = manualClock(START.getTime() + minutes * MINUTE);
    const { varve } = await openForming(options, { formation: { writes: 'immediate' }, embedder: undefined, clock });
    const handle = varve.for({ agent: 'a', user: 'ana', session: 's' });
    for (const userMessage of told) {
      await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
      await varve.drain();
      clock.advance(MINUTE);
    }
    const { items } = await handle.events.list({ order: 'oldest', limit: 100 });
    await varve.close();
    return items;
  };
  beforeAll(async () => {
    store = await copyableSqlite();
    await say(store.options, lines, 0);
  });
  afterAll(() => store.drop());
  return async (request) => {
    const { options, drop } = await store.copy();
    const events = await say(options, [request], lines.length);
    await drop();
    return events;
  };
}

describe('[X1] spoken requests to forget that were not used to write the patterns, in six languages, without a model', () => {
  const sqlite = databases()[0]!;

  it('are understood: nine of ten forget what is meant and nothing else', { timeout: 300_000 }, async () => {
    const { options, drop } = await sqlite.create();
    const forming = await openForming(options, { formation: { writes: 'immediate' } });
    const handles = await sayInTurn(
      forming,
      spoken.map(({ before, request }) => [...before, request]),
    );
    const missed: string[] = [];
    for (const [index, { language, request, gone, stays }] of spoken.entries()) {
      const [isSaid, isKept] = await saidOf(handles[index]!, [gone, stays]);
      if (isSaid === true || isKept !== true)
        missed.push(`${language} ${isSaid === true ? 'too little' : 'too much'}: ${request}`);
    }
    await forming.varve.close();
    await drop();
    console.log(`understood: ${spoken.length - missed.length} of ${spoken.length}\n${missed.join('\n')}`);
    expect(missed.length).toBeLessThanOrEqual(spoken.length * 0.1);
  });

  it('are not obeyed if they are pasted, quoted or reported', { timeout: 300_000 }, async () => {
    const { options, drop } = await sqlite.create();
    const forming = await openForming(options, { formation: { writes: 'immediate' } });
    const handles = await sayInTurn(
      forming,
      pasted.map(({ before, turn }) => [before, turn]),
    );
    const obeyed: string[] = [];
    for (const [index, { language, turn, stays }] of pasted.entries()) {
      const { items } = await handles[index]!.memories.list({ archiveReasons: ['forgotten'] });
      const [isKept] = await saidOf(handles[index]!, [stays]);
      if (items.length > 0 || isKept !== true) obeyed.push(`${language}: ${turn}`);
    }
    await forming.varve.close();
    await drop();
    expect(obeyed).toEqual([]);
  });
});

describe('[X1] a request about its own turn', () => {
  it.each([
    ['I have asthma. Forget that.', /asthma/i],
    ["My salary is 61,000. Please don't keep that.", /61,000/],
    ['Ich habe Brustkrebs. Vergiss das.', /Brustkrebs/],
    ['Vivo en Madrid. Olvida eso.', /Madrid/],
    ["J'habite à Lyon. Oublie ça.", /Lyon/],
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

describe('[X1] a request without a fixed phrase such as “forget”', () => {
  const SAID = [
    'I make 90k a year at Siemens.',
    'I live at Hauptstrasse 12 in Graz.',
    'My brother Tom has a gambling problem.',
    'I was diagnosed with type 2 diabetes.',
    'We fly to Lisbon in May.',
  ];
  const eventsAfter = toldOnce(SAID);
  it.each([
    ["I'd sleep better if you didn't know where I live.", ['Hauptstrasse']],
    ['Get rid of everything about my health, would you.', ['diabetes']],
    ['Act as if I never mentioned the diabetes.', ['diabetes']],
    ['Pretend I never told you about Tom.', ['gambling']],
    ['Tu bitte so, als hätte ich nie von Tom erzählt.', ['gambling']],
    ['kannst du das mit dem diabetes bitte streichen', ['diabetes']],
    ["Fais comme si je ne t'avais jamais parlé de mon diabète.", ['diabetes']],
    ["I'd rather not talk about my brother.", []],
    ['My boss acts as if I never told him about Lisbon.', []],
    ["Ana's mail: I'd feel safer if you didn't know where I live. I told her okay.", []],
    ["I bet you've forgotten where I live.", []],
    ['People should be kinder to my brother.', []],
  ])('forgets what is meant and nothing else: %s', async (request, gone) => {
    const log = (await eventsAfter(request)).map(({ content }) => content).join('\n');
    for (const words of ['90k', 'Hauptstrasse', 'gambling', 'diabetes', 'Lisbon'])
      expect(log.includes(words)).toBe(!gone.some((one) => one === words));
  });
});

describe('[X1] a request in a long conversation', () => {
  const WEEKS = [
    'My neighbour Olga feeds the cat when we are away.',
    'The delivery van can come to the back gate, the front is all mud.',
    'Olga lost her keys again, so I keep a spare set for her.',
    'My phone number is 0151 2233445.',
    'The gate needs a coat of paint before the winter.',
    'Call me on 0151 2233445 if the plumber is late.',
    'I teach chemistry at the school in Ahrweiler.',
    'We eat at six because of the little one.',
    'My knee is sore after the stairs.',
    'The van broke down near the old mill.',
    'I bought a green coat for the winter.',
    'The chemistry exam is on a Thursday.',
  ];
  const eventsAfter = toldOnce(WEEKS);
  it.each([
    // A sentence with a phrase of a request that asks to forget nothing: no turn is lost, however many turns share a word with the
    // sentence.
    ['Olga is going to lose it when she sees the gate.', []],
    // Words before a colon can be a request, but a heading before a quoted mail is not.
    ['Two things that can go: my phone number and where I teach.', ['0151 2233445', 'Ahrweiler']],
    ['Mail from Olga: please delete my phone number.', []],
    // The redaction writes "[password removed]", which is not a request.
    ['My pin is 4821.', []],
    // Two turns make this statement.
    ['Please delete my phone number.', ['0151 2233445']],
    ["I'd rather you didn't know where I teach.", ['Ahrweiler']],
  ])('forgets what is meant and nothing else: %s', async (request, gone) => {
    const turns = (await eventsAfter(request)).filter(({ origin }) => origin === 'user');
    const changed = WEEKS.filter((words, index) => turns[index]?.content !== words);
    expect(changed).toEqual(WEEKS.filter((words) => gone.some((one) => words.includes(one))));
  });

  it('that asks not to note its own sentence removes that sentence and no earlier turn', async () => {
    const { options, drop } = await databases()[0]!.create();
    const { varve } = await openForming(options, { formation: { writes: 'immediate' }, embedder: undefined });
    const handle = varve.for({ agent: 'a', user: 'ana', session: 's' });
    const secret = "Don't note this anywhere, but my cousin is leaving the monastery. Which cake suits a welcome?";
    for (const userMessage of ['I bake on Sundays.', secret])
      await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
    await varve.drain();
    const log = (await handle.events.list()).items.map(({ content }) => content).join('\n');
    const memories = (await handle.memories.list()).items.map(({ content }) => content).join('\n');
    expect(`${log}\n${memories}`).not.toMatch(/monastery/);
    expect(log).toContain('I bake on Sundays.');
    expect(log).toContain('Which cake suits a welcome?');
    await varve.close();
    await drop();
  });
});

describe('[X1] a request in a store of many facts', () => {
  const FACTS = [
    'I earn 41,000 a year.',
    'I teach at Holm Grove.',
    'I live in Aarhus.',
    'My husband is called Anton.',
    'I am allergic to walnuts.',
    'I take warfarin.',
    'My number is 5550 2211.',
    'I have a Volvo.',
    'My shoulder hurts since the fall.',
    'I sing in a shanty choir.',
    'I cannot stand liquorice.',
    'My cat is called Pixel.',
    'I grew up on a farm.',
    'We fly to Oslo in spring.',
    'I lent my cousin 900 crowns.',
    'I read in bed every night.',
    'My sister Karla is a diver.',
    'I am saving for a greenhouse.',
    'I go to mass on Sundays.',
    'My boss Inger hums all day.',
    'I wear contact lenses.',
    'Our heating broke twice.',
    'I like my coffee cold.',
    'I started counselling in March.',
    'I play chess online.',
    'My favourite painter is Munch.',
  ];
  const eventsAfter = toldOnce(FACTS);

  it('forgets what is meant and nothing else, nine times out of ten', { timeout: 120_000 }, async () => {
    const asked: [request: string, gone: string][] = [
      ['Please delete my salary.', '41,000'],
      ['forget where I live', 'Aarhus'],
      ["Forget my husband's name.", 'Anton'],
      ['please remove my allergy', 'walnuts'],
      ["I don't want you to remember my medication", 'warfarin'],
      ['Delete my phone number please', '5550'],
      ['forget my car', 'Volvo'],
      ["don't keep the counselling", 'counselling'],
      ['scrub what I said about Karla', 'Karla'],
      ['forget my religion', 'mass'],
    ];
    const missed: string[] = [];
    for (const [request, gone] of asked) {
      const turns = (await eventsAfter(request)).filter(({ origin }) => origin === 'user');
      const changed = FACTS.filter((words, index) => turns[index]?.content !== words);
      if (changed.length !== 1 || changed[0]?.includes(gone) !== true) missed.push(`${request}: ${changed.join(' ')}`);
    }
    // One request may be missed.
    expect(missed.slice(1)).toEqual([]);
  });
});
