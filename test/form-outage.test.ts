import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { HOUR, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { answering, item, liveStatements, openForming, reading, tasksAsked } from './form-model.ts';
import { hang, startProtocolServer, status, text, type ProtocolServer, type Reply } from './protocol-server.ts';

// No session is lost (F13): whatever the provider does, a session is formed once the model answers again.

const READ = answering({
  read: reading({
    statements: [item({ text: 'User mends sails in Cascais.', turn: 1, quote: 'I mend sails in Cascais' })],
  }),
});

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`a model that is unavailable on ${database.name}`, () => {
    let server: ProtocolServer;
    let varve: Varve;
    let clock: ManualClock;
    let drop: () => Promise<void>;
    const open = async (more: Parameters<typeof openForming>[1] = {}): Promise<Handle> => {
      const created = await database.create();
      ({ drop } = created);
      ({ varve, clock } = await openForming(created.options, {
        server,
        ...more,
        formation: { writes: 'deferred', reflections: false, ...more?.formation },
      }));
      return varve.for({ user: 'ana', session: 's' });
    };
    /** Lets time pass as on a server that runs all the time. */
    const pass = async (duration: number, step: number): Promise<void> => {
      for (let passed = 0; passed < duration; passed += step) {
        clock.advance(step);
        await varve.drain();
      }
    };
    const statements = async (handle: Handle): Promise<string[]> =>
      (await liveStatements(handle)).map(({ content }) => content);

    beforeEach(async () => {
      server = await startProtocolServer();
    });
    afterEach(async () => {
      await varve.close();
      await server.close();
      await drop();
    });

    const outages: [string, Reply][] = [
      ['an expired key (401)', status(401)],
      ['hours of 503', status(503)],
      ['a quota that is used up (429)', status(429, { retryAfter: 3600 })],
      ['answers that are cut off', text('{"statements":[{"text":"User', { finish: 'length' })],
    ];
    it.each(outages)('[E10] [T16] after %s the session is formed when the model answers again', async (_, outage) => {
      const handle = await open();
      const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      server.otherwise({ chat: outage });
      await handle.logInteraction({ userMessage: 'I mend sails in Cascais.', agentResponse: 'Lovely.' });
      await handle.logInteraction({ userMessage: 'Anything new about the regatta?', agentResponse: 'Not yet.' });
      await handle.session.close();
      await pass(6 * HOUR, 10 * MINUTE);
      expect(await statements(handle)).toEqual([]);
      expect((await handle.events.list({ waiting: true })).items).toHaveLength(4);
      // It was retried several times but not endlessly, because a failed call is charged too.
      const tried = tasksAsked(server).length;
      expect(tried).toBeGreaterThan(2);
      expect(tried).toBeLessThan(120);
      // One line for each kind of job, and not one for each of its failures.
      const warnings = warned.mock.calls.map(([text]) => String(text));
      expect(
        warnings.filter((text) => /The background job form of .* was given up: test\.chat/.test(text)),
      ).toHaveLength(1);
      warned.mockRestore();
      const [{ failed } = { failed: 0 }] = await varve.ledger.report({ tenant: 'default', by: ['task'] });
      expect(failed).toBeGreaterThan(2);

      server.reset();
      server.otherwise({ chat: READ });
      await pass(3 * HOUR, 10 * MINUTE);
      expect(await statements(handle)).toEqual(['User mends sails in Cascais.']);
      expect((await handle.events.list({ waiting: true })).items).toEqual([]);
      expect(tasksAsked(server)).toEqual(['read']);
    });

    it('[E10] [E11] a session of one exchange is read by the model once it is idle', async () => {
      const handle = await open();
      server.otherwise({ chat: READ });
      await handle.logInteraction({ userMessage: 'I mend sails in Cascais.', agentResponse: 'Lovely.' });
      await varve.drain();
      expect(tasksAsked(server)).toEqual([]);
      await pass(15 * MINUTE, MINUTE);
      expect(tasksAsked(server)).toEqual(['read']);
      expect(await statements(handle)).toEqual(['User mends sails in Cascais.']);
      // Nothing is left to read, so the following days cost nothing.
      await pass(48 * HOUR, 4 * HOUR);
      expect(tasksAsked(server)).toEqual(['read']);
    });

    it('[E10] messages during an outage wait together, and are read in one call', async () => {
      const handle = await open();
      server.otherwise({ chat: status(503) });
      await handle.logInteraction({ userMessage: 'I mend sails in Cascais.', agentResponse: 'Lovely.' });
      await pass(3 * HOUR, 30 * MINUTE);
      await handle.logInteraction({ userMessage: 'The loft is by the harbour.', agentResponse: 'Nice.' });
      server.reset();
      server.otherwise({ chat: READ });
      await pass(3 * HOUR, 10 * MINUTE);
      expect(tasksAsked(server)).toEqual(['read']);
      expect(await handle.session.get()).toMatchObject({ formedPosition: 4 });
    });

    it(
      '[T16] a model that never answers delays no other session, and stopping does not wait for it',
      { timeout: 30_000 },
      async () => {
        const handle = await open({ formation: { writes: 'immediate' } });
        server.otherwise({ chat: hang() });
        await handle.logInteraction({ userMessage: 'I work at Halden Foods.', agentResponse: 'I see.' });
        const formed = handle.form().catch((error: unknown) => error);
        await server.arrived(1);
        const other = varve.for({ user: 'kim', session: 's' });
        await other.logInteraction({ userMessage: 'I work at Brix Marine.', agentResponse: 'I see.' });
        await varve.drain();
        expect((await other.facts.get('employer'))?.value).toBe('Brix Marine');
        // The drafts stay meanwhile.
        expect((await handle.facts.get('employer'))?.value).toBe('Halden Foods');
        await server.close();
        expect(await formed).toMatchObject({ code: expect.stringMatching(/^model_|timed_out/) as string });
        server = await startProtocolServer();
      },
    );
  });
}
