import { VarveError } from '../errors.ts';
import { type Clock, DAY } from '../record/clock.ts';
import { type Database, EVERY_TENANT, type Parts, type Writer } from '../store/database.ts';
import { createCredit, type Credit, outOfCredit } from './credit.ts';
import { addEntry, addToBalance } from '../store/doors/credit-store.ts';
import { createPriceTable, type Prices, type PriceTable } from './price-table.ts';
import {
  addUsageRow,
  dayOf,
  type Operation,
  recordedIds,
  type ReportLine,
  type ReportQuery,
  spentOn,
  type UsageEntry,
  usageReport,
  type UsageScope,
} from '../store/doors/usage-store.ts';
import type { Embedder } from '../models/embedder.ts';
import {
  type Generated,
  type LanguageModel,
  type ModelUsage,
  NO_USAGE,
  usageOfFailure,
} from '../models/language-model.ts';
import type { Task } from '../models/prompt.ts';
import type { Reranker } from '../models/reranker.ts';

/** Records which models were used, at what cost, and who pays. */
export interface Ledger {
  readonly prices: PriceTable;
  readonly credit: Credit;
  /**
   * Runs `work` with a meter, and writes the usage even if the work fails: in the transaction of `meter.settle(writer)`, or else in a
   * separate one. The charge is always in the same transaction as the usage. If the process ends during the work, both are lost.
   * @internal
   */
  metered<Result>(context: MeterContext, work: (meter: Meter) => Promise<Result>): Promise<Result>;
  /**
   * Writes usage and its charge in the caller's transaction. Returns the cost in micro-dollars.
   * @internal
   */
  record(writer: Writer, entries: readonly UsageEntry[]): Promise<number>;
  /** Reports usage and cost, grouped by fields such as month, operation, task, model and user. */
  report(query: ReportQuery): Promise<ReportLine[]>;
}

export interface LedgerOptions extends Pick<Parts, 'database' | 'clock' | 'ids'> {
  /** Dollars per million tokens, by model. They replace the list prices. */
  prices?: Prices;
  /** Who pays. Default: `off`, which records usage and charges nobody. */
  credit?: CreditMode;
  /** A daily budget. Once it is spent, background work pauses until the next day. Default: no limit. */
  budget?: SpendingBudget;
}

export function createLedger(options: LedgerOptions): Ledger {
  const { database, clock, ids, budget = {}, credit: mode = 'off' } = options;
  const prices = createPriceTable(options.prices);
  const credit = createCredit({ database, clock, ids });
  const record = (writer: Writer, entries: readonly UsageEntry[]): Promise<number> =>
    recordUsage(writer, entries, { prices, mode });

  const ensureCredit = async (scope: UsageScope, pending: number): Promise<void> => {
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
        // A model without a known price counts as paid, because most are.
        const price = prices.priceOf(model);
        if (price !== null && price.input === 0 && (price.output ?? 0) === 0) return;
        const pending = await unsettledCost(database, prices, entries);
        await ensureCredit(context.scope, pending);
        if (context.foreground !== true) await ensureBudget(database, clock, budget, context.scope.tenant, pending);
      },
    });

  /** Some entries may be missing in the database: nobody called `settle`, or its transaction was rolled back. */
  const settleRest = async ({ entries, wasSettled }: Meter): Promise<void> => {
    const tenant = entries[0]?.scope.tenant ?? '';
    const rest = wasSettled ? await unsettled(database, tenant, entries) : entries;
    if (rest.length > 0) await database.write(tenant, (writer) => record(writer, rest));
  };

  return {
    prices,
    credit,
    record,
    report: (query) => usageReport(database, query),
    async metered(context, work) {
      const meter = meterFor(context);
      const result = await work(meter).catch(async (failure: unknown) => {
        await settleRest(meter).catch((error: unknown) => {
          const cause = new AggregateError([failure, error]);
          const message = 'The work failed, and its usage of models could not be written to the store.';
          throw new VarveError(message, { code: 'store_unavailable', retryable: true, cause });
        });
        throw failure;
      });
      await settleRest(meter);
      return result;
    },
  };
}

async function unsettled(database: Database, tenant: string, entries: readonly UsageEntry[]): Promise<UsageEntry[]> {
  if (entries.length === 0) return [];
  const ids = entries.map(({ id }) => id);
  const found = await database.read(tenant, (reader) => recordedIds(reader, tenant, ids));
  return entries.filter(({ id }) => !found.has(id));
}

async function unsettledCost(database: Database, prices: PriceTable, entries: readonly UsageEntry[]): Promise<number> {
  const rest = await unsettled(database, entries[0]?.scope.tenant ?? '', entries);
  return rest.reduce((sum, { model, usage }) => sum + (prices.cost(model, usage) ?? 0), 0);
}

/** Limits per UTC day, in micro-dollars. Foreground work uses up the limit as well, but only background work stops at it. */
export interface SpendingBudget {
  perTenant?: number;
  /** The limit over all tenants. */
  total?: number;
}

/** Throws `budget_spent` once the day's budget is spent. `details.until` says when background work may continue. */
async function ensureBudget(
  database: Database,
  clock: Clock,
  budget: SpendingBudget,
  tenant: string,
  /** Cost of the current work that is not in the database yet. */
  pending: number,
): Promise<void> {
  const day = dayOf(clock.now());
  const checks = [
    { limit: budget.perTenant, whose: tenant, name: `tenant ${tenant}` },
    { limit: budget.total, whose: EVERY_TENANT, name: 'all tenants' },
  ] as const;
  for (const { limit, whose, name } of checks) {
    if (limit === undefined) continue;
    const spent = pending + (await database.read(whose, (reader) => spentOn(reader, day, whose)));
    if (spent < limit) continue;
    const until = Date.parse(`${day}T00:00:00Z`) + DAY;
    throw new VarveError(
      `The budget of ${name} for ${day} is spent: ${spent} of ${limit} micro-dollars. Background work continues at ${new Date(until).toISOString()}.`,
      { code: 'budget_spent', retryable: true, details: { tenant, day, spent, limit, until } },
    );
  }
}

/** `user`: the user's account pays, or the tenant's for work without a user. `tenant`: the tenant's account pays. `off`: nobody pays. */
export type CreditMode = 'user' | 'tenant' | 'off';

function payerOf(mode: CreditMode, scope: UsageScope): { tenant: string; user: string | null } | null {
  if (mode === 'off') return null;
  return { tenant: scope.tenant, user: mode === 'user' ? scope.user : null };
}

/**
 * Leaves existing entries unchanged, so the call can be repeated if it is unknown whether the first one was committed. Call it at the end
 * of a transaction, because the account stays locked until the commit. Returns the cost of the new entries.
 */
async function recordUsage(
  writer: Writer,
  entries: readonly UsageEntry[],
  { prices, mode }: { prices: PriceTable; mode: CreditMode },
): Promise<number> {
  let total = 0;
  // A fixed order, so that two transactions that charge the same accounts cannot deadlock.
  const ordered = entries.toSorted((first, second) => ((first.scope.user ?? '') < (second.scope.user ?? '') ? -1 : 1));
  for (const entry of ordered) {
    const cost = prices.cost(entry.model, entry.usage);
    // The application pays its own model for the remembered text in its prompts.
    const payer = entry.operation === 'injection' ? null : payerOf(mode, entry.scope);
    const charged = payer === null ? 0 : (cost ?? 0);
    if (!(await addUsageRow(writer, entry, cost, charged))) continue;
    total += cost ?? 0;
    if (payer === null || charged === 0) continue;
    const { id, task: reason, at } = entry;
    await addEntry(writer, { ...payer, id, kind: 'usage', amount: -charged, reason, at });
    await addToBalance(writer, payer, -charged, at);
  }
  return total;
}

export interface MeterContext {
  scope: UsageScope;
  operation: Operation;
  run?: string | null;
  /** Whether a caller waits for the work. Lack of credit still stops such work, but the day's budget does not. Default: false. */
  foreground?: boolean;
}

/** The wrapped models record every call. Without credit or budget, they throw `out_of_credit` or `budget_spent` before a paid call. */
export interface Meter {
  languageModel(model: LanguageModel): LanguageModel;
  embedder(embedder: Embedder): Embedder;
  reranker(reranker: Reranker): Reranker;
  /** Records usage that none of the meter's models has recorded, such as remembered text in the application's prompt. */
  note(use: NotedUse): void;
  /** Writes the usage and charges its cost. Call it at the end of the transaction: the account stays locked until the commit. */
  settle(writer: Writer): Promise<void>;
  readonly entries: readonly UsageEntry[];
  /** Whether `settle` was called. Its transaction may still have been rolled back. */
  readonly wasSettled: boolean;
}

/** Null if a model has no known price. */
export function costOf({ prices }: Ledger, { entries }: Pick<Meter, 'entries'>): number | null {
  const costs = entries.map(({ model, usage }) => prices.cost(model, usage));
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

interface NotedUse {
  task: string;
  model: string;
  usage: Partial<ModelUsage>;
  operation?: Operation;
  failed?: boolean;
}

interface MeterParts extends Pick<Parts, 'clock' | 'ids'> {
  ensurePaid(model: string, entries: readonly UsageEntry[]): Promise<void>;
  record(writer: Writer, entries: readonly UsageEntry[]): Promise<number>;
}

function createMeter(context: MeterContext, parts: MeterParts): Meter {
  const entries: UsageEntry[] = [];
  const note = (use: NotedUse): void => {
    entries.push({
      id: parts.ids.next('use'),
      scope: context.scope,
      run: context.run ?? null,
      operation: use.operation ?? context.operation,
      task: use.task,
      model: use.model,
      usage: { ...NO_USAGE, calls: 1, ...use.usage },
      failed: use.failed ?? false,
      at: parts.clock.now(),
    });
  };

  const noted: Noted = async (use, call, usageOf) => {
    await parts.ensurePaid(use.model, entries);
    const started = parts.clock.now();
    try {
      const result = await call();
      const usage = usageOf(result, Math.round(parts.clock.now() - started));
      // Without input tokens, the whole answer came from a cache and cost nothing.
      if (usage.tokensIn !== 0) note({ ...use, usage });
      return result;
    } catch (error) {
      const usage = usageOfFailure(error) ?? (isWithoutAnswer(error) ? { calls: 0 } : null);
      if (usage !== null) note({ ...use, usage, failed: true });
      throw error;
    }
  };

  let wasSettled = false;
  return {
    entries,
    get wasSettled() {
      return wasSettled;
    },
    note,
    ...meteredModels(noted),
    async settle(writer) {
      wasSettled = true;
      if (entries.some(({ scope }) => scope.tenant !== context.scope.tenant)) {
        throw new VarveError('The meter has usage of another tenant. Use one meter for each tenant.', {
          code: 'outside_scope',
        });
      }
      await parts.record(writer, entries);
    },
  };
}

/** Whether a language model was called and did not answer. Such a call costs nothing, but the report must show it. */
function isWithoutAnswer(error: unknown): boolean {
  return VarveError.isInstance(error, 'model_unavailable') && error.details['reason'] !== 'circuit_open';
}

type Noted = <Result>(
  use: Pick<NotedUse, 'task' | 'model' | 'operation'>,
  call: () => Promise<Result>,
  usageOf: (result: Result, milliseconds: number) => Partial<ModelUsage>,
) => Promise<Result>;

function meteredModels(noted: Noted): Pick<Meter, 'languageModel' | 'embedder' | 'reranker'> {
  const byTokens = ({ tokens }: { tokens: number }, milliseconds: number) => ({ tokensIn: tokens, milliseconds });
  const generated = <Data>(result: Generated<Data>): ModelUsage => result.usage;
  return {
    languageModel: (model) => {
      const useOf = ({ task }: { task: Task }) => ({ task, model: model.modelOf(task) });
      return {
        modelOf: (task) => model.modelOf(task),
        generate: (request) => noted(useOf(request), () => model.generate(request), generated),
        generateText: (request) => noted(useOf(request), () => model.generateText(request), generated),
      };
    },
    embedder: (embedder) => ({
      id: embedder.id,
      dimensions: embedder.dimensions,
      embed: (texts, options) => {
        const use = { task: 'embed', model: embedder.id, operation: 'embedding' } as const;
        return noted(use, () => embedder.embed(texts, options), byTokens);
      },
    }),
    reranker: (reranker) => ({
      id: reranker.id,
      rerank: (query, documents, options) => {
        const use = { task: 'rerank', model: reranker.id };
        return noted(use, () => reranker.rerank(query, documents, options), byTokens);
      },
    }),
  };
}
