import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { StoreOptions } from '../src/store/open-store.ts';
import type { Varve } from '../src/varve.ts';
import { cpuTimeOf } from './cpu-time.ts';
import { countOn, databases } from './databases.ts';
import { answering, item, openForming, promptsOf, reading } from './form-model.ts';
import { startProtocolServer } from './protocol-server.ts';

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`[X1] records of what was forgotten on ${database.name}`, () => {
    let varve: Varve;
    let clock: ManualClock;
    let kim: Handle;
    let options: StoreOptions;
    let drop: () => Promise<void>;
    beforeEach(async () => {
      ({ options, drop } = await database.create());
      ({ varve, clock } = await openForming(options, { formation: { writes: 'immediate' } }));
      kim = varve.for({ agent: 'a', user: 'kim', session: 's' });
    });
    afterEach(async () => {
      await varve.close();
      await drop();
    });
    const say = async (userMessage: string, agentResponse = 'Okay.'): Promise<void> => {
      await kim.logInteraction({ userMessage, agentResponse });
      await varve.drain();
      clock.advance(MINUTE);
    };
    const log = async (): Promise<string> =>
      (await kim.events.list({ order: 'oldest' })).items.map(({ content }) => content.trim()).join('|');
    const known = async (): Promise<string[]> =>
      (await kim.memories.list()).items.map(({ value, content }) => value ?? content).toSorted();

    it('contain the statement, the position of its words, the requester and the time; the rest of the turn stays', async () => {
      await say('My salary is 52k. We had soup today.');
      await say('Forget my salary.');
      const [record, ...others] = await kim.forgotten.list();
      expect(others).toEqual([]);
      const [turn, , request] = (await kim.events.list({ order: 'oldest' })).items;
      expect(record).toMatchObject({ as: 'forgotten', attribute: 'salary', value: '52k', subject: 'User', by: 'user' });
      expect(record).toMatchObject({ request: request?.id, at: request?.occurredAt, saidAgainAt: null });
      expect(record?.spans).toContainEqual({ event: turn?.id, start: 0, end: 'My salary is 52k.'.length });
      expect(turn?.content).toBe(`${' '.repeat('My salary is 52k.'.length)} We had soup today.`);
      expect(request?.content.trim()).toBe('');
    });

    it('restore everything, by the id of a record or of a memory', async () => {
      await say('I work at Halden Foods.', 'Halden Foods, nice.');
      await say('My salary is 52k.');
      const before = await log();
      const [memory] = (await kim.memories.list({ attributes: ['employer'] })).items;
      await kim.facts.forget('employer');
      await kim.memories.forget((await kim.facts.get('salary'))?.id ?? '');
      expect(await log()).not.toMatch(/Halden|52k/);
      expect(await known()).toEqual([]);
      await kim.memories.restore(memory?.id ?? '');
      expect(await log()).toContain('Halden Foods, nice.');
      for (const { id } of await kim.forgotten.list()) await kim.forgotten.restore(id);
      expect(await log()).toBe(before);
      expect(await known()).toEqual(['52k', 'Halden Foods']);
      expect((await kim.recall('Halden', { mode: 'text' })).results.length).toBeGreaterThan(0);
    });

    it('remove an entity also from archived memories, which can be restored and changed', async () => {
      const { id } = await kim.entities.add({ type: 'person', name: 'Ralf Huber' });
      const other = await kim.entities.add({ type: 'organisation', name: 'Halden Foods' });
      const { memory: old } = await kim.memories.create({
        type: 'fact',
        content: 'The boss plays golf with Halden Foods.',
        entities: [id, other.id],
      });
      await kim.memories.archive(old.id);
      const boss = { type: 'fact', content: 'Ralf Huber is the boss.', attribute: 'boss', value: 'Ralf Huber' };
      const { memory } = await kim.memories.create({ ...boss, entities: [id] });
      await kim.memories.forget(memory.id);
      expect((await kim.entities.list()).map(({ name }) => name)).toEqual(['Halden Foods']);
      expect((await kim.memories.restore(old.id)).entities).toEqual([other.id]);
      const revised = await kim.memories.revise(old.id, { content: 'The boss plays golf.', entities: [other.id] });
      expect(revised.entities).toEqual([other.id]);
    });

    it('restore their words without removing those of a completed intention', async () => {
      const turn = 'Remind me to water the fig on Friday. I work at Halden Foods.';
      await say(turn);
      const [intention] = await kim.intentions.list();
      expect(intention?.quotes).not.toEqual([]);
      await kim.intentions.done(intention?.id ?? '');
      await kim.facts.forget('employer');
      expect(await log()).not.toContain('Halden');
      const record = (await kim.forgotten.list()).find(({ as }) => as === 'forgotten');
      await kim.forgotten.restore(record?.id ?? '');
      expect(await log()).toContain(turn);
    });

    it('do not prevent the user from stating it again, and the assistant may then repeat it', async () => {
      await say('I live in Linz.', 'Linz is lovely.');
      await say('Please forget where I live.', 'Done, Linz is forgotten.');
      await say('What a day.', 'In Linz it rains. Take care.');
      expect(await log()).not.toContain('Linz');
      expect(await log()).toContain('Take care.');
      await say('I live in Linz.', 'Ah, Linz.');
      expect(await known()).toEqual(['Linz']);
      expect(await log()).toContain('Ah, Linz.');
      expect((await kim.forgotten.list()).map(({ saidAgainAt }) => saidAgainAt)).not.toContain(null);
    });

    it.each([
      ['Do you still know about Brevik Marine? I hope not.', false],
      ['Weißt du noch etwas über Brevik Marine?', false],
      ['¿Te acuerdas de Brevik Marine?', false],
      ['Have you really forgotten my time at Brevik Marine?', false],
      ['Tu te souviens encore de Brevik Marine ?', false],
      ['Ben je Brevik Marine vergeten?', false],
      ['Ti ricordi ancora di Brevik Marine?', false],
      ['Você ainda se lembra da Brevik Marine?', false],
      ['Brevik Marine のことを覚えていますか？', false],
      ['你还记得 Brevik Marine 吗？', false],
      ['Brevik Marine has hired me again, what do you say?', true],
      ['Do you have a minute? I am back at Brevik Marine.', true],
      ['Could you write down that Brevik Marine employs me once more?', true],
      ['Do you remember that I am with Brevik Marine once more?', true],
      ['Have I mentioned that Brevik Marine has me back?', true],
      ['How do I ask my manager at Brevik Marine for a desk by the window?', true],
      ['Kannst du dir notieren, dass mich Brevik Marine wieder beschäftigt?', true],
      ['¿Puedes anotar que trabajo otra vez en Brevik Marine?', true],
      ['Weet je nog dat ik weer bij Brevik Marine werk?', true],
      ['Tu te souviens encore que je travaille chez Brevik Marine ?', true],
      ['你忘记了我又在 Brevik Marine 上班了吗？', true],
    ])('hide the statement until it is stated again: "%s" states it: %s', async (turn, isAgain) => {
      await say('I work at Brevik Marine.');
      await kim.facts.forget('employer');
      clock.advance(MINUTE);
      await say(turn, 'You work at Brevik Marine. Good luck.');
      const [record] = await kim.forgotten.list();
      expect(record?.saidAgainAt !== null).toBe(isAgain);
      expect((await log()).includes('You work at Brevik Marine.')).toBe(isAgain);
      expect(await log()).toContain('Good luck.');
    });

    it.each([
      ['Forget my salary.', 'Actually, keep it.'],
      ['Vergiss mein Gehalt.', 'Doch, behalt es.'],
      ['Oublie mon salaire.', 'Finalement, garde-le.'],
      ['Vergeet mijn salaris.', 'Bij nader inzien, onthoud het maar.'],
    ])('are removed when the request "%s" is withdrawn: %s', async (request, back) => {
      await say('My salary is 52k.');
      await say(request);
      expect(await known()).toEqual([]);
      await say(back);
      expect(await known()).toEqual(['52k']);
      expect(await kim.forgotten.list()).toEqual([]);
      expect(await log()).toContain('My salary is 52k.');
      await kim.session.close();
      await varve.drain();
      expect(await known()).toEqual(['52k']);
    });

    it('restore a past event with an end when the request is withdrawn', async () => {
      const content = 'Sailed around Corsica.';
      const validTo = new Date(clock.now() - 30 * 24 * 60 * MINUTE);
      await kim.memories.create({ type: 'fact', content, tense: 'happened', validTo });
      await say('Please forget that I sailed around Corsica.');
      expect(await known()).toEqual([]);
      await say('Actually, keep it.');
      expect(await known()).toEqual([content]);
      expect(await kim.forgotten.list()).toEqual([]);
    });

    it('[K9] keep the other sentences and clauses of a topic, under another title', async () => {
      await varve.close();
      const server = await startProtocolServer();
      const talk = 'Doreen Quigg runs the cards at the Orange Hall, and Gord drives me home.';
      const statements = [
        item({
          text: "User's friend Doreen Quigg runs the card evenings.",
          attribute: 'friend',
          value: 'Doreen Quigg',
          turn: 1,
          quote: 'Doreen Quigg runs the cards',
        }),
      ];
      const summary = 'User plays cards at the Orange Hall; Doreen Quigg runs the evenings. Gord drives User home.';
      const topics = [{ topic: 'Cards with Doreen Quigg', summary }];
      server.otherwise({ chat: answering({ read: reading({ statements, topics }) }) });
      ({ varve, clock } = await openForming(options, {
        server,
        clock,
        formation: { writes: 'deferred', summaries: true },
      }));
      kim = varve.for({ agent: 'a', user: 'kim', session: 's' });
      await kim.logInteraction({ userMessage: talk, agentResponse: 'Good.' });
      await kim.logInteraction({ userMessage: 'That was all.', agentResponse: 'Good.' });
      const { added, topics: ids, refused } = await kim.form();
      expect(refused).toEqual([]);
      const [id = ''] = ids;
      expect((await kim.memories.get(id))?.title).toBe('Summary: Cards with Doreen Quigg');
      await kim.memories.forget(added[0] ?? '');
      expect(await kim.memories.get(id)).toMatchObject({
        archivedAt: null,
        title: 'Summary: User plays cards at the Orange',
        content: 'User plays cards at the Orange Hall. Gord drives User home.',
      });
      expect(JSON.stringify(await kim.memories.history(id))).not.toContain('Doreen');
      await server.close();
    });

    it('are removed when a model reads that the request is withdrawn, in words that the local reader does not know', async () => {
      await say('My salary is 52k.');
      await say('Forget my salary.');
      expect(await known()).toEqual([]);
      await varve.close();
      const server = await startProtocolServer();
      const back = 'I was too hasty there, that figure may stay with you';
      const forgets = [{ about: 'the salary', turn: 1, quote: back, known: [], taken_back: true }];
      server.otherwise({ chat: answering({ read: reading({ forgets }) }) });
      ({ varve, clock } = await openForming(options, { server, clock, formation: { writes: 'deferred' } }));
      kim = varve.for({ agent: 'a', user: 'kim', session: 's' });
      await kim.logInteraction({ userMessage: `${back}.`, agentResponse: 'Good.' });
      const formed = await kim.form();
      expect(formed).toMatchObject({ refused: [], restored: [expect.stringMatching(/^mem_/)] });
      // The prompt must say that there is such an answer.
      expect(promptsOf(server, 'system')[0]).toContain('taken_back');
      expect(await known()).toEqual(['52k']);
      expect(await log()).toContain('My salary is 52k.');
      expect(await kim.forgotten.list()).toEqual([]);
      await server.close();
    });

    it('are removed weeks later only if the reader names what was forgotten', async () => {
      await say('My salary at the mill is 52k.');
      await say('Forget my salary.');
      await kim.session.close();
      await varve.drain();
      await varve.close();
      const server = await startProtocolServer();
      const back = 'You may put back what I had you strike out';
      const reads = (about: string): void => {
        const forgets = [{ about, turn: 1, quote: back, known: [], taken_back: true }];
        server.otherwise({ chat: answering({ read: reading({ forgets }) }) });
      };
      ({ varve, clock } = await openForming(options, { server, clock, formation: { writes: 'deferred' } }));
      for (const [about, restored] of [
        ['what was struck out', 0],
        ["User's salary at the mill", 1],
      ] as const) {
        reads(about);
        kim = varve.for({ agent: 'a', user: 'kim', session: `later ${restored}` });
        await kim.logInteraction({ userMessage: `${back}.`, agentResponse: 'Good.' });
        expect((await kim.form()).restored.length > 0).toBe(restored > 0);
      }
      expect(await known()).toContain('My salary at the mill is 52k.');
      await server.close();
    });

    it('do not affect another statement that names the same thing', async () => {
      await say('I work at Halden Foods.');
      await say('My sister Ana works at Halden Foods.');
      const sisters = (await kim.memories.list()).items.filter(({ content }) => content.includes('Ana'));
      await kim.facts.forget('employer');
      expect(sisters).toHaveLength(1);
      expect(await log()).toContain('My sister Ana works at Halden Foods.');
      expect(await log()).not.toContain('I work at Halden');
    });

    it.each(['done', 'dismissed'] as const)(
      'prevent an intention that is %s from being formed again',
      async (state) => {
        await say('Remind me to call the dentist on Friday.');
        const [intention] = await kim.intentions.list();
        expect(intention?.type).toBe('intention');
        await (state === 'done'
          ? kim.intentions.done(intention?.id ?? '')
          : kim.intentions.dismiss(intention?.id ?? ''));
        await kim.session.close();
        await varve.drain();
        await kim.reflect();
        expect(await kim.intentions.list()).toEqual([]);
        // The words of the intention are history, and stay.
        expect(await log()).toContain('call the dentist');
        expect(await kim.forgotten.list()).toMatchObject([{ as: state, memory: intention?.id }]);
        await say('Remind me to call the dentist on Monday.');
        expect(await kim.intentions.list()).toHaveLength(1);
      },
    );

    it('prevent a completed intention from being formed again by a model that reads the same words later', async () => {
      await say('Remind me to call the dentist on Friday.');
      const [intention] = await kim.intentions.list();
      await kim.intentions.done(intention?.id ?? '');
      await varve.close();
      const server = await startProtocolServer();
      const quote = 'call the dentist on Friday';
      const again = item({
        text: 'User wants to call the dentist.',
        type: 'intention',
        turn: 1,
        quote,
        due: '2026-11-20',
      });
      server.otherwise({ chat: answering({ read: reading({ statements: [again] }) }) });
      ({ varve, clock } = await openForming(options, { server, clock, formation: { writes: 'deferred' } }));
      kim = varve.for({ agent: 'a', user: 'kim', session: 's' });
      const formed = await kim.form();
      expect(formed.refused).toMatchObject([{ what: 'statement', reason: 'forgotten', text: null }]);
      expect(await kim.intentions.list()).toEqual([]);
      await server.close();
    });

    it('still apply when there are hundreds of newer records', { timeout: 60_000 }, async () => {
      await say('I work at Halden Foods.');
      await kim.facts.forget('employer');
      const then = new Date(clock.now());
      for (let index = 0; index < 210; index += 1) {
        clock.advance(MINUTE);
        const { id } = await kim.intentions.add({ text: `Water plant number ${index}` });
        await kim.intentions.done(id);
      }
      clock.advance(MINUTE);
      await say('What shall I wear?', 'At Halden Foods people wear suits.');
      expect(await log()).not.toContain('Halden');
      // This is the first reading of an old transcript.
      const old = varve.for({ ...kim.scope, session: 'old' });
      await old.observe({
        content: 'I work at Halden Foods.',
        occurredAt: new Date(then.getTime() - MINUTE),
      });
      await varve.drain();
      await old.form();
      expect(await kim.facts.get('employer')).toBeNull();
      expect((await kim.memories.list()).items.map(({ content }) => content).join()).not.toContain('Halden');
    });

    it('cost little when a long turn is recorded, however many there are', { timeout: 60_000 }, async () => {
      const lines = Array.from(
        { length: 600 },
        (_, index) => `Shelf ${index} holds jars with dried herbs from the valley.`,
      );
      const record = (user: string, session: string) =>
        varve.for({ agent: 'a', user, session }).observe({ origin: 'agent', content: lines.join(' ') });
      const count = countOn(database, { many: 150, few: 50 });
      for (let index = 0; index < count; index += 1) {
        const content = `Owes the cooper ${index} a barrel of grade Wexel${index}.`;
        await kim.memories.forget((await kim.memories.create({ type: 'fact', content })).memory.id);
      }
      for (const user of ['lea', 'kim']) await record(user, 'first');
      const without = await cpuTimeOf(() => record('lea', 'second'));
      const withRecords = await cpuTimeOf(() => record('kim', 'second'));
      expect(withRecords).toBeLessThan(3 * without + 150);
    });

    it('are also made if the text of a refused statement begins like JSON, and memories can then be erased', async () => {
      await varve.close();
      const server = await startProtocolServer();
      const unsaid = item({ text: '{Hobby: sailing} Kim sails at weekends.', turn: 1, quote: 'I sail every weekend' });
      server.otherwise({ chat: answering({ read: reading({ statements: [unsaid] }) }) });
      ({ varve, clock } = await openForming(options, { server, clock, formation: { writes: 'deferred' } }));
      kim = varve.for({ agent: 'a', user: 'kim', session: 's' });
      await kim.observe({ content: 'The wind was strong today.' });
      await kim.form();
      const refused = async (): Promise<(string | null)[]> => (await kim.refusals.list()).items.map(({ text }) => text);
      expect(await refused()).toEqual([unsaid.text]);
      const { memory: city } = await kim.memories.create({ type: 'fact', content: 'Kim lives in Linz.' });
      await kim.memories.forget(city.id);
      expect(await known()).toEqual([]);
      const { memory } = await kim.memories.create({ type: 'fact', content: 'Kim sails at weekends.' });
      expect(await refused()).toEqual([unsaid.text]);
      await kim.eraseMemory(memory.id);
      expect(await refused()).toEqual([]);
      await server.close();
    });

    it('also remove the numbers that identify the statement from data, and no others', async () => {
      const data = { income: 61300, months: [61300, 12], rooms: 3, spent: { rent: 900, tax: 61300.5 } };
      await kim.blocks.replace('scaffold', data);
      const { events } = await kim.observe({ content: 'Form sent.', metadata: { amount: 61300, pages: 4 } });
      const salary = { type: 'fact', content: 'Earns 61300 a year.', attribute: 'salary', value: '61300' };
      const { memory } = await kim.memories.create({ ...salary, sourceEvents: events.map(({ id }) => id) });
      await kim.memories.forget(memory.id);
      const left = { months: [12], rooms: 3, spent: { rent: 900, tax: 61300.5 } };
      expect((await kim.blocks.read('scaffold'))?.content).toEqual(left);
      expect((await kim.events.get(events[0]!.id))?.metadata).toEqual({ pages: 4 });
    });

    it('stay in the store: an export has no forgotten word', async () => {
      await say('I work at Halden Foods.', 'Halden Foods, nice.');
      await say('I live in Linz.');
      await kim.facts.forget('employer');
      const lines: string[] = [];
      for await (const line of varve.operator.export({ tenant: 'default' })) lines.push(JSON.stringify(line));
      expect(lines.join('\n')).toContain('Linz');
      expect(lines.join('\n')).not.toContain('Halden');
      expect(await kim.forgotten.list()).toMatchObject([{ attribute: 'employer' }]);
    });

    it('apply when an older export is imported', async () => {
      await say('I work at Halden Foods.');
      const lines = [];
      for await (const line of varve.operator.export({ tenant: 'default' })) lines.push(line);
      await kim.facts.forget('employer');
      await varve.operator.import(lines as never, {});
      await kim.form();
      expect(await known()).toEqual([]);
      expect(await log()).not.toContain('Halden');
    });

    it('are erased with their owner and with their session, and leave no word', async () => {
      await say('I work at Halden Foods.');
      await say('lol the swamp again');
      await say('Forget what I just said.');
      await kim.facts.forget('employer');
      expect(await kim.forgotten.list()).toHaveLength(2);
      await kim.erase();
      expect(await kim.forgotten.list()).toEqual([]);
      const alone = varve.for({ agent: 'a', user: 'kim' });
      expect((await alone.events.list()).items).toEqual([]);
    });
  });
}
