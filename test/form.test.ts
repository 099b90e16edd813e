import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import type { Memory } from '../src/record/memory.ts';
import type { StoreOptions } from '../src/store/open-store.ts';
import { listRuns } from '../src/store/run-store.ts';
import { openStore } from '../src/store/open-store.ts';
import type { Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { answering, item, openForming, tasksAsked } from './form-model.ts';
import { startProtocolServer, type ProtocolServer } from './protocol-server.ts';

const live = async (handle: Handle, types?: string[]): Promise<Memory[]> =>
  (await handle.memories.list({ order: 'oldest', types })).items;
const texts = async (handle: Handle, types?: string[]): Promise<string[]> =>
  (await live(handle, types)).map((memory) => memory.content);

/** A conversation of so many messages that says nothing but what is given. */
const say = async (handle: Handle, ...lines: string[]): Promise<void> => {
  for (const line of lines) await handle.observe([{ content: line }, { content: 'I see.', origin: 'agent' }]);
};

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`formation with a model on ${database.name}`, () => {
    let server: ProtocolServer;
    let options: StoreOptions;
    let drop: () => Promise<void>;
    let varve: Varve;
    let user = 0;
    const fresh = (session = 's1'): Handle =>
      varve.for({ tenant: 'form', agent: `bot${(user += 1)}`, user: `user${user}`, session });

    beforeAll(async () => {
      server = await startProtocolServer();
      ({ options, drop } = await database.create());
      ({ varve } = await openForming(options, { server, formation: { writes: 'deferred' } }));
    });
    afterAll(async () => {
      await varve.close();
      await server.close();
      await drop();
    });
    beforeEach(() => {
      server.reset();
      server.otherwise({ chat: answering({}) });
    });

    it('[E4] [E5] [Q3] facts, then one decision, then reflections that see the facts: three calls at the most', async () => {
      const handle = fresh();
      await handle.memories.create({ type: 'fact', content: 'User works at Acme.' });
      await say(
        handle,
        'I left Acme, I now work at TechCorp as a designer.',
        'Keep it short please, I read on my phone.',
      );
      server.otherwise({
        chat: answering({
          extract: {
            memories: [item({ text: 'User works at TechCorp as a designer.', turns: [1], attribute: 'employer' })],
            outdated: [],
          },
          decide: {
            decisions: [{ fact: 1, action: 'UPDATE', known: 1, text: 'User works at TechCorp as a designer.' }],
          },
          reflect: { agent: [], user: ['User reads on a phone and wants short answers.'], session: [] },
        }),
      });
      const formed = await handle.form();
      expect(tasksAsked(server)).toEqual(['extract', 'decide', 'reflect']);
      expect(formed.modelCalls).toBe(3);
      const [extract, decide, reflect] = server.requests.map((request) => request.body.messages?.at(-1)?.content ?? '');
      expect(extract).toContain('I left Acme');
      expect(decide).toMatch(/User works at Acme/);
      expect(decide).not.toMatch(/mem_|evt_/);
      expect(reflect).toContain('User works at TechCorp as a designer.');
      expect(await texts(handle, ['fact'])).toEqual(['User works at TechCorp as a designer.']);
      expect(await texts(handle, ['reflection'])).toEqual(['User reads on a phone and wants short answers.']);
      const [memory] = await live(handle, ['fact']);
      expect(memory?.version).toBe(2);
      expect((await handle.memories.history(memory?.id ?? ''))[1]?.before).toMatchObject({
        content: 'User works at Acme.',
      });
    });

    it('[E5] without candidates nothing is decided, and small talk is not even reflected into anything', async () => {
      const handle = fresh();
      await say(handle, 'Hi there!', 'Nice weather.');
      expect((await handle.form()).added).toEqual([]);
      expect(tasksAsked(server)).toEqual(['extract', 'reflect']);
      expect(await live(handle)).toEqual([]);
    });

    it('[E5] [Q4] John and pizza: the same is NONE, the opposite retires the old one and points to the new', async () => {
      const handle = fresh();
      const { memory: enjoys } = await handle.memories.create({ type: 'preference', content: 'John enjoys pizza.' });
      await say(handle, 'My friend John likes pizza.', 'And his birthday is March 15th.');
      server.otherwise({
        chat: answering({
          extract: {
            memories: [
              item({ type: 'fact', about: 'John', text: 'John likes pizza.', turns: [1], attribute: 'likes:pizza' }),
              item({ about: 'John', text: "John's birthday is March 15th.", turns: [3], attribute: 'birthday' }),
            ],
            outdated: [],
          },
          decide: { decisions: [{ fact: 1, action: 'NONE', known: 1, text: null }] },
        }),
      });
      const first = await handle.form();
      expect(first.confirmed).toEqual([enjoys.id]);
      expect(await texts(handle)).toEqual(['John enjoys pizza.', "John's birthday is March 15th."]);

      await say(handle, 'John dislikes pizza now, he told me.');
      server.reset();
      server.otherwise({
        chat: answering({
          extract: {
            memories: [
              item({
                about: 'John',
                text: 'John dislikes pizza.',
                turns: [1],
                attribute: 'likes:pizza',
                negative: true,
              }),
            ],
            outdated: [],
          },
          decide: { decisions: [{ fact: 1, action: 'DELETE', known: 1, text: null }] },
        }),
      });
      const second = await handle.form();
      const all = (await handle.memories.list({ archived: 'include' })).items;
      const old = all.find((memory) => memory.id === enjoys.id);
      const next = all.find((memory) => memory.content === 'John dislikes pizza.');
      expect(second.rejected).toEqual([]);
      expect(old).toMatchObject({ archiveReason: 'contradicted', contradictedBy: next?.id });
      expect(next).toMatchObject({ contradicts: enjoys.id, archivedAt: null });
    });

    it('[E5] an UPDATE or DELETE of something unrelated becomes an ADD, and is logged', async () => {
      const handle = fresh();
      const { memory: dog } = await handle.memories.create({ type: 'personal', content: 'User has a dog named Max.' });
      const { memory: diet } = await handle.memories.create({ type: 'fact', content: 'User is vegetarian.' });
      await say(handle, 'I have a dog walker now, her name is Lena.');
      server.otherwise({
        chat: answering({
          extract: {
            memories: [item({ text: 'User has a dog walker named Lena.', turns: [1] })],
            outdated: [
              { known: 1, reason: 'x' },
              { known: 2, reason: 'x' },
            ],
          },
          decide: { decisions: [{ fact: 1, action: 'DELETE', known: 1, text: null }] },
        }),
      });
      const formed = await handle.form();
      expect((await handle.memories.get(diet.id))?.archivedAt).toBeNull();
      expect((await handle.memories.get(dog.id))?.archivedAt).toBeNull();
      expect(await texts(handle)).toContain('User has a dog walker named Lena.');
      expect(formed.rejected.map(({ reason }) => reason)).toContain('unrelated_target');
    });

    it('[X3] what the user said outright outranks an inference, which is kept as archived', async () => {
      const handle = fresh();
      await handle.memories.create({ type: 'fact', content: 'User lives in Berlin.' });
      await say(handle, 'The trains in Munich are always late on my commute.');
      server.otherwise({
        chat: answering({
          extract: {
            memories: [
              item({
                text: 'User lives in Munich.',
                turns: [1],
                attribute: 'home_city',
                stated: false,
                confidence: 'low',
              }),
            ],
            outdated: [],
          },
          decide: { decisions: [{ fact: 1, action: 'DELETE', known: 1, text: null }] },
        }),
      });
      const formed = await handle.form();
      expect(formed.rejected).toMatchObject([{ reason: 'outranked' }]);
      expect(await texts(handle)).toEqual(['User lives in Berlin.']);
      const archived = (await handle.memories.list({ archived: 'only' })).items;
      expect(archived).toMatchObject([{ content: 'User lives in Munich.', archiveReason: 'contradicted' }]);
    });

    it('[E2] [E3] facts keep to 30 words, reflections to 35, and a lower level does not repeat a higher one', async () => {
      const handle = fresh();
      await say(
        handle,
        `I like ${'very '.repeat(40)}long walks. I live in Oslo.`,
        'We plan the launch of Varve, please remember to be brief.',
      );
      const long = `User likes ${'very '.repeat(40)}long walks`;
      server.otherwise({
        chat: answering({
          extract: {
            memories: [
              item({ text: long, turns: [1] }),
              item({ text: 'User lives in Oslo.', turns: [1], scope: ['user', 'agent'] }),
            ],
            outdated: [],
          },
          reflect: {
            agent: ['We plan the launch of Varve.'],
            user: ['We plan the launch of Varve.', `Please be ${'very '.repeat(40)}brief`],
            session: ['User lives in Oslo.', 'The launch of Varve is being planned and brief answers are wanted.'],
          },
        }),
      });
      const formed = await handle.form();
      expect(formed.rejected.map(({ what, reason }) => `${what} ${reason}`).sort()).toEqual([
        'memory too_long',
        'reflection repeats_higher_level',
        'reflection repeats_higher_level',
        'reflection too_long',
      ]);
      const reflections = await live(handle, ['reflection']);
      expect(
        reflections.map(({ content, scope }) => [
          content,
          scope.user === null ? 'agent' : scope.session === null ? 'user' : 'session',
        ]),
      ).toEqual([
        ['We plan the launch of Varve.', 'agent'],
        ['The launch of Varve is being planned and brief answers are wanted.', 'session'],
      ]);
      // A fact about a person stays with that person.
      expect((await live(handle, ['fact'])).map(({ scope }) => scope.user)).toEqual([handle.scope.user]);
    });

    it('[E2] an exact double is stopped by its hash, and keeps both sources', async () => {
      const handle = fresh();
      const { memory } = await handle.memories.create({ type: 'fact', content: 'User plays the violin' });
      await say(handle, 'I play the violin.');
      server.otherwise({
        chat: answering({
          extract: { memories: [item({ text: 'User plays the violin.', turns: [1] })], outdated: [] },
          decide: { decisions: [{ fact: 1, action: 'ADD', known: null, text: null }] },
        }),
      });
      await handle.form();
      expect(await texts(handle)).toEqual(['User plays the violin']);
      expect((await handle.memories.get(memory.id))?.sourceEvents).toHaveLength(1);
    });

    it('[Q3] extraction sees at most 50 known memories, those that fit first', async () => {
      const handle = fresh();
      for (let index = 0; index < 60; index += 1)
        await handle.memories.create({
          type: 'fact',
          content: `Item ${index} is in drawer ${index}.`,
          importance: 0.9,
        });
      await handle.memories.create({ type: 'fact', content: 'User keeps bees.', importance: 0.1 });
      await say(handle, 'My bees are well.');
      await handle.form();
      const prompt = server.requests[0]?.body.messages?.at(-1)?.content ?? '';
      const known = prompt.split('\n').filter((line) => /^\d+\. \[/.test(line));
      expect(known.length).toBeLessThanOrEqual(50);
      expect(known.length).toBeGreaterThan(10);
      expect(known[0]).toContain('keeps bees');
    });

    it('[K8] [K20] several facts in one message are all stored under their keys; the same value is skipped, another replaces', async () => {
      const handle = fresh();
      server.otherwise({
        chat: answering({
          keyed_facts: {
            facts: [
              { key: 'home_city', value: 'Berlin', category: 'location' },
              { key: 'Employer', value: 'Acme', category: 'nonsense' },
              { key: 'pet', value: 'Godzilla', category: 'personal' },
            ],
          },
        }),
      });
      await handle.observe([
        { content: `By the way, I moved to Berlin last month and work at Acme. ${'x'.repeat(3000)}` },
        { content: 'Nice!', origin: 'agent' },
      ]);
      await varve.drain();
      const facts = await handle.facts.list();
      expect(facts.map(({ key, value, category }) => [key, value, category])).toEqual([
        ['employer', 'Acme', 'general'],
        ['home_city', 'Berlin', 'location'],
      ]);
      const asked = server.requests.find(
        (request) => request.body.response_format?.json_schema?.name === 'keyed_facts',
      );
      expect(asked?.body.messages?.at(-1)?.content.length).toBeLessThan(2600);
      server.otherwise({
        chat: answering({
          keyed_facts: {
            facts: [
              { key: 'home_city', value: 'Munich', category: 'location' },
              { key: 'employer', value: 'acme', category: 'work' },
            ],
          },
        }),
      });
      await handle.observe([{ content: 'I moved to Munich. Still at Acme.' }, { content: 'Ok', origin: 'agent' }]);
      await varve.drain();
      expect((await handle.facts.get('home_city'))?.value).toBe('Munich');
      expect((await handle.facts.get('employer'))?.version).toBe(1);
    });

    it('[Q5] [X2] a near double that the model would add revises the known one', async () => {
      const handle = fresh();
      const { memory } = await handle.memories.create({
        type: 'preference',
        content: 'User prefers short blog posts about cooking',
        sourceType: 'conversation',
      });
      await say(handle, 'I prefer short blog posts about cooking soups.');
      server.otherwise({
        chat: answering({
          extract: {
            memories: [
              item({ type: 'preference', text: 'User prefers short blog posts about cooking soups', turns: [1] }),
            ],
            outdated: [],
          },
          decide: { decisions: [{ fact: 1, action: 'ADD', known: null, text: null }] },
        }),
      });
      const formed = await handle.form();
      expect(formed.updated).toEqual([memory.id]);
      expect(await texts(handle)).toEqual(['User prefers short blog posts about cooking soups']);
    });

    it('[Q9] a goal that was reached is marked and matters less', async () => {
      const handle = fresh();
      const { memory } = await handle.memories.create({
        type: 'goal',
        content: 'User wants to become VP of Engineering.',
        importance: 0.9,
      });
      await say(handle, 'Great news: I became VP of Engineering yesterday!');
      server.otherwise({
        chat: answering({
          extract: {
            memories: [
              item({ text: 'User became VP of Engineering on 14 November 2026.', turns: [1], goal_reached: true }),
            ],
            outdated: [],
          },
          decide: { decisions: [{ fact: 1, action: 'ADD', known: null, text: null }] },
        }),
      });
      expect((await handle.form()).goalsReached).toEqual([memory.id]);
      expect(await handle.memories.get(memory.id)).toMatchObject({
        state: 'achieved',
        importance: 0.45,
        archivedAt: null,
      });
    });

    it('[T15] each formation leaves a run with what it read and changed, and no content', async () => {
      const handle = fresh();
      await say(handle, 'I live in Lyon.');
      server.otherwise({
        chat: answering({
          extract: {
            memories: [
              item({ text: 'User lives in Lyon.', turns: [1] }),
              item({ text: 'User met Napoleon.', turns: [1] }),
            ],
            outdated: [],
          },
        }),
      });
      const formed = await handle.form();
      const store = await openStore(options);
      const [run] = await store.read('form', (reader) => listRuns(reader, handle.scope, { kinds: ['form'] }));
      await store.close();
      expect(run).toMatchObject({ id: formed.run, cause: 'hand', status: 'done', read: { events: 2 } });
      expect(run?.changed).toMatchObject({ added: formed.added, 'rejected:unsupported': 1 });
      expect(JSON.stringify(run)).not.toMatch(/Lyon|Napoleon/);
      const usage = await varve.ledger.report({ tenant: 'form', run: formed.run ?? '', by: ['task'] });
      expect(usage.map(({ keys, count }) => [keys.task, count])).toEqual([
        ['extract', 1],
        ['reflect', 1],
      ]);
    });

    it('[E1] [T20] facts and reflections are switched off on their own', async () => {
      const { options: own, drop: dropOwn } = await database.create();
      for (const [formation, asked] of [
        [{ facts: false }, ['reflect']],
        [{ reflections: false }, ['extract']],
        [{ tasks: { extract: 'local', reflect: 'local', decide: 'local', keyed_facts: 'local' } }, []],
      ] as const) {
        server.reset();
        server.otherwise({ chat: answering({}) });
        const { varve: other } = await openForming(own, { server, formation });
        const handle = other.for({ user: `ablation${asked.join('-')}`, session: 's' });
        await say(handle, 'I live in Lyon.');
        await handle.form();
        expect(tasksAsked(server)).toEqual(asked);
        await other.close();
      }
      await dropOwn();
    });
  });
}
