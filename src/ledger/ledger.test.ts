import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { databases } from '../../test/databases.ts';
import { json, startProtocolServer, status, text, type ProtocolServer } from '../../test/protocol-server.ts';
import { aiSdkEmbedder } from '../models/ai-sdk-embedder.ts';
import { createLanguageModel } from '../models/create-language-model.ts';
import { functionEmbedder } from '../models/function-embedder.ts';
import type { LanguageModel } from '../models/language-model.ts';
import { NO_USAGE } from '../models/usage.ts';
import { DAY, manualClock, type ManualClock } from '../record/clock.ts';
import { createIdSource } from '../record/id.ts';
import { EVERY_TENANT, type Database } from '../store/database.ts';
import { openStore } from '../store/open-store.ts';
import { createLedger, type Ledger, type LedgerOptions } from './ledger.ts';
import type { MeterContext } from './meter.ts';
import type { UsageEntry } from './usage-entry.ts';

const START = Date.UTC(2026, 10, 15, 12);
const ada = { tenant: 't', agent: 'a', user: 'ada' };
const context: MeterContext = { scope: ada, operation: 'extraction', run: 'run_1' };
const schema = z.object({ facts: z.array(z.string()) });
const request = { task: 'extract', schema, prompt: { system: 's', user: 'u' } } as const;
// 100 tokens in and 20 out at these prices are 100 + 40 micro-dollars.
const PRICES = { 'test.chat:*': { input: 1, output: 2 }, 'test.embedding:*': { input: 10 } };

let server: ProtocolServer;
beforeAll(async () => {
  server = await startProtocolServer();
});
afterAll(() => server.close());

for (const kind of databases()) {
  describe.skipIf(kind.skip !== null)(`the ledger on ${kind.name}`, () => {
    let database: Database;
    let drop: () => Promise<void>;
    let clock: ManualClock;
    const opened: (() => Promise<void>)[] = [];

    async function open(options: Partial<LedgerOptions> = {}): Promise<Ledger> {
      const made = await kind.create();
      database = await openStore(made.options);
      drop = made.drop;
      opened.push(async () => {
        await database.close();
        await drop();
      });
      clock = manualClock(START);
      server.reset();
      server.otherwise({ chat: json({ facts: [] }) });
      return createLedger({ database, clock, ids: createIdSource(clock), prices: PRICES, ...options });
    }
    afterEach(async () => {
      for (const close of opened.splice(0)) await close();
    });

    const languageModel = (): LanguageModel => createLanguageModel({ fast: server.languageModel('m'), retries: 0 });
    const rows = () => database.read('t', (reader) => reader.selectFrom('usage').selectAll().orderBy('id').execute());

    it('[T14] writes down every call with task, model, tokens, time, cost and whose it was', async () => {
      const ledger = await open();
      await ledger.metered(context, async (meter) => {
        server.next(json({ facts: [] }, { usage: { in: 100, out: 20, cached: 40 } }));
        await meter.languageModel(languageModel()).generate(request);
        await meter.embedder(aiSdkEmbedder(server.embeddingModel('e'), { dimensions: 64 })).embed(['one two', 'three']);
      });
      expect(await rows()).toMatchObject([
        { tenant_id: 't', user_id: 'ada', agent_id: 'a', run: 'run_1', operation: 'extraction', task: 'extract', model: 'test.chat:m', tokens_in: 100, tokens_out: 20, tokens_cached: 40, calls: 1, cost: 140, charged: 0, failed: 0, day: '2026-11-15', at: START },
        { operation: 'embedding', task: 'embed', model: 'test.embedding:e/64', tokens_in: 3, cost: 30 },
      ]);
    });

    it('[T14] charges in the transaction of the work, and keeps the usage of work that is taken back', async () => {
      const ledger = await open({ credit: 'user' });
      await ledger.credit.grant({ ...ada, amount: 1000, reason: 'top-up' });
      await ledger.metered(context, async (meter) => {
        await meter.languageModel(languageModel()).generate(request);
        await database.write('t', async (writer) => {
          await meter.settle(writer);
          const inside = await writer.selectFrom('credit_accounts').select('balance').executeTakeFirst();
          expect(inside?.balance).toBe(860);
        });
      });
      expect(await ledger.credit.balance(ada)).toBe(860);

      const failing = ledger.metered(context, async (meter) => {
        await meter.languageModel(languageModel()).generate(request);
        await database.write('t', async (writer) => {
          await meter.settle(writer);
          throw new Error('the work failed');
        });
      });
      await expect(failing).rejects.toThrow('the work failed');
      expect(await ledger.credit.balance(ada)).toBe(720);
      expect(await rows()).toHaveLength(2);
    });

    it('[T14] settles once, however often it is asked to', async () => {
      const ledger = await open({ credit: 'user' });
      await ledger.credit.grant({ ...ada, amount: 1000, reason: 'top-up' });
      await ledger.metered(context, async (meter) => {
        await meter.languageModel(languageModel()).generate(request);
        for (let times = 0; times < 3; times += 1) await database.write('t', (writer) => meter.settle(writer));
      });
      expect(await ledger.credit.balance(ada)).toBe(860);
    });

    it('[T14] charges for an answer that was of no use, and not for one that never came', async () => {
      const ledger = await open({ credit: 'user' });
      await ledger.credit.grant({ ...ada, amount: 1000, reason: 'top-up' });
      server.otherwise(text('no json'));
      await expect(ledger.metered(context, (meter) => meter.languageModel(languageModel()).generate(request))).rejects.toMatchObject({ code: 'model_answer_invalid' });
      expect(await rows()).toMatchObject([{ calls: 2, cost: 280, charged: 280, failed: 1 }]);
      server.otherwise(status(500));
      await expect(ledger.metered(context, (meter) => meter.languageModel(languageModel()).generate(request))).rejects.toMatchObject({ code: 'model_unavailable' });
      expect(await rows()).toHaveLength(1);
      expect(await ledger.credit.balance(ada)).toBe(720);
    });

    it('[T14] stops paid work at zero with a clear reason, also in the middle, and goes on when credit comes', async () => {
      const ledger = await open({ credit: 'user' });
      const work = () =>
        ledger.metered(context, async (meter) => {
          const metered = meter.languageModel(languageModel());
          for (let calls = 0; calls < 3; calls += 1) await metered.generate(request);
        });
      await expect(work()).rejects.toMatchObject({ code: 'out_of_credit', retryable: true, message: expect.stringMatching(/user ada .* out of credit: \$0\.000000 left/) });
      expect(server.requests).toHaveLength(0);
      await ledger.credit.grant({ ...ada, amount: 200, reason: 'top-up' });
      await expect(work()).rejects.toMatchObject({ code: 'out_of_credit' });
      expect(server.requests).toHaveLength(2);
      expect(await ledger.credit.balance(ada)).toBe(-80);
      await expect(ledger.ensureCredit(ada)).rejects.toMatchObject({ code: 'out_of_credit' });
      await ledger.credit.grant({ ...ada, amount: 1000, reason: 'top-up' });
      await work();
      expect(await ledger.credit.balance(ada)).toBe(500);
    });

    it('[T14] lets work without cost go on without credit, and stops what may cost something', async () => {
      const ledger = await open({ credit: 'user' });
      const local = functionEmbedder({ id: 'local:test/2', dimensions: 2, embed: async (texts) => texts.map(() => [1, 0]) });
      const unknown = functionEmbedder({ id: 'acme:test/2', dimensions: 2, embed: async (texts) => texts.map(() => [1, 0]) });
      await ledger.metered(context, (meter) => meter.embedder(local).embed(['a']));
      await expect(ledger.metered(context, (meter) => meter.embedder(unknown).embed(['a']))).rejects.toMatchObject({ code: 'out_of_credit' });
      await ledger.credit.grant({ ...ada, amount: 1, reason: 'top-up' });
      await ledger.metered(context, (meter) => meter.embedder(unknown).embed(['a']));
      expect(await rows()).toMatchObject([{ cost: 0 }, { cost: null, charged: 0 }]);
      expect(await ledger.report({ tenant: 't', by: [] })).toMatchObject([{ count: 2, unpriced: 1, cost: 0 }]);
    });

    it('[T14] takes from the user, or from the tenant for all its users', async () => {
      const perTenant = await open({ credit: 'tenant' });
      await perTenant.credit.grant({ tenant: 't', user: null, amount: 1000, reason: 'plan' });
      for (const user of ['ada', 'bob']) {
        await perTenant.metered({ ...context, scope: { ...ada, user } }, (meter) => meter.languageModel(languageModel()).generate(request));
      }
      expect(await perTenant.credit.balance({ tenant: 't', user: null })).toBe(720);
      expect(await perTenant.credit.balance(ada)).toBe(0);
      expect(await perTenant.credit.balance({ tenant: 'other', user: null })).toBe(0);
    });

    it('[T14] grants once for one payment, and keeps a statement', async () => {
      const ledger = await open({ credit: 'user' });
      for (let times = 0; times < 3; times += 1) await ledger.credit.grant({ ...ada, amount: 500, reason: 'payment', key: 'pay_1' });
      clock.advance(1);
      await ledger.metered(context, (meter) => meter.languageModel(languageModel()).generate(request));
      expect(await ledger.credit.statement(ada)).toMatchObject([
        { kind: 'usage', amount: -140, reason: 'extract' },
        { kind: 'grant', amount: 500, reason: 'payment' },
      ]);
      await expect(ledger.credit.grant({ ...ada, amount: 0.5, reason: 'x' })).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it('[T14] never charges below zero when many charge at the same moment, and loses none', async () => {
      const ledger = await open({ credit: 'user' });
      await ledger.credit.grant({ ...ada, amount: 1000, reason: 'top-up' });
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, () =>
          database.write('t', (writer) => ledger.credit.charge(writer, { ...ada, amount: 300, reason: 'export' })),
        ),
      );
      expect(results.filter(({ status: state }) => state === 'fulfilled')).toHaveLength(3);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'out_of_credit' });
      expect(await ledger.credit.balance(ada)).toBe(100);
      expect(await ledger.credit.statement(ada)).toHaveLength(4);
    });

    it('[T14] loses no usage and no charge when many works settle at the same moment', async () => {
      const ledger = await open({ credit: 'user' });
      await ledger.credit.grant({ ...ada, amount: 100_000, reason: 'top-up' });
      await Promise.all(
        Array.from({ length: 20 }, () => ledger.metered(context, (meter) => meter.languageModel(languageModel()).generate(request))),
      );
      expect(await ledger.credit.balance(ada)).toBe(100_000 - 20 * 140);
      expect(await rows()).toHaveLength(20);
    });

    it('[T14] keeps the sum of charges equal to the sum of usage, whatever fails', { timeout: 120_000 }, async () => {
      const ledger = await open({ credit: 'user' });
      const step = fc.record({
        user: fc.constantFrom('ada', 'bob', null),
        calls: fc.array(fc.record({ model: fc.constantFrom('test.chat:m', 'local:x', 'acme:unknown'), tokensIn: fc.nat(5000), tokensOut: fc.nat(500), failed: fc.boolean() }), { maxLength: 4 }),
        settles: fc.constantFrom('never', 'once', 'twice', 'rolled back', 'swallowed'),
        throws: fc.boolean(),
        grant: fc.option(fc.integer({ min: 1, max: 10_000 })),
      });
      let granted = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
          await Promise.allSettled(
            steps.map(async ({ user, calls, settles, throws, grant }) => {
              if (grant !== null) {
                granted += grant;
                await ledger.credit.grant({ tenant: 't', user, amount: grant, reason: 'top-up' });
              }
              await ledger.metered({ ...context, scope: { ...ada, user } }, async (meter) => {
                for (const { model, failed, ...usage } of calls) meter.note({ task: 'extract', model, usage, failed });
                if (settles === 'once' || settles === 'twice') await database.write('t', (writer) => meter.settle(writer));
                if (settles === 'twice') await database.write('t', (writer) => meter.settle(writer));
                const undone = database.write('t', async (writer) => {
                  await meter.settle(writer);
                  throw new Error('taken back');
                });
                if (settles === 'rolled back') await undone;
                else await undone.catch(() => 'swallowed');
                if (throws) throw new Error('after the work');
              });
            }),
          );
          const [total] = await ledger.report({ tenant: 't', by: [] });
          const sums = await database.read('t', async (reader) => ({
            charges: Number((await reader.selectFrom('credit_entries').select((e) => e.fn.sum('amount').as('sum')).where('kind', '=', 'usage').executeTakeFirst())?.sum ?? 0),
            balances: Number((await reader.selectFrom('credit_accounts').select((e) => e.fn.sum('balance').as('sum')).executeTakeFirst())?.sum ?? 0),
          }));
          expect(total?.charged).toBe(total?.cost);
          expect(0 - sums.charges).toBe(total?.cost);
          expect(sums.balances).toBe(granted - (total?.cost ?? 0));
        }),
        { numRuns: kind.name === 'SQLite' ? 60 : 25 },
      );
      const noted = await rows();
      expect(noted.length).toBeGreaterThan(50);
    });

    it('[Q12] reports cost by month and operation, and of a month by task', async () => {
      const ledger = await open();
      const use = (operation: UsageEntry['operation'], task: string, model: string, tokensIn: number): Promise<void> =>
        ledger.metered({ ...context, operation }, async (meter) => meter.note({ task, model, usage: { tokensIn } }));
      await use('extraction', 'extract', 'test.chat:m', 100);
      await use('extraction', 'decide', 'test.chat:m', 50);
      await use('embedding', 'embed', 'test.embedding:e', 7);
      await use('consolidation', 'merge', 'test.chat:m', 30);
      await use('injection', 'inject', 'test.chat:m', 400);
      clock.set(Date.UTC(2026, 11, 1));
      await use('extraction', 'extract', 'test.chat:m', 1000);

      const byOperation = await ledger.report({ tenant: 't', by: ['month', 'operation'] });
      expect(byOperation.map(({ keys, cost, count }) => [keys.month, keys.operation, cost, count])).toEqual([
        ['2026-11', 'consolidation', 30, 1],
        ['2026-11', 'embedding', 70, 1],
        ['2026-11', 'extraction', 150, 2],
        ['2026-11', 'injection', 400, 1],
        ['2026-12', 'extraction', 1000, 1],
      ]);
      const november = await ledger.report({ tenant: 't', from: '2026-11', to: '2026-11', by: ['task'] });
      expect(november.map(({ keys, tokensIn }) => [keys.task, tokensIn])).toEqual([['decide', 50], ['embed', 7], ['extract', 100], ['inject', 400], ['merge', 30]]);
      expect(await ledger.report({ tenant: 'other', by: ['month'] })).toEqual([]);
      expect((await ledger.report({ tenant: EVERY_TENANT, from: '2026-12-01', to: '2026-12-31', by: ['tenant', 'user', 'day'] }))[0]).toMatchObject({ keys: { tenant: 't', user: 'ada', day: '2026-12-01' }, cost: 1000 });
      await expect(ledger.report({ tenant: 't', from: 'November', by: [] })).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it('[T14] does not charge for what the application pays itself', async () => {
      const ledger = await open({ credit: 'user', budget: { perTenant: 10 } });
      await ledger.metered(context, async (meter) => meter.note({ task: 'inject', operation: 'injection', model: 'test.chat:m', usage: { tokensIn: 400 } }));
      expect(await rows()).toMatchObject([{ cost: 400, charged: 0 }]);
      await ledger.ensureBudget(ada);
    });

    it.each([
      ['a tenant', { perTenant: 200 }],
      ['all tenants', { total: 200 }],
    ])('[Q12] pauses background work when the day’s budget of %s is spent, until the next day', async (_name, budget) => {
      const ledger = await open({ budget });
      const work = (foreground: boolean) => ledger.metered({ ...context, foreground }, (meter) => meter.languageModel(languageModel()).generate(request));
      await work(false);
      await work(false);
      const until = Date.UTC(2026, 10, 16);
      await expect(work(false)).rejects.toMatchObject({ code: 'budget_spent', retryable: true, details: { until, spent: 280 } });
      await expect(ledger.ensureBudget(ada)).rejects.toMatchObject({ code: 'budget_spent' });
      expect(server.requests).toHaveLength(2);
      await work(true);
      clock.set(until);
      await work(false);
      clock.advance(DAY);
      await ledger.ensureBudget(ada);
    });

    it('counts what is not written down yet towards the budget', async () => {
      const ledger = await open({ budget: { perTenant: 200 } });
      const work = ledger.metered(context, async (meter) => {
        const metered = meter.languageModel(languageModel());
        for (let calls = 0; calls < 5; calls += 1) await metered.generate(request);
      });
      await expect(work).rejects.toMatchObject({ code: 'budget_spent' });
      expect(server.requests).toHaveLength(2);
    });

    it('keeps tenants apart', async () => {
      const ledger = await open({ credit: 'tenant', budget: { perTenant: 100 } });
      const other: UsageEntry = { id: 'use_1', scope: { tenant: 'u', agent: null, user: null }, run: null, operation: 'extraction', task: 'extract', model: 'test.chat:m', usage: { ...NO_USAGE, tokensIn: 500 }, failed: false, at: START };
      await database.write('u', (writer) => ledger.record(writer, [other]));
      expect(await ledger.report({ tenant: 't', by: [] })).toMatchObject([{ count: 0, cost: 0 }]);
      expect(await ledger.credit.balance({ tenant: 'u', user: null })).toBe(-500);
      await ledger.ensureBudget(ada);
      if (kind.name !== 'SQLite') await expect(database.write('t', (writer) => ledger.record(writer, [{ ...other, id: 'use_2' }]))).rejects.toThrow(/row-level security/);
    });
  });
}
