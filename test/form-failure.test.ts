import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { manualClock, systemClock } from '../src/record/clock.ts';
import { createIdSource, type IdSource } from '../src/record/id.ts';
import type { Memory } from '../src/record/memory.ts';
import { startChild } from './child-process.ts';
import { databases } from './databases.ts';
import {
  answering,
  item,
  openForming,
  promptsOf,
  reading,
  tasksAsked,
  THREE_CALLS,
  type Answers,
} from './form-model.ts';
import {
  drop as hangUp,
  half,
  hang,
  json,
  startProtocolServer,
  status,
  text,
  type ProtocolServer,
  type Reply,
} from './protocol-server.ts';
import { allOrOneIn } from './random.ts';

const STAGES = ['read', 'decide', 'reflect'] as const;

const GOOD: Answers = {
  read: reading({
    statements: [
      item({
        text: 'User works at Pellworm Ferries.',
        attribute: 'employer',
        value: 'Pellworm Ferries',
        turn: 1,
        quote: "I'm with Pellworm Ferries now",
      }),
      item({
        type: 'personal',
        tense: 'habit',
        text: 'User walks a beagle named Otis in the park every evening.',
        turn: 3,
        quote: 'I walk Otis, the beagle, in the park every evening',
      }),
    ],
  }),
  decide: {
    decisions: [
      { fact: 1, action: 'UPDATE', known: 1, text: 'User walks a beagle named Otis in the park every evening.' },
    ],
  },
  reflect: { agent: [], user: ['Talks about the new job first.'], session: [] },
};

const BEFORE = ['User walks a beagle in the park every evening.', 'User works at Lund Cables.'];

const prepare = async (handle: Handle): Promise<void> => {
  await handle.memories.create({
    type: 'fact',
    content: 'User works at Lund Cables.',
    attribute: 'employer',
    value: 'Lund Cables',
    sourceType: 'conversation',
  });
  await handle.memories.create({ type: 'personal', content: BEFORE[0] ?? '', sourceType: 'conversation' });
  await handle.observe([
    { content: "News: I'm with Pellworm Ferries now." },
    { content: 'Congratulations!', origin: 'agent' },
    { content: 'And I walk Otis, the beagle, in the park every evening.' },
    { content: 'Sweet.', origin: 'agent' },
  ]);
};

const everything = async (handle: Handle): Promise<Memory[]> =>
  (await handle.memories.list({ archived: 'include', order: 'oldest', limit: 1000 })).items;

const expectUntouched = async (handle: Handle): Promise<void> => {
  const all = await everything(handle);
  expect(all.map(({ content, version }) => `${content} ${version}`).sort()).toEqual(BEFORE.map((line) => `${line} 1`));
  expect((await handle.events.list({ waiting: true })).items).toHaveLength(4);
  expect(await handle.session.get()).toMatchObject({ formedPosition: 0 });
  expect((await handle.refusals.list()).items).toEqual([]);
};

const expectFormedOnce = async (handle: Handle): Promise<void> => {
  const all = await everything(handle);
  expect(all.map(({ content, archiveReason }) => [content, archiveReason]).sort()).toEqual(
    [
      ['User works at Lund Cables.', 'superseded'],
      ['User works at Pellworm Ferries.', null],
      ['User walks a beagle named Otis in the park every evening.', null],
      ['Talks about the new job first.', null],
    ].sort(),
  );
  expect((await handle.facts.get('employer'))?.value).toBe('Pellworm Ferries');
  expect((await handle.events.list({ waiting: true })).items).toEqual([]);
  expect(await handle.session.get()).toMatchObject({ formedPosition: 4, messagesSinceFormation: 0 });
};

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`formation that fails on ${database.name}`, () => {
    let server: ProtocolServer;
    beforeEach(async () => {
      server = await startProtocolServer();
    });
    afterEach(() => server.close());

    const failures: [string, Reply][] = [
      ['the provider is down', status(500)],
      ['the connection breaks', hangUp()],
      ['the connection breaks in the middle of the answer', half()],
      ['the answer is cut off', text('{"statements":[{"text":"User works at Pell', { finish: 'length' })],
      ['the answer is not JSON', text('I would rather not.')],
      ['the answer has other fields', json({ facts: 'none' })],
    ];
    for (const stage of STAGES) {
      it(`[Q3] [E4] [T16] failing at ${stage} leaves everything as it was, and the retry applies once`, async () => {
        const { options, drop } = await database.create();
        const { varve } = await openForming(options, { server, formation: THREE_CALLS });
        const handle = varve.for({ user: 'ana', session: stage });
        await prepare(handle);
        for (const [, reply] of failures) {
          server.reset();
          server.otherwise({ chat: answering({ ...GOOD, [stage]: reply }) });
          await expect(handle.form()).rejects.toMatchObject({ code: expect.stringMatching(/^model_/) as string });
          await expectUntouched(handle);
        }
        server.otherwise({ chat: answering(GOOD) });
        await handle.form();
        await expectFormedOnce(handle);
        await handle.form();
        await expectFormedOnce(handle);
        await varve.close();
        await drop();
      });
    }

    it('[Q3] a failure while it writes rolls everything back, whichever record was being written', async () => {
      const { options, drop } = await database.create();
      const source = createIdSource(systemClock);
      let left = Infinity;
      const ids: IdSource = {
        next(prefix) {
          if (prefix === 'mem' || prefix === 'ent') left -= 1;
          if (left < 0) throw new Error('the disk is full');
          return source.next(prefix);
        },
      };
      const { varve } = await openForming(options, { server, ids, formation: THREE_CALLS });
      const handle = varve.for({ user: 'ana', session: 's' });
      await prepare(handle);
      server.otherwise({ chat: answering(GOOD) });
      // Each try may write one record more than the one before, until all of them can be written.
      let allowed = 0;
      for (; allowed < 50; allowed += 1) {
        left = allowed;
        const failure = await handle.form().then(
          () => null,
          (error: unknown) => String(error),
        );
        if (failure === null) break;
        expect(failure).toContain('the disk is full');
        left = Infinity;
        await expectUntouched(handle);
      }
      left = Infinity;
      expect(allowed).toBeGreaterThan(2);
      await expectFormedOnce(handle);
      // Failed calls also cost money, so every failed try is in the ledger.
      const report = await varve.ledger.report({ tenant: 'default', by: ['task'] });
      expect(report.find(({ keys }) => keys.task === 'read')?.count).toBe(allowed + 1);
      await varve.close();
      await drop();
    });

    it('[Q3] two formations of one session at the same time form once', async () => {
      const { options, drop } = await database.create();
      const { varve: one } = await openForming(options, { server, formation: THREE_CALLS });
      const { varve: other } = await openForming(options, { server, formation: THREE_CALLS });
      const scope = { user: 'ana', session: 's' };
      await prepare(one.for(scope));
      server.otherwise({ chat: answering(GOOD) });
      // Two instances form the session at the same time, each of them twice.
      const formed = await Promise.all([
        one.for(scope).form(),
        other.for(scope).form(),
        one.for(scope).form(),
        other.for(scope).form(),
      ]);
      expect(formed.filter(({ events }) => events > 0)).toHaveLength(1);
      await expectFormedOnce(one.for(scope));
      await one.close();
      await other.close();
      await drop();
    });

    it('[E10] messages that arrive meanwhile wait for the next formation, which starts where the first ended', async () => {
      const { options, drop } = await database.create();
      const { varve } = await openForming(options, { server, formation: { writes: 'deferred', reflections: false } });
      const handle = varve.for({ user: 'ana', session: 's' });
      await handle.observe([{ content: 'I live in Hasselt.' }]);
      server.next(async (request, response) => {
        await handle.observe([{ content: 'I sing in a shanty choir.' }]);
        const statements = [item({ text: 'User lives in Hasselt.', turn: 1, quote: 'I live in Hasselt' })];
        await json(reading({ statements }))(request, response);
      });
      expect((await handle.form()).events).toBe(1);
      expect(await handle.session.get()).toMatchObject({ formedPosition: 1, eventCount: 2, messagesSinceFormation: 1 });
      const statements = [item({ text: 'User sings in a shanty choir.', turn: 1, quote: 'I sing in a shanty choir' })];
      server.next(json(reading({ statements })));
      expect((await handle.form()).events).toBe(1);
      expect(promptsOf(server).at(-1)).toMatch(
        /Turns:\n<turns[^>]*>\n1\. \[2026-11-15 Sun\] User: I sing in a shanty choir\./,
      );
      expect((await everything(handle)).map(({ content }) => content)).toEqual([
        'User lives in Hasselt.',
        'User sings in a shanty choir.',
      ]);
      await varve.close();
      await drop();
    });

    it('[X1] a record that is erased while the model reads does not come back, and the formation reads the remaining events', async () => {
      const { options, drop } = await database.create();
      const { varve } = await openForming(options, { server, formation: { writes: 'deferred', reflections: false } });
      const statements = [item({ text: 'User lives in Hasselt.', turn: 1, quote: 'I live in Hasselt' })];
      const answer = json(reading({ statements }));
      const person = varve.for({ user: 'ana' });
      await person.memories.create({ type: 'fact', content: 'User owns a kayak.' });
      await person.memories.create({ type: 'fact', content: 'User owns a tent.' });

      // The whole person is erased.
      const gone = varve.for({ user: 'ana', session: 'gone' });
      await gone.observe({ content: 'I live in Hasselt.' });
      server.next(async (request, response) => {
        await person.erase();
        await answer(request, response);
      });
      await gone.form().catch((error: unknown) => expect(error).toMatchObject({ code: 'conflict' }));
      expect(await everything(person)).toEqual([]);
      expect((await person.events.list()).items).toEqual([]);
      expect((await person.refusals.list()).items).toEqual([]);

      // One memory of a person is erased, who then says more.
      const { memory } = await person.memories.create({ type: 'fact', content: 'User owns a canoe.' });
      const kept = varve.for({ user: 'ana', session: 'kept' });
      await kept.observe({ content: 'I live in Hasselt. I own a canoe.' });
      const canoe = item({ text: 'User owns a canoe that is red.', turn: 1, quote: 'I own a canoe' });
      server.next(async (request, response) => {
        await person.eraseMemory(memory.id);
        await json(reading({ statements: [...statements, canoe] }))(request, response);
      });
      server.otherwise({ chat: answer });
      await kept.form();
      expect((await everything(person)).map(({ content }) => content)).toEqual(['User lives in Hasselt.']);
      await varve.close();
      await drop();
    });
  });

  // PGlite runs inside one process.
  describe.skipIf(database.skip !== null || database.name === 'PGlite')(
    `formation that is killed on ${database.name}`,
    () => {
      it(
        '[Q3] [E11] kill -9 between stages, many times: nothing is half applied, and the last try applies once',
        { timeout: 240_000 },
        async () => {
          const { options, drop } = await database.create();
          const server = await startProtocolServer();
          // The test uses the machine’s clock, which the child processes have too.
          const clock = { ...manualClock(0), now: systemClock.now };
          const { varve } = await openForming(options, { clock, formation: { writes: 'deferred', summaries: false } });
          const handle = varve.for({ user: 'ana', session: 's' });
          await prepare(handle);
          await handle.session.close();
          let minutes = 0;
          // The kills during the transaction come this many milliseconds after the last answer.
          for (const stage of allOrOneIn(2, [...STAGES, 0, 6, 15] as const)) {
            server.reset();
            server.otherwise({ chat: answering(typeof stage === 'number' ? GOOD : { ...GOOD, [stage]: hang() }) });
            const asked = typeof stage === 'number' ? 3 : STAGES.indexOf(stage) + 1;
            // Each round is two minutes later, so that the lease of the killed process has expired.
            const child = startChild('former', JSON.stringify(options), server.url, String((minutes += 2)));
            await Promise.race([server.arrived(asked), child.ended]);
            if (typeof stage === 'number') await delay(stage);
            child.process.kill('SIGKILL');
            await child.ended;
            const memories = await everything(handle);
            // If the commit came before the kill, everything was committed.
            if (memories.length > BEFORE.length) await expectFormedOnce(handle);
            else await expectUntouched(handle);
          }
          server.reset();
          server.otherwise({ chat: answering(GOOD) });
          const last = startChild('former', JSON.stringify(options), server.url, String(minutes + 2));
          expect(await last.ended).toBe(0);
          await expectFormedOnce(handle);
          expect(tasksAsked(server).length).toBeLessThanOrEqual(3);
          await varve.close();
          await server.close();
          await drop();
        },
      );
    },
  );
}
