import { describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { ada, context, request, useLedger } from '../../test/open-ledger.ts';
import { DAY } from '../record/clock.ts';
import { EVERY_TENANT } from '../store/database.ts';
import type { UsageEntry } from '../store/doors/usage-store.ts';

for (const kind of databases('sql')) {
  describe.skipIf(kind.skip !== null)(`reports and budgets on ${kind.name}`, () => {
    const suite = useLedger(kind);
    const { open, languageModel, rows } = suite;

    it('[Q12] reports cost by month and operation, and by task within a month', async () => {
      const ledger = await open();
      const use = (operation: UsageEntry['operation'], task: string, model: string, tokensIn: number): Promise<void> =>
        ledger.metered({ ...context, operation }, async (meter) => meter.note({ task, model, usage: { tokensIn } }));
      await use('extraction', 'read', 'test.chat:m', 100);
      await use('extraction', 'decide', 'test.chat:m', 50);
      await use('embedding', 'embed', 'test.embedding:e', 7);
      await use('consolidation', 'merge', 'test.chat:m', 30);
      await use('injection', 'inject', 'test.chat:m', 400);
      suite.opened.clock.set(Date.UTC(2026, 11, 1));
      await use('extraction', 'read', 'test.chat:m', 1000);

      const byOperation = await ledger.report({ tenant: 't', by: ['month', 'operation'] });
      expect(byOperation.map(({ keys, cost, count }) => [keys.month, keys.operation, cost, count])).toEqual([
        ['2026-11', 'consolidation', 30, 1],
        ['2026-11', 'embedding', 70, 1],
        ['2026-11', 'extraction', 150, 2],
        ['2026-11', 'injection', 400, 1],
        ['2026-12', 'extraction', 1000, 1],
      ]);
      const november = await ledger.report({ tenant: 't', from: '2026-11', to: '2026-11', by: ['task'] });
      expect(november.map(({ keys, tokensIn }) => [keys.task, tokensIn])).toEqual([
        ['decide', 50],
        ['embed', 7],
        ['inject', 400],
        ['merge', 30],
        ['read', 100],
      ]);
      expect(await ledger.report({ tenant: 'other', by: ['month'] })).toEqual([]);
      expect(
        (
          await ledger.report({
            tenant: EVERY_TENANT,
            from: '2026-12-01',
            to: '2026-12-31',
            by: ['tenant', 'user', 'day'],
          })
        )[0],
      ).toMatchObject({ keys: { tenant: 't', user: 'ada', day: '2026-12-01' }, cost: 1000 });
      await expect(ledger.report({ tenant: 't', from: 'November', by: [] })).rejects.toMatchObject({
        code: 'invalid_input',
      });
    });

    it('[T14] does not charge for the tokens of memories in the application’s own prompts', async () => {
      const ledger = await open({ credit: 'user', budget: { perTenant: 10 } });
      await ledger.metered(context, async (meter) =>
        meter.note({ task: 'inject', operation: 'injection', model: 'test.chat:m', usage: { tokensIn: 400 } }),
      );
      expect(await rows()).toMatchObject([{ cost: 400, charged: 0 }]);
      await ledger.credit.grant({ ...ada, amount: 1000, reason: 'top-up' });
      await ledger.metered(context, (meter) => meter.languageModel(languageModel()).generate(request));
    });

    it.each([
      ['a tenant', { perTenant: 200 }],
      ['all tenants', { total: 200 }],
    ])(
      '[Q12] pauses background work when the day’s budget of %s is spent, until the next day',
      async (_name, budget) => {
        const ledger = await open({ budget });
        const work = (foreground: boolean) =>
          ledger.metered({ ...context, foreground }, (meter) => meter.languageModel(languageModel()).generate(request));
        await work(false);
        await work(false);
        const until = Date.UTC(2026, 10, 16);
        await expect(work(false)).rejects.toMatchObject({
          code: 'budget_spent',
          retryable: true,
          details: { until, spent: 280 },
        });
        expect(suite.server.requests).toHaveLength(2);
        await work(true);
        suite.opened.clock.set(until);
        await work(false);
        suite.opened.clock.advance(DAY);
        await work(false);
      },
    );

    it('counts usage that is not yet written towards the budget', async () => {
      const ledger = await open({ budget: { perTenant: 200 } });
      const work = ledger.metered(context, async (meter) => {
        const metered = meter.languageModel(languageModel());
        for (let calls = 0; calls < 5; calls += 1) await metered.generate(request);
      });
      await expect(work).rejects.toMatchObject({ code: 'budget_spent' });
      expect(suite.server.requests).toHaveLength(2);
    });
  });
}
