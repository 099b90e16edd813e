import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createVarve } from '../src/varve.ts';
import { startChild } from './child-process.ts';
import { databases } from './databases.ts';

const ROUNDS = 12;

// PGlite lives inside one process, so these are for the databases that several processes share.
for (const database of databases().filter(({ name }) => name !== 'PGlite')) {
  describe.skipIf(database.skip !== null)(`processes on ${database.name}`, () => {
    it(
      `everything acknowledged survives ${ROUNDS} kills with SIGKILL, and nothing is there twice`,
      { timeout: 120_000 },
      async () => {
        const { options, drop } = await database.create();
        const acknowledged = new Map<string, number>();
        for (let round = 0; round < ROUNDS; round += 1) {
          const name = `round-${round}`;
          const child = startChild('appender', JSON.stringify(options), name);
          await child.printed((line) => line === '0');
          await delay(Math.random() * 120);
          child.process.kill('SIGKILL');
          await child.ended;
          acknowledged.set(name, Number(child.lines.at(-1)));
        }
        const varve = await createVarve({ store: options, embedder: null, background: false });
        for (const [name, last] of acknowledged) {
          const handle = varve.for({ tenant: 'crash', user: 'ana', session: name });
          const contents = await allContents(handle);
          expect(contents.length).toBeGreaterThan(last);
          // One more may be on the disk than was acknowledged: it was cut off before it could say so.
          expect(contents.length).toBeLessThanOrEqual(last + 2);
          expect(contents).toEqual(contents.map((_, index) => `${name} ${index}`));
          expect((await handle.session.get())?.eventCount).toBe(contents.length);
        }
        await varve.close();
        await drop();
      },
    );

    it('two processes that write at the same time lose nothing', { timeout: 120_000 }, async () => {
      const { options, drop } = await database.create();
      const count = 150;
      const children = ['left', 'right', 'left'].map((name) =>
        startChild('appender', JSON.stringify(options), name, String(count)),
      );
      expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0, 0]);
      const varve = await createVarve({ store: options, embedder: null, background: false });
      for (const name of ['left', 'right']) {
        const handle = varve.for({ tenant: 'crash', user: 'ana', session: name });
        // Two of the three wrote the same events into one session: the keys make them one.
        expect((await allContents(handle)).sort()).toEqual(
          Array.from({ length: count }, (_, index) => `${name} ${index}`).sort(),
        );
        expect((await handle.session.get())?.eventCount).toBe(count);
      }
      await varve.close();
      await drop();
    });

    it('what one process has written another sees at once', async () => {
      const { options, drop } = await database.create();
      const varve = await createVarve({ store: options, embedder: null, background: false });
      const child = startChild('appender', JSON.stringify(options), 'other', '3');
      await child.printed((line) => line === '2');
      const handle = varve.for({ tenant: 'crash', user: 'ana', session: 'other' });
      expect(await handle.session.window()).toHaveLength(3);
      await child.ended;
      await varve.close();
      await drop();
    });
  });
}

async function allContents(handle: ReturnType<Awaited<ReturnType<typeof createVarve>>['for']>): Promise<string[]> {
  const contents: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await handle.events.list({
      session: handle.scope.session ?? '',
      order: 'oldest',
      limit: 1000,
      cursor,
    });
    contents.push(...page.items.map((event) => event.content));
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return contents;
}
