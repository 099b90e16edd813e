import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countOn, databases } from '../../test/databases.ts';
import { gate, NONE, openQueue, someTurns, type TestQueue } from '../../test/fixtures/queue.ts';
import { invalidInput, VarveError } from '../errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../record/clock.ts';
import { enqueue } from '../store/queue/enqueue.ts';
import { listJobs } from '../store/queue/list-jobs.ts';
import { retryJob } from '../store/queue/settle-jobs.ts';
import { postpone } from './failures.ts';

const LEASE = { leaseMs: MINUTE };

for (const on of databases('sql')) {
  describe.skipIf(on.skip !== null)(`a worker on ${on.name}`, () => {
    let queue: TestQueue;
    let ran: unknown[];
    const note = async (job: { payload: unknown }): Promise<void> => void ran.push(job.payload);
    beforeEach(async () => {
      queue = await openQueue(on);
      ran = [];
    });
    afterEach(() => queue.close());

    it('runs a due job and keeps it as done', async () => {
      const [added] = await queue.add({ kind: 'a', payload: 'hello' });
      expect(await queue.worker({ a: note }).drain()).toEqual({ ...NONE, done: 1 });
      expect(ran).toEqual(['hello']);
      expect(await queue.job(added?.id)).toMatchObject({
        state: 'done',
        attempts: 1,
        finishedAt: new Date(queue.clock.now()),
      });
      expect(await queue.worker({ a: note }).drain()).toEqual(NONE);
    });

    it('runs a job when it is due, not before', async () => {
      await queue.add({ kind: 'a', runAt: queue.clock.now() + HOUR });
      const worker = queue.worker({ a: note });
      queue.clock.advance(HOUR - 1);
      expect(await worker.drain()).toEqual(NONE);
      queue.clock.advance(1);
      expect(await worker.drain()).toEqual({ ...NONE, done: 1 });
    });

    it('runs the jobs of a tenant by priority, then by time', async () => {
      for (const [payload, priority] of [
        ['c', 5],
        ['d', 9],
        ['a', 0],
        ['b', 0],
      ] as const) {
        await queue.add({ kind: 'a', payload, priority });
        queue.clock.advance(1);
      }
      await queue.worker({ a: note }, { concurrency: 1 }).drain();
      expect(ran).toEqual(['a', 'b', 'c', 'd']);
    });

    it('leaves a kind that it does not know to another worker', async () => {
      await queue.add({ kind: 'unknown', payload: 1 }, { kind: 'a', payload: 2 });
      expect(await queue.worker({ a: note }).drain()).toEqual({ ...NONE, done: 1 });
      expect(await queue.worker({}).drain()).toEqual(NONE);
      await queue.worker({ unknown: note }).drain();
      expect(ran).toEqual([2, 1]);
    });

    it('runs the jobs that its jobs enqueue', async () => {
      await queue.add({ kind: 'a', payload: 3 });
      const worker = queue.worker({
        a: async (job) => {
          ran.push(job.payload);
          if (Number(job.payload) > 0) await queue.add({ kind: 'a', payload: Number(job.payload) - 1 });
        },
      });
      expect(await worker.drain()).toEqual({ ...NONE, done: 4 });
      expect(ran).toEqual([3, 2, 1, 0]);
    });

    describe('that fails', () => {
      it('retries with increasing pauses, then gives up and keeps the error', async () => {
        const [added] = await queue.add({ kind: 'a', maxAttempts: 3 });
        const failing = queue.worker(
          { a: () => Promise.reject(new Error('no luck')) },
          { backoff: (attempt) => attempt * MINUTE },
        );
        expect(await failing.drain()).toEqual({ ...NONE, retried: 1 });
        expect(await queue.job(added?.id)).toMatchObject({
          state: 'waiting',
          attempts: 1,
          lastError: 'no luck',
          runAt: new Date(queue.clock.now() + MINUTE),
        });
        queue.clock.advance(MINUTE);
        expect(await failing.drain()).toEqual({ ...NONE, retried: 1 });
        queue.clock.advance(2 * MINUTE - 1);
        expect(await failing.drain()).toEqual(NONE);
        queue.clock.advance(1);
        expect(await failing.drain()).toEqual({ ...NONE, dead: 1 });
        expect(await queue.job(added?.id)).toMatchObject({ state: 'dead', attempts: 3, lastError: 'no luck' });
        queue.clock.advance(DAY);
        expect(await failing.drain()).toEqual(NONE);
      });

      it.each([
        ['bad input', () => invalidInput('the payload is wrong')],
        ['an error that is marked as not retryable', () => Object.assign(new Error('gone'), { retryable: false })],
        ['a Varve error that is not retryable', () => new VarveError('gone', { code: 'not_found' })],
      ])('does not retry %s', async (_name, makeError) => {
        await queue.add({ kind: 'a' });
        expect(await queue.worker({ a: () => Promise.reject(makeError()) }).drain()).toEqual({ ...NONE, dead: 1 });
      });

      it('shortens an error message and removes the characters that the database refuses', async () => {
        const [added] = await queue.add({ kind: 'a' });
        await queue.worker({ a: () => Promise.reject(new Error(`\0${'🌍'.repeat(5000)}`)) }).drain();
        expect((await queue.job(added?.id)).lastError?.length).toBeLessThanOrEqual(1000);
      });

      it('retries a handler that throws synchronously', async () => {
        await queue.add({ kind: 'a' });
        const worker = queue.worker({
          a: () => {
            throw new Error('at once');
          },
        });
        expect(await worker.drain()).toEqual({ ...NONE, retried: 1 });
      });

      it('runs a dead job again on request', async () => {
        const [added] = await queue.add({ kind: 'a', maxAttempts: 1 });
        await queue.worker({ a: () => Promise.reject(new Error('no luck')) }).drain();
        const retried = await retryJob(queue.database, added?.id ?? '', queue);
        expect(retried).toMatchObject({ state: 'waiting', attempts: 0, lastError: 'no luck' });
        expect(await queue.worker({ a: note }).drain()).toEqual({ ...NONE, done: 1 });
        await expect(retryJob(queue.database, added?.id ?? '', queue)).rejects.toMatchObject({ code: 'conflict' });
        expect(await retryJob(queue.database, 'job_none', queue)).toBeNull();
      });
    });

    it('runs a job later without counting an attempt when its handler postpones it', async () => {
      const [added] = await queue.add({ kind: 'a', maxAttempts: 1 });
      let credit = 0;
      const worker = queue.worker({
        a: async () => {
          if (credit === 0) throw postpone(queue.clock.now() + DAY, 'no credit until tomorrow');
        },
      });
      for (let day = 0; day < 3; day += 1) {
        expect(await worker.drain()).toEqual({ ...NONE, postponed: 1 });
        expect(await queue.job(added?.id)).toMatchObject({
          state: 'waiting',
          attempts: 0,
          lastError: 'no credit until tomorrow',
        });
        expect(await worker.drain()).toEqual(NONE);
        queue.clock.advance(DAY);
      }
      credit = 1;
      expect(await worker.drain()).toEqual({ ...NONE, done: 1 });
    });

    describe('with unique keys', () => {
      it('starts the second job with a key when the first has ended', async () => {
        await queue.add({ kind: 'a', uniqueKey: 'k', payload: 1 });
        let runningNow = 0;
        const worker = queue.worker({
          a: async (job) => {
            runningNow += 1;
            expect(runningNow).toBe(1);
            if (job.payload === 1) {
              expect((await queue.add({ kind: 'a', uniqueKey: 'k', payload: 2 }))[0]?.isNew).toBe(true);
              expect(await queue.worker({ a: note }).drain()).toEqual(NONE);
            }
            ran.push(job.payload);
            runningNow -= 1;
          },
        });
        expect(await worker.drain()).toEqual({ ...NONE, done: 2 });
        expect(ran).toEqual([1, 2]);
      });

      it('keeps only the first job when it fails while a second job with the key waits', async () => {
        const [first] = await queue.add({ kind: 'a', uniqueKey: 'k', payload: 1 });
        const worker = queue.worker({
          a: async () => {
            await queue.add({ kind: 'a', uniqueKey: 'k', payload: 2 });
            throw new Error('no luck');
          },
        });
        expect(await worker.drain()).toEqual({ ...NONE, retried: 1 });
        expect((await listJobs(queue.database)).items).toMatchObject([{ id: first?.id, payload: 1, state: 'waiting' }]);
        // Enqueueing again does not move a job that waits for its next attempt.
        await queue.add({ kind: 'a', uniqueKey: 'k', whenWaiting: 'move' });
        expect((await queue.job(first?.id)).runAt.getTime()).toBe(queue.clock.now() + SECOND);
      });

      it('keeps the second job when another worker has taken over and finished the first', async () => {
        await queue.add({ kind: 'a', uniqueKey: 'k', payload: 1 });
        const worker = queue.worker(
          {
            a: async () => {
              queue.clock.advance(MINUTE);
              await queue.worker({ a: note }, LEASE).drain();
              await queue.add({ kind: 'a', uniqueKey: 'k', payload: 2, delay: HOUR });
              throw new Error('from the one who lost it');
            },
          },
          LEASE,
        );
        expect(await worker.drain()).toEqual({ ...NONE, lost: 1 });
        expect((await listJobs(queue.database, { state: 'waiting' })).items).toMatchObject([{ payload: 2 }]);
      });
    });

    it('shares the queue with another worker, and each job runs once', async () => {
      const total = 300;
      await queue.add(...Array.from({ length: total }, (_, payload) => ({ kind: 'a', payload })));
      const inWork = new Set<unknown>();
      const handler = async (job: { payload: unknown }): Promise<void> => {
        expect(inWork.has(job.payload)).toBe(false);
        inWork.add(job.payload);
        await setImmediate();
        inWork.delete(job.payload);
        ran.push(job.payload);
      };
      const workers = [queue.worker({ a: handler }), queue.worker({ a: handler })];
      const counts = await Promise.all(workers.map((worker) => worker.drain()));
      expect(counts.map((count) => count.done).every((done) => done > 0)).toBe(true);
      expect(ran.length).toBe(total);
      expect(new Set(ran).size).toBe(total);
    });

    it('runs thousands of jobs', async () => {
      const total = countOn(on, { many: 10_000, few: 1000 });
      await queue.add(...Array.from({ length: total }, (_, payload) => ({ kind: 'a', payload })));
      expect(await queue.worker({ a: note }, { concurrency: 32 }).drain()).toEqual({ ...NONE, done: total });
      expect(new Set(ran).size).toBe(total);
    }, 120_000);

    it('removes jobs that were done long ago, but no dead ones', async () => {
      await queue.add({ kind: 'a' }, { kind: 'broken' });
      const worker = queue.worker(
        { a: note, broken: () => Promise.reject(invalidInput('never')) },
        { keepDoneMs: DAY },
      );
      await worker.drain();
      queue.clock.advance(DAY - 1);
      await worker.drain();
      expect(await queue.states()).toEqual(['dead', 'done']);
      queue.clock.advance(HOUR);
      await worker.drain();
      expect(await queue.states()).toEqual(['dead']);
    });

    it('never runs a waiting job before the write that enqueued it again is visible', async () => {
      await queue.add({ kind: 'a', uniqueKey: 'k' });
      const [asked, tried, commit, seen] = [gate(), gate(), gate(), gate()];
      const writing = queue.database.write('t', async (writer) => {
        await enqueue(writer, { kind: 'a', tenant: 't', payload: null, uniqueKey: 'k' }, queue);
        asked.open();
        await commit.opened;
        ran.push('written');
      });
      await asked.opened;
      const database = {
        ...queue.database,
        write: ((...parameters: Parameters<typeof queue.database.write>) => {
          tried.open();
          return queue.database.write(...parameters);
        }) as typeof queue.database.write,
      };
      const handler = async (): Promise<void> => {
        ran.push('seen');
        seen.open();
      };
      const worker = queue.worker({ a: handler }, { database });
      worker.start();
      await tried.opened;
      await someTurns();
      commit.open();
      await writing;
      await seen.opened;
      await worker.stop();
      expect(ran).toEqual(['written', 'seen']);
    });
  });
}
