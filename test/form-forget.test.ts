import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { type ManualClock, MINUTE } from '../src/record/clock.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { answering, item, openForming, promptsOf, reading } from './form-model.ts';
import { startProtocolServer } from './protocol-server.ts';
import { allOrOne } from './random.ts';

const KEPT_BY = [
  "Don't forget that I work at Halden Foods.",
  'Did you forget my salary?',
  'I always forget about my dog.',
  'Delete the second paragraph about walnuts.',
  'She said: forget about my dog, it is fine.',
  'I would never delete my dog photos.',
  'My sister texted "please forget my salary" and I laughed.',
  "The song goes: 'wipe my salary from your mind, forget my dog'",
  'Is this haiku any good?\n\nforget where I work\nthe dog is gone, the house sold\nsnow on the mailbox',
];
const TAKEN_BACK_BY = [
  'scratch that',
  'Forget what I just said.',
  'vergiss das',
  'olvida eso',
  'oublie ça',
  'esquece isso',
  'dimentica quello che ho detto',
  'vergeet dat',
  'please forget that',
];
const LIFE = ['I work at Halden Foods.', 'My salary is 52k.', "I'm allergic to walnuts.", 'I have a dog named Rollo.'];

for (const database of databases()) {
  describe.skipIf(database.skip !== null).each(['immediate', 'deferred'] as const)(
    `what a user asks to forget on ${database.name}, written %s`,
    (writes) => {
      // The reader, which distinguishes the wordings, depends neither on the database nor on the write mode, so one wording of each list is
      // enough elsewhere.
      const isAll = (database.name === 'SQLite' && writes === 'immediate') || inject('depth') === 'all';
      const some = (wordings: readonly string[]): string[] => allOrOne(wordings, { isAll, stream: wordings.join() });
      // One store serves all tests, with a user for each.
      let varve: Varve;
      let clock: ManualClock;
      let drop: () => Promise<void>;
      let users = 0;
      beforeAll(async () => {
        const created = await database.create();
        ({ drop } = created);
        ({ varve, clock } = await openForming(created.options, { formation: { writes } }));
      });
      afterAll(async () => {
        await varve.close();
        await drop();
      });
      const open = async (...said: string[]): Promise<Handle> => {
        users += 1;
        const handle = varve.for({ agent: 'a', user: `kim${users}`, session: 's' });
        await say(handle, ...said);
        await handle.session.close();
        await varve.drain();
        return handle;
      };
      const say = async (handle: Handle, ...said: string[]): Promise<void> => {
        for (const userMessage of said) {
          await handle.logInteraction({ userMessage, agentResponse: 'Okay!' });
          if (writes === 'immediate') await varve.drain();
          clock.advance(MINUTE);
        }
      };
      const left = async (handle: Handle): Promise<string[]> =>
        (await handle.memories.list()).items.flatMap(({ attribute }) => attribute ?? []).toSorted();

      it('[X1] is archived as forgotten, is in no prompt, and is in no turn that recall returns', async () => {
        const handle = await open(
          ...LIFE,
          'Please forget what I said about my salary.',
          'Forget that I work at Halden Foods.',
        );
        await handle.consolidation.run();
        expect(await left(handle)).toEqual(['allergy', 'pet_name']);
        const { items } = await handle.memories.list({ archived: 'only' });
        const forgotten = items.filter(({ attribute }) => attribute === 'salary' || attribute === 'employer');
        expect(forgotten).toHaveLength(2);
        for (const memory of forgotten) {
          expect(memory.archiveReason).toBe('forgotten');
          expect((await handle.memories.history(memory.id)).at(-1)?.reason).toBe('the user asked to forget it');
        }
        const { system } = await varve.for({ ...handle.scope, session: 'next' }).context({ message: 'Hello' });
        for (const query of ['salary 52k', 'Halden']) {
          expect(system).not.toContain(query.split(' ').at(-1));
          const { results } = await handle.recall(query, { mode: 'text' });
          expect(results.map(({ text }) => text)).toEqual([]);
        }
        // The log is complete.
        expect((await handle.events.list({ kinds: ['message'] })).items).toHaveLength(12);
      });

      it.each([
        ['I live in Oslo and take sertraline.', 'Sertraline and daylight go well together.', 'Oslo is dark in winter.'],
        [
          'My doctor put me on sertraline, so I cancelled the trip with Gunnar.',
          'Many people find that sertraline gets easier after some weeks.',
          'Gunnar will understand.',
        ],
        [
          'Je prends de la sertraline et je vis à Lyon.',
          'La sertraline se prend le matin.',
          'Lyon est une belle ville.',
        ],
      ])('[X1] is removed from an answer that paraphrases it, which keeps the rest: %s', async (said, echo, rest) => {
        const handle = await open('My brother is called Gunnar, and Gunnar lives in Lyon.');
        await handle.logInteraction({ userMessage: said, agentResponse: `${echo} ${rest}` });
        await varve.drain();
        await say(
          handle,
          said.startsWith('Je') ? 'Oublie mes médicaments.' : 'Please forget what I said about sertraline.',
        );
        await handle.session.close();
        await varve.drain();
        const log = (await handle.events.list({ kinds: ['message'] })).items.map(({ content }) => content).join('\n');
        expect(log).not.toMatch(/sertraline/i);
        expect(log).toContain(rest);
      });

      it.each(some(KEPT_BY))('is not forgotten for "%s"', async (said) => {
        const handle = await open(...LIFE, said);
        expect(await left(handle)).toEqual(expect.arrayContaining(['allergy', 'employer', 'pet_name', 'salary']));
      });

      it.each(some(TAKEN_BACK_BY))('is the preceding statement, for "%s"', async (said) => {
        const handle = await open(...LIFE, said);
        expect(await left(handle)).toEqual(['allergy', 'employer', 'salary']);
      });

      it('is the narrowest statement that the words match, and statements that repeat its value', async () => {
        const handle = await open(
          ...LIFE,
          'I live in Linz.',
          'My wife is called Ana.',
          'My phone number is 0664 1234567.',
          "Forget my wife's name.",
          'take Rollo out of your notes',
          'could you not hold on to where I live?',
        );
        expect(await left(handle)).toEqual(['allergy', 'employer', 'phone_number', 'salary']);
      });

      it('is forgotten even if it is read only after the request', async () => {
        const handle = await open('Hello.');
        const next = varve.for({ ...handle.scope, session: 'next' });
        for (const userMessage of ['My salary is 52k.', 'Forget what I said about my salary.']) {
          await next.logInteraction({ userMessage, agentResponse: 'Okay!' });
          clock.advance(MINUTE);
        }
        await varve.drain();
        await next.form();
        expect(await left(handle)).toEqual([]);
      });

      it('may be a number with a comma, and another statement of the same sentence stays', async () => {
        const handle = await open('I live in Linz and my salary is 48,500 euros.', 'Please forget my salary.');
        expect(await left(handle)).toEqual(['home_city']);
      });

      it('is only the sentence after the colon of the request', async () => {
        const handle = await open(
          'My salary is 52k.',
          "Please don't save this: I am on sertraline since January. What helps against headaches?",
        );
        expect(await left(handle)).toEqual(['salary']);
        const { items } = await handle.events.list({ order: 'oldest' });
        const said = items.map(({ content }) => content).join();
        expect(said).not.toContain('sertraline');
        expect(said).toContain('headaches');
      });

      it('[X1] is the replaced value that the request names', async () => {
        const handle = await open(
          'I live in Ghent.',
          'I work at Halden Foods.',
          'I live in Bruges now.',
          'Please forget that I lived in Ghent.',
        );
        expect((await handle.facts.list()).map(({ value }) => value)).toEqual(['Bruges', 'Halden Foods']);
        expect((await handle.forgotten.list()).map(({ value }) => value)).toEqual(['Ghent']);
        const { items: turns } = await handle.events.list({ kinds: ['message'], order: 'oldest' });
        expect(turns.filter(({ content }) => /Ghent/.test(content))).toEqual([]);
        expect(turns.filter(({ content }) => /Bruges|Halden/.test(content))).toHaveLength(2);
      });

      it('[X1] is what was said before the request, also among turns that are logged in one call', async () => {
        const handle = await open('I live in Ghent.');
        const next = varve.for({ ...handle.scope, session: 'next' });
        const said = ['My cousin Ida is in prison.', 'Forget that.', 'My salary is 52k.', 'Forget where I live.'];
        await next.observe([...said, 'I live in Bruges.'].map((content) => ({ content })));
        await varve.drain();
        await next.form();
        expect((await handle.facts.list()).map(({ value }) => value).toSorted()).toEqual(['52k', 'Bruges']);
        expect((await handle.forgotten.list()).map(({ value }) => value)).toContain('Ghent');
        const { items: turns } = await handle.events.list({ order: 'oldest' });
        expect(turns.map(({ content }) => content).join()).not.toContain('prison');
      });

      it('[X1] does not come back when the request is withdrawn after another value was stated', async () => {
        const handle = await open(
          'I live in Ghent.',
          'Please forget where I live.',
          'I live in Bruges these days.',
          'Actually, keep it.',
          ...LIFE.slice(2, 3),
        );
        expect(await left(handle)).toEqual(['allergy', 'home_city']);
        expect((await handle.facts.get('home_city'))?.value).toBe('Bruges');
        const { items } = await handle.memories.list({ archived: 'only' });
        expect(items.map(({ value, archiveReason }) => [value, archiveReason])).toEqual([['Ghent', 'superseded']]);
        expect(await handle.forgotten.list()).toEqual([]);
      });

      it('is stored again when it is said again afterwards', async () => {
        const handle = await open('My salary is 52k.', 'Forget what I said about my salary.', 'My salary is 52k.');
        expect(await left(handle)).toEqual(['salary']);
      });
    },
  );

  describe.skipIf(database.skip !== null)(`what a user asks a model to forget on ${database.name}`, () => {
    it('[X1] is the known statement, even if the turn names it again after the request', async () => {
      const { options, drop } = await database.create();
      const server = await startProtocolServer();
      const { varve } = await openForming(options, { server, formation: { writes: 'deferred', reflections: false } });
      const handle = varve.for({ user: 'kim', session: 's' });
      await handle.facts.set({ key: 'salary', value: '52k' });
      await handle.observe({ content: 'Forget my salary. Which salary is usual in Linz?' });
      const forgets = [{ about: 'salary', turn: 1, quote: 'Forget my salary', known: [] }];
      server.otherwise({ chat: answering({ read: reading({ forgets }) }) });
      await handle.form();
      expect(await handle.facts.list()).toEqual([]);
      expect((await handle.events.list()).items[0]?.content).toContain('Which salary is usual');
      await varve.close();
      await server.close();
      await drop();
    });

    it('[X1] is not formed again from the same words, and is formed when it is said again', async () => {
      const { options, drop } = await database.create();
      const server = await startProtocolServer();
      const { varve, clock } = await openForming(options, {
        server,
        formation: { writes: 'deferred', reflections: false },
      });
      const handle = varve.for({ user: 'kim', session: 's' });
      const about = { attribute: 'child_name', value: 'Wilma', text: "User's daughter is called Wilma." };
      const said = { content: 'My daughter is called Wilma, she is in year two.' };
      await handle.observe(said);
      clock.advance(MINUTE);
      await handle.observe({ content: 'Actually, please forget about my daughter.' });
      clock.advance(MINUTE);
      // The model returns the statement and the request in one answer, and the request takes precedence.
      server.otherwise({
        chat: answering({
          read: reading({
            statements: [item({ ...about, turn: 1, quote: 'My daughter is called Wilma' })],
            forgets: [{ about: 'my daughter', turn: 2, quote: 'please forget about my daughter', known: [] }],
          }),
        }),
      });
      expect((await handle.form()).forgotten).not.toEqual([]);
      expect((await handle.memories.list()).items).toEqual([]);

      // Another reading of the same words, as in a retry or a nightly reflection, restores nothing.
      const again = varve.for({ user: 'kim', session: 's2' });
      await again.observe({ content: 'Let us talk about school shoes.' });
      server.otherwise({ chat: answering({}) });
      await again.form();
      expect(promptsOf(server).at(-1)).not.toContain('Wilma');

      clock.advance(MINUTE);
      await again.observe(said);
      server.otherwise({
        chat: answering({
          read: reading({ statements: [item({ ...about, turn: 1, quote: 'My daughter is called Wilma' })] }),
        }),
      });
      expect((await again.form()).added).toHaveLength(1);
      expect((await handle.memories.list()).items.map(({ content }) => content)).toEqual([about.text]);
      await varve.close();
      await server.close();
      await drop();
    });
  });
}

/** Requests and pasted texts (test/talk) whose author had not seen this code. */
interface TalkOfForgetting {
  requests: { language: string; before: string; request: string; about: { attribute: string } }[];
  pasted: { language: string; text: string }[];
}

describe('[X1] requests to forget as people word them, in six languages, without a model', () => {
  const { requests, pasted } = JSON.parse(
    readFileSync(new URL('talk/forgetting.json', import.meta.url), 'utf8'),
  ) as TalkOfForgetting;
  const sqlite = databases()[0]!;

  it('are understood in at least nine of ten cases in which a statement was formed', { timeout: 120_000 }, async () => {
    const { options, drop } = await sqlite.create();
    const { varve, clock } = await openForming(options, { formation: { writes: 'immediate' }, embedder: undefined });
    const missed: string[] = [];
    let formed = 0;
    for (const [index, { before, request, about }] of requests.entries()) {
      const handle = varve.for({ agent: 'a', user: `u${index}`, session: `s${index}` });
      const say = async (content: string): Promise<string[]> => {
        await handle.observe({ content });
        await varve.drain();
        clock.advance(MINUTE);
        // Only the statements with the requested attribute, or with none, must be forgotten. Statements about other attributes of the
        // sentence may stay.
        const { items } = await handle.memories.list();
        const meant = items.filter(({ attribute }) => attribute === null || attribute === about.attribute);
        return (meant.length === 0 ? items : meant).map(({ id }) => id);
      };
      const said = await say(before);
      const after = await say(request);
      if (said.length > 0) formed += 1;
      if (said.some((id) => after.includes(id))) missed.push(request);
    }
    await varve.close();
    await drop();
    expect(formed).toBeGreaterThanOrEqual(40);
    if (missed.length > 0) console.log(missed.join('\n'));
    expect(missed.length).toBeLessThanOrEqual(formed * 0.1);
  });

  it('are not obeyed if they are pasted', { timeout: 120_000 }, async () => {
    const { options, drop } = await sqlite.create();
    const { varve, clock } = await openForming(options, { formation: { writes: 'immediate' } });
    const handle = varve.for({ agent: 'a', user: 'kim', session: 's' });
    const life = [
      ...LIFE,
      'I live in Linz.',
      'My wife is called Ana.',
      'My phone number is 0664 1234567.',
      'I take metformin.',
    ];
    const say = async (content: string): Promise<void> => {
      await handle.observe({ content });
      await varve.drain();
      clock.advance(MINUTE);
    };
    for (const content of life) await say(content);
    const known = (await handle.memories.list()).items.length;
    expect(known).toBeGreaterThanOrEqual(life.length);
    for (const { text } of pasted) await say(text);
    const { items } = await handle.memories.list({ archived: 'only' });
    expect(items.filter(({ archiveReason }) => archiveReason === 'forgotten').map(({ content }) => content)).toEqual(
      [],
    );
    await varve.close();
    await drop();
  });
});

describe('[X1] turns around what a user asks to forget, without a model', () => {
  let varve: Varve;
  let users = 0;
  beforeAll(async () => {
    varve = await createVarve({ store: ':memory:', background: false });
  });
  afterAll(() => varve.close());

  /** The user's turns and memories after a request. */
  async function leftAfter(turns: readonly string[], request: string): Promise<string> {
    users += 1;
    const handle = varve.for({ agent: 'a', user: `neighbour${users}`, session: 's' });
    for (const userMessage of [...turns, request]) await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
    await varve.drain();
    const events = (await handle.events.list({ order: 'oldest', limit: 50 })).items;
    const own = events.filter(({ origin }) => origin === 'user').slice(0, turns.length);
    return [...own, ...(await handle.memories.list()).items].map(({ content }) => content).join('\n');
  }

  it.each([
    {
      turns: ['my cousin Greta lost her licence', 'she drives to work anyway', 'my bike needs new tyres'],
      request: 'forget everything about Greta',
      gone: ['licence', 'drives to work'],
      stays: ['new tyres'],
    },
    {
      turns: ['mein Onkel Alfons spielt um Geld', 'er hat schon das Auto verloren', 'ich male Aquarelle'],
      request: 'vergiss alles über Onkel Alfons',
      gone: ['spielt um Geld', 'Auto verloren'],
      stays: ['Aquarelle'],
    },
    {
      turns: ['ik heb ruzie met mijn zwager Joost', 'hij belt me elke avond', 'ik bak graag brood'],
      request: 'vergeet alles over Joost',
      gone: ['ruzie', 'belt me elke avond'],
      stays: ['bak graag brood'],
    },
  ])('are forgotten if they refer back to it: $request', async ({ turns, request, gone, stays }) => {
    const left = await leftAfter(turns, request);
    for (const words of gone) expect(left).not.toContain(words);
    for (const words of stays) expect(left).toContain(words);
  });

  it('stay if they only share a word with the request, and the request surely means another turn', async () => {
    const left = await leftAfter(
      [
        "I'm interviewing at Brandt Cargo on Thursday and my boss doesn't know.",
        'What should I wear to an interview in a warehouse?',
        'I have nine years in customs.',
      ],
      'Off the record please about the interview, my work account might see this.',
    );
    expect(left).not.toContain('Brandt Cargo');
    expect(left).toContain('nine years in customs');
  });

  it('stay if the request is in a text that the message asks about', async () => {
    const handle = varve.for({ agent: 'a', user: 'scam', session: 's' });
    const scam =
      'isto é golpe?\n\nOi mãe, troquei de número, salva esse aqui e apaga o antigo. Tô precisando pagar um boleto de R$ 2.300 hoje, meu banco travou.';
    for (const userMessage of ['I like tea and I live in Graz.', scam]) {
      await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
      await varve.drain();
    }
    expect(await handle.forgotten.list()).toEqual([]);
  });

  it('stay if their pronoun is in another session', async () => {
    const scope = { agent: 'a', user: 'other-session' };
    const said = {
      one: 'my cousin Greta lost her licence',
      two: 'she turned ninety yesterday',
      three: 'forget everything about Greta',
    };
    for (const [session, userMessage] of Object.entries(said)) {
      await varve.for({ ...scope, session }).logInteraction({ userMessage, agentResponse: 'Okay.' });
      await varve.drain();
    }
    const events = (await varve.for(scope).events.list({ order: 'oldest', limit: 50 })).items;
    const left = events.map(({ content }) => content).join('\n');
    expect(left).not.toContain('licence');
    expect(left).toContain('ninety');
  });

  it('stay if their pronoun refers to another turn', async () => {
    const left = await leftAfter(
      ['my wife Lena is a vet', 'I earn 61k a year', 'she plays the cello'],
      'forget my salary',
    );
    expect(left).not.toContain('61k');
    expect(left).toContain('she plays the cello');
  });

  it.each([
    [
      ['my sister Edda owes me 900', 'we sail on Sundays'],
      'the money between me and Edda: treat it as if I had never told you',
      '900',
    ],
    [
      ['we sail on Sundays', 'ugh the hearing today. im on parole', 'my car is red'],
      'i want you to forget im on parole please. its not… i mean its over. dont want to talk about it',
      'parole',
    ],
  ])('stay, and what a request means is forgotten: %s, %s', async (turns, request, gone) => {
    const left = await leftAfter(turns, request);
    expect(left).not.toContain(gone);
    expect(left).toContain('sail on Sundays');
  });

  it('stay if the message changes a plan', async () => {
    const turns = ['ik wilde zaterdag zalm grillen', 'mijn schoonzus is vegetariër'];
    const left = await leftAfter(turns, 'de grill is kapot, dus die zalm kun je wel vergeten. iets uit de pan dan?');
    for (const turn of turns) expect(left).toContain(turn);
  });

  it.each([
    ["don't save this: my brother is in rehab. what should i bring when i visit?", 'rehab'],
    ['nicht speichern: meine Chefin ist in der Klinik. was schreibe ich ihr?', 'Klinik'],
    ['niet opslaan: mijn vader heeft gokschulden. wat kan ik doen?', 'gokschulden'],
  ])('become no memory if a question follows a request not to save them: %s', async (request, secret) => {
    expect(await leftAfter(['I have two budgies'], request)).not.toContain(secret);
  });

  it.each([
    [
      ['ho il colesterolo alto', 'soffro anche di emicrania'],
      'dimentica l’emicrania, il colesterolo invece tienilo',
      'colesterolo',
      'emicrania',
    ],
    [['ik heb astma', 'ik heb ook reuma'], 'vergeet de reuma maar de astma laten staan', 'astma', 'reuma'],
  ])('stay if the request says so after their name: %s %s', async (turns, request, kept, forgotten) => {
    const left = await leftAfter(turns, request);
    expect(left).toContain(kept);
    expect(left).not.toContain(forgotten);
  });
});

describe('requests to forget that an application wants to confirm', () => {
  it('forget nothing, and are listed with the statements that they mean', async () => {
    const formation = { requestsToForget: 'report' as const };
    const varve = await createVarve({ store: ':memory:', background: false, formation });
    const handle = varve.for({ user: 'kim', session: 's' });
    for (const userMessage of ['I earn 52k.', 'I have a dog named Rollo.', 'Please forget my salary.']) {
      await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
      await varve.drain();
    }
    const salary = await handle.facts.get('salary');
    expect(salary?.value).toBe('52k');
    expect(await handle.forgotten.list()).toEqual([]);
    const asked = (await handle.refusals.list()).items.find(({ reason }) => reason === 'needs_confirmation');
    expect(asked).toMatchObject({ what: 'forget', text: 'Please forget my salary.' });
    expect(asked?.detail).toContain('Earns 52k');
    await varve.close();
  });
});

describe('[X1] orders to other programs of the agent, without a model', () => {
  const FACTS = [
    'Gerald Wohlmuth is my contact at the bank',
    'I am allergic to penicillin',
    'Milan leads the site in Weiz',
  ];
  it.each([
    'remove Wohlmuth from cc',
    'delete all mails from the bank older than a month',
    'lösch die mails von Wohlmuth',
    'borra los correos de Wohlmuth',
    'supprime les mails de Wohlmuth',
    'cancella le mail di Wohlmuth',
    'apaga os emails do Wohlmuth',
    'verwijder de mails van Wohlmuth',
    'clear my alarms, penicillin or not',
    'unsubscribe me from the Weiz newsletter',
  ])('forget nothing: %s', async (userMessage) => {
    const varve = await createVarve({ store: ':memory:', background: false });
    const handle = varve.for({ user: 'kim', session: 's' });
    for (const fact of [...FACTS, userMessage]) {
      await handle.logInteraction({ userMessage: fact, agentResponse: 'Okay.' });
      await varve.drain();
    }
    expect(await handle.forgotten.list()).toEqual([]);
    await varve.close();
  });
});
