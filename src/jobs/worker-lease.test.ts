import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { gate, NONE, openQueue, type TestQueue } from '../../test/fixtures/queue.ts';
import { HOUR, MINUTE } from '../record/clock.ts';
import { listJobs } from '../store/queue/list-jobs.ts';

const LEASE = { leaseMs: HOUR };
// These settings make a worker that does not poll during the test, like a worker that hangs. A poll would renew its lease.
const SILENT = { ...LEASE, pollMs: HOUR };

for (const on of databases('sql')) {
  describe.skipIf(on.skip !== null)(`a worker with a lease on ${on.name}`, () => {
    let queue: TestQueue;
    let ran: unknown[];
    const note = async (job: { payload: unknown }): Promise<void> => void ran.push(job.payload);
    beforeEach(async () => {
      queue = await openQueue(on);
      ran = [];
    });
    afterEach(() => queue.close());

    describe('with a lease', () => {
      it('keeps a job from other workers until the lease expires', async () => {
        const [added] = await queue.add({ kind: 'a' });
        const [middle, end] = [gate(), gate()];
        const slow = queue.worker(
          {
            a: async () => {
              middle.open();
              await end.opened;
            },
          },
          SILENT,
        );
        const slowly = slow.drain();
        await middle.opened;
        const other = queue.worker({ a: note }, LEASE);
        queue.clock.advance(HOUR - 1);
        expect(await other.drain()).toEqual(NONE);
        queue.clock.advance(1);
        expect(await other.drain()).toEqual({ ...NONE, done: 1 });
        expect(await queue.job(added?.id)).toMatchObject({ state: 'done', attempts: 2 });
        end.open();
        expect(await slowly).toEqual({ ...NONE, lost: 1 });
      });

      it.each(['failed', 'done'])('ignores the outcome of a worker that has lost its lease: %s', async (said) => {
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
            SILENT,
          )
          .drain();
        await middle.opened;
        queue.clock.advance(HOUR);
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

      it('renews the lease of a busy handler', async () => {
        await queue.add({ kind: 'a' });
        const other = queue.worker({ a: note }, LEASE);
        const worker = queue.worker(
          {
            a: async () => {
              for (let minute = 0; minute < 3; minute += 1) {
                queue.clock.advance(HOUR - 1);
                const until = queue.clock.now() + HOUR;
                for (;;) {
                  const [job] = (await listJobs(queue.database)).items;
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
            a: async (_job, { signal }) => {
              queue.clock.advance(HOUR);
              await queue.worker({ a: note }, LEASE).drain();
              worker.wake();
              await once(signal, 'abort');
              reason = signal.reason;
              signal.throwIfAborted();
            },
          },
          SILENT,
        );
        expect(await worker.drain()).toEqual({ ...NONE, lost: 1 });
        expect(reason).toMatchObject({ code: 'cancelled', message: expect.stringContaining('its lease is lost') });
        expect(await queue.states()).toEqual(['done']);
      });

      it('marks a job as dead when every attempt lost its lease before it finished', async () => {
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
            SILENT,
          );
          lost.push(worker.drain());
          await middle.opened;
          queue.clock.advance(HOUR);
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

    describe('that completes the job in the transaction of its effect', () => {
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

      it('commits the effect and the completion together, or neither', async () => {
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

      it('rolls the effect back when the lease is lost', async () => {
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
              queue.clock.advance(HOUR);
              expect(await other.drain()).toEqual({ ...NONE, done: 1 });
              await expect(work(complete)).rejects.toMatchObject({ code: 'conflict' });
              throw new Error('still here');
            },
          },
          SILENT,
        );
        expect(await worker.drain()).toEqual({ ...NONE, lost: 1 });
        expect(await effects()).toBe(1);
        expect(await queue.states()).toEqual(['done']);
      });

      it('keeps the job done when the handler fails afterwards', async () => {
        await queue.add({ kind: 'a' });
        const worker = queue.worker({
          a: async (_job, { complete }) => {
            await queue.database.write('t', (writer) => complete(writer));
            throw new Error('too late to matter');
          },
        });
        expect(await worker.drain()).toEqual({ ...NONE, done: 1 });
        expect(await queue.states()).toEqual(['done']);
      });
    });
  });
}
