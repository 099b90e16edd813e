import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { gate, openQueue, type TestQueue } from '../../test/fixtures/queue.ts';
import { invalidInput, VarveError } from '../errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../record/clock.ts';
import { enqueue } from './enqueue.ts';
import { countJobs, listJobs } from './list-jobs.ts';
import { postpone } from './postpone.ts';
import { retryJob } from './retry-job.ts';

const NONE = { done: 0, retried: 0, dead: 0, postponed: 0, returned: 0, lost: 0 };
const LEASE = { leaseMs: MINUTE };

for (const on of databases()) {
  describe.skipIf(on.skip !== null)(`a worker on ${on.name}`, () => {
    let queue: TestQueue;
    let ran: unknown[];
    const note = async (job: { payload: unknown }): Promise<void> => void ran.push(job.payload);
    beforeEach(async () => {
      queue = await openQueue(on);
      ran = [];
    });
    afterEach(() => queue.close());

    const states = async (): Promise<string[]> =>
      (await listJobs(queue.database, { limit: 500 })).jobs.map((job) => job.state).sort();

    it('runs what is due and keeps it as done', async () => {
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

    it('runs a job when its time has come, not before', async () => {
      await queue.add({ kind: 'a', runAt: queue.clock.now() + HOUR });
      const worker = queue.worker({ a: note });
      queue.clock.advance(HOUR - 1);
      expect(await worker.drain()).toEqual(NONE);
      queue.clock.advance(1);
      expect(await worker.drain()).toEqual({ ...NONE, done: 1 });
    });

    it('runs the jobs of a tenant in the order of priority, then of time', async () => {
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

    it('runs what its jobs enqueue', async () => {
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
      it('retries with growing pauses, then gives up and keeps the error', async () => {
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
        ['an error that says so', () => Object.assign(new Error('gone'), { retryable: false })],
        ['a Varve error that is not retryable', () => new VarveError('gone', { code: 'not_found' })],
      ])('does not retry %s', async (_name, makeError) => {
        await queue.add({ kind: 'a' });
        expect(await queue.worker({ a: () => Promise.reject(makeError()) }).drain()).toEqual({ ...NONE, dead: 1 });
      });

      it('stores a message that is neither endless nor refused by the database', async () => {
        const [added] = await queue.add({ kind: 'a' });
        await queue.worker({ a: () => Promise.reject(new Error(`\0${'🌍'.repeat(5000)}`)) }).drain();
        expect((await queue.job(added?.id)).lastError?.length).toBeLessThanOrEqual(1000);
      });

      it('counts an error that is thrown before anything is awaited', async () => {
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

    it('waits without counting an attempt when a handler postpones', async () => {
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

    describe('with a lease', () => {
      it('keeps a job from others until the lease runs out', async () => {
        const [added] = await queue.add({ kind: 'a' });
        const [middle, end] = [gate(), gate()];
        const slow = queue.worker(
          {
            a: async () => {
              middle.open();
              await end.opened;
            },
          },
          LEASE,
        );
        const slowly = slow.drain();
        await middle.opened;
        const other = queue.worker({ a: note }, LEASE);
        queue.clock.advance(MINUTE - 1);
        expect(await other.drain()).toEqual(NONE);
        queue.clock.advance(1);
        expect(await other.drain()).toEqual({ ...NONE, done: 1 });
        expect(await queue.job(added?.id)).toMatchObject({ state: 'done', attempts: 2 });
        end.open();
        expect(await slowly).toEqual({ ...NONE, lost: 1 });
      });

      it.each(['failed', 'done'])('ignores a worker that lost its lease and says %s', async (said) => {
        const [added] = await queue.add({ kind: 'a' });
        const [middle, end, otherMiddle, otherEnd] = [gate(), gate(), gate(), gate()];
        const slow = queue
          .worker(
            {
              a: async () => {
                middle.open();
                await end.opened;
                if (said === 'failed') throw new Error('from the one who lost it');
              },
            },
            LEASE,
          )
          .drain();
        await middle.opened;
        queue.clock.advance(MINUTE);
        const other = queue
          .worker(
            {
              a: async () => {
                otherMiddle.open();
                await otherEnd.opened;
              },
            },
            LEASE,
          )
          .drain();
        await otherMiddle.opened;
        end.open();
        expect(await slow).toEqual({ ...NONE, lost: 1 });
        expect(await queue.job(added?.id)).toMatchObject({ state: 'running', attempts: 2, lastError: null });
        otherEnd.open();
        expect(await other).toEqual({ ...NONE, done: 1 });
      });

      it('renews the lease while a handler gives signs of life', async () => {
        await queue.add({ kind: 'a' });
        const other = queue.worker({ a: note }, LEASE);
        const worker = queue.worker(
          {
            a: async (_job, { heartbeat }) => {
              for (let minute = 0; minute < 5; minute += 1) {
                queue.clock.advance(MINUTE - 1);
                await heartbeat();
                expect(await other.drain()).toEqual(NONE);
              }
            },
          },
          LEASE,
        );
        expect(await worker.drain()).toEqual({ ...NONE, done: 1 });
      });

      it('renews the lease by itself while a handler is busy elsewhere', async () => {
        await queue.add({ kind: 'a' });
        const other = queue.worker({ a: note }, LEASE);
        const worker = queue.worker(
          {
            a: async () => {
              for (let minute = 0; minute < 3; minute += 1) {
                queue.clock.advance(MINUTE - 1);
                const until = queue.clock.now() + MINUTE;
                for (;;) {
                  const [job] = (await listJobs(queue.database)).jobs;
                  if (job?.leaseUntil?.getTime() === until) break;
                  await delay(5);
                }
                expect(await other.drain()).toEqual(NONE);
              }
            },
          },
          LEASE,
        );
        expect(await worker.drain()).toEqual({ ...NONE, done: 1 });
      });

      it('aborts a handler that has lost its lease', async () => {
        await queue.add({ kind: 'a' });
        let reason: unknown;
        const worker = queue.worker(
          {
            a: async (_job, { signal, heartbeat }) => {
              queue.clock.advance(MINUTE);
              await queue.worker({ a: note }, LEASE).drain();
              await expect(heartbeat()).rejects.toThrow('its lease is lost');
              reason = signal.reason;
              signal.throwIfAborted();
            },
          },
          LEASE,
        );
        expect(await worker.drain()).toEqual({ ...NONE, lost: 1 });
        expect(reason).toMatchObject({ code: 'cancelled' });
        expect(await states()).toEqual(['done']);
      });

      it('buries a job whose worker never comes back from it', async () => {
        const [added] = await queue.add({ kind: 'a', maxAttempts: 2 });
        const end = gate();
        const lost: unknown[] = [];
        for (let attempt = 0; attempt < 2; attempt += 1) {
          const middle = gate();
          const worker = queue.worker(
            {
              a: async () => {
                middle.open();
                await end.opened;
              },
            },
            { ...LEASE, pollMs: HOUR },
          );
          lost.push(worker.drain());
          await middle.opened;
          queue.clock.advance(MINUTE);
        }
        expect(await queue.worker({ a: note }, LEASE).drain()).toEqual(NONE);
        expect(await queue.job(added?.id)).toMatchObject({
          state: 'dead',
          attempts: 2,
          lastError: expect.stringContaining('worker ended'),
        });
        end.open();
        expect(await Promise.all(lost)).toEqual([
          { ...NONE, lost: 1 },
          { ...NONE, lost: 1 },
        ]);
      });
    });

    describe('that completes within the transaction of the effect', () => {
      beforeEach(() =>
        queue.database.write('t', async (writer) => {
          await writer.insertInto('owners').values(effect('counter')).execute();
        }),
      );
      const effect = (key: string) => ({ tenant_id: 't', owner_key: key, version: 0, epoch: 0, created_at: 0 });
      const effects = async (): Promise<number | undefined> =>
        (await queue.database.read('t', (reader) => reader.selectFrom('owners').select('version').executeTakeFirst()))
          ?.version;
      const count = sql<number>`version + 1`;

      it('has both or neither', async () => {
        const [added] = await queue.add({ kind: 'a' });
        let tries = 0;
        const worker = queue.worker({
          a: (_job, { complete }) =>
            queue.database.write('t', async (writer) => {
              await writer.updateTable('owners').set({ version: count }).execute();
              await complete(writer);
              tries += 1;
              if (tries === 1) throw new Error('after completing');
            }),
        });
        expect(await worker.drain()).toEqual({ ...NONE, retried: 1 });
        expect(await effects()).toBe(0);
        expect(await queue.job(added?.id)).toMatchObject({ state: 'waiting', attempts: 1 });
        queue.clock.advance(MINUTE);
        expect(await worker.drain()).toEqual({ ...NONE, done: 1 });
        expect(await effects()).toBe(1);
      });

      it('takes the effect back when the lease is lost', async () => {
        await queue.add({ kind: 'a' });
        const work = async (complete: (writer: never) => Promise<void>): Promise<void> =>
          queue.database.write('t', async (writer) => {
            await writer.updateTable('owners').set({ version: count }).execute();
            await complete(writer as never);
          });
        const other = queue.worker({ a: (_job, { complete }) => work(complete) }, LEASE);
        const worker = queue.worker(
          {
            a: async (_job, { complete }) => {
              queue.clock.advance(MINUTE);
              expect(await other.drain()).toEqual({ ...NONE, done: 1 });
              await expect(work(complete)).rejects.toMatchObject({ code: 'conflict' });
              throw new Error('still here');
            },
          },
          LEASE,
        );
        expect(await worker.drain()).toEqual({ ...NONE, lost: 1 });
        expect(await effects()).toBe(1);
        expect(await states()).toEqual(['done']);
      });

      it('stays done when the handler fails afterwards', async () => {
        await queue.add({ kind: 'a' });
        const worker = queue.worker({
          a: async (_job, { complete }) => {
            await queue.database.write('t', (writer) => complete(writer));
            throw new Error('too late to matter');
          },
        });
        expect(await worker.drain()).toEqual({ ...NONE, done: 1 });
        expect(await states()).toEqual(['done']);
      });
    });

    describe('with unique keys', () => {
      it('starts the second job of a key when the first has ended', async () => {
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

      it('keeps the earlier one when it fails while a second waits', async () => {
        const [first] = await queue.add({ kind: 'a', uniqueKey: 'k', payload: 1 });
        const worker = queue.worker({
          a: async () => {
            await queue.add({ kind: 'a', uniqueKey: 'k', payload: 2 });
            throw new Error('no luck');
          },
        });
        expect(await worker.drain()).toEqual({ ...NONE, retried: 1 });
        expect((await listJobs(queue.database)).jobs).toMatchObject([{ id: first?.id, payload: 1, state: 'waiting' }]);
        // A job that waits for its next attempt is not hurried by another enqueueing.
        await queue.add({ kind: 'a', uniqueKey: 'k', whenWaiting: 'move' });
        expect((await queue.job(first?.id)).runAt.getTime()).toBe(queue.clock.now() + SECOND);
      });

      it('keeps the second one when the first was lost to another worker', async () => {
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
        expect((await listJobs(queue.database, { state: 'waiting' })).jobs).toMatchObject([{ payload: 2 }]);
      });
    });

    describe('that stops', () => {
      it('waits for what runs, takes nothing new and loses nothing', async () => {
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
        await delay(30);
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

      it('aborts and gives back, uncounted, what does not end in time', async () => {
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

      it('leaves the lease to a handler that does not heed its signal', async () => {
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

      it('can start again', async () => {
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

    it('starts at once when it is woken', async () => {
      const started = gate();
      const worker = queue.worker({ a: async () => started.open() }, { pollMs: HOUR });
      worker.start();
      await delay(30);
      await queue.add({ kind: 'a' });
      worker.wake();
      await started.opened;
      await worker.stop();
    });

    it('tells of a failing database and goes on when it is back', async () => {
      const errors: unknown[] = [];
      let down = true;
      const database = {
        ...queue.database,
        read: ((...parameters: Parameters<typeof queue.database.read>) =>
          down ? Promise.reject(new Error('down')) : queue.database.read(...parameters)) as typeof queue.database.read,
      };
      await queue.add({ kind: 'a', payload: 1 });
      const worker = queue.worker({ a: note }, { database, onError: (error) => errors.push(error), pollMs: 5 });
      worker.start();
      while (errors.length === 0) await delay(5);
      down = false;
      while (ran.length === 0) await delay(5);
      await worker.stop();
      expect(await states()).toEqual(['done']);
    });

    it('ends when its store is closed under it', async () => {
      const errors: unknown[] = [];
      const other = await openQueue(on);
      const worker = other.worker({ a: note }, { onError: (error) => errors.push(error), pollMs: 1 });
      worker.start();
      await other.close();
      await delay(100);
      expect(errors.length).toBeLessThan(5);
      await worker.stop();
    });

    it('shares the queue with another so that each job runs once', async () => {
      const total = 300;
      await queue.add(...Array.from({ length: total }, (_, payload) => ({ kind: 'a', payload })));
      const inWork = new Set<unknown>();
      const handler = async (job: { payload: unknown }): Promise<void> => {
        expect(inWork.has(job.payload)).toBe(false);
        inWork.add(job.payload);
        await delay(1);
        inWork.delete(job.payload);
        ran.push(job.payload);
      };
      const workers = [queue.worker({ a: handler }), queue.worker({ a: handler })];
      const counts = await Promise.all(workers.map((worker) => worker.drain()));
      expect(counts.map((count) => count.done).every((done) => done > 0)).toBe(true);
      expect(ran.length).toBe(total);
      expect(new Set(ran).size).toBe(total);
    });

    it('runs ten thousand jobs', async () => {
      const total = 10_000;
      await queue.add(...Array.from({ length: total }, (_, payload) => ({ kind: 'a', payload })));
      expect(await queue.worker({ a: note }, { concurrency: 32 }).drain()).toEqual({ ...NONE, done: total });
      expect(new Set(ran).size).toBe(total);
    }, 120_000);

    it('removes what was done long ago, not what is dead', async () => {
      await queue.add({ kind: 'a' }, { kind: 'broken' });
      const worker = queue.worker(
        { a: note, broken: () => Promise.reject(invalidInput('never')) },
        { keepDoneMs: DAY },
      );
      await worker.drain();
      queue.clock.advance(DAY - 1);
      await worker.drain();
      expect(await states()).toEqual(['dead', 'done']);
      queue.clock.advance(HOUR);
      await worker.drain();
      expect(await states()).toEqual(['dead']);
    });

    it('never runs a waiting job before the write that asked for it again can be seen', async () => {
      const [added] = await queue.add({ kind: 'a', uniqueKey: 'k' });
      const [asked, commit] = [gate(), gate()];
      const writing = queue.database.write('t', async (writer) => {
        await enqueue(writer, { kind: 'a', tenant: 't', payload: null, uniqueKey: 'k' }, queue);
        asked.open();
        await commit.opened;
        ran.push('written');
      });
      await asked.opened;
      const worker = queue.worker({ a: async () => void ran.push('seen') });
      worker.start();
      await delay(100);
      commit.open();
      await writing;
      while ((await queue.job(added?.id)).state !== 'done') await delay(5);
      await worker.stop();
      expect(ran).toEqual(['written', 'seen']);
    });
  });
}
