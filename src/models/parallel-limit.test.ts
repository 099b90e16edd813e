import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createParallelLimit } from './caller.ts';

it('starts calls in order, and never runs more than the limit at a time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 30 }),
      fc.scheduler(),
      async (limit, count, s) => {
        const run = createParallelLimit(limit);
        let running = 0;
        let most = 0;
        const started: number[] = [];
        const all = Promise.all(
          Array.from({ length: count }, (_, index) =>
            run(async () => {
              started.push(index);
              running += 1;
              most = Math.max(most, running);
              await s.schedule(Promise.resolve());
              running -= 1;
            }),
          ),
        );
        await s.waitFor(all);
        expect(most).toBeLessThanOrEqual(limit);
        expect(started).toEqual(Array.from({ length: count }, (_, index) => index));
      },
    ),
    { numRuns: 100 },
  );
});

it('drops waiting work whose signal is aborted, and releases the slots of work that fails', async () => {
  const run = createParallelLimit(1);
  const release = Promise.withResolvers<void>();
  const first = run(() => release.promise);
  const aborting = new AbortController();
  const second = run(async () => 'never', aborting.signal);
  aborting.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  release.resolve();
  await first;
  await expect(run(async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await run(async () => 'free')).toBe('free');
});
