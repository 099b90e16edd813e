import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import { functionEmbedder } from '../src/models/embedder.ts';
import { DAY } from '../src/record/clock.ts';
import type { EventKind } from '../src/record/event.ts';
import { EVERY_TENANT } from '../src/store/database.ts';
import { hashIds } from '../src/store/erase.ts';
import { openStore, type StoreOptions } from '../src/store/open-store.ts';
import { changesAnswer, openConsolidation, type Opened, START } from './consolidate-fixture.ts';
import { databases } from './databases.ts';
import { item, reading } from './form-model.ts';
import { json, startProtocolServer, text } from './protocol-server.ts';

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`retention on ${database.name}`, () => {
    const opened: Opened[] = [];
    const open = async (
      given: Parameters<typeof openConsolidation>[1] = {},
    ): Promise<Opened & { store: StoreOptions }> => {
      const { options, drop } = await database.create();
      const same = { ...database, create: async () => ({ options, drop }) };
      const one = await openConsolidation(same, { formation: { writes: 'deferred' }, ...given });
      opened.push(one);
      return { ...one, store: options };
    };
    afterAll(async () => {
      for (const one of opened) await one.close();
    });

    it.each([
      [29, 0],
      [30, 1],
      [31, 1],
    ])('[X1] a memory that is kept for 30 days, on day %i: %i are erased, with a certificate', async (day, gone) => {
      const { varve, ana, clock } = await open({ consolidation: { retention: { context: 30 } } });
      const { memory } = await ana.memories.create({ type: 'context', content: 'User is in xylophonequartz today.' });
      await ana.memories.create({ type: 'fact', content: 'User lives in Berlin.' });
      clock.set(START + day * DAY);
      expect((await varve.maintain({ tenant: 't', dryRun: true })).retired).toEqual({ context: gone });
      expect(await ana.memories.get(memory.id)).not.toBeNull();
      expect((await varve.maintain({ tenant: 't' })).retired).toEqual({ context: gone });
      expect((await ana.memories.get(memory.id)) === null).toBe(gone === 1);
      expect((await ana.memories.list({ types: ['fact'] })).items).toHaveLength(1);
      const certificates = await ana.erasures();
      const runs = await varve.for({ tenant: 't', user: null }).consolidation.runs({ kinds: ['retention'] });
      expect([certificates.length, runs.length]).toEqual([gone, gone]);
      if (gone === 0) return;
      expect(certificates[0]).toMatchObject({ actor: 'retention', removed: 1, removedHash: hashIds([memory.id]) });
      expect(runs[0]).toMatchObject({
        status: 'done',
        read: { of: 'context', days: 30 },
        changed: { removed: 1, certificate: certificates[0]?.id },
      });
    });

    it.each([
      [29, 0],
      [30, 2],
      [31, 2],
    ])(
      '[X1] messages that are kept for 30 days, on day %i: %i are erased, and the memories from them stay',
      async (day, gone) => {
        const { varve, ana, of, clock, store } = await open({
          embedder: functionEmbedder({ id: 'one', dimensions: 2, embed: async (texts) => texts.map(() => [1, 0]) }),
          consolidation: { eventRetention: { message: 30 } },
        });
        const session = of('s1');
        const { events } = await session.observe([
          { content: 'My dog is called Xylophonequartz.' },
          { content: 'A fine name.', origin: 'agent' },
          { kind: 'tool_result', origin: 'tool', content: 'The weather is fine.' },
        ]);
        await session.session.close();
        await varve.drain();
        await varve.backfill({ tenant: 't' });
        const learned = (await ana.memories.list()).items.filter(({ sourceEvents }) => sourceEvents.length > 0);
        expect(learned).not.toEqual([]);
        clock.set(START + day * DAY);
        const left = async (table: string, column: string): Promise<number> => {
          const opened = await openStore(store);
          const { rows } = await opened.read(EVERY_TENANT, (reader) =>
            sql.raw<{ n: number }>(`select count(*) as n from ${table} where ${column}`).execute(reader),
          );
          if (!('pool' in store)) await opened.close();
          return Number(rows[0]?.n);
        };
        const found = async (): Promise<number> =>
          (await ana.recall('Xylophonequartz', { mode: 'text', sources: ['events'], abstain: false })).results.length;
        expect(await left('embeddings', `record_kind = 'event'`)).toBe(3);
        expect(await found()).toBe(1);
        expect((await varve.maintain({ tenant: 't', dryRun: true })).retiredEvents).toEqual({ message: gone });
        expect((await ana.events.list()).items).toHaveLength(3);
        expect((await varve.maintain({ tenant: 't' })).retiredEvents).toEqual({ message: gone });
        expect((await ana.events.list({ kinds: ['message'] })).items).toHaveLength(2 - gone);
        expect((await ana.events.list({ kinds: ['tool_result'] })).items).toHaveLength(1);
        expect(await left('embeddings', `record_kind = 'event'`)).toBe(3 - gone);
        for (const { id, content } of learned) expect((await ana.memories.get(id))?.content).toBe(content);
        if (gone === 0) return;
        expect(await left('embedding_queue', `record_kind = 'event'`)).toBe(0);
        expect(await found()).toBe(0);
        expect((await ana.memories.get(learned[0]?.id ?? ''))?.sourceEvents).toEqual([]);
        const [certificate] = await varve.for({ tenant: 't', user: null }).erasures();
        const removed = events.filter(({ kind }) => kind === 'message').map(({ id }) => id);
        expect(certificate).toMatchObject({
          actor: 'retention',
          removedHash: hashIds(removed),
          counts: { memories: 0 },
        });
        const [run] = await varve.for({ tenant: 't', user: null }).consolidation.runs({ kinds: ['retention'] });
        expect(run).toMatchObject({ read: { of: 'message', days: 30 }, changed: { removed: 2 } });
        // The session can still be erased, with the memories that rest on it alone.
        await session.erase();
        expect(await ana.memories.get(learned[0]?.id ?? '')).toBeNull();
      },
    );

    it('[X1] an event is kept until formation has read it', async () => {
      const kinds: Partial<Record<EventKind, number>> = { message: 10, observation: 10, decision: 10 };
      const { varve, ana, of, clock } = await open({ consolidation: { eventRetention: kinds } });
      const session = of('s1');
      await session.observe({ content: 'I live in Berlin.' });
      await ana.recordObservation('User lives in Berlin.', 'fact');
      // Outside of a session, nothing waits for the event.
      await ana.decisions.record({ content: 'Sent the letter.' });
      clock.set(START + 20 * DAY);
      const maintain = async () => (await varve.maintain({ tenant: 't' })).retiredEvents;
      expect(await maintain()).toEqual({ message: 0, observation: 0, decision: 1 });
      await session.form();
      expect(await maintain()).toEqual({ message: 1, observation: 0, decision: 0 });
      await ana.consolidation.run();
      expect(await maintain()).toEqual({ message: 0, observation: 1, decision: 0 });
      expect((await ana.events.list()).items).toEqual([]);
      expect(String((await ana.blocks.read('working_memory'))?.content)).toContain('Berlin');
      // The same session continues.
      const { events } = await session.observe({ content: 'I moved to Munich.' });
      expect(events[0]?.position).toBe(1);
      expect((await session.form()).events).toBe(1);
    });

    it.each([true, false])(
      '[X1] [K10] a message is kept until the nightly reflection, if it is enabled: %s',
      async (enabled) => {
        const { varve, ana, of, clock } = await open({
          consolidation: { eventRetention: { message: 0 }, nightly: { enabled } },
        });
        await of('s1').logInteraction({ userMessage: 'I live in Berlin.', agentResponse: 'A fine city.' });
        await of('s1').form();
        clock.advance(1);
        const maintain = async () => (await varve.maintain({ tenant: 't' })).retiredEvents['message'];
        expect(await maintain()).toBe(enabled ? 0 : 2);
        await ana.reflect();
        expect(await maintain()).toBe(enabled ? 2 : 0);
        // No reflection reads messages of the agent alone, so they are erased two days later.
        await of('s2').observe({ content: 'Good morning!', origin: 'agent' });
        await of('s2').form();
        clock.advance(2 * DAY - 1);
        expect(await maintain()).toBe(enabled ? 0 : 1);
        clock.advance(1);
        expect(await maintain()).toBe(enabled ? 1 : 0);
      },
    );

    it('[X1] [K10] of messages recorded at the same time, those that no reflection has read yet are kept', async () => {
      const consolidation = { eventRetention: { message: 0 }, nightly: { exchanges: 1 } };
      const { varve, ana, of, clock } = await open({ consolidation });
      const turns = Array.from({ length: 30 }, (_, index) => ({ content: `I planted tree number ${index + 1}.` }));
      await of('s1').observe(turns);
      await of('s1').form();
      clock.advance(1);
      const maintain = async () => (await varve.maintain({ tenant: 't' })).retiredEvents['message'];
      await ana.reflect();
      expect(await maintain()).toBe(20);
      await ana.reflect();
      expect(await maintain()).toBe(10);
    });

    it('[X1] the sentences of an erased memory are removed from the documents of its owner, and not from the documents of others', async () => {
      const { varve, ana, clock } = await open({ consolidation: { retention: { context: 30 } } });
      const others = [
        varve.for({ tenant: 't', agent: 'coach', user: 'ben' }),
        varve.for({ tenant: 't', agent: 'coach', user: null }),
      ];
      const content = 'Is learning the harp in Graz.';
      await ana.memories.create({ type: 'context', content });
      for (const handle of [ana, ...others])
        await handle.blocks.replace('working_memory', `Has a garden. ${content} Sings.`);
      clock.advance(31 * DAY);
      expect((await varve.maintain({ tenant: 't' })).retired).toEqual({ context: 1 });
      expect((await ana.blocks.read('working_memory'))?.content).toBe('Has a garden. Sings.');
      for (const handle of others)
        expect((await handle.blocks.read('working_memory'))?.content).toBe(`Has a garden. ${content} Sings.`);
    });

    it('[X1] documents keep sentences from erased events until their statement is replaced', async () => {
      const server = await startProtocolServer();
      const { varve, ana, of, clock } = await open({
        languageModel: createLanguageModel({ fast: server.languageModel() }),
        consolidation: { eventRetention: { message: 30, observation: 30 } },
      });
      const session = of('s1');
      const { events } = await session.observe([
        { content: 'Hm. No idea.' },
        { content: 'I play for the Linz Otters.' },
      ]);
      server.otherwise(json(reading({})));
      await session.form();
      const { memory } = await ana.memories.create({
        type: 'context',
        content: 'Plays for the Linz Otters.',
        sourceEvents: [events[1]!.id],
      });
      const profile = [
        { text: 'Speaks in fragments.', section: 'Communication Style', from: [2] },
        { text: 'Is an Otter at heart.', section: 'Personal', from: [3] },
      ];
      server.otherwise(text(`---PROFILE---\n${JSON.stringify(profile)}\n---WORKING MEMORY---\n[]`));
      await ana.reflect();
      await ana.recordObservation('Ana plays as goalkeeper', 'fact');
      server.otherwise(changesAnswer({ set: { Position: 'goalkeeper' }, from: [2] }));
      await ana.consolidation.run();
      const shown = async (): Promise<string[]> => {
        const { system } = await ana.context({ refresh: true });
        return ['in fragments', 'Otter at heart', 'goalkeeper'].filter((words) => system.includes(words));
      };
      expect(await shown()).toHaveLength(3);
      clock.advance(31 * DAY);
      expect((await varve.maintain({ tenant: 't' })).retiredEvents).toEqual({ message: 2, observation: 1 });
      expect(await shown()).toHaveLength(3);
      await ana.memories.forget(memory.id);
      expect(await shown()).toEqual(['in fragments', 'goalkeeper']);
      await server.close();
    });

    it('[X1] a sentence that rests on a turn with forgotten words does not come back when the turn is erased', async () => {
      const server = await startProtocolServer();
      const { varve, ana, of, clock } = await open({
        languageModel: createLanguageModel({ fast: server.languageModel() }),
        consolidation: { eventRetention: { message: 30 } },
      });
      const session = of('s1');
      const said = ['My rent is 2400 euros.', 'I cook on Sundays.'];
      await session.observe({ content: said.join(' ') });
      const statements = [
        item({ text: 'Pays a rent of 2400 euros.', attribute: 'rent', value: '2400 euros', turn: 1, quote: said[0]! }),
        item({ text: 'Cooks on Sundays.', turn: 1, quote: said[1]! }),
      ];
      server.otherwise(json(reading({ statements })));
      clock.advance(DAY);
      await session.form();
      const sentence = 'Spends most of the income on housing and cooks on Sundays.';
      const profile = [{ text: sentence, section: 'Personal', from: [1, 2, 3] }];
      server.otherwise(text(`---PROFILE---\n${JSON.stringify(profile)}\n---WORKING MEMORY---\n[]`));
      await ana.reflect();
      const isShown = async (): Promise<boolean> => (await ana.context({ refresh: true })).system.includes(sentence);
      expect(await isShown()).toBe(true);
      const rent = (await ana.memories.list()).items.find(({ content }) => content.includes('2400'));
      await ana.memories.forget(rent!.id);
      expect(await isShown()).toBe(false);
      clock.advance(40 * DAY);
      expect((await varve.maintain({ tenant: 't' })).retiredEvents).toEqual({ message: 1 });
      expect(await isShown()).toBe(false);
      await server.close();
    });

    it('[X1] one pass erases more events than fit in a batch, and keeps kinds of events without a retention setting', async () => {
      const { varve, ana, clock } = await open({ consolidation: { eventRetention: { decision: 1 } } });
      const note = (index: number, kind: EventKind) => ({ kind, content: `Number ${index}.` });
      await ana.observe(Array.from({ length: 450 }, (_, index) => note(index, 'decision')));
      await ana.observe(Array.from({ length: 5 }, (_, index) => note(index, 'message')));
      clock.advance(400 * DAY);
      expect((await varve.maintain({ tenant: 't', dryRun: true })).retiredEvents).toEqual({ decision: 450 });
      expect((await varve.maintain({ tenant: 't' })).retiredEvents).toEqual({ decision: 450 });
      expect((await ana.events.list()).items).toHaveLength(5);
      expect(await varve.for({ tenant: 't', user: null }).erasures()).toHaveLength(3);
    });
  });
}
