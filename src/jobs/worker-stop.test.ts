import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { gate, NONE, openQueue, someTurns, type TestQueue } from '../../test/fixtures/queue.ts';
import { HOUR } from '../record/clock.ts';
import { countJobs } from '../store/queue/list-jobs.ts';

for (const on of databases('sql')) {
  describe.skipIf(on.skip !== null)(`a worker that stops or is disturbed on ${on.name}`, () => {
    let queue: TestQueue;
    let ran: unknown[];
    const note = async (job: { payload: unknown }): Promise<void> => void ran.push(job.payload);
    beforeEach(async () => {
      queue = await openQueue(on);
      ran = [];
    });
    afterEach(() => queue.close());

    describe('that stops', () => {
      it('waits for running jobs, leases no new ones and loses none', async () => {
        await queue.add(...Array.from({ length: 20 }, (_, payload) => ({ kind: 'a', payload })));
        const [middle, end] = [gate(), gate()];
        const handler = async (job: { payload: unknown }): Promise<void> => {
          middle.open();
          await end.opened;
          ran.push(job.payload);
        };
        const worker = queue.worker({ a: handler }, { concurrency: 4 });
        worker.start();
        await middle.opened;
        const stopped = worker.stop();
        await someTurns();
        expect(ran).toEqual([]);
        end.open();
        await stopped;
        expect(ran.length).toBe(4);
        expect(await countJobs(queue.database)).toEqual([
          { kind: 'a', state: 'done', count: 4 },
          { kind: 'a', state: 'waiting', count: 16 },
        ]);
        expect(await queue.worker({ a: note }).drain()).toEqual({ ...NONE, done: 16 });
      });

      it('aborts jobs that do not end in time, and releases them without counting the attempt', async () => {
        const [added] = await queue.add({ kind: 'a', maxAttempts: 1 });
        const middle = gate();
        const worker = queue.worker({
          a: (_job, { signal }) => {
            middle.open();
            return new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => reject(signal.reason as Error)),
            );
          },
        });
        worker.start();
        await middle.opened;
        await worker.stop({ timeout: 10 });
        expect(await queue.job(added?.id)).toMatchObject({
          state: 'waiting',
          attempts: 0,
          lastError: null,
          leaseUntil: null,
        });
        expect(await queue.worker({ a: note }).drain()).toEqual({ ...NONE, done: 1 });
      });

      it('keeps the lease of a handler that ignores its signal', async () => {
        const [added] = await queue.add({ kind: 'a' });
        const middle = gate();
        const worker = queue.worker({
          a: () => {
            middle.open();
            return new Promise(() => {});
          },
        });
        worker.start();
        await middle.opened;
        await worker.stop({ timeout: 10 });
        expect(await queue.job(added?.id)).toMatchObject({ state: 'running' });
        expect(await queue.worker({ a: note }).drain()).toEqual(NONE);
      });

      it('can be started again', async () => {
        const worker = queue.worker({ a: note });
        worker.start();
        await worker.stop();
        await queue.add({ kind: 'a', payload: 1 });
        worker.start();
        worker.wake();
        await worker.drain();
        expect(ran).toEqual([1]);
        await worker.stop();
      });
    });

    it('starts a waiting job immediately when it is woken', async () => {
      const started = gate();
      const worker = queue.worker({ a: async () => started.open() }, { pollMs: HOUR });
      worker.start();
      // After the drain, the worker waits for its next poll.
      await worker.drain();
      await someTurns();
      await queue.add({ kind: 'a' });
      worker.wake();
      await started.opened;
      await worker.stop();
    });

    it('reports a failing database and continues when it is back', async () => {
      const [failed, done] = [gate(), gate()];
      let down = true;
      const database = {
        ...queue.database,
        read: ((...parameters: Parameters<typeof queue.database.read>) =>
          down ? Promise.reject(new Error('down')) : queue.database.read(...parameters)) as typeof queue.database.read,
      };
      await queue.add({ kind: 'a', payload: 1 });
      const worker = queue.worker({ a: async () => done.open() }, { database, onError: failed.open, pollMs: 5 });
      worker.start();
      await failed.opened;
      down = false;
      await done.opened;
      await worker.stop();
      expect(await queue.states()).toEqual(['done']);
    });

    it('ends when its store is closed while it runs', async () => {
      const errors: unknown[] = [];
      const other = await openQueue(on);
      const worker = other.worker({ a: note }, { onError: (error) => errors.push(error), pollMs: HOUR });
      worker.start();
      await other.close();
      worker.wake();
      await someTurns();
      const before = errors.length;
      worker.wake();
      await someTurns();
      expect(before).toBeGreaterThan(0);
      expect(errors.length).toBe(before);
      await worker.stop();
    });
  });
}
