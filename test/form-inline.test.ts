import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { functionEmbedder } from '../src/models/embedder.ts';
import { HOUR, type ManualClock, MINUTE, systemClock } from '../src/record/clock.ts';
import { createIdSource } from '../src/record/id.ts';
import { EVERY_TENANT } from '../src/store/database.ts';
import { openStore, type StoreOptions } from '../src/store/open-store.ts';
import type { Varve } from '../src/varve.ts';
import { startChildFromSource } from './child-process.ts';
import { cpuTimeOf } from './cpu-time.ts';
import { databases } from './databases.ts';
import { answering, item, liveStatements, openForming, promptsOf, reading, tasksAsked, tell } from './form-model.ts';
import { startProtocolServer, wordVector } from './protocol-server.ts';

// The local reader is tested beside its source. These sentences are plain, so it reads them with certainty.

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`formation without a model on ${database.name}`, () => {
    let options: StoreOptions;
    let drop: () => Promise<void>;
    let varve: Varve;
    let clock: ManualClock;
    let user = 0;
    const fresh = (session: string | null = 's1'): Handle =>
      varve.for({ tenant: 'inline', user: `user${(user += 1)}`, session });
    const say = (handle: Handle, ...lines: string[]): Promise<void> => tell({ varve, clock }, handle, lines);
    const texts = async (handle: Handle, types?: string[]): Promise<string[]> =>
      (await handle.memories.list({ order: 'oldest', types })).items.map(({ content }) => content);

    beforeAll(async () => {
      ({ options, drop } = await database.create());
      ({ varve, clock } = await openForming(options));
    });
    afterAll(async () => {
      await varve.close();
      await drop();
    });

    it('[L6] [K8] [L5] an exchange is read immediately, into statements with their fields; small talk and questions give no statement', async () => {
      const examples: [string, Record<string, string>][] = [
        ['I live in Linz.', { home_city: 'Linz' }],
        ['I work at Halden Foods as a buyer.', { employer: 'Halden Foods' }],
        ['My name is Orla Byrne.', { name: 'Orla Byrne' }],
        ['I have a dog named Rollo.', { pet_name: 'Rollo' }],
        ["I'm allergic to walnuts.", { allergy: 'walnuts' }],
        ["Hi, how's it going?", {}],
        ['Thanks, that helps a lot!', {}],
        ['What if I moved to Paris?', {}],
        ['Do you think I should buy a car?', {}],
      ];
      for (const [message, expected] of examples) {
        const handle = fresh();
        await say(handle, message);
        const facts = await handle.facts.list();
        expect({ message, ...Object.fromEntries(facts.map(({ key, value }) => [key, value])) }).toMatchObject(expected);
        if (Object.keys(expected).length === 0) expect(await texts(handle)).toEqual([]);
        // Each statement names its reader, its time and its words.
        const [event] = (await handle.events.list({ order: 'oldest' })).items;
        for (const memory of await liveStatements(handle)) {
          expect(memory).toMatchObject({
            type: 'fact',
            reader: 'local',
            statedBy: 'user',
            statedAt: event?.occurredAt,
            sourceType: 'explicit',
            metadata: {},
          });
          expect(memory.quotes[0]).toMatchObject({ event: event?.id });
        }
      }
    });

    it('what a process has logged and not read when it ends is read at the next start, once, with or without a session', async () => {
      const { options: own, drop: dropOwn } = await database.create();
      // This process never reads: it has no background work, and is not drained before the other one has read.
      const { varve: ended } = await openForming(own);
      for (const session of ['s1', null]) {
        const before = ended.for({ user: `rosa-${session}`, session });
        await before.logInteraction({ userMessage: 'I work at Brandt Optics. I earn 71,000 euros a year.' });
        await before.logInteraction({ userMessage: 'Please forget what I earn.', agentResponse: 'Done.' });
        await before.logInteraction({ userMessage: 'Nice weather today, is it not?', agentResponse: 'It is.' });
      }
      const { varve: next } = await openForming(own);
      await next.drain();
      for (const session of ['s1', null]) {
        const handle = next.for({ user: `rosa-${session}`, session });
        expect((await handle.facts.list()).map(({ key, value }) => [key, value])).toEqual([
          ['employer', 'Brandt Optics'],
        ]);
        expect(JSON.stringify(await handle.events.list())).not.toContain('71,000');
      }
      expect((await next.operator.jobs.list({ kind: 'read-inline' })).items).toEqual([]);
      await next.close();
      await ended.close();
      await dropOwn();
    });

    it('[K20] several facts stated in one message are all stored', async () => {
      const handle = fresh();
      await say(handle, 'I live in Linz, I work at Halden Foods and I am allergic to walnuts.');
      expect((await handle.facts.list()).map(({ key, value }) => `${key} ${value}`).sort()).toEqual([
        'allergy walnuts',
        'employer Halden Foods',
        'home_city Linz',
      ]);
    });

    it('form() lists all live memories of the session, also those that the first reading has stored', async () => {
      const handle = fresh();
      await say(handle, 'I play the oboe and my landlord is Mr Brandt.');
      const { added, formed } = await handle.form();
      expect(added).toEqual([]);
      expect(formed.length).toBeGreaterThan(0);
      expect(formed.toSorted()).toEqual((await handle.memories.list()).items.map(({ id }) => id).sort());
      const [id = ''] = formed;
      await handle.memories.forget(id);
      expect((await handle.form()).formed).not.toContain(id);
      expect((await varve.for({ ...handle.scope, session: 'unread' }).form()).formed).toEqual([]);
    });

    it('[K8] [X3] [Q4] the same value is skipped; another value replaces it, and the old one is kept in the past', async () => {
      const handle = fresh();
      await say(handle, 'I live in Linz now.');
      const first = await handle.facts.get('home_city');
      await say(handle, 'I live in Linz now.');
      expect(await handle.facts.get('home_city')).toMatchObject({ id: first?.id, value: 'Linz' });
      const then = new Date(clock.now());
      clock.advance(HOUR);
      await say(handle, 'I live in Graz now.');
      expect((await handle.facts.get('home_city'))?.value).toBe('Graz');
      const [old] = (await handle.memories.list({ archived: 'only' })).items;
      expect(old).toMatchObject({ id: first?.id, archiveReason: 'superseded' });
      expect(old?.contradictedBy).toBe((await handle.facts.get('home_city'))?.id);
      expect(old?.validTo).not.toBeNull();
      expect((await handle.asOf(then).facts.get('home_city'))?.value).toBe('Linz');
    });

    it('[L5] [L7] a name becomes an entity, which is merged by its name and linked', async () => {
      const handle = fresh();
      await say(handle, 'I work at Halden Foods.', 'I live in Linz now.');
      const other = varve.for({ ...handle.scope, session: 's2' });
      await say(other, 'I work at Halden Foods as a buyer.');
      const entities = await handle.entities.list();
      const halden = entities.filter(({ slug }) => slug.includes('halden'));
      expect(halden).toHaveLength(1);
      const employer = await handle.facts.get('employer');
      expect((await handle.memories.get(employer?.id ?? ''))?.entities).toContain(halden[0]?.id);
    });

    it('[L5] [L14] tool calls become episodes, decisions are recorded, and outcomes are linked to them', async () => {
      const handle = fresh();
      await handle.logInteraction({
        userMessage: 'Please publish it.',
        agentResponse: 'Done.',
        toolsUsed: [{ tool: 'publish_post', arguments: { title: 'Ramps', token: 'abc123' }, result: 'ok' }],
      });
      const decision = await handle.decisions.record({
        content: 'Suggest a recipe post',
        reason: 'they get more views',
      });
      await handle.decisions.recordOutcome(decision.id, {
        content: 'The recipe post got 340 views',
        effect: 'positive',
      });
      await varve.drain();
      const { items } = await handle.memories.list({ order: 'oldest' });
      const told = items.map(({ type, content, tense }) => `${type} ${tense} ${content}`);
      expect(told.some((line) => line.startsWith('episode happened Agent ran publish post (title: Ramps)'))).toBe(true);
      expect(told.some((line) => /^decision happened .*Suggest a recipe post/.test(line))).toBe(true);
      expect(told.some((line) => /^episode happened .*340 views/.test(line))).toBe(true);
      expect(told.join()).not.toContain('abc123');
      // None of them is the user’s own statement.
      for (const { sourceType, statedBy } of items) expect([sourceType, statedBy]).not.toEqual(['explicit', 'user']);
    });

    it('[L6] [E11] reading an exchange takes little processor time, and the caller does not wait for it', async () => {
      const handle = fresh();
      const facts = Array.from({ length: 100 }, (_, index) => `User knows fact ${index} about topic ${index % 17}.`);
      for (const content of facts) await handle.memories.create({ type: 'fact', content });
      await say(handle, 'I live in Linz now.');
      const [logging, reading]: [number[], number[]] = [[], []];
      for (let index = 0; index < 15; index += 1) {
        const exchange = { userMessage: `I work at Company${index}.`, agentResponse: 'I see.' };
        logging.push(await cpuTimeOf(() => handle.logInteraction(exchange)));
        // The exchange has not been read yet when it is answered.
        expect((await handle.facts.get('employer'))?.value).not.toBe(`Company${index}`);
        reading.push(await cpuTimeOf(() => varve.drain()));
        expect((await handle.facts.get('employer'))?.value).toBe(`Company${index}`);
        clock.advance(MINUTE);
      }
      // The least processor time of a whole drain, which also polls the schedules and the queue, divided by the time to log an exchange on
      // this machine and database. Measured values are 25 to 28; most of the time is the local model's.
      expect(Math.min(...reading) / Math.min(...logging)).toBeLessThan(40);
    });

    it('[K8] [K17] [E11] a failed reading is only a warning: the exchange is still logged and answered', async () => {
      const warned = vi.fn();
      process.on('warning', warned);
      const source = createIdSource(systemClock);
      const ids = {
        next(prefix: Parameters<typeof source.next>[0]): string {
          if (prefix === 'mem') throw new Error('no memories today');
          return source.next(prefix);
        },
      };
      const { varve: other } = await openForming(options, { ids });
      const handle = other.for({ tenant: 'inline', user: 'failing', session: 's' });
      expect(await handle.logInteraction({ userMessage: 'I live in Linz now.', agentResponse: 'Nice.' })).toMatchObject(
        {
          logged: true,
        },
      );
      await other.drain();
      await expect.poll(() => warned.mock.calls.flat().map(String).join()).toContain('no memories today');
      process.off('warning', warned);
      expect((await handle.events.list({ waiting: true })).items).toHaveLength(2);
      await other.close();
    });

    it('[T16] [Q3] the later formation of the session duplicates nothing and undoes nothing', async () => {
      const handle = fresh();
      await say(
        handle,
        'I live in Linz now.',
        'I moved to Graz.',
        "I'm allergic to walnuts.",
        'My name is Orla Byrne.',
      );
      const [, allergy] = [null, await handle.facts.get('allergy')];
      await handle.memories.revise(allergy?.id ?? '', { content: 'Is allergic to walnuts, the doctor says' });
      const before = (await liveStatements(handle)).map(({ id, content, version }) => [id, content, version]);
      await handle.session.close();
      await varve.drain();
      expect((await liveStatements(handle)).map(({ id, content, version }) => [id, content, version])).toEqual(before);
      expect(await handle.session.get()).toMatchObject({ formedPosition: 8, messagesSinceFormation: 0 });
      expect((await handle.events.list({ waiting: true })).items).toEqual([]);
    });

    it('[T2] [T3] [T15] observations are events first, and become memories that yield to what the user says', async () => {
      const handle = varve.for({ tenant: 'inline', user: 'observed', session: 's', connection: 'jira' });
      const event = await handle.recordObservation('User prefers short emails.', 'preference');
      expect(event).toMatchObject({
        kind: 'observation',
        origin: 'agent',
        category: 'preference',
        processedAt: null,
        metadata: { source: 'chat', session: 's', connection: 'jira' },
      });
      await handle.recordObservation('User works at Tarn Valley.', 'fact');
      await expect(handle.recordObservation('x', 'rumour' as never)).rejects.toMatchObject({ code: 'invalid_input' });
      await varve.drain();
      const { items } = await handle.memories.list({ order: 'oldest' });
      expect(items.map(({ type, content, trust, sourceType }) => [type, content, trust, sourceType])).toEqual([
        ['preference', 'User prefers short emails.', 'medium', 'conversation'],
        ['fact', 'User works at Tarn Valley.', 'medium', 'conversation'],
      ]);
      // A correction replaces the earlier observation, and no observation of the agent outranks the user.
      clock.advance(MINUTE);
      await handle.recordObservation('User works at Sable Point.', 'correction');
      await varve.drain();
      expect(await texts(handle, ['fact'])).toEqual(['User works at Sable Point.']);
      clock.advance(MINUTE);
      await handle.observe({ content: 'I work at Halden Foods.' });
      await varve.drain();
      clock.advance(MINUTE);
      await handle.recordObservation('User works at Umbra Lane.', 'correction');
      await varve.drain();
      expect((await handle.facts.get('employer'))?.value).toBe('Halden Foods');
      expect((await liveStatements(handle)).filter(({ attribute }) => attribute === 'employer')).toHaveLength(1);
      const outranked = (await handle.memories.list({ archived: 'only' })).items.map(({ content }) => content);
      expect(outranked).toContain('User works at Umbra Lane.');
    });

    it('[T4] [T21] [X3] autonomous work: an event for each key and item; it yields to the chat and to the user (F6)', async () => {
      const handle = varve.for({ tenant: 'inline', user: 'autonomous', session: 's' });
      await handle.recordObservation('User works at Tarn Valley.', 'fact');
      await varve.drain();
      await say(handle, 'I live in Linz now.');
      const events = await handle.updateUserContext({
        scaffoldUpdates: { Role: 'Engineering Manager', Projects: { dam: 'active' } },
        persistentInfoAdditions: ['User works at Umbra Lane.', 'User lives in Graz.', 'User reads mail at noon.'],
      });
      expect(events.map(({ category, content }) => [category, content])).toEqual([
        ['scaffold_update', 'Role: Engineering Manager'],
        ['scaffold_update', 'Projects: {"dam":"active"}'],
        ['learned_fact', 'User works at Umbra Lane.'],
        ['learned_fact', 'User lives in Graz.'],
        ['learned_fact', 'User reads mail at noon.'],
      ]);
      expect(events[1]?.metadata).toMatchObject({ source: 'autonomous', key: 'Projects', value: { dam: 'active' } });
      await varve.drain();
      expect(await texts(handle)).toEqual(['User works at Tarn Valley.', 'Lives in Linz', 'User reads mail at noon.']);
      const losers = (await handle.memories.list({ archived: 'only', order: 'oldest' })).items;
      expect(losers.map(({ content, archiveReason, sourceType }) => [content, archiveReason, sourceType])).toEqual([
        ['User works at Umbra Lane.', 'contradicted', 'inference'],
        ['User lives in Graz.', 'contradicted', 'inference'],
      ]);
      // Statements from autonomous work are marked as such (F16).
      const [mail] = (await handle.memories.list({ order: 'newest' })).items;
      // Nobody has confirmed what autonomous work read in an inbox, so it is marked wherever it is shown (F16).
      expect(mail).toMatchObject({ sourceType: 'inference', trust: 'low', statedBy: 'agent', permanent: false });
      // The events wait for the consolidation of the tiers.
      const waiting = (await handle.events.list({ waiting: true })).items;
      expect(waiting.filter(({ kind }) => kind === 'observation')).toHaveLength(6);
      await expect(handle.updateUserContext({})).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it('[T21] secrets are dropped, card numbers redacted, health marked: as set, also in the log', async () => {
      const handle = fresh();
      await say(
        handle,
        'My password is hunter2!!',
        'Remember that my api key is sk-live-abcdef1234567890abcdef.',
        'Remember that my card number is 4111 1111 1111 1111.',
        'I am allergic to walnuts.',
      );
      const { items } = await handle.memories.list({ limit: 100 });
      expect(JSON.stringify(items)).not.toMatch(/hunter2|sk-live|4111/);
      expect(items.find(({ attribute }) => attribute === 'allergy')?.tags).toContain('sensitive:health');
      // The log does not contain them either, unless a setting keeps it raw.
      expect(JSON.stringify((await handle.events.list()).items)).not.toMatch(/hunter2|sk-live|4111/);
      // A statement that was refused for privacy is listed without its text.
      const refused = (await handle.refusals.list()).items;
      expect(JSON.stringify(refused)).not.toMatch(/hunter2|sk-live|4111/);

      const network = { type: 'fact', content: 'Uses a fast network', attribute: 'wifi_password' };
      const { memory } = await handle.memories.create({ ...network, value: 'hunter2' });
      const revised = await handle.memories.revise(memory.id, { value: 'hunter2', content: 'Types hunter2 into it' });
      expect([memory, revised].map(({ value }) => value)).toEqual(['[password removed]', '[password removed]']);
      expect(revised.content).toBe('Types [password removed] into it');

      const { varve: raw } = await openForming(options, { formation: { redactEvents: false } });
      const kept = raw.for({ tenant: 'inline', user: 'raw', session: 's' });
      await kept.logInteraction({ userMessage: 'My password is hunter2!!', agentResponse: 'ok' });
      await raw.drain();
      expect(JSON.stringify((await kept.events.list()).items)).toContain('hunter2');
      expect(JSON.stringify((await kept.memories.list()).items)).not.toContain('hunter2');
      await raw.close();

      const { varve: strict } = await openForming(options, {
        formation: { redactEvents: true, privacy: { health: 'drop', card: 'keep' } },
      });
      const other = strict.for({ tenant: 'inline', user: 'strict', session: 's' });
      await other.logInteraction({
        userMessage: 'My password is hunter2!! and I am allergic to walnuts. My card number is 4111 1111 1111 1111.',
        agentResponse: 'ok',
      });
      await strict.drain();
      expect(JSON.stringify((await other.events.list()).items)).not.toMatch(/hunter2/);
      expect(JSON.stringify((await other.memories.list()).items)).not.toContain('walnuts');
      await strict.close();
    });

    it('[E10] [Q3] formation starts at 45 messages, at 1,000 weighted tokens, every N messages, when cold and when closed', async () => {
      const waiting = async (handle: Handle): Promise<string[]> => {
        const store = await openStore(options);
        const rows = await store.read(EVERY_TENANT, (reader) =>
          reader
            .selectFrom('jobs')
            .select(['kind', 'payload'])
            .where('state', '=', 'waiting')
            .where('kind', '=', 'form')
            .execute(),
        );
        await store.close();
        return rows.filter(({ payload }) => payload.includes(`"${handle.scope.user}"`)).map(({ kind }) => kind);
      };
      const many = fresh();
      await many.observe(Array.from({ length: 44 }, () => ({ content: 'ok' })));
      expect(await waiting(many)).toEqual([]);
      await many.observe({ content: 'ok' });
      expect(await waiting(many)).toEqual(['form']);

      const long = fresh();
      const words = 'apple banana cherry '.repeat(200);
      await long.observe([{ content: words }, { content: words }, { content: words }]);
      expect(await waiting(long)).toEqual([]);
      await long.observe({ content: 'and that is four', origin: 'agent' });
      expect(await waiting(long)).toEqual(['form']);

      const agents = fresh();
      await agents.observe(
        Array.from({ length: 5 }, () => ({ content: 'apple banana cherry '.repeat(60), origin: 'agent' as const })),
      );
      expect(await waiting(agents)).toEqual([]);

      const { varve: often } = await openForming(options, { clock, formation: { triggers: { messages: 6 } } });
      const every = often.for({ tenant: 'inline', user: 'every-six', session: 's' });
      await every.observe(Array.from({ length: 5 }, () => ({ content: 'ok' })));
      expect(await waiting(every)).toEqual([]);
      await every.observe({ content: 'ok' });
      expect(await waiting(every)).toEqual(['form']);
      await often.close();

      const quiet = fresh();
      await quiet.observe(Array.from({ length: 4 }, () => ({ content: 'I like tea.' })));
      await varve.drain();
      expect(await quiet.session.get()).toMatchObject({ formedPosition: 0 });
      clock.advance(11 * MINUTE);
      await varve.drain();
      await varve.drain();
      expect(await quiet.session.get()).toMatchObject({ formedPosition: 4 });

      const short = fresh();
      await short.observe({ content: 'Bye' });
      await varve.drain();
      expect(await short.session.get()).toMatchObject({ formedPosition: 0 });
      await short.session.close();
      await varve.drain();
      expect(await short.session.get()).toMatchObject({ formedPosition: 1 });
    });
  });

  describe.skipIf(database.skip !== null)(`background work after a conversation on ${database.name}`, () => {
    it('[K9] a quiet session is summarised by topic after 30 minutes; every message postpones this; topics are upserted', async () => {
      const { options, drop } = await database.create();
      const server = await startProtocolServer();
      const { varve, clock } = await openForming(options, {
        server,
        // The session is formed only by its summary.
        formation: { reflections: false, writes: 'deferred', triggers: { coldAfter: 24 * HOUR } },
      });
      const handle = varve.for({ user: 'ana', session: 's' });
      const answer = (summary: string): void =>
        server.otherwise({
          chat: answering({
            read: reading({
              topics: [
                { topic: 'Trip to Bergen', summary },
                {
                  topic: 'Elvis',
                  summary: 'On the line today there was a long call with Elvis Presley about a hotel and breakfast.',
                },
                { topic: 'Hotel', summary: 'Which hotel to take was asked.' },
                { topic: 'A fourth topic', summary: 'The hotel again.' },
              ],
            }),
          }),
        });
      answer('User plans a trip to Bergen in May.');
      await handle.logInteraction({ userMessage: 'I plan a trip to Bergen in May.', agentResponse: 'Nice!' });
      clock.advance(29 * MINUTE);
      await handle.logInteraction({ userMessage: 'Which hotel would you take?', agentResponse: 'The small one.' });
      clock.advance(29 * MINUTE);
      await varve.drain();
      expect(tasksAsked(server)).toEqual([]);
      clock.advance(2 * MINUTE);
      await varve.drain();
      expect(tasksAsked(server)).toEqual(['read']);
      const titles = async (): Promise<(string | null)[]> =>
        (await handle.memories.list({ types: ['summary'], order: 'oldest' })).items.map(({ title }) => title);
      // There are at most three topics, and none with a name that nobody said.
      expect(await titles()).toEqual(['Summary: Trip to Bergen', 'Summary: Hotel']);

      answer('User booked the small hotel in Bergen, near quay Sk4b.');
      clock.advance(HOUR);
      await handle.logInteraction({ userMessage: 'I booked the small hotel in Bergen.', agentResponse: 'Great.' });
      await handle.logInteraction({ userMessage: 'For three nights, near quay SK4B.', agentResponse: 'Noted.' });
      clock.advance(31 * MINUTE);
      await varve.drain();
      expect(promptsOf(server).at(-1)).toContain('Trip to Bergen: User plans a trip to Bergen in May.');
      expect(await titles()).toEqual(['Summary: Trip to Bergen', 'Summary: Hotel']);
      const [bergen] = (await handle.memories.list({ types: ['summary'], order: 'oldest' })).items;
      // The earlier lines of the topic’s summary stay, whether the model repeats them or not.
      const day = bergen?.createdAt.toISOString().slice(0, 10);
      const both = `User plans a trip to Bergen in May. (as of ${day})\nUser booked the small hotel in Bergen, near quay Sk4b.`;
      expect(bergen).toMatchObject({ content: both, version: 2 });

      // A single exchange is not a topic.
      answer('User said hello in Bergen.');
      clock.advance(5 * HOUR);
      await handle.logInteraction({ userMessage: 'Hello from Bergen', agentResponse: 'Hi' });
      clock.advance(31 * MINUTE);
      await varve.drain();
      expect((await handle.memories.get(bergen?.id ?? ''))?.content).toBe(both);
      await varve.close();
      await server.close();
      await drop();
    });

    it('[K9] without a model the summary of a long session contains the news of its beginning', async () => {
      const { options, drop } = await database.create();
      const { varve, clock } = await openForming(options);
      const handle = varve.for({ user: 'ana', session: 's' });
      const say = (line: string): Promise<unknown> =>
        handle.logInteraction({ userMessage: line, agentResponse: 'I see.' });
      await say('I live in Hobart now, and I work at Derwent Boats.');
      for (let turn = 0; turn < 60; turn += 1) await say('Ok.');
      clock.advance(31 * MINUTE);
      await varve.drain();
      const { items } = await handle.memories.list({ types: ['summary'] });
      expect(items.map(({ content }) => content).join('\n')).toMatch(/: “I live in Hobart now/);
      expect(items[0]?.title).toMatch(/^Summary: I live in Hobart/);
      await varve.close();
      await drop();
    });

    it('[K9] without a model the topics are dated quotations, within the limits', async () => {
      const { options, drop } = await database.create();
      const { varve, clock } = await openForming(options);
      const handle = varve.for({ user: 'ana', session: 's' });
      const say = (line: string): Promise<unknown> =>
        handle.logInteraction({ userMessage: line, agentResponse: 'I see.' });
      await say('How far is Murano from here?');
      clock.advance(4 * HOUR);
      await say('The ferry to Burano leaves at nine.');
      await say(`The lace museum on Burano is closed on Mondays. ${'Very long. '.repeat(60)}`);
      await say('My sister Anna lives on Burano.');
      await say('I am allergic to walnuts.');
      clock.advance(31 * MINUTE);
      await varve.drain();
      const { items } = await handle.memories.list({ types: ['summary'] });
      expect(items.length).toBeGreaterThan(0);
      expect(items.length).toBeLessThanOrEqual(3);
      const all = items.map(({ content }) => content).join('\n');
      expect(all).toContain('Burano');
      expect(all).not.toContain('Murano');
      expect(Math.max(...all.split('\n').map((line) => line.length))).toBeLessThan(400);
      await varve.close();
      await drop();
    });

    it('[L7] [X2] near-duplicates are merged: the more specific text is kept, and the higher importance is raised a little', async () => {
      const { options, drop } = await database.create();
      // For this embedder, texts that share words are similar.
      const embedder = functionEmbedder({
        id: 'words@merge',
        dimensions: 64,
        embed: async (all) => all.map((each) => wordVector(each)),
      });
      const { varve, clock } = await openForming(options, { embedder, formation: { thresholds: { same: 0.87 } } });
      const handle = varve.for({ user: 'ana', session: 's' });
      const create = (type: string, content: string, importance: number, given: object = {}): Promise<unknown> =>
        handle.memories.create({ type, content, importance, ...given });
      const validFrom = new Date('2026-03-01T00:00:00Z');
      await create('preference', 'User prefers short blog posts about Nordic baking and jam', 0.6, { validFrom });
      await create('preference', 'User prefers short weekly blog posts about Nordic baking and jam', 0.8);
      await create('fact', 'User prefers short blog posts about Nordic baking, jam', 0.8);
      await create('preference', 'User prefers short blog posts about Greek baking and jam', 0.6);
      // Forming statements from this exchange enqueues the job that merges near-duplicates.
      await handle.logInteraction({ userMessage: 'I live in Linz now.', agentResponse: 'I see.' });
      await varve.drain();
      clock.advance(6 * MINUTE);
      await varve.drain();
      const { items } = await handle.memories.list({ types: ['preference'], order: 'oldest' });
      expect(items.map(({ content, importance }) => [content, importance])).toEqual([
        ['User prefers short weekly blog posts about Nordic baking and jam', 0.85],
        ['User prefers short blog posts about Greek baking and jam', 0.6],
      ]);
      expect(items[0]).toMatchObject({ validFrom });
      const [merged] = (await handle.memories.list({ archived: 'only' })).items;
      expect(merged).toMatchObject({ archiveReason: 'merged', contradictedBy: items[0]?.id });
      await varve.close();
      await drop();
    });

    it('[L7] [L14] a positive outcome raises what is related to the decision by 0.1, once', async () => {
      const { options, drop } = await database.create();
      const { varve } = await openForming(options);
      const handle = varve.for({ user: 'ana' });
      const create = async (content: string): Promise<string> =>
        (await handle.memories.create({ type: 'fact', content, importance: 0.5 })).memory.id;
      const related = await create('Recipe posts get more views.');
      const other = await create('User has a cat.');
      const good = await handle.decisions.record({ content: 'Suggested a recipe post' });
      await handle.decisions.recordOutcome(good.id, { content: 'The post got 340 views', effect: 'positive' });
      const bad = await handle.decisions.record({ content: 'Suggested another recipe post with more views' });
      await handle.decisions.recordOutcome(bad.id, { content: 'nobody read it', effect: 'negative' });
      await varve.drain();
      await varve.drain();
      expect((await handle.memories.get(related))?.importance).toBeCloseTo(0.6);
      expect((await handle.memories.get(other))?.importance).toBe(0.5);
      await varve.close();
      await drop();
    });

    it('[E11] [K8] formation runs in the background, and closing finishes waiting jobs', async () => {
      const { options, drop } = await database.create();
      const { varve } = await openForming(options, { background: true, clock: undefined });
      const handle = varve.for({ user: 'ana', session: 's' });
      await handle.logInteraction({ userMessage: 'I live in Linz now.', agentResponse: 'Nice.' });
      await vi.waitFor(async () => expect((await handle.facts.get('home_city'))?.value).toBe('Linz'), 10_000);
      await handle.logInteraction({ userMessage: 'I work at Halden Foods.', agentResponse: 'Nice.' });
      await varve.close();
      const { varve: again } = await openForming(options);
      expect((await again.for({ user: 'ana' }).facts.get('employer'))?.value).toBe('Halden Foods');
      await again.close();
      await drop();
    });

    // PGlite runs within this process, so no other process can open it.
    it.skipIf(database.name === 'PGlite')('a script without close() ends, after its exchange was read', async () => {
      const { options, drop } = await database.create();
      const child = startChildFromSource('short-script', JSON.stringify(options));
      expect(await child.ended).toBe(0);
      const { varve } = await openForming(options);
      const handle = varve.for({ user: 'ana' });
      expect((await handle.facts.get('home_city'))?.value).toBe('Linz');
      expect(await handle.contexts()).toHaveLength(1);
      await varve.close();
      await drop();
    });

    it('[Q5] [X2] [E5] candidates come by meaning, all statements in one batch; while the embedder is down, by words', async () => {
      const { options, drop } = await database.create();
      const server = await startProtocolServer();
      const batches: string[][] = [];
      let isDown = false;
      const embedder = functionEmbedder({
        id: 'words@form',
        retries: 0,
        dimensions: 64,
        embed: async (all) => {
          batches.push([...all]);
          if (isDown) throw new Error('down');
          // For this embedder, two statements about the same animal are similar, whatever their words.
          return all.map((each) => wordVector(each.replace(/hound|canine/g, 'pet').replace(/owns|keeps/g, 'has')));
        },
      });
      const { varve } = await openForming(options, {
        embedder,
        server,
        formation: { writes: 'deferred', reflections: false, limits: { existing: 0 } },
      });
      const handle = varve.for({ user: 'ana', session: 's' });
      const { memory } = await handle.memories.create({
        type: 'personal',
        content: 'User keeps a hound.',
        sourceType: 'conversation',
      });
      await varve.drain();
      batches.length = 0;
      await handle.observe([{ content: 'I own a canine.' }, { content: 'I play bridge on Sundays.' }]);
      server.otherwise({
        chat: answering({
          read: reading({
            statements: [
              item({ type: 'personal', text: 'User owns a canine.', turn: 1, quote: 'I own a canine' }),
              item({
                type: 'personal',
                tense: 'habit',
                text: 'User plays bridge on Sundays.',
                turn: 2,
                quote: 'I play bridge on Sundays',
              }),
            ],
          }),
          decide: { decisions: [{ fact: 1, action: 'NONE', known: 1, text: null }] },
        }),
      });
      const formed = await handle.form();
      expect(batches.filter((batch) => batch.includes('User owns a canine.'))).toEqual([
        ['User owns a canine.', 'User plays bridge on Sundays.'],
      ]);
      expect(tasksAsked(server)).toEqual(['read', 'decide']);
      expect(formed).toMatchObject({ confirmed: [memory.id], added: [expect.any(String)] });

      isDown = true;
      await handle.observe([{ content: 'I play bridge on Sundays.' }, { content: 'I live in Linz now.' }]);
      server.otherwise({
        chat: answering({
          read: reading({
            statements: [
              item({
                type: 'personal',
                tense: 'habit',
                text: 'User plays bridge on Sundays.',
                turn: 1,
                quote: 'I play bridge on Sundays',
              }),
              item({ text: 'User lives in Linz.', turn: 2, quote: 'I live in Linz' }),
            ],
          }),
        }),
      });
      expect(await handle.form()).toMatchObject({ confirmed: formed.added, added: [expect.any(String)] });
      await varve.close();
      await server.close();
      await drop();
    });
  });
}
