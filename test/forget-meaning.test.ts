import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { MEMORY_TYPES } from '../src/record/memory-types.ts';
import { createVarve, type Varve } from '../src/varve.ts';

// The meanings of words such as "forget": a request, a change of plan, a correction, or the wish to forget everything.

describe('[X1] sentences with words of forgetting', () => {
  let varve: Varve;
  beforeAll(async () => {
    varve = await createVarve({ store: ':memory:', embedder: null, background: false });
  });
  afterAll(() => varve.close());
  let users = 0;

  /** Sends the turns in one session and the last one in another, and returns what remains: memories and the user’s turns. */
  async function after(turns: readonly string[], last: string, isSameSession = false): Promise<Left> {
    users += 1;
    const scope = { agent: 'a', user: `u${users}` };
    const told = varve.for({ ...scope, session: 'one' });
    for (const userMessage of turns) await told.logInteraction({ userMessage, agentResponse: 'Ok.' });
    await varve.drain();
    const asked = isSameSession ? told : varve.for({ ...scope, session: 'two' });
    await asked.logInteraction({ userMessage: last, agentResponse: 'Ok.' });
    await varve.drain();
    const memories = (await told.memories.list({ limit: 200 })).items.map(({ content }) => content).join('\n');
    const events = (await told.events.list({ order: 'oldest', limit: 200 })).items;
    const log = events.filter(({ origin }) => origin === 'user').map(({ content }) => content);
    return {
      handle: told,
      memories,
      log: log.join('\n'),
      forgotten: (await told.forgotten.list({ limit: 200 })).length,
    };
  }

  interface Left {
    handle: Handle;
    memories: string;
    log: string;
    forgotten: number;
  }

  it.each([
    ['I am allergic to walnuts.', "Forget the walnuts, let's do a lemon cake."],
    ['I live in Lisbon.', 'forget Lisbon, how about Ghent in May?'],
    ['I am vegetarian.', 'Forget vegetarian for tonight, my uncle is bringing a goose.'],
    ['I work at Spotify.', 'forget spotify, how do i play this on the radio'],
    ['Ich bin allergisch gegen Sellerie.', 'Vergiss den Sellerie, wir nehmen Fenchel.'],
    ['Soy alérgica a las nueces.', 'Olvida las nueces, usa pipas en la ensalada.'],
    ['Je suis allergique aux noix.', 'Oublie les noix, on met des graines de tournesol.'],
    ['Sono allergica al sesamo.', 'Dimentica il sesamo, usiamo i semi di papavero.'],
    ['Ik ben allergisch voor sesam.', 'Vergeet de sesam, neem maar maanzaad.'],
    ['Sou alérgico a camarão.', 'Esquece o camarão, vamos de frango.'],
  ])('forget nothing if they only change a plan: %s %s', async (told, plan) => {
    const before = await after([told], 'Hello.');
    const { memories, log, forgotten } = await after([told], plan);
    expect(forgotten).toBe(0);
    expect(log).toContain(told);
    expect(log).toContain(plan);
    for (const line of before.memories.split('\n')) expect(memories).toContain(line);
  });

  it.each([
    ['I am allergic to walnuts.', "Please forget my walnut allergy. Let's talk about something else.", /walnut/i],
    ['I live in Lisbon.', 'Forget that I live in Lisbon, what else do you know?', /lisbon/i],
    ['My salary is 61k.', "Forget what I told you about my salary, let's move on.", /61k/],
    ['Ich wohne in Lübeck.', 'Vergiss, dass ich in Lübeck wohne. Wir machen jetzt mit dem Rezept weiter.', /lübeck/i],
  ])('are a request if they name a known statement about the user: %s %s', async (told, request, secret) => {
    const { memories, log } = await after([told, 'I have a dog named Rollo.'], request);
    expect(memories).not.toMatch(secret);
    expect(log).not.toMatch(secret);
    expect(memories).toContain('Rollo');
  });

  it.each([
    ['My phone number is 555 1234.', 'Forget my old phone number, the new one is 555 8812.', /555 1234/, /555 8812/],
    ['The call with the bank is on Thursday.', 'Scratch that, the call is on Friday.', /Thursday/, /Friday/],
    ['Ich wohne in Kiel.', 'Streich das, ich wohne jetzt in Jena.', null, /Jena/],
  ])('keep the new value that they state: %s %s', async (told, request, old, now) => {
    const { memories, log } = await after(['I have a dog named Rollo.', told], request, true);
    expect(log).toMatch(now);
    expect(log).toContain('Rollo');
    if (old === null) expect(memories).toMatch(now);
    else expect(memories).not.toMatch(old);
  });

  it.each([
    ['Please forget everything you know about me.'],
    ['delete all my data'],
    ["Forget everything I've told you."],
    ['Delete all of it, every last word I ever told you.'],
    ['Erase whatever you know about me.'],
    ['Wis alles wat je van me weet.'],
    ['Lösche jedes einzelne Wort, das ich dir je gesagt habe.'],
    ['Borra absolutamente todo lo que sabes de mí.'],
    ['Efface absolument tout ce que tu sais sur moi.'],
    ['Cancella ogni singola cosa che ti ho detto.'],
    ['Apaga cada palavra que eu te disse.'],
    ['请把我告诉过你的一切都删掉'],
    ['Bitte vergiss alles, was du über mich weißt!'],
    ['Borra todos mis datos, por favor.'],
    ["Oublie tout ce que je t'ai dit."],
    ['Cancella tutti i miei dati.'],
    ['Vergeet alles wat je over mij weet.'],
    ['Apague todos os meus dados, por favor.'],
    ['请忘掉关于我的一切。'],
    ['私について全部忘れてください。'],
  ])('forget all that the user has said: %s', async (request) => {
    const friends = ['My friend number 1 is called Bo.', 'My friend number 2 is called Ned.'];
    const told = ['I live in Trieste.', 'My dog is called Rollo.', 'hm ok, rainy today', ...friends];
    const { handle, memories, log, forgotten } = await after(told, request);
    expect(memories).toBe('');
    expect(log.trim()).toBe('');
    expect(forgotten).toBeGreaterThanOrEqual(told.length);
    const records = await handle.forgotten.list({ limit: 200 });
    for (const { id } of records) await handle.forgotten.restore(id);
    expect((await handle.facts.get('home_city'))?.value).toBe('Trieste');
  });

  it.each(Object.entries(MEMORY_TYPES))(
    'forget a stored %s that they name, if its type is forgettable',
    async (type, policy) => {
      const handle = varve.for({ agent: 'a', user: `with ${type}`, session: 's' });
      const stored = { type, title: 'Drinks', content: 'Mango lassi is made of yoghurt.', dueAt: '2030-01-01' };
      const { memory } = await handle.memories.create(stored);
      const { memory: other } = await handle.memories.create({
        ...stored,
        title: 'Teas',
        content: 'Tea is made of leaves.',
      });
      await handle.observe({ content: 'Forget everything about mango lassi.' });
      await varve.drain();
      const reason = policy.forgettable ? 'forgotten' : null;
      expect(await handle.memories.get(memory.id)).toMatchObject({ archiveReason: reason });
      expect(await handle.memories.get(other.id)).toMatchObject({ archiveReason: null });
    },
  );

  it('forget everything of a user with more than a page of memories and turns, and nothing that is said afterwards', async () => {
    const handle = varve.for({ agent: 'a', user: 'many', session: 's' });
    const range = Array.from({ length: 1100 }, (_, index) => index);
    for (const index of range) await handle.memories.create({ type: 'fact', content: `Ana collects stamp ${index}.` });
    await handle.observe(range.map((index) => ({ content: `You have stamp ${index}.`, origin: 'agent' as const })));
    await handle.observe({ content: 'Forget everything you know about me.' });
    await handle.observe({ content: 'I live in Trieste.' });
    await varve.drain();
    expect((await handle.memories.list({ limit: 200 })).items.map(({ content }) => content)).toEqual([
      expect.stringContaining('Trieste'),
    ]);
    const said = (await handle.events.list({ order: 'oldest', limit: 1000 })).items.map(({ content }) => content);
    expect(said.join('\n').trim()).not.toContain('stamp');
    expect((await handle.events.list({ limit: 1 })).items[0]?.content).toBe('I live in Trieste.');
    // The assistant’s turns are hidden and not lost.
    const record = (await handle.forgotten.list({ limit: 3000 })).find(({ text }) => text === 'You have stamp 7.');
    await handle.forgotten.restore(record?.id ?? '');
    const again = (await handle.events.list({ order: 'oldest', limit: 1000 })).items.map(({ content }) => content);
    expect(again.filter((content) => content.includes('stamp'))).toEqual(['You have stamp 7.']);
  });

  it.each([['Forget everything you know about me.'], ['Forget where I live.']])(
    'keep later turns that have the same time, as in an import that knows only days: %s',
    async (request) => {
      const handle = varve.for({ agent: 'a', user: `same ${request}`, session: 's' });
      const occurredAt = new Date('2025-05-04T00:00:00Z');
      const told = ['I live in Trieste.', request, 'I live in Trieste.'];
      await handle.observe(told.map((content) => ({ content, occurredAt })));
      await varve.drain();
      expect((await handle.memories.list()).items.map(({ value }) => value)).toEqual(['Trieste']);
      expect((await handle.events.list({ limit: 1 })).items[0]?.content).toBe('I live in Trieste.');
    },
  );

  it.each([
    ['My flatmate wrote: "forget everything you know about me".'],
    ['If I left, would you forget everything you know about me?'],
    ['Translate into Dutch: delete all my data.'],
    ['Forget everything you know about my car.'],
    ['Did you delete all my data?'],
  ])('do not forget everything if the wish is quoted, hypothetical or narrower: %s', async (said) => {
    const { memories } = await after(['I live in Trieste.', 'My dog is called Rollo.'], said);
    expect(memories).toContain('Trieste');
    expect(memories).toContain('Rollo');
  });

  it.each([
    ['I live in Malmö and work at Volvo.', 'Forget where I work.', /volvo/i, 'Malmö'],
    ['I live in Malmö, and I drive a Skoda.', 'Forget what car I drive.', /skoda/i, 'Malmö'],
    ['Ich wohne in Bonn und arbeite bei Haribo.', 'Vergiss, wo ich arbeite.', /haribo/i, 'Bonn'],
  ])('keep other statements of the same sentence: %s %s', async (told, request, secret, kept) => {
    const { memories, log } = await after([told], request);
    expect(memories).not.toMatch(secret);
    expect(log).not.toMatch(secret);
    expect(memories).toContain(kept);
    expect(log).toContain(kept);
  });

  it.each([
    [
      ['My address is 9 Elm Row.', 'My manager is called Oona.', 'I am allergic to squid.'],
      'One last thing: my address, forget it.',
      /elm row/i,
      ['Oona', 'squid'],
    ],
    [
      ['My address is 9 Elm Row.', 'My manager is called Oona.'],
      'the address i gave you earlier, bin it',
      /elm row/i,
      ['Oona'],
    ],
  ])('forget only what they name: %j %s', async (told, request, secret, kept) => {
    const { memories, log } = await after(told, request, true);
    expect(memories).not.toMatch(secret);
    for (const word of kept) expect(log).toContain(word);
  });
});
