import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { ada, context, request, useLedger } from '../../test/open-ledger.ts';
import { functionEmbedder } from '../models/embedder.ts';

for (const kind of databases('sql')) {
  describe.skipIf(kind.skip !== null)(`credit on ${kind.name}`, () => {
    const suite = useLedger(kind);
    const { open, languageModel, rows } = suite;

    it('[T14] stops paid work at zero with a clear reason, even in the middle, and continues after a grant', async () => {
      const ledger = await open({ credit: 'user' });
      const work = () =>
        ledger.metered(context, async (meter) => {
          const metered = meter.languageModel(languageModel());
          for (let calls = 0; calls < 3; calls += 1) await metered.generate(request);
        });
      await expect(work()).rejects.toMatchObject({
        code: 'out_of_credit',
        retryable: true,
        message: expect.stringMatching(/user ada .* out of credit: \$0\.000000 left/),
      });
      expect(suite.server.requests).toHaveLength(0);
      await ledger.credit.grant({ ...ada, amount: 200, reason: 'top-up' });
      await expect(work()).rejects.toMatchObject({ code: 'out_of_credit' });
      expect(suite.server.requests).toHaveLength(2);
      expect(await ledger.credit.balance(ada)).toBe(-80);
      await expect(work()).rejects.toMatchObject({ code: 'out_of_credit' });
      expect(suite.server.requests).toHaveLength(2);
      await ledger.credit.grant({ ...ada, amount: 1000, reason: 'top-up' });
      await work();
      expect(await ledger.credit.balance(ada)).toBe(500);
    });

    it('[T14] allows free work without credit, and stops work that may cost something', async () => {
      const ledger = await open({ credit: 'user' });
      const local = functionEmbedder({
        id: 'local/test@1',
        dimensions: 2,
        embed: async (texts) => texts.map(() => [1, 0]),
      });
      const unknown = functionEmbedder({
        id: 'acme:test/2',
        dimensions: 2,
        embed: async (texts) => texts.map(() => [1, 0]),
      });
      await ledger.metered(context, (meter) => meter.embedder(local).embed(['a']));
      await expect(ledger.metered(context, (meter) => meter.embedder(unknown).embed(['a']))).rejects.toMatchObject({
        code: 'out_of_credit',
      });
      await ledger.credit.grant({ ...ada, amount: 1, reason: 'top-up' });
      await ledger.metered(context, (meter) => meter.embedder(unknown).embed(['a']));
      expect(await rows()).toMatchObject([{ cost: 0 }, { cost: null, charged: 0 }]);
      expect(await ledger.report({ tenant: 't', by: [] })).toMatchObject([{ count: 2, unpriced: 1, cost: 0 }]);
    });

    it('[T14] charges the user, or the tenant for all of its users', async () => {
      const perTenant = await open({ credit: 'tenant' });
      await perTenant.credit.grant({ tenant: 't', user: null, amount: 1000, reason: 'plan' });
      for (const user of ['ada', 'bob']) {
        await perTenant.metered({ ...context, scope: { ...ada, user } }, (meter) =>
          meter.languageModel(languageModel()).generate(request),
        );
      }
      expect(await perTenant.credit.balance({ tenant: 't', user: null })).toBe(720);
      expect(await perTenant.credit.balance(ada)).toBe(0);
      expect(await perTenant.credit.balance({ tenant: 'other', user: null })).toBe(0);
    });

    it('[T14] grants once for each payment, and lists the entries of the account', async () => {
      const ledger = await open({ credit: 'user' });
      for (let times = 0; times < 3; times += 1)
        await ledger.credit.grant({ ...ada, amount: 500, reason: 'payment', key: 'pay_1' });
      suite.opened.clock.advance(1);
      await ledger.metered(context, (meter) => meter.languageModel(languageModel()).generate(request));
      expect(await ledger.credit.statement(ada)).toMatchObject([
        { kind: 'usage', amount: -140, reason: 'read' },
        { kind: 'grant', amount: 500, reason: 'payment' },
      ]);
      await expect(ledger.credit.grant({ ...ada, amount: 0.5, reason: 'x' })).rejects.toMatchObject({
        code: 'invalid_input',
      });
    });

    it('[T14] never charges below zero with many concurrent charges, and loses none', async () => {
      const ledger = await open({ credit: 'user' });
      await ledger.credit.grant({ ...ada, amount: 1000, reason: 'top-up' });
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, () =>
          suite.opened.database.write('t', (writer) =>
            ledger.credit.charge(writer, { ...ada, amount: 300, reason: 'export' }),
          ),
        ),
      );
      expect(results.filter(({ status: state }) => state === 'fulfilled')).toHaveLength(3);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'out_of_credit' });
      expect(await ledger.credit.balance(ada)).toBe(100);
      expect(await ledger.credit.statement(ada)).toHaveLength(4);
    });

    it('[T14] writes nothing for a charge without enough credit, even if the caller commits after the error', async () => {
      const ledger = await open({ credit: 'user' });
      await ledger.credit.grant({ ...ada, amount: 100, reason: 'top-up' });
      const charge = { ...ada, amount: 300, reason: 'export', key: 'export 1' };
      const caught = await suite.opened.database.write('t', (writer) =>
        ledger.credit.charge(writer, charge).catch((error: unknown) => error),
      );
      expect(caught).toMatchObject({ code: 'out_of_credit' });
      expect(await ledger.credit.statement(ada)).toMatchObject([{ kind: 'grant', amount: 100 }]);
      await ledger.credit.grant({ ...ada, amount: 500, reason: 'top-up' });
      const repeat = (): Promise<number> =>
        suite.opened.database.write('t', (writer) => ledger.credit.charge(writer, charge));
      expect([await repeat(), await repeat()]).toEqual([300, 300]);
    });

    it('[T14] loses no usage and no charge when many pieces of work settle concurrently', async () => {
      const ledger = await open({ credit: 'user' });
      await ledger.credit.grant({ ...ada, amount: 100_000, reason: 'top-up' });
      await Promise.all(
        Array.from({ length: 20 }, () =>
          ledger.metered(context, (meter) => meter.languageModel(languageModel()).generate(request)),
        ),
      );
      expect(await ledger.credit.balance(ada)).toBe(100_000 - 20 * 140);
      expect(await rows()).toHaveLength(20);
    });

    it('[T14] keeps the sum of charges equal to the sum of usage, whatever fails', { timeout: 120_000 }, async () => {
      const ledger = await open({ credit: 'user' });
      const step = fc.record({
        user: fc.constantFrom('ada', 'bob', null),
        calls: fc.array(
          fc.record({
            model: fc.constantFrom('test.chat:m', 'local:x', 'acme:unknown'),
            tokensIn: fc.nat(5000),
            tokensOut: fc.nat(500),
            failed: fc.boolean(),
          }),
          { maxLength: 4 },
        ),
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
                for (const { model, failed, ...usage } of calls) meter.note({ task: 'read', model, usage, failed });
                if (settles === 'once' || settles === 'twice')
                  await suite.opened.database.write('t', (writer) => meter.settle(writer));
                if (settles === 'twice') await suite.opened.database.write('t', (writer) => meter.settle(writer));
                const undone = suite.opened.database.write('t', async (writer) => {
                  await meter.settle(writer);
                  throw new Error('rolled back');
                });
                if (settles === 'rolled back') await undone;
                else await undone.catch(() => 'swallowed');
                if (throws) throw new Error('after the work');
              });
            }),
          );
          const [total] = await ledger.report({ tenant: 't', by: [] });
          const sums = await suite.opened.database.read('t', async (reader) => ({
            charges: Number(
              (
                await reader
                  .selectFrom('credit_entries')
                  .select((e) => e.fn.sum('amount').as('sum'))
                  .where('kind', '=', 'usage')
                  .executeTakeFirst()
              )?.sum ?? 0,
            ),
            balances: Number(
              (
                await reader
                  .selectFrom('credit_accounts')
                  .select((e) => e.fn.sum('balance').as('sum'))
                  .executeTakeFirst()
              )?.sum ?? 0,
            ),
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
  });
}
