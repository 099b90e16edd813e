import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { gate, openQueue, type TestQueue } from '../../test/fixtures/queue.ts';
import { DAY, HOUR, MINUTE } from '../record/clock.ts';
import { EVERY_TENANT } from '../store/database.ts';
import type { Job } from '../store/queue/job.ts';
import { listJobs } from '../store/queue/list-jobs.ts';
import { ensureSchedules, listSchedules, type NewSchedule } from './schedules.ts';

const nightly: NewSchedule = { name: 'nightly', cron: '0 3 * * *', kind: 'reflect', payload: { depth: 2 } };

for (const on of databases('sql')) {
  describe.skipIf(on.skip !== null)(`schedules on ${on.name}`, () => {
    let queue: TestQueue;
    let ran: unknown[];
    const handlers = { reflect: async (job: Job): Promise<void> => void ran.push(job.payload) };
    const ensure = (...schedules: NewSchedule[]): Promise<void> => ensureSchedules(queue.database, schedules, queue);
    beforeEach(async () => {
      queue = await openQueue(on);
      ran = [];
    });
    afterEach(() => queue.close());

    it('run once for each due time', async () => {
      await ensure(nightly);
      const worker = queue.worker(handlers);
      await worker.drain();
      expect(ran).toEqual([]);
      for (let hour = 0; hour < 72; hour += 1) {
        queue.clock.advance(HOUR);
        await worker.drain();
        await worker.drain();
      }
      expect(ran).toEqual([
        { depth: 2, dueAt: '2026-06-02T03:00:00.000Z' },
        { depth: 2, dueAt: '2026-06-03T03:00:00.000Z' },
        { depth: 2, dueAt: '2026-06-04T03:00:00.000Z' },
      ]);
      expect(await listSchedules(queue.database)).toEqual([
        {
          ...nightly,
          timeZone: 'UTC',
          lastDue: new Date('2026-06-04T03:00:00Z'),
          nextDue: new Date('2026-06-05T03:00:00Z'),
        },
      ]);
    });

    it('run once for each due time, even with several concurrent workers', async () => {
      const every = Array.from({ length: 10 }, (_, index) => ({
        name: `s${index}`,
        cron: '*/5 * * * *',
        kind: 'reflect',
      }));
      await ensure(...every);
      const workers = [1, 2, 3].map(() => queue.worker(handlers));
      for (let round = 1; round <= 6; round += 1) {
        queue.clock.advance(5 * MINUTE);
        await Promise.all(workers.map((worker) => worker.drain()));
        // One worker may be done while another still runs a job. All jobs have ended when every worker has drained.
        expect(ran.length).toBe(round * every.length);
      }
      expect((await listJobs(queue.database, { limit: 500 })).items.length).toBe(60);
    });

    it('run once for several missed due times', async () => {
      await ensure(nightly);
      queue.clock.advance(10 * DAY);
      const worker = queue.worker(handlers);
      await worker.drain();
      expect(ran).toEqual([{ depth: 2, dueAt: '2026-06-02T03:00:00.000Z' }]);
      queue.clock.advance(DAY);
      await worker.drain();
      expect(ran.length).toBe(2);
    });

    it('do not run while their last run is in progress, and run once afterwards for all missed due times', async () => {
      await ensure({ ...nightly, cron: '* * * * *' });
      const [middle, end] = [gate(), gate()];
      const slow = queue.worker(
        {
          reflect: async () => {
            ran.push('slow');
            middle.open();
            await end.opened;
          },
        },
        // The lease outlasts the run, so that no other worker takes the job over.
        { leaseMs: HOUR, concurrency: 1 },
      );
      queue.clock.advance(MINUTE);
      slow.start();
      await middle.opened;
      const other = queue.worker(handlers);
      for (let minute = 1; minute <= 3; minute += 1) {
        queue.clock.advance(MINUTE);
        await other.drain();
        expect(ran).toEqual(['slow']);
      }
      expect(await queue.states()).toEqual(['running', 'waiting']);
      const stopped = slow.stop();
      end.open();
      await stopped;
      await other.drain();
      expect(ran).toEqual(['slow', { depth: 2, dueAt: '2026-06-01T12:02:00.000Z' }]);
    });

    it('enqueue their jobs while a worker is fully occupied, for another worker to run', async () => {
      await ensure(nightly);
      await queue.add({ kind: 'slow' });
      const [middle, end] = [gate(), gate()];
      const slow = queue.worker(
        {
          slow: async () => {
            middle.open();
            await end.opened;
          },
        },
        { concurrency: 1 },
      );
      slow.start();
      await middle.opened;
      queue.clock.advance(DAY);
      while ((await listJobs(queue.database, { kind: 'reflect' })).items.length === 0) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      end.open();
      await slow.stop();
      expect((await queue.worker(handlers).drain()).done).toBe(1);
    });

    it('keep their due time when they are saved again, unless the cron expression or the time zone changes', async () => {
      await ensure(nightly);
      const due = async (): Promise<string | undefined> =>
        (await listSchedules(queue.database))[0]?.nextDue.toISOString();
      queue.clock.advance(2 * DAY);
      await ensure({ ...nightly, payload: { depth: 3 } });
      expect(await due()).toBe('2026-06-02T03:00:00.000Z');
      expect((await listSchedules(queue.database))[0]?.payload).toEqual({ depth: 3 });
      await ensure({ ...nightly, cron: '0 4 * * *' });
      expect(await due()).toBe('2026-06-04T04:00:00.000Z');
      await ensure({ ...nightly, cron: '0 4 * * *', timeZone: 'America/New_York' });
      expect(await due()).toBe('2026-06-04T08:00:00.000Z');
    });

    it('follow the local time of their zone when daylight saving time begins', async () => {
      queue.clock.set(new Date('2026-03-27T12:00:00Z'));
      await ensure({ ...nightly, timeZone: 'Europe/Berlin' });
      const worker = queue.worker(handlers);
      for (let hour = 0; hour < 72; hour += 1) {
        queue.clock.advance(HOUR);
        await worker.drain();
      }
      expect(ran.map((payload) => (payload as { dueAt: string }).dueAt)).toEqual([
        '2026-03-28T02:00:00.000Z',
        '2026-03-29T01:00:00.000Z',
        '2026-03-30T01:00:00.000Z',
      ]);
    });

    it('[T21] still run when the clock is set back by a year, and so do waiting jobs and jobs with a lease from before', async () => {
      await ensure(nightly);
      queue.clock.advance(400 * DAY);
      await queue.worker(handlers).drain();
      expect(ran.length).toBe(1);
      // Two jobs are enqueued while the clock is ahead: one is leased to a worker that ends, and the other waits.
      await queue.add({ kind: 'reflect', payload: 'left by a worker' });
      const lost = queue.worker({ reflect: () => new Promise(() => {}) });
      lost.start();
      while ((await listJobs(queue.database, { state: 'running' })).items.length === 0) await setImmediate();
      await queue.add({ kind: 'reflect', payload: 'waiting', uniqueKey: 'one', delay: HOUR });
      // The worker is stopped before the clock changes, because it would renew its lease.
      await lost.stop({ timeout: 0 });
      queue.clock.advance(-365 * DAY);
      const worker = queue.worker(handlers);
      await worker.drain();
      expect(ran.length).toBe(1);
      queue.clock.advance(HOUR);
      await worker.drain();
      expect(ran.slice(1)).toEqual(['waiting']);
      queue.clock.advance(DAY);
      await worker.drain();
      expect(ran.slice(2)).toEqual(
        expect.arrayContaining(['left by a worker', { depth: 2, dueAt: '2026-07-07T03:00:00.000Z' }]),
      );
    });

    it('[T21] do not run again for a due time that a worker with a slightly faster clock has already run', async () => {
      await ensure({ ...nightly, cron: '0 * * * *' });
      queue.clock.advance(HOUR);
      const worker = queue.worker(handlers);
      await worker.drain();
      queue.clock.advance(-MINUTE);
      await queue.worker(handlers).drain();
      queue.clock.advance(MINUTE);
      await worker.drain();
      expect(ran.length).toBe(1);
    });

    it('[T21] run in UTC when this machine does not know their time zone, and do not block other schedules', async () => {
      await ensure(nightly, { ...nightly, name: 'another' });
      await queue.database.write(EVERY_TENANT, (writer) =>
        sql`update schedules set time_zone = 'Mars/Olympus' where name = 'another'`.execute(writer),
      );
      const worker = queue.worker(handlers);
      for (let day = 1; day <= 2; day += 1) {
        queue.clock.advance(DAY);
        await worker.drain();
        expect(ran.length).toBe(2 * day);
      }
    });

    it.each([
      [{ cron: '61 * * * *' }, 'minute'],
      [{ cron: 'every day' }, 'cron'],
      [{ cron: '0 0 30 2 *' }, 'never due'],
      [{ timeZone: 'Mars/Olympus' }, 'Mars/Olympus'],
      [{ name: '' }, 'name'],
    ])('refuse %j before anything is written', async (change, message) => {
      await expect(ensure(nightly, { ...nightly, name: 'b', ...change })).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining(message),
      });
      expect(await listSchedules(queue.database)).toEqual([]);
    });
  });
}
