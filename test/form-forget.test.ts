import { afterEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';

const LIFE = [
  'I live in Lyon.',
  'My salary is 90k.',
  'My sister Mia is getting divorced.',
  'I have a dog called Biscuit and I love jazz.',
  'I want to run a marathon in May.',
];

for (const database of databases()) {
  describe.skipIf(database.skip !== null).each(['both', 'deferred'] as const)(
    `what a user asks to forget on ${database.name}, written %s`,
    (writes) => {
      let varve: Varve;
      let drop: () => Promise<void>;
      afterEach(async () => {
        await varve.close();
        await drop();
      });
      const open = async (...said: string[]): Promise<Handle> => {
        const created = await database.create();
        ({ drop } = created);
        varve = await createVarve({
          store: created.options,
          embedder: null,
          background: false,
          ...(writes === 'deferred' ? { formation: { writes } } : {}),
        });
        const handle = varve.for({ agent: 'a', user: 'kim', session: 's' });
        for (const userMessage of said) {
          await handle.logInteraction({ userMessage, agentResponse: 'Okay!' });
          if (writes === 'both') await varve.drain();
        }
        await handle.session.close();
        await varve.drain();
        return handle;
      };
      const left = async (handle: Handle): Promise<string[]> =>
        (await handle.memories.list()).items.map(({ content }) => content).toSorted();

      it('[X1] is archived, in no document, and in no turn that recall gives', async () => {
        const handle = await open(
          ...LIFE,
          'Please forget what I said about my salary.',
          'Forget about Mia’s divorce.',
          'Could you forget that I live in Lyon?',
          'Delete everything about the marathon from your memory.',
        );
        await handle.consolidation.run();
        expect(await left(handle)).toEqual(['User has a dog called Biscuit.', 'User loves jazz.']);
        const { items } = await handle.memories.list({
          archived: 'only',
          types: ['keyed_fact', 'goal', 'personal', 'fact'],
        });
        expect(items).toHaveLength(4);
        for (const memory of items) {
          expect(memory.archiveReason).toBe('forgotten');
          expect((await handle.memories.history(memory.id)).at(-1)?.reason).toBe('the user asked to forget it');
        }
        const { system } = await varve.for({ ...handle.scope, session: 'next' }).context({ message: 'Hello' });
        for (const query of ['salary 90k', 'divorced', 'Lyon', 'marathon']) {
          expect(system).not.toContain(query.split(' ').at(-1));
          const { results } = await handle.recall(query, { mode: 'text' });
          expect(results.map(({ text }) => text)).toEqual([]);
        }
        // The log has everything.
        expect((await handle.events.list({ kinds: ['message'] })).items).toHaveLength(18);
      });

      it.each([
        'Forget it.',
        'Forget the jazz.',
        "Don't forget that I live in Lyon.",
        'Did you forget my salary?',
        'I always forget about my dog.',
        'Delete the second paragraph about jazz.',
        'Forget everything about everything.',
        'She said: forget about my dog, it is fine.',
      ])('takes nothing away for "%s"', async (said) => {
        const before = await left(await open(...LIFE));
        await varve.close();
        await drop();
        expect(await left(await open(...LIFE, said))).toEqual(expect.arrayContaining(before));
      });

      it('is forgotten also where what was said is read after the request has come', async () => {
        const handle = await open('Hello.');
        for (const userMessage of ['My salary is 90k.', 'Forget what I said about my salary.']) {
          await handle.logInteraction({ userMessage, agentResponse: 'Okay!' });
        }
        await varve.drain();
        if (writes === 'deferred') await handle.form();
        expect(await left(handle)).toEqual([]);
      });

      it('stays when it is said again', async () => {
        const handle = await open('I live in Lyon.', 'Forget that I live in Lyon.', 'I live in Lyon, after all.');
        expect(await left(handle)).toContain('Home city: Lyon');
      });
    },
  );
}
