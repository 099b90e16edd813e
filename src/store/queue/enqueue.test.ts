import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databases } from '../../../test/databases.ts';
import { openQueue, type TestQueue } from '../../../test/fixtures/queue.ts';
import { MINUTE } from '../../record/clock.ts';
import { enqueue } from './enqueue.ts';
import { listJobs } from './list-jobs.ts';

for (const on of databases('sql')) {
  describe.skipIf(on.skip !== null)(`enqueueing on ${on.name}`, () => {
    let queue: TestQueue;
    beforeEach(async () => {
      queue = await openQueue(on);
    });
    afterEach(() => queue.close());

    it('stores a job with its defaults', async () => {
      const payload = { text: 'Grüße 🌍', numbers: [1, 2.5], none: null };
      const [added] = await queue.add({ kind: 'form', ownerKey: 'o', payload });
      expect(added?.isNew).toBe(true);
      expect(await queue.job(added?.id)).toEqual({
        id: added?.id,
        kind: 'form',
        tenant: 't',
        ownerKey: 'o',
        payload,
        uniqueKey: null,
        state: 'waiting',
        priority: 5,
        runAt: new Date(queue.clock.now()),
        attempts: 0,
        maxAttempts: 8,
        lastError: null,
        leaseUntil: null,
        createdAt: new Date(queue.clock.now()),
        finishedAt: null,
      });
    });

    it('rolls a job back with its transaction', async () => {
      const { database } = queue;
      const failing = database.write('t', async (writer) => {
        await enqueue(writer, { kind: 'form', tenant: 't', payload: null }, queue);
        throw new Error('the write fails');
      });
      await expect(failing).rejects.toThrow('the write fails');
      expect((await listJobs(database)).items).toEqual([]);
    });

    it('works only in a transaction of the job’s tenant', async () => {
      const { database } = queue;
      await database.write('t', (writer) =>
        enqueue(writer, { kind: 'a', tenant: 't', payload: 1, uniqueKey: 'k' }, queue),
      );
      await database.write('t', (writer) =>
        enqueue(writer, { kind: 'a', tenant: 't', payload: 2, uniqueKey: 'k' }, queue),
      );
      expect((await listJobs(database, { tenant: 't' })).items.map((job) => job.payload)).toEqual([1]);
      expect((await listJobs(database, { tenant: 'other' })).items).toEqual([]);
      if (database.dialect === 'sqlite') return;
      const outside = database.write('t', (writer) =>
        enqueue(writer, { kind: 'a', tenant: 'other', payload: 1 }, queue),
      );
      await expect(outside).rejects.toThrow('row-level security');
    });

    it('keeps the earlier of two jobs with the same unique key, for each tenant and kind', async () => {
      const [first] = await queue.add({ kind: 'form', uniqueKey: 'user 1', payload: 1 });
      const [second, otherKey, otherKind, otherTenant] = await queue.add(
        { kind: 'form', uniqueKey: 'user 1', payload: 2 },
        { kind: 'form', uniqueKey: 'user 2' },
        { kind: 'tidy', uniqueKey: 'user 1' },
        { kind: 'form', uniqueKey: 'user 1', tenant: 'u' },
      );
      expect(second).toEqual({ id: first?.id, isNew: false });
      expect([otherKey, otherKind, otherTenant].map((job) => job?.isNew)).toEqual([true, true, true]);
      expect((await queue.job(first?.id)).payload).toBe(1);
    });

    it('keeps the first of two jobs with the same unique key in one call', async () => {
      const added = await queue.add(
        { kind: 'a', uniqueKey: 'k', payload: 1 },
        { kind: 'a', uniqueKey: 'k', payload: 2 },
      );
      expect(added[1]).toEqual({ id: added[0]?.id, isNew: false });
      expect((await listJobs(queue.database)).items.map((job) => job.payload)).toEqual([1]);
    });

    it('moves the run time of a waiting job only on request', async () => {
      const [first] = await queue.add({ kind: 'form', uniqueKey: 'k', delay: MINUTE });
      await queue.add({ kind: 'form', uniqueKey: 'k', delay: 5 * MINUTE });
      expect((await queue.job(first?.id)).runAt.getTime()).toBe(queue.clock.now() + MINUTE);
      await queue.add({ kind: 'form', uniqueKey: 'k', delay: 5 * MINUTE, whenWaiting: 'move' });
      expect((await queue.job(first?.id)).runAt.getTime()).toBe(queue.clock.now() + 5 * MINUTE);
    });

    it('enqueues thousands of jobs in one call', async () => {
      const added = await queue.add(...Array.from({ length: 2500 }, (_, index) => ({ kind: 'a', payload: index })));
      expect(new Set(added.map((job) => job.id)).size).toBe(2500);
    });

    it.each([
      ['no kind', { kind: '' }, 'kind: is empty'],
      ['NaN', { kind: 'a', payload: Number.NaN }, 'payload'],
      ['a NUL character', { kind: 'a', payload: 'a\0b' }, 'NUL'],
      ['a huge payload', { kind: 'a', payload: 'x'.repeat(300_000) }, '256 KiB'],
      ['priority 10', { kind: 'a', priority: 10 }, 'priority'],
      ['no attempts', { kind: 'a', maxAttempts: 0 }, 'maxAttempts'],
      ['an invalid date', { kind: 'a', runAt: 'tomorrow' }, 'expected a date'],
      ['two times', { kind: 'a', runAt: 0, delay: 1 }, 'exclude each other'],
    ])('refuses %s before anything is written', async (_name, job, message) => {
      await expect(queue.add({ kind: 'good' }, job)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining(message),
      });
      expect((await listJobs(queue.database)).items).toEqual([]);
    });
  });
}
