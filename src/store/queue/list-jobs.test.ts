import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databases } from '../../../test/databases.ts';
import { gate, openQueue, type TestQueue } from '../../../test/fixtures/queue.ts';
import { invalidInput } from '../../errors.ts';
import { DAY } from '../../record/clock.ts';
import { EVERY_TENANT } from '../database.ts';
import { enqueueJobs } from './enqueue.ts';
import { countJobs, getJob, type JobFilter, listJobs } from './list-jobs.ts';
import { removeDoneJobs, retryJob } from './settle-jobs.ts';

for (const on of databases('sql')) {
  describe.skipIf(on.skip !== null)(`managing the queue on ${on.name}`, () => {
    let queue: TestQueue;
    beforeEach(async () => {
      queue = await openQueue(on);
      await queue.add(
        { kind: 'a', payload: 0 },
        { kind: 'broken', payload: 1 },
        { kind: 'a', payload: 2, tenant: 'u' },
        { kind: 'a', payload: 3, delay: DAY },
      );
      await queue.worker({ a: async () => {}, broken: () => Promise.reject(invalidInput('what was wrong')) }).drain();
    });
    afterEach(() => queue.close());

    const payloads = async (filter?: JobFilter): Promise<unknown[]> =>
      (await listJobs(queue.database, filter)).items.map((job) => job.payload);

    it('lists newest first, by state, kind and tenant', async () => {
      expect(await payloads()).toEqual([3, 2, 1, 0]);
      expect(await payloads({ state: 'done' })).toEqual([2, 0]);
      expect(await payloads({ kind: 'a', tenant: 't' })).toEqual([3, 0]);
      expect((await listJobs(queue.database, { state: 'dead' })).items).toMatchObject([
        { lastError: 'what was wrong' },
      ]);
      await expect(listJobs(queue.database, { limit: 0 })).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it('lists in pages', async () => {
      const first = await listJobs(queue.database, { limit: 3 });
      expect(first.items.length).toBe(3);
      const second = await listJobs(queue.database, { limit: 3, cursor: first.cursor ?? undefined });
      expect(second).toMatchObject({ items: [{ payload: 0 }], cursor: null });
    });

    it('counts by kind and state', async () => {
      expect(await countJobs(queue.database)).toEqual([
        { kind: 'a', state: 'done', count: 2 },
        { kind: 'a', state: 'waiting', count: 1 },
        { kind: 'broken', state: 'dead', count: 1 },
      ]);
      expect(await countJobs(queue.database, { tenant: 'u' })).toEqual([{ kind: 'a', state: 'done', count: 1 }]);
    });

    it('neither shows nor retries a job of another tenant', async () => {
      const [dead] = (await listJobs(queue.database, { state: 'dead' })).items;
      const id = dead?.id ?? '';
      expect(await getJob(queue.database, id, { tenant: 'u' })).toBeNull();
      expect(await retryJob(queue.database, id, { clock: queue.clock, tenant: 'u' })).toBeNull();
      expect(await retryJob(queue.database, id, { clock: queue.clock, tenant: 't' })).toMatchObject({
        state: 'waiting',
      });
    });

    it('retries a dead job, which replaces a waiting job with the same key', async () => {
      const [dead] = await queue.add({ kind: 'broken', uniqueKey: 'k', payload: 'earlier' });
      await queue.worker({ broken: () => Promise.reject(invalidInput('wrong')) }).drain();
      await queue.add({ kind: 'broken', uniqueKey: 'k', payload: 'later' });
      await retryJob(queue.database, dead?.id ?? '', queue);
      expect(await payloads({ state: 'waiting', kind: 'broken' })).toEqual(['earlier']);
    });

    it('retries a dead job while another transaction enqueues a job with the same key', async () => {
      const [dead] = await queue.add({ kind: 'broken', uniqueKey: 'k', payload: 'earlier' });
      await queue.worker({ broken: () => Promise.reject(invalidInput('wrong')) }).drain();
      const [middle, end] = [gate(), gate()];
      const enqueuing = queue.database.write(EVERY_TENANT, async (writer) => {
        await enqueueJobs(writer, [{ tenant: 't', kind: 'broken', uniqueKey: 'k', payload: 'later' }], queue);
        middle.open();
        await end.opened;
      });
      await middle.opened;
      const retrying = retryJob(queue.database, dead?.id ?? '', queue);
      // On PostgreSQL, the retry waits for the key, which the open transaction has locked. The other databases run one transaction at a
      // time.
      const isWaiting = async (): Promise<boolean> => {
        const { rows } = await queue.database.read(EVERY_TENANT, (reader) =>
          sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'
            and application_name = current_setting('application_name')`.execute(reader),
        );
        return rows.length > 0;
      };
      while (on.name === 'PostgreSQL' && !(await isWaiting())) await setImmediate();
      end.open();
      await enqueuing;
      expect(await retrying).toMatchObject({ state: 'waiting' });
      expect(await payloads({ state: 'waiting', kind: 'broken' })).toEqual(['earlier']);
    });

    it('removes jobs that are done, but no dead ones', async () => {
      const before = queue.clock.now() + 1;
      expect(await removeDoneJobs(queue.database, before - 1)).toBe(0);
      expect(await removeDoneJobs(queue.database, before)).toBe(2);
      expect(await payloads()).toEqual([3, 1]);
    });
  });
}
