import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { manualClock, systemClock } from '../src/record/clock.ts';
import { createIdSource, type IdSource } from '../src/record/id.ts';
import type { Memory } from '../src/record/memory.ts';
import { startChild } from './child-process.ts';
import { databases } from './databases.ts';
import { answering, item, openForming, tasksAsked, type Answers } from './form-model.ts';
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

const GOOD: Answers = {
  extract: {
    memories: [
      item({
        text: 'User works at TechCorp.',
        turns: [1],
        attribute: 'employer',
        key: { key: 'employer', value: 'TechCorp', category: 'work' },
      }),
      item({ type: 'personal', text: 'User has a dog named Max.', turns: [3], names: ['Max'] }),
    ],
    outdated: [],
  },
  decide: { decisions: [{ fact: 1, action: 'DELETE', known: 1, text: null }] },
  reflect: { agent: [], user: ['User talks about the new job first.'], session: [] },
};

const prepare = async (handle: Handle): Promise<void> => {
  await handle.memories.create({ type: 'fact', content: 'User works at Acme.', sourceType: 'conversation' });
  await handle.observe([
    { content: 'My new job: I work at TechCorp.' },
    { content: 'Congratulations!', origin: 'agent' },
    { content: 'And I have a dog named Max.' },
    { content: 'Sweet.', origin: 'agent' },
  ]);
};

const everything = async (handle: Handle): Promise<Memory[]> =>
  (await handle.memories.list({ archived: 'include', order: 'oldest', limit: 1000 })).items;

const expectUntouched = async (handle: Handle): Promise<void> => {
  expect((await everything(handle)).map(({ content, version }) => [content, version])).toEqual([
    ['User works at Acme.', 1],
  ]);
  expect((await handle.events.list({ waiting: true })).items).toHaveLength(4);
  expect(await handle.session.get()).toMatchObject({ formedPosition: 0, messagesSinceFormation: 4 });
};

const expectFormedOnce = async (handle: Handle): Promise<void> => {
  const all = await everything(handle);
  expect(all.map(({ content, archiveReason }) => [content, archiveReason]).sort()).toEqual(
    [
      ['User works at Acme.', 'contradicted'],
      ['User works at TechCorp.', null],
      ['Employer: TechCorp', null],
      ['User has a dog named Max.', null],
      ['User talks about the new job first.', null],
    ].sort(),
  );
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
      ['the answer ends in the middle', half()],
      ['the answer is not JSON', text('I would rather not.')],
      ['the answer has other fields', json({ facts: 'none' })],
    ];
    for (const stage of ['extract', 'decide', 'reflect'] as const) {
      it(`[Q3] [E4] [T16] failing at ${stage} leaves everything as it was, and the retry applies once`, async () => {
        const { options, drop } = await database.create();
        const { varve } = await openForming(options, {
          server,
          formation: { writes: 'deferred', tasks: { keyed_facts: 'local' } },
        });
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

    it('[Q3] failing while it writes takes back all of it, whichever record it was at', async () => {
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
      const { varve } = await openForming(options, {
        server,
        ids,
        formation: { writes: 'deferred', tasks: { keyed_facts: 'local' } },
      });
      const handle = varve.for({ user: 'ana', session: 's' });
      await prepare(handle);
      server.otherwise({ chat: answering(GOOD) });
      for (const allowed of [0, 1, 2, 3, 4]) {
        left = allowed;
        await expect(handle.form()).rejects.toThrow('the disk is full');
        await expectUntouched(handle);
      }
      left = Infinity;
      await handle.form();
      await expectFormedOnce(handle);
      // What was used was used: every failed try is in the ledger.
      const report = await varve.ledger.report({ tenant: 'default', by: ['task'] });
      expect(report.find(({ keys }) => keys.task === 'extract')?.count).toBe(6);
      await varve.close();
      await drop();
    });

    it('[Q3] two formations of one session at the same time form once', async () => {
      const { options, drop } = await database.create();
      const { varve: one } = await openForming(options, {
        server,
        formation: { writes: 'deferred', tasks: { keyed_facts: 'local' } },
      });
      const { varve: other } = await openForming(options, {
        server,
        formation: { writes: 'deferred', tasks: { keyed_facts: 'local' } },
      });
      const scope = { user: 'ana', session: 's' };
      await prepare(one.for(scope));
      server.otherwise({ chat: answering(GOOD) });
      // Two processes' worth of them, and two in one process.
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

    it('[E10] messages that come in meanwhile wait for the next formation, which starts where the first ended', async () => {
      const { options, drop } = await database.create();
      const { varve } = await openForming(options, {
        server,
        formation: { writes: 'deferred', reflections: false, tasks: { keyed_facts: 'local' } },
      });
      const handle = varve.for({ user: 'ana', session: 's' });
      await handle.observe([{ content: 'I live in Rome.' }]);
      server.next(async (request, response) => {
        await handle.observe([{ content: 'I sing in a choir.' }]);
        await json({ memories: [item({ text: 'User lives in Rome.', turns: [1] })], outdated: [] })(request, response);
      });
      expect((await handle.form()).events).toBe(1);
      expect(await handle.session.get()).toMatchObject({ formedPosition: 1, eventCount: 2, messagesSinceFormation: 1 });
      server.next(json({ memories: [item({ text: 'User sings in a choir.', turns: [1] })], outdated: [] }));
      expect((await handle.form()).events).toBe(1);
      const second = server.requests.at(-1)?.body.messages?.at(-1)?.content ?? '';
      expect(second).toContain('1. User: I sing in a choir.');
      expect((await everything(handle)).map(({ content }) => content)).toEqual([
        'User lives in Rome.',
        'User sings in a choir.',
      ]);
      await varve.close();
      await drop();
    });
  });

  // PGlite lives inside one process.
  describe.skipIf(database.skip !== null || database.name === 'PGlite')(
    `formation that is killed on ${database.name}`,
    () => {
      it(
        '[Q3] [E11] kill -9 between stages, many times: nothing is half applied, and the last try applies once',
        { timeout: 240_000 },
        async () => {
          const { options, drop } = await database.create();
          const server = await startProtocolServer();
          // The machine's clock, which the child processes have too.
          const clock = { ...manualClock(0), now: systemClock.now };
          const { varve } = await openForming(options, { clock, formation: { writes: 'deferred', summaries: false } });
          const handle = varve.for({ user: 'ana', session: 's' });
          await prepare(handle);
          await handle.session.close();
          let minutes = 0;
          for (const stage of ['extract', 'decide', 'reflect', 'apply', 'apply', 'apply'] as const) {
            server.reset();
            server.otherwise({ chat: stage === 'apply' ? answering(GOOD) : answering({ ...GOOD, [stage]: hang() }) });
            const asked = stage === 'apply' ? 3 : ['extract', 'decide', 'reflect'].indexOf(stage) + 1;
            // Each round is two minutes later, so that the lease of the one that was killed has run out.
            const child = startChild('former', JSON.stringify(options), server.url, String((minutes += 2)));
            await Promise.race([server.arrived(asked), child.ended]);
            if (stage === 'apply') await delay(Math.random() * 25);
            child.process.kill('SIGKILL');
            await child.ended;
            const memories = await everything(handle);
            // The commit may have come before the kill: then it was all of it.
            if (memories.length > 1) await expectFormedOnce(handle);
            else await expectUntouchedAfterClose(handle);
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

const expectUntouchedAfterClose = async (handle: Handle): Promise<void> => {
  expect((await everything(handle)).map(({ content, version }) => [content, version])).toEqual([
    ['User works at Acme.', 1],
  ]);
  expect((await handle.events.list({ waiting: true })).items).toHaveLength(4);
  expect(await handle.session.get()).toMatchObject({ formedPosition: 0 });
};
