import { sql } from 'kysely';
import { invalidInput } from '../../errors.ts';
import type { ModelUsage } from '../../models/language-model.ts';
import type { Scope } from '../../record/scope.ts';
import type { Database, Reader, Tenant, Writer } from '../database.ts';
import { allOf, insertNew, ofTenant, rowsBy } from '../rows.ts';

/** Fields that can group a report. */
export type ReportBy = 'month' | 'day' | 'operation' | 'task' | 'model' | 'user' | 'agent' | 'tenant' | 'run';

export const REPORT_BY = ['month', 'day', 'operation', 'task', 'model', 'user', 'agent', 'run'] as const;

export interface ReportQuery {
  tenant: Tenant;
  user?: string;
  run?: string;
  /** First and last day or month of the report, in UTC: `2026-11-15` or `2026-11`. */
  from?: string;
  to?: string;
  by: readonly ReportBy[];
}

/** One line of a report. Costs are micro-dollars. */
export interface ReportLine {
  /** The value of each field in `by`. */
  keys: Partial<Record<ReportBy, string | null>>;
  /** Units of work. A `generate` call and its retry are one unit. */
  count: number;
  calls: number;
  failed: number;
  tokensIn: number;
  tokensOut: number;
  tokensCached: number;
  milliseconds: number;
  cost: number;
  charged: number;
  /** Units without a price. `cost` does not include them. */
  unpriced: number;
}

const COLUMNS = {
  month: sql<string>`substr(day, 1, 7)`,
  day: sql<string>`day`,
  operation: sql<string>`operation`,
  task: sql<string>`task`,
  model: sql<string>`model`,
  user: sql<string | null>`user_id`,
  agent: sql<string | null>`agent_id`,
  tenant: sql<string>`tenant_id`,
  run: sql<string | null>`run`,
};

export async function usageReport(database: Database, query: ReportQuery): Promise<ReportLine[]> {
  const { tenant, by } = query;
  for (const day of [query.from, query.to]) {
    if (day !== undefined && !/^\d{4}-\d{2}(-\d{2})?$/.test(day)) {
      throw invalidInput(`Expected a day or month such as 2026-11-15 or 2026-11, got ${JSON.stringify(day)}.`);
    }
  }
  const isMeant = allOf([
    ofTenant(tenant),
    query.user !== undefined && sql`user_id = ${query.user}`,
    query.run !== undefined && sql`run = ${query.run}`,
    query.from !== undefined && sql`day >= ${query.from}`,
    // '~' sorts after every digit, so that a month includes its days.
    query.to !== undefined && sql`day <= ${`${query.to}~`}`,
  ]);
  const keys = by.map((key) => sql`${COLUMNS[key]} as ${sql.ref(`by_${key}`)}`);
  const places = by.map((_, index) => sql.lit(index + 1));
  const grouping = by.length === 0 ? sql`` : sql`group by ${sql.join(places)} order by ${sql.join(places)}`;
  const { rows } = await database.read(tenant, (reader) =>
    sql<Record<keyof Omit<ReportLine, 'keys'>, number | string | null> & Record<`by_${string}`, string | null>>`
      select ${sql.join([
        ...keys,
        sql`count(*) as count, sum(calls) as calls, sum(failed) as failed, sum(tokens_in) as "tokensIn",
        sum(tokens_out) as "tokensOut", sum(tokens_cached) as "tokensCached", sum(milliseconds) as milliseconds,
        sum(cost) as cost, sum(charged) as charged, sum(case when cost is null then 1 else 0 end) as unpriced`,
      ])}
      from usage where ${isMeant} ${grouping}`.execute(reader),
  );
  return rows.map((row) => ({
    keys: Object.fromEntries(by.map((key) => [key, row[`by_${key}`] ?? null])),
    count: Number(row.count),
    calls: Number(row.calls),
    failed: Number(row.failed),
    tokensIn: Number(row.tokensIn),
    tokensOut: Number(row.tokensOut),
    tokensCached: Number(row.tokensCached),
    milliseconds: Number(row.milliseconds),
    cost: Number(row.cost),
    charged: Number(row.charged),
    unpriced: Number(row.unpriced),
  }));
}

/** What a cost was spent on. `injection`: remembered text in the application's own prompts. */
export type Operation = 'extraction' | 'embedding' | 'consolidation' | 'injection' | 'recall' | 'evaluation';

/** Who caused the usage. */
export type UsageScope = Pick<Scope, 'tenant' | 'agent' | 'user'>;

/** Append-only. */
export interface UsageEntry {
  /** Idempotency key: recording the same id again changes and charges nothing. */
  id: string;
  scope: UsageScope;
  run: string | null;
  operation: Operation;
  /** The task of a language model, or `embed`, `rerank` or `inject`. */
  task: string;
  model: string;
  usage: ModelUsage;
  failed: boolean;
  at: number;
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Idempotent: returns false for a known id. */
export async function addUsageRow(
  writer: Writer,
  entry: UsageEntry,
  cost: number | null,
  charged: number,
): Promise<boolean> {
  const { id, at, scope, run, operation, task, model, usage } = entry;
  const plain = { id, at, run, operation, task, model, cost, charged };
  const row = {
    ...plain,
    tenant_id: scope.tenant,
    day: dayOf(at),
    agent_id: scope.agent,
    user_id: scope.user,
    tokens_in: usage.tokensIn,
    tokens_out: usage.tokensOut,
    tokens_cached: usage.tokensCached,
    calls: usage.calls,
    milliseconds: usage.milliseconds,
    estimated: Number(usage.estimated),
    failed: Number(entry.failed),
  };
  return (await insertNew(writer, 'usage', [row])) > 0;
}

export async function recordedIds(reader: Reader, tenant: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await rowsBy(reader, tenant, 'usage', { id: ids }, ['id']);
  return new Set(rows.map(({ id }) => id));
}

/** Micro-dollars. Excludes remembered text in the application's own prompts. */
export async function spentOn(reader: Reader, day: string, whose: Tenant): Promise<number> {
  const { rows } = await sql<{ spent: number | string | null }>`
    select sum(cost) as spent from usage
    where ${ofTenant(whose)} and day = ${day} and operation <> 'injection'`.execute(reader);
  return Number(rows[0]?.spent ?? 0);
}
