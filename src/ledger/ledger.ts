import { VarveError } from '../errors.ts';
import type { Clock } from '../record/clock.ts';
import type { IdSource } from '../record/id.ts';
import type { Database, Writer } from '../store/database.ts';
import { ensureBudget, type Budget } from './budget.ts';
import { createCredit, outOfCredit, type Credit } from './credit.ts';
import { createMeter, type Meter, type MeterContext } from './meter.ts';
import { createPriceTable, type Prices, type PriceTable } from './price-table.ts';
import { payerOf, recordedIds, recordUsage, type CreditMode } from './record-usage.ts';
import type { UsageEntry, UsageScope } from './usage-entry.ts';
import { usageReport, type ReportLine, type ReportQuery } from './usage-report.ts';

/** What models are used for, what that costs, and who pays. */
export interface Ledger {
  readonly prices: PriceTable;
  readonly credit: Credit;
  /**
   * Runs a piece of work with a meter. Usage is written whatever becomes of the work: in the work's own transaction when
   * it calls `meter.settle(writer)` there, and else, or when that transaction was taken back, in one of its own. What was
   * used was used: its charge goes with its usage, so that the two always have the same sum. Only the end of the process
   * in the middle of a run loses usage, and then its charge with it.
   */
  metered<Result>(context: MeterContext, work: (meter: Meter) => Promise<Result>): Promise<Result>;
  /** Writes usage and its charge in a transaction of the caller's. Gives the cost in micro-dollars. */
  record(writer: Writer, entries: readonly UsageEntry[]): Promise<number>;
  /** Throws `out_of_credit` when the account that pays for the scope is empty. */
  ensureCredit(scope: UsageScope): Promise<void>;
  /** Throws `budget_spent` when the day's budget is; `details.until` is when to try again. Background work asks before it starts. */
  ensureBudget(scope: UsageScope): Promise<void>;
  /** Usage and cost by month, operation, task, model, user, … (Q12). */
  report(query: ReportQuery): Promise<ReportLine[]>;
}

export interface LedgerOptions {
  database: Database;
  clock: Clock;
  ids: IdSource;
  /** Dollars for a million tokens, by model; looked at before the list prices. */
  prices?: Prices;
  /** Whose credit pays: `user`, `tenant`, or `off` (the default): usage is counted, and nobody is charged. */
  credit?: CreditMode;
  /** The most that background work may cost in a day. Default: no limit. */
  budget?: Budget;
}

/** Opens the ledger of a store. */
export function createLedger(options: LedgerOptions): Ledger {
  const { database, clock, ids, budget = {}, credit: mode = 'off' } = options;
  const prices = createPriceTable(options.prices);
  const credit = createCredit({ database, clock, ids });
  const record = (writer: Writer, entries: readonly UsageEntry[]): Promise<number> =>
    recordUsage(writer, entries, { prices, mode });

  const ensureCredit = async (scope: UsageScope, pending = 0): Promise<void> => {
    const payer = payerOf(mode, scope);
    if (payer === null) return;
    const balance = (await credit.balance(payer)) - pending;
    if (balance <= 0) throw outOfCredit(payer, balance);
  };

  const meterFor = (context: MeterContext): Meter =>
    createMeter(context, {
      clock,
      ids,
      record,
      async ensurePaid(model, entries) {
        if (mode === 'off' && budget.perTenant === undefined && budget.total === undefined) return;
        // A model without a price is taken for a paid one: it usually is.
        const price = prices.priceOf(model);
        if (price !== null && price.input === 0 && (price.output ?? 0) === 0) return;
        const pending = await unsettledCost(database, prices, entries);
        await ensureCredit(context.scope, pending);
        if (context.foreground !== true) await ensureBudget(database, clock, budget, context.scope.tenant, pending);
      },
    });

  /** What the database does not have: its transaction was never opened, or was taken back. */
  const settleRest = async ({ entries }: Meter): Promise<void> => {
    const tenant = entries[0]?.scope.tenant ?? '';
    const rest = await unsettled(database, tenant, entries);
    if (rest.length > 0) await database.write(tenant, (writer) => record(writer, rest));
  };

  return {
    prices,
    credit,
    record,
    ensureCredit,
    ensureBudget: (scope) => ensureBudget(database, clock, budget, scope.tenant),
    report: (query) => usageReport(database, query),
    async metered(context, work) {
      const meter = meterFor(context);
      let result: Awaited<ReturnType<typeof work>>;
      try {
        result = await work(meter);
      } catch (failure) {
        await settleRest(meter).catch((error: unknown) => {
          throw new VarveError('The work failed, and what it used could not be written down.', {
            code: 'store_unavailable',
            retryable: true,
            cause: new AggregateError([failure, error]),
          });
        });
        throw failure;
      }
      await settleRest(meter);
      return result;
    },
  };
}

async function unsettled(database: Database, tenant: string, entries: readonly UsageEntry[]): Promise<UsageEntry[]> {
  if (entries.length === 0) return [];
  const found = await database.read(tenant, (reader) =>
    recordedIds(
      reader,
      tenant,
      entries.map(({ id }) => id),
    ),
  );
  return entries.filter(({ id }) => !found.has(id));
}

async function unsettledCost(database: Database, prices: PriceTable, entries: readonly UsageEntry[]): Promise<number> {
  const rest = await unsettled(database, entries[0]?.scope.tenant ?? '', entries);
  return rest.reduce((sum, { model, usage }) => sum + (prices.cost(model, usage) ?? 0), 0);
}
