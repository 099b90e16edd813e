import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Embedder, functionEmbedder } from '../src/models/embedder.ts';
import { HOUR, manualClock } from '../src/record/clock.ts';
import { EVERY_TENANT } from '../src/store/database.ts';
import { openStore } from '../src/store/open-store.ts';
import { readMeta } from '../src/store/meta-store.ts';
import { createVarve } from '../src/varve.ts';
import { bundleChild, startChild } from './child-process.ts';
import { databases } from './databases.ts';
import { randomOf } from './random.ts';

const random = randomOf('crash');

const ROUNDS = 12;

// PGlite runs inside one process, so these tests are for databases that several processes share.
for (const database of databases().filter(({ name }) => name !== 'PGlite')) {
  describe.skipIf(database.skip !== null)(`processes on ${database.name}`, () => {
    beforeAll(() => bundleChild('appender'));

    it(
      `every acknowledged record survives ${ROUNDS} kills with SIGKILL, and none is stored twice`,
      { timeout: 120_000 },
      async () => {
        const { options, drop } = await database.create();
        const acknowledged = new Map<string, number>();
        for (let round = 0; round < ROUNDS; round += 1) {
          const name = `round-${round}`;
          const child = startChild('appender', JSON.stringify(options), name);
          await child.printed((line) => line === '0');
          await delay(random() * 120);
          child.process.kill('SIGKILL');
          await child.ended;
          acknowledged.set(name, Number(child.lines.at(-1)));
        }
        const varve = await createVarve({ store: options, embedder: null, background: false });
        for (const [name, last] of acknowledged) {
          const handle = varve.for({ tenant: 'crash', user: 'ana', session: name });
          const contents = await allContents(handle);
          expect(contents.length).toBeGreaterThan(last);
          // The disk may have one event more than was acknowledged, because the process may have been killed after it stored the event and
          // before it printed the acknowledgement.
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
        // Two of the three processes wrote the same events into one session; the idempotency keys deduplicate them.
        expect((await allContents(handle)).sort()).toEqual(
          Array.from({ length: count }, (_, index) => `${name} ${index}`).sort(),
        );
        expect((await handle.session.get())?.eventCount).toBe(count);
      }
      await varve.close();
      await drop();
    });

    it(
      'a change of the embedding model that is killed several times continues and completes',
      { timeout: 120_000 },
      async () => {
        const { options, drop } = await database.create();
        const letters = (version: number): Embedder =>
          functionEmbedder({
            id: `letters@${version}`,
            dimensions: 4,
            embed: async (texts) => texts.map((text) => [1, text.length, 2, 3]),
          });
        const before = await createVarve({ store: options, embedder: letters(1), background: false });
        await before
          .for({ user: 'ana' })
          .observe(Array.from({ length: 400 }, (_, index) => ({ content: `message ${index}` })));
        await before.drain();
        await before.close();
        for (let round = 1; round <= 3; round += 1) {
          // A killed process still holds the lease of its job, which has expired an hour later.
          const child = startChild('re-embedder', JSON.stringify(options), String(round));
          await child.printed((line) => line === 'batch');
          await delay(random() * 40);
          child.process.kill('SIGKILL');
          await child.ended;
        }
        const store = await openStore(options);
        const counts = async (): Promise<Record<string, number>> => {
          const rows = await store.read(EVERY_TENANT, (reader) =>
            reader
              .selectFrom('embeddings')
              .select(['model_id', (eb) => eb.fn.countAll().as('n')])
              .groupBy('model_id')
              .execute(),
          );
          return Object.fromEntries(rows.map((row) => [row.model_id, Number(row.n)]));
        };
        const half = await counts();
        expect(half['letters@1']).toBe(400);
        expect(half['letters@2'] ?? 0).toBeLessThan(400);
        const clock = manualClock(Date.now() + 5 * HOUR);
        const after = await createVarve({ store: options, embedder: letters(2), background: false, clock });
        await after.drain();
        expect(await counts()).toEqual({ 'letters@2': 400 });
        expect(await readMeta(store, 'embedding_model')).toBe('letters@2');
        await Promise.all([after.close(), store.close()]);
        await drop();
      },
    );

    it('one process finds immediately what another has written', async () => {
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
