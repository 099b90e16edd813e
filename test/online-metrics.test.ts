import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR, manualClock, type ManualClock, MINUTE } from '../src/record/clock.ts';
import { openStore } from '../src/store/open-store.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { answering, item, openForming, reading } from './form-model.ts';
import { startProtocolServer, type ProtocolServer } from './protocol-server.ts';

const DAY = 24 * 60 * MINUTE;

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`online metrics on ${database.name}`, { timeout: 120_000 }, () => {
    let drop: () => Promise<void>;
    let varve: Varve;
    let clock: ManualClock;
    const scope = { agent: 'helper', user: 'ana' };

    beforeAll(async () => {
      clock = manualClock(Date.parse('2026-03-01T09:00:00Z'));
      const store = await database.create();
      drop = store.drop;
      varve = await createVarve({ store: store.options, background: false, clock, embedder: null });
      const first = varve.for({ ...scope, session: 'first' });
      await first.observe([
        { content: 'I live in Ghent and I am allergic to latex.', origin: 'user' },
        { content: 'Noted.', origin: 'agent' },
      ]);
      await first.session.close();
      await varve.drain();
      await varve.for(scope).facts.set({ key: 'home_city', value: 'Ghent' });
      await first.recordObservation('Ana works nights.', 'fact');
      clock.advance(35 * DAY);
      const second = varve.for({ ...scope, session: 'second' });
      await second.observe([
        { content: 'Find me a bakery.', origin: 'user' },
        { content: 'Gladly. Where do you live?', origin: 'agent' },
        { content: 'You know that.', origin: 'user' },
        { content: 'Right. What is your phone number? Shall I go on?', origin: 'agent' },
      ]);
      await second.recordObservation('Ana lives in Ghent, as she had said.', 'correction');
      await varve.for(scope).blocks.replace('scaffold', { home: 'Ghent' });
      clock.advance(DAY);
      await varve.for(scope).blocks.replace('scaffold', { home: 'Ghent', work: 'nights', health: 'latex' });
    });
    afterAll(async () => {
      await varve.close();
      await drop();
    });

    it('are counted although a scaffold of an older store is no object, and such a scaffold is refused', async () => {
      const { options, drop: dropOwn } = await database.create();
      const own = await createVarve({ store: options, background: false, embedder: null });
      const ana = own.for({ user: 'ana' });
      for (const content of ['hello', 7, null, ['a']])
        await expect(ana.blocks.replace('scaffold', content)).rejects.toThrow('holds a JSON object');
      const before = await ana.blocks.replace('scaffold', { home: 'Ghent' });
      await own.close();
      const store = await openStore(options);
      for (const content of ['"hello"', 'null', '7']) {
        await store.write('default', (writer) =>
          writer.updateTable('blocks').set({ content }).where('id', '=', before.id).execute(),
        );
        const again = await createVarve({ store: options, background: false, embedder: null });
        expect((await again.operator.metrics({ user: null })).scaffold.keys).toBe(0);
        expect((await again.for({ user: 'ana' }).context({ message: 'hi' })).system).toBe('');
        // The next version keeps the old one as a revision.
        await again.for({ user: 'ana' }).blocks.replace('scaffold', { home: 'Ghent' });
        expect((await again.operator.metrics({ user: null })).scaffold.keys).toBe(1);
        await again.close();
      }
      await store.close();
      await dropOwn();
    });

    it('[T19] count observations for each conversation and corrections for each turn, by month too', async () => {
      const { observationRate, correctionRate, corrections } = await varve.operator.metrics(scope);
      expect(observationRate).toEqual({ rate: 1, of: 2 });
      expect(correctionRate).toEqual({ rate: 1 / 3, of: 3 });
      expect(corrections).toEqual([
        { month: '2026-03', rate: 0, turns: 1 },
        { month: '2026-04', rate: 0.5, turns: 2 },
      ]);
    });

    it('[T19] find the questions of the agent whose answer was in memory', async () => {
      const { repeatQuestionRate, repeated } = await varve.operator.metrics(scope);
      // "Shall I go on?" asks for no attribute of the user. The number was asked for and was not known.
      expect(repeatQuestionRate).toEqual({ rate: 0.5, of: 2 });
      expect(repeated).toEqual([{ question: 'Where do you live?', attribute: 'home_city' }]);
    });

    it('[T19] follow the growth of a scaffold', async () => {
      const { scaffold } = await varve.operator.metrics(scope);
      expect(scaffold.curve.slice(-2)).toEqual([
        { day: '2026-04-05', keys: 1, scaffolds: 1 },
        { day: '2026-04-06', keys: 3, scaffolds: 1 },
      ]);
      expect(scaffold.keys).toBe(3);
    });

    it('[T19] count which recalled memories were used', async () => {
      const session = varve.for({ ...scope, session: 'third' });
      const { items } = await varve.for(scope).memories.list({ types: ['fact', 'personal'] });
      const home = items.find(({ attribute }) => attribute === 'home_city');
      const other = await varve
        .for(scope)
        .memories.create({ type: 'fact', content: 'Ana collects stamps of Finland.' });
      await session.noteGiven([home?.id ?? '', other.memory.id]);
      clock.advance(MINUTE);
      await session.observe([
        { content: 'Which bakery is near me?', origin: 'user' },
        { content: 'In Ghent there is one at the market.', origin: 'agent' },
      ]);
      clock.advance(2 * 60 * MINUTE);
      await varve.maintain();
      await varve.for(scope).consolidation.run();
      expect((await varve.operator.metrics(scope)).contextUtilisation).toEqual({ rate: 0.5, of: 2 });
    });

    it('exclude other tenants and users', async () => {
      const none = await varve.operator.metrics({ user: 'ben' });
      expect(none.observationRate).toEqual({ rate: null, of: 0 });
      expect(none.repeatQuestionRate).toEqual({ rate: null, of: 0 });
    });
  });

  describe.skipIf(database.skip !== null)(`the first conversations on ${database.name}`, { timeout: 120_000 }, () => {
    let drop: () => Promise<void>;
    let opened: Awaited<ReturnType<typeof openForming>>;
    let server: ProtocolServer;

    beforeAll(async () => {
      server = await startProtocolServer();
      const store = await database.create();
      drop = store.drop;
      opened = await openForming(store.options, { server, formation: { writes: 'deferred' } });
    });
    afterAll(async () => {
      await opened.varve.close();
      await drop();
      await server.close();
    });

    const talk = async (user: string, statements: unknown[]): Promise<void> => {
      server.otherwise({ chat: answering({ read: reading({ statements }) }) });
      const handle = opened.varve.for({ user, session: `talk of ${user}` });
      await handle.observe([
        { content: 'I saw the sea today, and I keep two goats.', origin: 'user' },
        { content: 'I see.', origin: 'agent' },
      ]);
      await handle.form();
    };
    const said = item({ text: 'User keeps two goats.', turn: 1, quote: 'I keep two goats' });
    const invented = item({ text: 'User enjoys restoring antique furniture.', turn: 1, quote: 'I saw the sea today' });
    const alerts = async (): Promise<string[]> => {
      const { items } = await opened.varve.operator.acts.list('default');
      return items.filter(({ act }) => act === 'extraction.alert').map(({ details }) => String(details['failing']));
    };
    const maintain = async (): Promise<void> => {
      opened.clock.advance(7 * HOUR);
      await opened.varve.drain();
    };

    it('[Q10] pass the checks of extraction if the user said all statements', async () => {
      for (let user = 0; user < 20; user += 1) await talk(`careful-${user}`, [said]);
      const { conversations, checks } = await opened.varve.operator.checkExtraction();
      expect(conversations).toBe(20);
      expect(checks.find(({ check }) => check === 'hallucinated')).toMatchObject({ share: 0, of: 20, isAlert: false });
      await maintain();
      expect(await alerts()).toEqual([]);
    });

    it('[Q10] raise one alert when a reader begins to hallucinate', async () => {
      for (let user = 0; user < 10; user += 1) await talk(`careless-${user}`, [invented]);
      const { checks, examples } = await opened.varve.operator.checkExtraction();
      expect(checks.find(({ check }) => check === 'hallucinated')).toMatchObject({
        share: 1 / 3,
        of: 30,
        isAlert: true,
      });
      expect(examples).toHaveLength(5);
      await maintain();
      await maintain();
      expect(await alerts()).toEqual(['hallucinated']);
    });

    it('[Q10] are the first hundred: later conversations do not change the checks', async () => {
      for (let user = 0; user < 75; user += 1) await talk(`late-${user}`, [said]);
      const { conversations, checks } = await opened.varve.operator.checkExtraction();
      expect(conversations).toBe(100);
      const share = checks.find(({ check }) => check === 'hallucinated')?.share;
      expect(share).toBeCloseTo(0.1);
    });
  });
}
