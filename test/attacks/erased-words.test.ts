import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Handle } from '../../src/handle/handle.ts';
import { type App, createApp } from '../../src/http/create-app.ts';
import { createLanguageModel } from '../../src/models/create-language-model.ts';
import { DAY, HOUR, manualClock, type ManualClock, MINUTE } from '../../src/record/clock.ts';
import type { Database } from '../../src/store/database.ts';
import { openStore } from '../../src/store/open-store.ts';
import { createVarve, type Varve } from '../../src/varve.ts';
import { changesAnswer } from '../consolidate-fixture.ts';
import { databases } from '../databases.ts';
import { cellsWith } from '../every-cell.ts';
import { item, reading } from '../form-model.ts';
import { from, json, type ProtocolServer, startProtocolServer, status, text } from '../protocol-server.ts';
import { allOrOne } from '../random.ts';

// A word is planted through every interface, processed by every job, and then erased. Afterwards no cell of any table contains it, and what
// was said elsewhere is still there.
const WORD = /zorbexquill/i;
const KEPT = /tomato/i;
const START = Date.UTC(2026, 0, 5, 12);

/** A model that repeats the word wherever it was shown: in kept and refused statements, summaries, documents and merged texts. */
function repeating(server: ProtocolServer): void {
  server.otherwise({
    chat: from(({ body }) => {
      const name = body.response_format?.json_schema?.name ?? '';
      const prompt = body.messages?.at(-1)?.content ?? '';
      const isShown = WORD.test(prompt);
      if (/additions/.test(prompt)) return text(isShown ? 'Keeps a zorbexquill. Grows tomatoes.' : 'Grows tomatoes.');
      if (name === 'read') {
        const turn = Number(/(\d+)\.[^\n]*User: [^\n]*zorbexquill/i.exec(prompt)?.[1] ?? 1);
        const keeps = { text: 'User keeps a zorbexquill.', turn, quote: 'I keep a zorbexquill' };
        return json(
          reading({
            statements: isShown ? [item(keeps), item({ ...keeps, quote: 'the zorbexquill that nobody said' })] : [],
            topics: [{ topic: isShown ? 'Zorbexquill' : 'Home', summary: summaryOf(isShown), turns: [turn] }],
          }),
        );
      }
      if (name === 'synthesise') {
        const number = Number(/(\d+)\. \[fact/.exec(prompt)?.[1] ?? 1);
        const working = [{ text: 'User keeps a zorbexquill.', from: [number] }];
        return changesAnswer(isShown ? { set: { keeps: 'zorbexquill' }, from: [number], working } : {});
      }
      return status(400, { message: `I do not answer: ${prompt.slice(-400)}` });
    }),
  });
}

function summaryOf(isShown: boolean): string {
  return isShown ? 'User keeps a zorbexquill in the cellar. User grows tomatoes.' : 'User grows tomatoes.';
}

let receiver: { url: string; close(): Promise<void> };
beforeAll(async () => {
  const listening = createServer((request, response) => request.resume().on('end', () => response.end())).listen(0);
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  receiver = { url: `http://127.0.0.1:${port}/`, close: async () => void listening.close() };
});
afterAll(() => receiver.close());

// SQLite and a server are tested with both readers. On PGlite, which is several times slower, the seed of the run chooses one of the
// readers.
const READERS = ['the local reader', 'a model'] as const;

for (const database of databases()) {
  const isAll = database.name !== 'PGlite' || inject('depth') === 'all';
  for (const reader of allOrOne(READERS, { isAll, stream: 'erased words' })) {
    describe.skipIf(database.skip !== null)(`[X1] no cell has erased words, with ${reader} on ${database.name}`, () => {
      let varve: Varve;
      let store: Database;
      let app: App;
      let key: string;
      let clock: ManualClock;
      let server: ProtocolServer;
      let drop: () => Promise<void>;
      let sent = 0;
      const scope = { tenant: 't', agent: 'coach', user: 'ana' };
      const of = (session?: string): Handle => varve.for(session === undefined ? scope : { ...scope, session });

      beforeEach(async () => {
        const created = await database.create();
        drop = created.drop;
        clock = manualClock(START);
        server = await startProtocolServer();
        repeating(server);
        const model = createLanguageModel({ fast: server.languageModel(), retries: 0, clock });
        varve = await createVarve({
          store: created.options,
          embedder: null,
          background: false,
          clock,
          webhooks: { allowPrivate: true },
          consolidation: { reflections: { agent: { threshold: 2 }, user: { threshold: 2 } }, tags: { moreThan: 2 } },
          ...(reader === 'a model' ? { languageModel: model, formation: { writes: 'deferred', summaries: true } } : {}),
        });
        await varve.drain();
        // One webhook accepts its messages, and one leaves them waiting for a retry. If all messages waited for a retry, the retries would
        // take most of the time of these tests.
        await varve.operator.webhooks.create('t', { url: receiver.url }, 'test');
        await varve.operator.webhooks.create('t', { url: 'http://127.0.0.1:9/', events: ['block.changed'] }, 'test');
        key = (await varve.operator.keys.create('t', { name: 'k', access: 'admin' }, 'test')).secret;
        store = await openStore(created.options);
        app = createApp({ varve });
      });
      afterEach(async () => {
        await Promise.all([varve.close(), store.close()]);
        await server.close();
        await drop();
      });

      const talk = async (handle: Handle, lines: readonly string[]): Promise<string[]> => {
        const ids: string[] = [];
        for (const userMessage of lines) {
          const logged = await handle.logInteraction({
            userMessage,
            agentResponse: `You said: ${userMessage}`,
            toolsUsed: [{ tool: 'lookup', arguments: { query: userMessage }, result: userMessage }],
          });
          if (logged.logged) ids.push(logged.events[0]?.id ?? '');
          clock.advance(MINUTE);
          await varve.drain();
        }
        return ids;
      };
      /** A request with an idempotency key, whose answer is kept for a day. */
      const send = async (method: string, path: string, body: unknown): Promise<void> => {
        const headers = {
          authorization: `Bearer ${key}`,
          host: 'localhost',
          'content-type': 'application/json',
          'idempotency-key': `${method}-${(sent += 1)}`,
        };
        const url = `http://localhost/v1/${path}?agent=coach&user=ana&session=one`;
        const request = new Request(url, { method, headers, body: JSON.stringify(body) });
        const answer = await app.fetch(request, '127.0.0.1');
        expect([answer.status, await answer.text()]).toEqual([
          expect.toSatisfy((status) => status < 300),
          expect.any(String),
        ]);
      };

      /** Runs all jobs: formation, the end of sessions, consolidation, nightly reflection, webhooks. */
      const work = async (sessions: readonly string[]): Promise<void> => {
        for (const session of sessions) {
          await of(session).context({ message: 'What about the zorbexquill?' });
          await of(session).recall('zorbexquill');
          await of(session).session.close();
        }
        for (const step of [MINUTE, HOUR, DAY]) {
          clock.advance(step);
          await varve.drain();
        }
        await of().consolidation.run();
        await of()
          .reflect()
          .catch(() => null);
        clock.advance(10 * MINUTE);
        await varve.drain();
      };

      /** Plants the word in session one, and tomatoes in session two, through every interface that accepts text. */
      const plant = async (): Promise<void> => {
        const one = of('one');
        const two = of('two');
        const [said = ''] = await talk(one, [
          'I keep a zorbexquill in the cellar.',
          'I work at Zorbexquill Foods.',
          'My zorbexquill is blue and loud.',
        ]);
        const [grown = ''] = await talk(two, ['I grow tomatoes on the balcony.', 'I have tomatoes for lunch.']);
        await one.facts.forget('employer');
        const create = (input: { content: string; sourceEvents: string[] }) =>
          one.memories.create({ type: 'fact', ...input });
        const both = await create({ content: 'Grows tomatoes on the balcony.', sourceEvents: [grown, said] });
        await one.memories.revise(both.memory.id, {
          content: 'Grows tomatoes on the balcony. Keeps a zorbexquill in the cellar.',
        });
        for (const [index, content] of [
          'Keeps a zorbexquill',
          'Grows tomatoes',
          'Eats tomatoes',
          'Sells tomatoes',
        ].entries()) {
          await (index === 0 ? one : two).memories.create({
            type: 'fact',
            content: `${content} at home.`,
            tags: ['home'],
            sourceEvents: [index === 0 ? said : grown],
          });
        }
        for (const level of ['agent', 'user'] as const) {
          await one.memories.create({
            type: 'reflection',
            level,
            content: 'The zorbexquill matters.',
            sourceEvents: [said],
          });
          await two.memories.create({
            type: 'reflection',
            level,
            content: 'Talk of tomatoes calms.',
            sourceEvents: [grown],
          });
        }
        for (const [index, handle] of [one, one, one, two, two, two].entries()) {
          const what = index < 3 ? 'zorbexquill' : 'tomato';
          const decision = await handle.decisions.record({ content: `Suggested a ${what} post` });
          const measure = { name: 'views', value: 100 + index };
          await handle.decisions.recordOutcome(decision.id, {
            content: `${measure.value} views`,
            effect: 'positive',
            measure,
          });
        }
        await one.recordObservation('User keeps a zorbexquill.', 'fact');
        await one.updateUserContext({ scaffoldUpdates: { collection: 'zorbexquill' } });
        await two.updateUserContext({ scaffoldUpdates: { balcony: 'tomatoes' } });
        await one.session.setState({ activePreferences: ['zorbexquill'] });
        await send('POST', 'interactions', {
          userMessage: 'The zorbexquill again.',
          agentResponse: 'The zorbexquill.',
        });
        await send('POST', 'memories', {
          memory: { type: 'fact', content: 'Dusts the zorbexquill.', sourceEvents: [said] },
        });
      };

      it('after a session was erased, and the other session is kept', { timeout: 120_000 }, async () => {
        await plant();
        await work(['one', 'two']);
        expect((await cellsWith(store, WORD)).length).toBeGreaterThan(20);
        await of('one').erase();
        expect(await cellsWith(store, WORD)).toEqual([]);
        expect(
          (await of().memories.list({ limit: 100 })).items.filter(({ content }) => KEPT.test(content)).length,
        ).toBeGreaterThan(3);
        await of('two').logInteraction({ userMessage: 'Tomatoes again.', agentResponse: 'Tomatoes.' });
        await work(['two']);
        expect((await cellsWith(store, KEPT)).length).toBeGreaterThan(20);
      });

      it('after a person was erased', async () => {
        await plant();
        await of('one').notes.add({ title: 'zorbexquill', content: 'zorbexquill' });
        await of('one').entities.add({ type: 'product', name: 'zorbexquill', aliases: ['the zorbexquill'] });
        await of('one').intentions.add({ text: 'Sell the zorbexquill' });
        await of('one').learnings.add({ rule: 'Mention the zorbexquill' });
        await work(['one', 'two']);
        await varve.for({ tenant: 't', user: 'ana' }).erase();
        expect(await cellsWith(store, WORD)).toEqual([]);
      });

      it('after the only memory with the words was erased', async () => {
        const one = of('one');
        await talk(one, ['I work at Zorbexquill Foods.', 'I grow tomatoes on the balcony.']);
        if (reader === 'a model') await one.facts.set({ key: 'employer', value: 'Zorbexquill Foods' });
        const employer = (await one.facts.get('employer')) as { id: string };
        await send('PATCH', `memories/${employer.id}`, { change: { importance: 0.9 } });
        await work(['one']);
        await one.eraseMemory(employer.id);
        expect(await cellsWith(store, WORD)).toEqual([]);
        expect((await cellsWith(store, KEPT)).length).toBeGreaterThan(0);
      });
    });
  }
}
