import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VarveError } from '../src/errors.ts';
import { manualClock } from '../src/record/clock.ts';
import { createVarve } from '../src/varve.ts';

type Act = { act: 'create' | 'revise' | 'archive' | 'restore' | 'supersede'; target: number; content: string };

const acts = fc.array(
  fc.record({
    act: fc.constantFrom<Act['act']>('create', 'revise', 'archive', 'restore', 'supersede'),
    target: fc.nat(4),
    content: fc.constantFrom('red', 'green', 'blue', 'black', 'white'),
  }),
  { minLength: 1, maxLength: 25 },
);

describe('the past', () => {
  it(
    '[X1] the list as of any moment equals the list at that moment, whatever came later',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(acts, async (steps) => {
          const clock = manualClock(new Date('2026-01-01'));
          const varve = await createVarve({ store: ':memory:', clock, embedder: null, background: false });
          const handle = varve.for({ user: 'ana' });
          const ids: string[] = [];
          const seen: { time: number; live: string[] }[] = [];
          for (const step of steps) {
            clock.advance(1000);
            const id = ids[step.target % Math.max(ids.length, 1)];
            try {
              if (step.act === 'create' || id === undefined)
                ids.push((await handle.memories.create({ type: 'fact', content: step.content })).memory.id);
              else if (step.act === 'revise')
                await handle.memories.revise(id, { content: `${step.content} ${clock.now()}` });
              else if (step.act === 'archive') await handle.memories.archive(id, 'decayed');
              else if (step.act === 'restore') await handle.memories.restore(id);
              else
                ids.push(
                  (await handle.memories.supersede(id, { type: 'fact', content: `${step.content} ${clock.now()}` })).id,
                );
            } catch (error) {
              if (!VarveError.isInstance(error, 'conflict')) throw error;
            }
            const { items } = await handle.memories.list();
            seen.push({ time: clock.now(), live: items.map((memory) => `${memory.id} ${memory.content}`) });
          }
          for (const { time, live } of seen) {
            const { items } = await handle.asOf(time).memories.list();
            expect(items.map((memory) => `${memory.id} ${memory.content}`)).toEqual(live);
          }
          for (const id of ids) {
            const history = await handle.memories.history(id);
            expect(history.map((revision) => revision.version)).toEqual(history.map((_, index) => index + 1));
            expect((await handle.memories.get(id))?.version).toBe(history.length);
          }
          await varve.close();
        }),
        { numRuns: 40 },
      );
    },
  );

  it(
    '[L10] the window is the first turn and the last ones, for any session and any size',
    { timeout: 60_000 },
    async () => {
      const varve = await createVarve({ store: ':memory:', embedder: null, background: false });
      let sessions = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
          fc.integer({ min: 1, max: 30 }),
          async (batches, size) => {
            sessions += 1;
            const handle = varve.for({ user: 'ana', session: `s${sessions}` });
            let count = 0;
            for (const batch of batches) {
              await handle.observe(Array.from({ length: batch }, (_, index) => ({ content: `${count + index}` })));
              count += batch;
            }
            const all = Array.from({ length: count }, (_, index) => index);
            const expected = count <= size ? all : [0, ...all.slice(count - (size - 1), count)];
            const window = await handle.session.window(size);
            expect(window.map((event) => Number(event.content))).toEqual(size === 1 && count > 1 ? [0] : expected);
          },
        ),
        { numRuns: 60 },
      );
      await varve.close();
    },
  );
});
