import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import { countWords } from '../src/record/block.ts';
import { DAY, manualClock, type ManualClock } from '../src/record/clock.ts';
import { createVarve, type Varve, type VarveOptions } from '../src/varve.ts';
import type { Handle } from '../src/handle/handle.ts';
import { databases } from './databases.ts';
import { json, startProtocolServer, status, type ProtocolServer } from './protocol-server.ts';

const START = Date.UTC(2026, 0, 5, 12);

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`working memory and scaffold on ${database.name}`, () => {
    let server: ProtocolServer;
    let clock: ManualClock;
    const opened: (() => Promise<void>)[] = [];

    beforeAll(async () => {
      server = await startProtocolServer();
    });
    afterAll(async () => {
      for (const close of opened.reverse()) await close();
      await server.close();
    });
    beforeEach(() => {
      server.reset();
      clock = manualClock(START);
    });

    async function open(
      given: Partial<VarveOptions> & { model?: boolean } = {},
    ): Promise<{ varve: Varve; ana: Handle }> {
      const { options, drop } = await database.create();
      const { model = false, ...rest } = given;
      const languageModel = model
        ? createLanguageModel({ fast: server.languageModel(), maximumTries: 1, clock } as never)
        : undefined;
      const varve = await createVarve({
        store: options,
        embedder: null,
        background: false,
        clock,
        languageModel,
        ...rest,
      });
      opened.push(async () => {
        await varve.close();
        await drop();
      });
      return { varve, ana: varve.for({ tenant: 't', agent: 'coach', user: 'ana' }) };
    }
    const answer = (given: object) =>
      json({ updated_scaffold: {}, updated_working_memory: '', facts_to_embed: [], ...given });

    it('[T1] [T6] without a model: observations become scaffold entries and lines of the working memory, and are marked', async () => {
      const { ana } = await open();
      const { events } = await ana.observe([
        { kind: 'observation', origin: 'agent', category: 'fact', content: 'User works at Acme as a designer.' },
        { kind: 'observation', origin: 'agent', category: 'preference', content: 'User prefers short answers.' },
        { kind: 'observation', origin: 'agent', category: 'scaffold_update', content: '{"timezone":"CET"}' },
      ]);
      expect(events.every((event) => event.processedAt === null)).toBe(true);
      const report = await ana.consolidation.run();
      expect(report.failures).toEqual([]);
      expect(report.synthesis).toMatchObject({ taken: 3, failed: 0, held: 0 });
      const scaffold = (await ana.blocks.read('scaffold'))?.content as Record<string, unknown>;
      expect(scaffold).toEqual({ timezone: 'CET' });
      expect((await ana.blocks.read('working_memory'))?.content).toBe(
        '- 2026-01-05: User works at Acme as a designer.\n- 2026-01-05: User prefers short answers.',
      );
      expect((await ana.events.list({ waiting: true })).items).toEqual([]);
      expect((await ana.consolidation.run()).synthesis.taken).toBe(0);
    });

    it('[T4] [T6] without a model scaffold keys and values are kept as they were given', async () => {
      const { ana } = await open();
      const scaffoldUpdates = {
        'Working style': { hours: 32, remote: true },
        'Preferred tools': ['Figma', 'pen & paper'],
        Budget: 1500.5,
        Vegan: false,
      };
      await ana.updateUserContext({ scaffoldUpdates });
      await ana.consolidation.run();
      expect((await ana.blocks.read('scaffold'))?.content).toEqual(scaffoldUpdates);
      await ana.updateUserContext({ scaffoldUpdates: { Vegan: true } });
      await ana.consolidation.run();
      expect((await ana.blocks.read('scaffold'))?.content).toEqual({ ...scaffoldUpdates, Vegan: true });
    });

    it('[T6] without a model the working memory lists what holds: neither facts nor what has ended, and plans as plans', async () => {
      const { ana } = await open();
      const make = async (content: string, given: object = {}) =>
        (await ana.memories.create({ type: 'fact', content, statedAt: START - DAY, ...given })).memory.id;
      const swims = await make('User swims on Mondays.', { tense: 'habit' });
      await make('Lives in Linz.', { attribute: 'home_city', value: 'Linz', permanent: true });
      await make('User rented a garage.', { validTo: START - 1000 });
      await make('User flies to Oslo.', { tense: 'planned', validFrom: START + 30 * DAY });
      await ana.blocks.replace('working_memory', 'Ana is kind.');
      await ana.consolidation.run();
      const text = async () => (await ana.blocks.read('working_memory'))?.content;
      expect(await text()).toBe(
        'Ana is kind.\n\n- 2026-01-04: User swims on Mondays.\n- 2026-01-04: User flies to Oslo. (planned for 2026-02-04)',
      );
      await ana.memories.archive(swims);
      await make('User sings.');
      await ana.consolidation.run();
      expect(await text()).toBe(
        'Ana is kind.\n\n- 2026-01-04: User flies to Oslo. (planned for 2026-02-04)\n- 2026-01-04: User sings.',
      );
    });

    it('[T6] [T7] with a model: one transaction, stringified JSON unwrapped, versions kept, the run in the log', async () => {
      const { ana } = await open({ model: true });
      await ana.recordObservation('User is an engineering manager working on ToolStream.', 'fact');
      server.next(
        answer({
          updated_scaffold: { Role: 'Engineering manager', Projects: '{"ToolStream":"{\\"state\\":\\"working\\"}"}' },
          updated_working_memory: 'The user is an engineering manager working on ToolStream.',
          facts_to_embed: [
            'User is an engineering manager.',
            { content: 'User owns a yacht in Monaco.', observations: [1] },
          ],
          confidence: { Role: 'high' },
        }),
      );
      const report = await ana.consolidation.run();
      expect(report.failures).toEqual([]);
      const scaffold = await ana.blocks.read('scaffold');
      expect(scaffold?.content).toEqual({
        Role: 'Engineering manager',
        Projects: { ToolStream: { state: 'working' } },
      });
      // What no observation says is not stored, however sure the model is.
      expect((await ana.memories.list()).items.map(({ content }) => content)).toEqual([
        'User is an engineering manager.',
      ]);
      const [run] = await ana.consolidation.runs({ kinds: ['synthesise'] });
      expect(run).toMatchObject({
        status: 'done',
        cause: 'hand',
        model: 'test.chat:test-model',
        read: { observations: 1 },
      });
      expect(run?.changed).toMatchObject({ scaffold: 1, workingMemory: 1, events: 1 });
      const revisions = await ana.blocks.history('scaffold');
      expect(revisions.map((revision) => revision.run)).toEqual([run?.id]);
      const prompt = JSON.stringify(server.requests[0]?.body.messages);
      expect(prompt).not.toMatch(/evt_/);
    });

    it('[T6] a failing model changes nothing, and the retry applies once', async () => {
      const { ana } = await open({ model: true });
      await ana.recordObservation('User lives in Berlin.', 'fact');
      server.otherwise(status(500));
      const failed = await ana.consolidation.run();
      expect(failed.failures.map(({ step }) => step)).toEqual(['synthesise']);
      expect(await ana.blocks.read('scaffold')).toBeNull();
      expect((await ana.events.list({ waiting: true })).items).toHaveLength(1);
      expect((await ana.consolidation.runs({ kinds: ['synthesise'] }))[0]).toMatchObject({ status: 'failed' });
      server.reset();
      server.next(answer({ updated_scaffold: { City: 'Berlin' }, updated_working_memory: 'Lives in Berlin.' }));
      clock.advance(10 * 60_000);
      expect((await ana.consolidation.run()).synthesis.taken).toBe(1);
      expect((await ana.blocks.read('scaffold'))?.version).toBe(1);
    });

    it('[T1] [T21] the working memory stays within its words, cut at the end of a sentence, whatever the model writes', async () => {
      const { ana } = await open({ model: true, consolidation: { tiers: { words: 60 } } });
      await ana.recordObservation('User talks a lot.', 'fact');
      const endless = Array.from({ length: 80 }, (_, index) => `User talks about topic number ${index}.`).join(' ');
      server.next(answer({ updated_scaffold: { Manner: 'talks a lot' }, updated_working_memory: endless }));
      await ana.consolidation.run();
      const text = String((await ana.blocks.read('working_memory'))?.content);
      expect(countWords(text)).toBeLessThanOrEqual(60);
      expect(countWords(text)).toBeGreaterThan(50);
      expect(text).toMatch(/number \d+\.$/);
    });

    it('[T6] an empty answer does not wipe the user: it is held, can be seen, and accepted or rejected', async () => {
      const { ana } = await open({ model: true });
      const scaffold = { Role: 'Engineer', City: 'Berlin', Team: 'Core', Pet: 'Max' };
      await ana.blocks.replace('scaffold', scaffold);
      await ana.blocks.replace('working_memory', 'The user is an engineer.');
      const event = await ana.recordObservation('User has left Berlin and the Core team.', 'fact');
      server.next(answer({ updated_scaffold: {}, updated_working_memory: 'x' }));
      const report = await ana.consolidation.run();
      expect(report.synthesis).toMatchObject({ held: 1, taken: 0 });
      expect((await ana.blocks.read('scaffold'))?.content).toEqual(scaffold);
      expect((await ana.events.get(event.id))?.processedAt).toBeNull();
      const [held] = await ana.consolidation.held();
      expect(held).toMatchObject({ events: [event.id], reason: 'the scaffold would shrink from 4 values to 0' });
      // It is not asked for again while it waits.
      await ana.consolidation.run();
      expect(server.requests).toHaveLength(1);
      await ana.consolidation.reject(held!.id);
      server.next(
        answer({
          updated_scaffold: { Role: 'Engineer' },
          updated_working_memory: 'The user is an engineer who has left Berlin.',
        }),
      );
      await ana.consolidation.run();
      const [second] = await ana.consolidation.held();
      expect(second?.reason).toBe('the scaffold would shrink from 4 values to 1');
      await ana.consolidation.accept(second!.id, 'operator');
      expect(Object.keys((await ana.blocks.read('scaffold'))?.content as object)).not.toContain('City');
      expect((await ana.events.get(event.id))?.processedAt).not.toBeNull();
      expect(await ana.consolidation.held()).toEqual([]);
      expect((await ana.blocks.history('scaffold')).at(-1)).toMatchObject({ actor: 'operator' });
    });

    it.each([
      ['flat', { Role: 'Engineer' }],
      ['nested', { About: { Work: { Role: 'Engineer' }, Home: [{ City: 'Berlin' }, { Pet: 'Max' }] } }],
      ['of lists', { Likes: ['tea', 'rain'], Skills: [['chess'], ['go']] }],
    ])('[T6] an empty answer does not wipe a scaffold that is %s', async (_shape, scaffold) => {
      const { ana } = await open({ model: true });
      await ana.blocks.replace('scaffold', scaffold);
      await ana.recordObservation('User says hello.', 'fact');
      for (const empty of [{}, { Role: '' }, { About: { Home: [] } }, { Likes: [null] }]) {
        server.next(answer({ updated_scaffold: empty, updated_working_memory: 'Hello.' }));
        expect((await ana.consolidation.run()).synthesis).toMatchObject({ held: 1, taken: 0 });
        expect((await ana.blocks.read('scaffold'))?.content).toEqual(scaffold);
        const [held] = await ana.consolidation.held();
        expect(held?.reason).toMatch(/would shrink from \d values? to 0$/);
        await ana.consolidation.reject(held!.id);
      }
    });

    it('[T6] shrinking by half is applied, by more it is held', async () => {
      const { ana } = await open({ model: true });
      await ana.blocks.replace('scaffold', { One: 'alpha', Two: 'beta', Three: 'gamma', Four: 'delta' });
      await ana.recordObservation('Forget about gamma three and delta four.', 'correction');
      server.next(answer({ updated_scaffold: { One: 'alpha', Two: 'beta' }, updated_working_memory: 'Some text.' }));
      expect((await ana.consolidation.run()).synthesis).toMatchObject({ held: 0, taken: 1 });
      expect((await ana.blocks.read('scaffold'))?.content).toEqual({ One: 'alpha', Two: 'beta' });
    });

    it('[T6] a poison event is set aside after its tries, and the others go on', async () => {
      const { ana } = await open({ model: true, consolidation: { tiers: { tries: 2 } } });
      server.otherwise((request, response) => {
        const isPoisoned = JSON.stringify(request.body.messages).includes('POISON');
        return (
          isPoisoned
            ? json({ nonsense: true })
            : answer({ updated_scaffold: { City: 'Berlin' }, updated_working_memory: 'Lives in Berlin.' })
        )(request, response);
      });
      const contents = ['User likes tea.', 'User lives in Berlin.', 'POISON', 'User has a dog.', 'User has a cat.'];
      for (const content of contents) await ana.recordObservation(content, 'fact');
      const first = await ana.consolidation.run();
      expect(first.synthesis).toMatchObject({ taken: 4, failed: 1, setAside: 0 });
      expect((await ana.events.list({ waiting: true })).items.map(({ content }) => content)).toEqual(['POISON']);
      const second = await ana.consolidation.run();
      expect(second.synthesis).toMatchObject({ taken: 0, failed: 1, setAside: 1 });
      const [aside] = await ana.consolidation.setAside();
      expect(aside).toMatchObject({ attempts: 2, event: { content: 'POISON' } });
      expect(aside?.error).not.toBe('');
      const asked = server.requests.length;
      await ana.consolidation.run();
      expect(server.requests).toHaveLength(asked);
      server.otherwise(answer({ updated_scaffold: { City: 'Berlin' }, updated_working_memory: 'Lives in Berlin.' }));
      await ana.consolidation.retry(aside!.event.id);
      expect((await ana.consolidation.run()).synthesis).toMatchObject({ taken: 1 });
      expect(await ana.consolidation.setAside()).toEqual([]);
    });

    it('[T17] [X3] every entry has a confidence and a time, and a lower rank does not overrule a higher one', async () => {
      const { ana } = await open({ model: true });
      const notes = async () => (await ana.blocks.read('tier_notes'))?.content as { scaffold: Record<string, object> };
      await ana.observe({
        kind: 'observation',
        origin: 'user',
        category: 'correction',
        content: 'My role is designer.',
      });
      server.next(
        answer({
          updated_scaffold: { Role: 'designer' },
          updated_working_memory: 'The user is a designer.',
          confidence: { Role: 'high' },
        }),
      );
      await ana.consolidation.run();
      expect((await notes()).scaffold['Role']).toEqual({
        confidence: 'high',
        confirmedAt: new Date(START).toISOString(),
        rank: 4,
      });

      clock.advance(DAY);
      await ana.updateUserContext({ scaffoldUpdates: { Role: 'plumber' } } as never);
      const contradiction = { key: 'Role', observation: 1, reason: 'plumber instead of designer' };
      const changed = {
        updated_scaffold: { Role: 'plumber' },
        updated_working_memory: 'The user is a designer.',
        contradictions: [contradiction],
      };
      server.next(answer(changed));
      await ana.consolidation.run();
      expect((await ana.blocks.read('scaffold'))?.content).toEqual({ Role: 'designer' });
      expect((await ana.blocks.history('tier_notes')).length).toBeGreaterThan(0);

      clock.advance(DAY);
      await ana.observe({ kind: 'observation', origin: 'user', category: 'fact', content: 'I am a plumber now.' });
      server.next(answer(changed));
      await ana.consolidation.run();
      expect((await ana.blocks.read('scaffold'))?.content).toEqual({ Role: 'plumber' });
      expect((await ana.blocks.history('scaffold')).at(-1)?.reason).toContain('replaced: Role');
      expect((await notes()).scaffold['Role']).toMatchObject({ confirmedAt: new Date(START + 2 * DAY).toISOString() });
    });

    it('[T17] stale sentences of the working memory age out, confirmed ones stay', async () => {
      const { varve, ana } = await open({ consolidation: { tiers: { staleAfterDays: 30 } } });
      await ana.recordObservation('User is preparing the Lisbon conference.', 'fact');
      await ana.recordObservation('User trains for a marathon.', 'fact');
      await ana.consolidation.run();
      clock.advance(20 * DAY);
      await ana.recordObservation('User still trains for a marathon.', 'fact');
      await ana.consolidation.run();
      clock.advance(10 * DAY - 1);
      await varve.maintain({ tenant: 't' });
      expect(String((await ana.blocks.read('working_memory'))?.content)).toContain('Lisbon');
      clock.advance(1);
      await ana.recordObservation('User bought a bicycle.', 'fact');
      await ana.consolidation.run();
      const text = String((await ana.blocks.read('working_memory'))?.content);
      expect(text).not.toContain('Lisbon');
      expect(text).toContain('marathon');
      clock.advance(31 * DAY);
      const report = await varve.maintain({ tenant: 't' });
      expect(report.aged).toBe(1);
      expect((await ana.blocks.read('working_memory'))?.content).toBe('');
      expect((await ana.asOf(START + 5 * DAY).blocks.read('working_memory'))?.content).toContain('Lisbon');
    });

    it('[T20] a fixed scaffold schema lets no other key in', async () => {
      const { ana } = await open({ model: true, consolidation: { tiers: { scaffoldKeys: ['Role'] } } });
      await ana.recordObservation('User is a designer in Berlin.', 'fact');
      server.next(
        answer({ updated_scaffold: { Role: 'designer', City: 'Berlin' }, updated_working_memory: 'A designer.' }),
      );
      await ana.consolidation.run();
      expect((await ana.blocks.read('scaffold'))?.content).toEqual({ Role: 'designer' });
    });

    it('[T21] a dry run says what would change and changes nothing', async () => {
      const { ana } = await open();
      await ana.recordObservation('User lives in Berlin.', 'fact');
      const report = await ana.consolidation.run({ dryRun: true });
      expect(report.synthesis).toMatchObject({ taken: 1, held: 0 });
      expect(await ana.blocks.read('working_memory')).toBeNull();
      expect((await ana.events.list({ waiting: true })).items).toHaveLength(1);
      expect(await ana.consolidation.runs()).toEqual([]);
    });

    it('[T21] secrets do not reach the tiers', async () => {
      const { ana } = await open();
      await ana.recordObservation('User’s password is hunter2hunter2.', 'fact');
      await ana.consolidation.run();
      const everything = JSON.stringify([
        await ana.blocks.read('working_memory'),
        await ana.blocks.read('scaffold'),
        await ana.memories.list(),
      ]);
      expect(everything).not.toContain('hunter2');
    });
  });
}
