import { VarveError } from '../errors.ts';
import { DAY, type Clock } from '../record/clock.ts';
import { EVERY_TENANT, type Database, type Reader } from '../store/database.ts';
import { dayOf } from './usage-entry.ts';

/** The most that background work may cost on one UTC day, in micro-dollars. */
export interface Budget {
  perTenant?: number;
  /** All tenants together. */
  total?: number;
}

/** Throws `budget_spent` once the day's budget is used up, with `details.until`: when the job that asked may run again. */
export async function ensureBudget(
  database: Database,
  clock: Clock,
  budget: Budget,
  tenant: string,
  /** Cost that is not written down yet. */
  pending = 0,
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
      `The budget of ${name} for ${day} is spent: ${spent} of ${limit} micro-dollars. Background work goes on at ${new Date(until).toISOString()}.`,
      { code: 'budget_spent', retryable: true, details: { tenant, day, spent, limit, until } },
    );
  }
}

async function spentOn(reader: Reader, day: string, whose: string | typeof EVERY_TENANT): Promise<number> {
  let query = reader
    .selectFrom('usage')
    .select((select) => select.fn.sum<number | string | null>('cost').as('spent'))
    .where('day', '=', day)
    .where('operation', '!=', 'injection');
  if (whose !== EVERY_TENANT) query = query.where('tenant_id', '=', whose);
  const row = await query.executeTakeFirst();
  return Number(row?.spent ?? 0);
}
