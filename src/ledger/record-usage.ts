import type { Reader, Writer } from '../store/database.ts';
import { addEntry, addToBalance } from './credit.ts';
import type { PriceTable } from './price-table.ts';
import { dayOf, type UsageEntry, type UsageScope } from './usage-entry.ts';

/** Whose account pays: the user's (the tenant's for work without a user), the tenant's, or nobody's. */
export type CreditMode = 'user' | 'tenant' | 'off';

/** The account that pays for a scope; null when credit is off. */
export function payerOf(mode: CreditMode, scope: UsageScope): { tenant: string; user: string | null } | null {
  if (mode === 'off') return null;
  return { tenant: scope.tenant, user: mode === 'user' ? scope.user : null };
}

export interface RecordParts {
  prices: PriceTable;
  mode: CreditMode;
}

/**
 * Writes usage and takes its cost from the account that pays, in the caller's transaction. An entry that is there already
 * is left alone, so it can be asked for again when nobody knows whether the first time was committed.
 * Call it last in a transaction: the account stays locked until the commit. Gives the cost of what was new.
 */
export async function recordUsage(writer: Writer, entries: readonly UsageEntry[], parts: RecordParts): Promise<number> {
  let total = 0;
  // In one order everywhere: two transactions that pay from the same accounts do not lock each other out.
  const ordered = entries.toSorted((first, second) => ((first.scope.user ?? '') < (second.scope.user ?? '') ? -1 : 1));
  for (const entry of ordered) {
    const cost = parts.prices.cost(entry.model, entry.usage);
    // What remembered text costs in the application's own prompt, the application pays itself.
    const payer = entry.operation === 'injection' ? null : payerOf(parts.mode, entry.scope);
    const charged = payer === null ? 0 : (cost ?? 0);
    if (!(await addUsageRow(writer, entry, cost, charged))) continue;
    total += cost ?? 0;
    if (payer === null || charged === 0) continue;
    await addEntry(writer, {
      ...payer,
      id: entry.id,
      kind: 'usage',
      amount: -charged,
      reason: entry.task,
      at: entry.at,
    });
    await addToBalance(writer, payer, -charged, entry.at);
  }
  return total;
}

async function addUsageRow(writer: Writer, entry: UsageEntry, cost: number | null, charged: number): Promise<boolean> {
  const { scope, usage } = entry;
  const added = await writer
    .insertInto('usage')
    .values({
      tenant_id: scope.tenant,
      id: entry.id,
      at: entry.at,
      day: dayOf(entry.at),
      agent_id: scope.agent,
      user_id: scope.user,
      run: entry.run,
      operation: entry.operation,
      task: entry.task,
      model: entry.model,
      tokens_in: usage.tokensIn,
      tokens_out: usage.tokensOut,
      tokens_cached: usage.tokensCached,
      calls: usage.calls,
      milliseconds: usage.milliseconds,
      estimated: usage.estimated ? 1 : 0,
      failed: entry.failed ? 1 : 0,
      cost,
      charged,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return added !== undefined;
}

/** Which of the entries are in the database. */
export async function recordedIds(reader: Reader, tenant: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await reader
    .selectFrom('usage')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('id', 'in', ids)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
