import { describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { ada, context, NOON, request, useLedger } from '../../test/open-ledger.ts';
import { json, status, text } from '../../test/protocol-server.ts';
import { aiSdkEmbedder } from '../models/ai-sdk.ts';
import { cachedEmbedder } from '../models/embedder.ts';
import { NO_USAGE } from '../models/language-model.ts';
import type { UsageEntry } from '../store/doors/usage-store.ts';

for (const kind of databases('sql')) {
  describe.skipIf(kind.skip !== null)(`the ledger on ${kind.name}`, () => {
    const suite = useLedger(kind);
    const { open, languageModel, rows } = suite;

    it('[T14] records every call with its task, model, tokens, time, cost and owner', async () => {
      const ledger = await open();
      await ledger.metered(context, async (meter) => {
        suite.server.next(json({ facts: [] }, { usage: { in: 100, out: 20, cached: 40 } }));
        await meter.languageModel(languageModel()).generate(request);
        await meter
          .embedder(aiSdkEmbedder(suite.server.embeddingModel('e'), { dimensions: 64 }))
          .embed(['one two', 'three']);
      });
      expect(await rows()).toMatchObject([
        {
          tenant_id: 't',
          user_id: 'ada',
          agent_id: 'a',
          run: 'run_1',
          operation: 'extraction',
          task: 'read',
          model: 'test.chat:m',
          tokens_in: 100,
          tokens_out: 20,
          tokens_cached: 40,
          calls: 1,
          cost: 140,
          charged: 0,
          failed: 0,
          day: '2026-11-15',
          at: NOON,
        },
        { operation: 'embedding', task: 'embed', model: 'test.embedding:e/64', tokens_in: 3, cost: 30 },
      ]);
    });

    it('records no usage for an answer from a cache', async () => {
      const ledger = await open();
      const cached = cachedEmbedder(aiSdkEmbedder(suite.server.embeddingModel('e'), { dimensions: 64 }));
      for (let times = 0; times < 3; times += 1)
        await ledger.metered(context, (meter) => meter.embedder(cached).embed(['one']));
      expect(await rows()).toHaveLength(1);
    });

    it('[T14] charges in the transaction of the work, and keeps the usage of work that is rolled back', async () => {
      const ledger = await open({ credit: 'user' });
      await ledger.credit.grant({ ...ada, amount: 1000, reason: 'top-up' });
      await ledger.metered(context, async (meter) => {
        await meter.languageModel(languageModel()).generate(request);
        await suite.opened.database.write('t', async (writer) => {
          await meter.settle(writer);
          const inside = await writer.selectFrom('credit_accounts').select('balance').executeTakeFirst();
          expect(inside?.balance).toBe(860);
        });
      });
      expect(await ledger.credit.balance(ada)).toBe(860);

      const failing = ledger.metered(context, async (meter) => {
        await meter.languageModel(languageModel()).generate(request);
        await suite.opened.database.write('t', async (writer) => {
          await meter.settle(writer);
          throw new Error('the work failed');
        });
      });
      await expect(failing).rejects.toThrow('the work failed');
      expect(await ledger.credit.balance(ada)).toBe(720);
      expect(await rows()).toHaveLength(2);
    });

    it('[T14] charges once, however often settle() is called', async () => {
      const ledger = await open({ credit: 'user' });
      await ledger.credit.grant({ ...ada, amount: 1000, reason: 'top-up' });
      await ledger.metered(context, async (meter) => {
        await meter.languageModel(languageModel()).generate(request);
        for (let times = 0; times < 3; times += 1)
          await suite.opened.database.write('t', (writer) => meter.settle(writer));
      });
      expect(await ledger.credit.balance(ada)).toBe(860);
    });

    it('[T14] charges for an unusable answer, but not for a call without an answer', async () => {
      const ledger = await open({ credit: 'user' });
      await ledger.credit.grant({ ...ada, amount: 1000, reason: 'top-up' });
      suite.server.otherwise(text('no json'));
      await expect(
        ledger.metered(context, (meter) => meter.languageModel(languageModel()).generate(request)),
      ).rejects.toMatchObject({ code: 'model_answer_invalid' });
      expect(await rows()).toMatchObject([{ calls: 2, cost: 280, charged: 280, failed: 1 }]);
      suite.server.otherwise(status(500));
      await expect(
        ledger.metered(context, (meter) => meter.languageModel(languageModel()).generate(request)),
      ).rejects.toMatchObject({ code: 'model_unavailable' });
      // The call without an answer is in the report, but costs nothing.
      expect((await rows()).slice(1)).toMatchObject([{ calls: 0, cost: 0, charged: 0, failed: 1, tokens_in: 0 }]);
      expect(await ledger.credit.balance(ada)).toBe(720);
    });

    it('isolates the usage and the credit of tenants', async () => {
      const ledger = await open({ credit: 'tenant', budget: { perTenant: 100 } });
      const other: UsageEntry = {
        id: 'use_1',
        scope: { tenant: 'u', agent: null, user: null },
        run: null,
        operation: 'extraction',
        task: 'read',
        model: 'test.chat:m',
        usage: { ...NO_USAGE, tokensIn: 500 },
        failed: false,
        at: NOON,
      };
      await suite.opened.database.write('u', (writer) => ledger.record(writer, [other]));
      expect(await ledger.report({ tenant: 't', by: [] })).toMatchObject([{ count: 0, cost: 0 }]);
      expect(await ledger.credit.balance({ tenant: 'u', user: null })).toBe(-500);
      await ledger.credit.grant({ tenant: 't', user: null, amount: 1000, reason: 'plan' });
      await ledger.metered(context, (meter) => meter.languageModel(languageModel()).generate(request));
      if (kind.name !== 'SQLite')
        await expect(
          suite.opened.database.write('t', (writer) => ledger.record(writer, [{ ...other, id: 'use_2' }])),
        ).rejects.toThrow(/row-level security/);
    });
  });
}
