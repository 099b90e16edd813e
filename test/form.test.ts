import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import type { Memory } from '../src/record/memory.ts';
import { listRuns } from '../src/store/history-store.ts';
import { openStore, type StoreOptions } from '../src/store/open-store.ts';
import type { Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import {
  answering,
  type Answers,
  item,
  openForming,
  promptsOf,
  reading,
  tasksAsked,
  THREE_CALLS,
} from './form-model.ts';
import { type ProtocolServer, startProtocolServer } from './protocol-server.ts';

const live = async (handle: Handle, types?: string[]): Promise<Memory[]> =>
  (await handle.memories.list({ order: 'oldest', types })).items;
const texts = async (handle: Handle, types?: string[]): Promise<string[]> =>
  (await live(handle, types)).map((memory) => memory.content);

/** A conversation in which the user says these lines, and the assistant says nothing of note. */
const say = async (handle: Handle, ...lines: string[]): Promise<void> => {
  for (const line of lines) await handle.observe([{ content: line }, { content: 'I see.', origin: 'agent' }]);
};

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`formation with a model on ${database.name}`, () => {
    let server: ProtocolServer;
    let options: StoreOptions;
    let drop: () => Promise<void>;
    /** The default settings, except that nothing is read before a formation. */
    let varve: Varve;
    /** The settings for the three calls of E4. */
    let stepwise: Varve;
    let user = 0;
    const fresh = (of: Varve = varve): Handle =>
      of.for({ tenant: 'form', agent: `bot${(user += 1)}`, user: `user${user}`, session: 's1' });
    const answer = (answers: Answers): void => server.otherwise({ chat: answering(answers) });

    beforeAll(async () => {
      server = await startProtocolServer();
      ({ options, drop } = await database.create());
      ({ varve } = await openForming(options, { server, formation: { writes: 'deferred' } }));
      ({ varve: stepwise } = await openForming(options, {
        server,
        formation: THREE_CALLS,
      }));
    });
    afterAll(async () => {
      await varve.close();
      await stepwise.close();
      await server.close();
      await drop();
    });
    beforeEach(() => {
      server.reset();
      answer({});
    });

    it('[T20] a model object of the AI SDK is accepted as it is, and anything else is refused', async () => {
      const { varve: plain } = await openForming(options, {
        languageModel: server.languageModel(),
        formation: { writes: 'deferred' },
      });
      const handle = fresh(plain);
      await say(handle, 'I carve spoons.', 'Birch is best for it.');
      const quote = 'I carve spoons';
      answer({ read: reading({ statements: [item({ text: 'User carves spoons.', turn: 1, quote })] }) });
      expect((await handle.form()).modelCalls).toBe(1);
      expect(await texts(handle)).toEqual(['User carves spoons.']);
      await plain.close();
      const wrong = openForming(options, { languageModel: 'openai/gpt-5-mini' as never });
      await expect(wrong).rejects.toThrow("a model object of the AI SDK, such as openai('gpt-5-mini'), or models from");
    });

    it('[E4] [E5] [Q3] one call returns statements, their relations to known statements, and then reflections', async () => {
      const handle = fresh();
      const { memory: old } = await handle.memories.create({
        type: 'fact',
        content: 'User works at Brightwater Tiles.',
        attribute: 'employer',
        value: 'Brightwater Tiles',
      });
      await say(
        handle,
        "I've switched jobs, I'm at Moss & Pike now.",
        'Please be quick about it, I read this between two meetings.',
      );
      answer({
        read: reading({
          statements: [
            item({
              text: 'User works at Moss & Pike.',
              attribute: 'employer',
              value: 'Moss & Pike',
              turn: 1,
              quote: "I'm at Moss & Pike now",
              relation: 'replaces',
              known: 1,
            }),
          ],
          reflections: [{ level: 'user', text: 'Reads answers between two meetings and has little time.' }],
        }),
      });
      const formed = await handle.form();
      expect(tasksAsked(server)).toEqual(['read']);
      expect(formed.modelCalls).toBe(1);
      const [prompt = ''] = promptsOf(server);
      expect(prompt).toMatch(/1\. \[2026-11-15\] employer = Brightwater Tiles · User works at Brightwater Tiles\./);
      expect(prompt).toMatch(/1\. \[2026-11-15 Sun\] User: I've switched jobs/);
      expect(prompt).not.toMatch(/mem_|evt_/);
      // Models write the fields in the order of the schema: reflections come after the statements, and can rest on them.
      const schema = server.requests[0]?.body.response_format?.json_schema?.schema as { required?: string[] };
      expect(schema.required).toEqual(['statements', 'ends', 'forgets', 'reflections', 'topics']);
      expect(await texts(handle, ['fact'])).toEqual(['User works at Moss & Pike.']);
      expect(await texts(handle, ['reflection'])).toEqual(['Reads answers between two meetings and has little time.']);
      expect(await handle.memories.get(old.id)).toMatchObject({
        archiveReason: 'superseded',
        contradictedBy: formed.added[0],
      });
    });

    it('[E5] one statement may replace several known statements, and a plan that involves another person can be reached', async () => {
      const handle = fresh();
      const known = async (day: number, content: string, more: object = {}): Promise<string> => {
        const statedAt = new Date(Date.UTC(2026, 9, day));
        const given = { type: 'fact', content, statedAt, sourceType: 'conversation' as const, ...more };
        return (await handle.memories.create(given)).memory.id;
      };
      const there = await known(1, 'User has a seat on the night train to Trieste.');
      const back = await known(2, 'User has a seat on the morning train from Trieste.');
      const fitting = await known(3, 'User takes Ilse to the shoemaker on 14 November 2026.', { tense: 'planned' });
      await say(handle, 'They struck, so I hired a van for both ways. Ilse got her boots yesterday.');
      answer({
        read: reading({
          statements: [
            item({
              text: 'User drives to Trieste and back in a hired van.',
              quote: 'I hired a van for both ways',
              turn: 1,
              relation: 'replaces',
              known: [1, 2],
            }),
            item({
              text: "User's aunt Ilse got her boots on 14 November 2026.",
              about: "User's aunt Ilse",
              tense: 'happened',
              quote: 'Ilse got her boots yesterday',
              turn: 1,
              relation: 'reaches',
              known: [3],
            }),
          ],
        }),
      });
      await handle.form();
      const reasons = await Promise.all([there, back, fitting].map((id) => handle.memories.get(id)));
      expect(reasons.map((memory) => memory?.archiveReason)).toEqual(['superseded', 'contradicted', 'superseded']);
    });

    it('[K9] the summary of a topic may contain a name that a checked statement of the same reading contains', async () => {
      const handle = fresh();
      await say(handle, 'we sleep in chch on the last night, booked it', 'and the night before in hoki');
      const motel = item({
        text: 'User has booked a night in Christchurch.',
        value: 'Christchurch',
        turn: 1,
        quote: 'we sleep in chch on the last night',
      });
      const summary = 'User sleeps in Christchurch on the last night.';
      answer({ read: reading({ statements: [motel], topics: [{ topic: 'Trip', summary }] }) });
      await handle.form();
      expect(await texts(handle, ['summary'])).toEqual([summary]);
      answer({
        read: reading({ topics: [{ topic: 'Trip', summary: 'User sleeps in Wellington on the last night.' }] }),
      });
      await say(handle, 'what should I pack', 'for the last night, I mean');
      const { refused } = await handle.form();
      expect(refused).toMatchObject([{ what: 'topic', reason: 'value_not_said', detail: 'Wellington' }]);
    });

    it('the name of an attribute and its value before a known statement are not redacted as a secret in the prompt', async () => {
      const handle = fresh();
      await handle.memories.create({
        type: 'preference',
        content: 'User wants to cross Brenner Pass by train.',
        attribute: 'preference',
        value: 'Brenner Pass',
      });
      await say(handle, 'Which way should we go?');
      await handle.form();
      expect(promptsOf(server)[0]).toContain('preference = Brenner Pass · User wants to cross');
    });

    it('[E4] [E5] the model first returns facts, then one decision for all of them, and then reflections with the facts in their prompt', async () => {
      const handle = fresh(stepwise);
      const { memory: walks } = await handle.memories.create({
        type: 'personal',
        content: 'User walks the old railway line with a neighbour.',
      });
      const { memory: bread } = await handle.memories.create({
        type: 'personal',
        content: 'User bakes rye bread on weekends.',
      });
      await say(
        handle,
        'On Sundays I walk the old railway line with a neighbour.',
        'I bake rye bread on weekends, as ever.',
      );
      answer({
        read: reading({
          statements: [
            item({
              type: 'personal',
              tense: 'habit',
              text: 'User walks the old railway line with a neighbour on Sundays.',
              turn: 1,
              quote: 'On Sundays I walk the old railway line with a neighbour',
            }),
            item({
              type: 'personal',
              tense: 'habit',
              text: 'User bakes rye bread on weekends, as ever.',
              turn: 3,
              quote: 'I bake rye bread on weekends',
            }),
          ],
        }),
        decide: {
          decisions: [
            {
              fact: 1,
              action: 'UPDATE',
              known: 1,
              text: 'User walks the old railway line with a neighbour on Sundays.',
            },
            { fact: 2, action: 'NONE', known: 1, text: null },
          ],
        },
        reflect: { agent: [], user: ['Keeps weekends for calm routines.'], session: [] },
      });
      const formed = await handle.form();
      expect(tasksAsked(server)).toEqual(['read', 'decide', 'reflect']);
      expect(formed).toMatchObject({ modelCalls: 3, updated: [walks.id], confirmed: [bread.id], added: [] });
      const [, decide, reflect] = promptsOf(server);
      expect(decide).toContain('User bakes rye bread on weekends.');
      expect(decide).not.toMatch(/mem_|evt_/);
      expect(reflect).toContain('User walks the old railway line with a neighbour on Sundays.');
      expect(await texts(handle, ['reflection'])).toEqual(['Keeps weekends for calm routines.']);
      const now = await handle.memories.get(walks.id);
      expect(now).toMatchObject({
        version: 2,
        content: 'User walks the old railway line with a neighbour on Sundays.',
      });
      expect((await handle.memories.history(walks.id))[1]?.before).toMatchObject({
        content: 'User walks the old railway line with a neighbour.',
      });
    });

    it('[E5] [Q3] without a known statement of similar meaning the model is not asked to decide, and small talk gives no statement', async () => {
      const handle = fresh(stepwise);
      await handle.memories.create({ type: 'fact', content: 'User rents a garage in Bruges.' });
      await say(handle, 'Morning!', 'What a grey day again.');
      expect(await handle.form()).toMatchObject({ added: [], updated: [], retired: [], refused: [] });
      await say(handle, 'My daughter plays the cornet.');
      answer({
        read: reading({
          statements: [
            item({ text: "User's daughter plays the cornet.", turn: 1, quote: 'My daughter plays the cornet' }),
          ],
        }),
      });
      expect((await handle.form()).added).toHaveLength(1);
      expect(tasksAsked(server)).toEqual(['read', 'reflect', 'read', 'reflect']);
    });

    it('[E5] [Q4] the decision DELETE of a model retires the known statement and adds the one that contradicts it; both point to each other', async () => {
      const handle = fresh(stepwise);
      const { memory: old } = await handle.memories.create({
        type: 'fact',
        subject: 'Henk',
        content: 'Henk takes sugar in his morning coffee.',
      });
      await say(handle, 'Henk takes no sugar in his morning coffee any more.');
      answer({
        read: reading({
          statements: [
            item({
              about: 'Henk',
              text: 'Henk takes no sugar in his morning coffee.',
              turn: 1,
              quote: 'Henk takes no sugar in his morning coffee any more',
            }),
          ],
        }),
        decide: { decisions: [{ fact: 1, action: 'DELETE', known: 1, text: null }] },
      });
      const { added } = await handle.form();
      expect(await handle.memories.get(old.id)).toMatchObject({
        archiveReason: 'superseded',
        contradictedBy: added[0],
      });
      expect(await handle.memories.get(added[0] ?? '')).toMatchObject({ contradicts: old.id, archivedAt: null });
      // The trail stays: the old statement can be read, with its revisions.
      expect((await handle.memories.history(old.id)).at(-1)?.before).toMatchObject({
        archivedAt: null,
        content: old.content,
      });
    });

    it('[E5] [X2] at most five candidates of at least 0.7 are shown for the decision', async () => {
      const asked = async (known: readonly string[], said: string, text: string): Promise<number> => {
        server.reset();
        const handle = fresh(stepwise);
        for (const content of known) await handle.memories.create({ type: 'personal', content });
        await stepwise.drain();
        await say(handle, said);
        answer({ read: reading({ statements: [item({ type: 'personal', text, turn: 1, quote: said })] }) });
        await handle.form();
        const prompts = promptsOf(server);
        const prompt = prompts[tasksAsked(server).indexOf('decide')] ?? '';
        return known.filter((content) => prompt.includes(content)).length;
      };
      const near = ['oak', 'ash', 'elm', 'fir', 'yew', 'box', 'bay'].map(
        (wood) => `User carves small wooden animals from ${wood} on quiet evenings.`,
      );
      const said = 'I carve small wooden animals from pear on quiet evenings.';
      const text = 'User carves small wooden animals from pear on quiet evenings.';
      expect(await asked(near, said, text)).toBe(5);
      expect(await asked(['User sails a dinghy on Saturdays.'], said, text)).toBe(0);
    });

    it('[E5] a decision about a number that does not exist, or with an endless text, decides nothing', async () => {
      const handle = fresh(stepwise);
      const { memory } = await handle.memories.create({
        type: 'fact',
        content: 'User has a stall at the Friday market.',
      });
      await say(handle, 'I have a stall at the Friday market, by the fountain.');
      answer({
        read: reading({
          statements: [
            item({
              text: 'User has a stall at the Friday market by the fountain.',
              turn: 1,
              quote: 'I have a stall at the Friday market, by the fountain',
            }),
          ],
        }),
        decide: {
          decisions: [
            { fact: 1, action: 'DELETE', known: 9, text: null },
            { fact: 7, action: 'DELETE', known: 1, text: null },
            { fact: 1, action: 'UPDATE', known: 1, text: 'and '.repeat(60) },
          ],
        },
      });
      await handle.form();
      expect(await handle.memories.get(memory.id)).toMatchObject({ archivedAt: null });
      expect((await texts(handle)).join()).not.toContain('and and');
    });

    it('[X3] an explicit statement of the user outranks an inference, which is kept as history', async () => {
      const handle = fresh();
      await handle.memories.create({
        type: 'fact',
        content: 'User lives in Ghent.',
        attribute: 'home_city',
        value: 'Ghent',
      });
      await say(handle, 'The trams in Antwerp are always late when I come home.');
      answer({
        read: reading({
          statements: [
            item({
              text: 'User lives in Antwerp.',
              attribute: 'home_city',
              value: 'Antwerp',
              turn: 1,
              quote: 'The trams in Antwerp are always late when I come home',
              inferred: true,
              relation: 'replaces',
              known: 1,
            }),
          ],
        }),
      });
      const formed = await handle.form();
      expect(formed.refused).toMatchObject([{ reason: 'outranked', detail: 'User lives in Ghent.' }]);
      expect(await texts(handle)).toEqual(['User lives in Ghent.']);
      const archived = (await handle.memories.list({ archived: 'only' })).items;
      expect(archived).toMatchObject([{ content: 'User lives in Antwerp.', archiveReason: 'contradicted' }]);
    });

    it('[E2] [E3] facts have at most 30 words, reflections at most 35, and a reflection of a lower level does not repeat one of a higher level', async () => {
      const handle = fresh();
      await say(
        handle,
        `My allotment has ${'very '.repeat(40)}heavy clay. I live in Utrecht.`,
        'Rough numbers are enough when we plan the beds, and please no more tables.',
      );
      answer({
        read: reading({
          statements: [
            item({ text: `User's allotment has ${'very '.repeat(40)}heavy clay.`, turn: 1, quote: 'heavy clay' }),
            item({ text: 'User lives in Utrecht.', turn: 1, quote: 'I live in Utrecht', everyone: true }),
          ],
          // The order of the answer does not matter: the higher level is written first.
          reflections: [
            { level: 'session', text: 'The allotment has heavy clay, and tables are not wanted here.' },
            { level: 'session', text: 'Rough numbers are enough when beds are planned.' },
            { level: 'user', text: 'Rough numbers are enough when beds are planned.' },
            { level: 'user', text: `Please give ${'very '.repeat(40)}rough numbers` },
            { level: 'agent', text: 'Rough numbers are enough when beds are planned.' },
          ],
        }),
      });
      const formed = await handle.form();
      expect(formed.refused.map(({ what, reason }) => `${what} ${reason}`).sort()).toEqual([
        'reflection repeated',
        'reflection repeated',
        'reflection too_long',
        'statement too_long',
      ]);
      const reflections = await live(handle, ['reflection']);
      expect(
        reflections.map(({ content, scope }) => [
          content,
          scope.user === null ? 'agent' : scope.session === null ? 'user' : 'session',
        ]),
      ).toEqual([
        ['Rough numbers are enough when beds are planned.', 'agent'],
        ['The allotment has heavy clay, and tables are not wanted here.', 'session'],
      ]);
      // A fact about a person stays with that person, and is never stored in the session.
      expect((await live(handle, ['fact'])).map(({ scope }) => [scope.user, scope.session])).toEqual([
        [handle.scope.user, null],
      ]);
    });

    it('[E2] [Q5] an exact duplicate is detected by its hash, and adds its source', async () => {
      const handle = fresh();
      const { memory } = await handle.memories.create({ type: 'fact', content: 'User repairs typewriters' });
      await say(handle, 'I repair typewriters.');
      answer({
        read: reading({
          statements: [item({ text: 'User repairs typewriters.', turn: 1, quote: 'I repair typewriters' })],
        }),
      });
      await handle.form();
      expect(await texts(handle)).toEqual(['User repairs typewriters']);
      expect((await handle.memories.get(memory.id))?.sourceEvents).toHaveLength(1);
    });

    it('[Q3] the reader sees at most 50 known statements: those that match the turns are among them', async () => {
      const handle = fresh();
      for (let index = 0; index < 60; index += 1) {
        await handle.memories.create({
          type: 'fact',
          content: `Crate ${index} is on shelf ${index}.`,
          importance: 0.9,
        });
      }
      await handle.memories.create({ type: 'fact', content: 'User keeps quails.', importance: 0.1 });
      await say(handle, 'My quails are well.');
      await handle.form();
      const [prompt = ''] = promptsOf(server);
      const known = prompt
        .slice(0, prompt.indexOf('Turns:'))
        .split('\n')
        .filter((line) => /^\d+\. \[/.test(line));
      expect(known.length).toBeLessThanOrEqual(50);
      expect(known.length).toBeGreaterThan(10);
      expect(known.some((line) => line.includes('keeps quails'))).toBe(true);
    });

    it.each([{ inlineReader: 'model' }, { writes: 'deferred' }] as const)(
      '[K8] a model reads all messages of a call without a session: %j',
      async (formation) => {
        const { varve: eager } = await openForming(options, { server, formation });
        const handle = eager.for({ ...fresh(eager).scope, session: null });
        const boats = Array.from({ length: 26 }, (_, index) => `I own boat number ${index + 1}.`);
        await handle.observe(boats.map((content) => ({ content })));
        const before = promptsOf(server).length;
        await eager.drain();
        const prompts = promptsOf(server).slice(before);
        expect(prompts).toHaveLength(2);
        expect(boats.filter((boat) => !prompts.some((prompt) => prompt.includes(boat)))).toEqual([]);
        await eager.close();
      },
    );

    it('[K8] [K20] a model can read every exchange: all facts of a message, the same value skipped, another replaces', async () => {
      const { varve: eager } = await openForming(options, { server, formation: { inlineReader: 'model' } });
      const handle = fresh(eager);
      answer({
        read: reading({
          statements: [
            item({
              text: 'User lives in Ostend.',
              attribute: 'city',
              value: 'Ostend',
              turn: 1,
              quote: 'I moved to Ostend',
            }),
            item({
              text: 'User works at Vandeput.',
              attribute: 'employer',
              value: 'Vandeput',
              turn: 1,
              quote: 'work at Vandeput',
            }),
            item({
              text: 'User has a parrot called Godzilla.',
              attribute: 'pet_name',
              value: 'Godzilla',
              turn: 1,
              quote: 'my parrot Godzilla',
            }),
          ],
        }),
      });
      await handle.logInteraction({
        userMessage: `By the way, I moved to Ostend last month and work at Vandeput. ${'x'.repeat(3000)}`,
        agentResponse: 'y'.repeat(3000),
      });
      await eager.drain();
      const facts = (await handle.facts.list()).map(({ key, value, category }) => [key, value, category].join(' '));
      expect(facts.sort()).toEqual(['employer Vandeput work', 'home_city Ostend location']);
      const [prompt = ''] = promptsOf(server);
      // Each side of the exchange is capped at 1,000 characters.
      expect(prompt.match(/x+/g)?.reduce((sum, run) => sum + run.length, 0)).toBeLessThanOrEqual(1000);
      expect(prompt.match(/y+/g)?.reduce((sum, run) => sum + (run.length > 9 ? run.length : 0), 0)).toBeLessThanOrEqual(
        1000,
      );
      const before = await handle.facts.get('employer');

      answer({
        read: reading({
          statements: [
            item({
              text: 'User lives in Namur.',
              attribute: 'home_city',
              value: 'Namur',
              turn: 1,
              quote: 'I moved to Namur',
            }),
            item({
              text: 'User works at vandeput.',
              attribute: 'employer',
              value: 'vandeput',
              turn: 1,
              quote: 'Still at Vandeput',
            }),
          ],
        }),
      });
      await handle.logInteraction({ userMessage: 'I moved to Namur. Still at Vandeput.', agentResponse: 'Ok.' });
      await eager.drain();
      expect((await handle.facts.get('home_city'))?.value).toBe('Namur');
      expect(await handle.facts.get('employer')).toMatchObject({ id: before?.id, value: 'Vandeput' });
      await eager.close();
    });

    it('[Q5] [X2] a near-duplicate above 0.85 revises the known statement; one that differs in a name does not', async () => {
      const handle = fresh();
      const { memory } = await handle.memories.create({
        type: 'preference',
        content: 'User prefers short reports about harbour traffic',
        sourceType: 'conversation',
      });
      const { memory: other } = await handle.memories.create({
        type: 'preference',
        content: 'User prefers short reports about ferries to Harwich',
        sourceType: 'conversation',
      });
      await say(
        handle,
        'I prefer short weekly reports about harbour traffic.',
        'And I prefer short reports about ferries to Rosslare.',
      );
      answer({
        read: reading({
          statements: [
            item({
              type: 'preference',
              text: 'User prefers short weekly reports about harbour traffic',
              turn: 1,
              quote: 'I prefer short weekly reports about harbour traffic',
            }),
            item({
              type: 'preference',
              text: 'User prefers short reports about ferries to Rosslare',
              turn: 3,
              quote: 'I prefer short reports about ferries to Rosslare',
            }),
          ],
        }),
      });
      const formed = await handle.form();
      expect(formed.updated).toEqual([memory.id]);
      expect(await handle.memories.get(other.id)).toMatchObject({ version: 1, archivedAt: null });
      expect(await texts(handle)).toEqual([
        'User prefers short weekly reports about harbour traffic',
        'User prefers short reports about ferries to Harwich',
        'User prefers short reports about ferries to Rosslare',
      ]);
    });

    it('[Q9] a goal is reached only when the reader says so with a quote: it is marked, and its importance falls', async () => {
      const handle = fresh();
      const { memory } = await handle.memories.create({
        type: 'goal',
        content: 'User wants to pass the skipper exam.',
        importance: 0.9,
      });
      await say(handle, 'I bought a book about the skipper exam.', 'Guess what, I passed the skipper exam yesterday!');
      const reached = item({
        type: 'fact',
        tense: 'happened',
        text: 'User passed the skipper exam on 14 November 2026.',
        turn: 3,
        quote: 'I passed the skipper exam with distinction',
        relation: 'reaches',
        known: 1,
      });
      // A quote that is not in the turns reaches no goal; the corrected one does.
      answer({ read: reading({ statements: [reached] }) });
      const first = await handle.form();
      expect(first).toMatchObject({ goalsReached: [], refused: [{ reason: 'quote_not_found' }] });
      expect((await handle.memories.get(memory.id))?.state).toBe('open');

      await say(handle, 'As I said, I passed the skipper exam yesterday.');
      answer({
        read: reading({ statements: [{ ...reached, turn: 1, quote: 'I passed the skipper exam yesterday' }] }),
      });
      expect((await handle.form()).goalsReached).toEqual([memory.id]);
      expect(await handle.memories.get(memory.id)).toMatchObject({
        state: 'achieved',
        importance: 0.45,
        archivedAt: null,
        // The end of the goal is known, so that maintenance archives it.
        validTo: expect.any(Date) as Date,
      });
    });

    it('[T15] each formation leaves a run with what it read, changed and refused, and no content', async () => {
      const handle = fresh();
      await say(handle, 'I live in Dinant.');
      answer({
        read: reading({
          statements: [
            item({ text: 'User lives in Dinant.', turn: 1, quote: 'I live in Dinant' }),
            item({ text: 'User met Charlemagne.', turn: 1, quote: 'I met Charlemagne' }),
          ],
        }),
      });
      const formed = await handle.form();
      const store = await openStore(options);
      const [run] = await store.read('form', (reader) => listRuns(reader, handle.scope, { kinds: ['form'] }));
      await store.close();
      expect(run).toMatchObject({ id: formed.run, cause: 'hand', status: 'done', read: { events: 2 } });
      expect(run?.changed).toMatchObject({ added: formed.added, 'refused:quote_not_found': 1 });
      expect(JSON.stringify(run)).not.toMatch(/Dinant|Charlemagne/);
      const usage = await varve.ledger.report({ tenant: 'form', run: formed.run ?? '', by: ['task'] });
      // The refused statement was sent back once.
      expect(usage.map(({ keys, count }) => [keys.task, count])).toEqual([['read', 2]]);
    });

    it('[E1] [T20] facts, reflections and the models of the tasks can each be switched off', async () => {
      const statements = [item({ text: 'User works at Dinant Brass.', turn: 1, quote: 'I work at Dinant Brass' })];
      const reflections = [{ level: 'user', text: 'Likes to be asked about Dinant.' }];
      const reflect = { agent: [], user: ['Likes to be asked about Dinant.'], session: [] };
      const cases = [
        { formation: { facts: false }, asked: ['read'], formed: ['reflection'] },
        {
          formation: { facts: false, reflectionCall: 'own', summaries: false },
          asked: ['reflect'],
          formed: ['reflection'],
        },
        { formation: { reflections: false }, asked: ['read'], formed: ['fact'] },
        { formation: { reflectionCall: 'own', tasks: { reflect: 'local' } }, asked: ['read'], formed: ['fact'] },
        { formation: { tasks: { read: 'local', reflect: 'local', decide: 'local' } }, asked: [], formed: ['fact'] },
      ] as const;
      for (const { formation, asked, formed } of cases) {
        server.reset();
        answer({ read: reading({ statements, reflections }), reflect });
        const { varve: other } = await openForming(options, {
          server,
          formation: { writes: 'deferred', ...formation },
        });
        const handle = fresh(other);
        await say(handle, 'I work at Dinant Brass.');
        await handle.form();
        expect(tasksAsked(server)).toEqual(asked);
        expect((await live(handle)).map(({ type }) => type)).toEqual(formed);
        await other.close();
      }
    });

    it('[E1] does not try to end a fact by a note if facts are switched off', async () => {
      const { varve: other } = await openForming(options, { formation: { facts: false } });
      const handle = fresh(other);
      await handle.facts.set({ key: 'employer', value: 'Dinant Brass' });
      await handle.recordObservation('User left Dinant Brass in March.', 'fact');
      expect((await handle.form()).refused).toEqual([]);
      expect((await handle.facts.get('employer'))?.value).toBe('Dinant Brass');
      await other.close();
    });
  });
}
