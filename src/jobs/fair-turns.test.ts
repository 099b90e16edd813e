import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countOn, databases } from '../../test/databases.ts';
import { openQueue, type TestQueue } from '../../test/fixtures/queue.ts';
import { HOUR } from '../record/clock.ts';

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

for (const on of databases('sql')) {
  describe.skipIf(on.skip !== null)(`fair scheduling between tenants on ${on.name}`, () => {
    let queue: TestQueue;
    let order: string[];
    const handlers = { a: async (job: { tenant: string }): Promise<void> => void order.push(job.tenant) };
    beforeEach(async () => {
      queue = await openQueue(on);
      order = [];
    });
    afterEach(() => queue.close());

    it.each([1, 8])(
      'serves a tenant with 10 jobs beside a tenant with far more and earlier jobs, %d at a time',
      async (concurrency) => {
        await queue.add(...range(countOn(on, { many: 10_000, few: 100 })).map(() => ({ kind: 'a', tenant: 'many' })));
        queue.clock.advance(HOUR);
        await queue.add(...range(10).map(() => ({ kind: 'a', tenant: 'few' })));
        const worker = queue.worker(handlers, { concurrency });
        worker.start();
        while (order.filter((tenant) => tenant === 'few').length < 10)
          await new Promise((resolve) => setTimeout(resolve, 1));
        await worker.stop();
        expect(order.lastIndexOf('few')).toBeLessThan(40);
      },
    );

    it('serves a tenant whose first job arrives while the jobs of another are running', async () => {
      const many = countOn(on, { many: 2000, few: 700 });
      await queue.add(...range(many).map(() => ({ kind: 'a', tenant: 'many' })));
      let added = 0;
      const worker = queue.worker({
        a: async (job) => {
          order.push(job.tenant);
          if (order.length === 500) added = (await queue.add({ kind: 'a', tenant: 'late' })).length;
        },
      });
      expect((await worker.drain()).done).toBe(many + 1);
      expect(added).toBe(1);
      // The tenants are read again after 16 leases of 8 jobs, and some jobs were already running.
      expect(order.indexOf('late')).toBeLessThan(500 + 18 * 8);
    });

    it('gives each of many tenants the same share', async () => {
      const each = countOn(on, { many: 50, few: 20 });
      await queue.add(
        ...range(30).flatMap((tenant) => range(each).map(() => ({ kind: 'a', tenant: `tenant ${tenant}` }))),
      );
      await queue.worker(handlers, { concurrency: 7 }).drain();
      expect(order.length).toBe(30 * each);
      for (const part of [6 * each, 18 * each]) {
        const counts = new Map<string, number>();
        for (const tenant of order.slice(0, part)) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
        expect(counts.size).toBe(30);
        expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThan(part / 30);
      }
    });

    it('skips tenants whose jobs are not due or of an unknown kind', async () => {
      await queue.add(
        ...range(20).map((tenant) => ({ kind: 'a', tenant: `later ${tenant}`, delay: HOUR })),
        ...range(20).map((tenant) => ({ kind: 'unknown', tenant: `unknown ${tenant}` })),
        ...range(100).map(() => ({ kind: 'a', tenant: 'now' })),
      );
      expect((await queue.worker(handlers).drain()).done).toBe(100);
      expect(new Set(order)).toEqual(new Set(['now']));
    });
  });
}
