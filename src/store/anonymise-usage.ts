import type { Writer } from './database.ts';

/**
 * Takes a user's name out of the ledger. What was used and paid stays, under a name that leads nowhere, so that the sums
 * of accounts and reports still agree.
 */
export async function anonymiseUsage(
  writer: Writer,
  { tenant, user, agent, alias }: { tenant: string; user: string; agent: string | null; alias: string },
): Promise<number> {
  let usage = writer
    .updateTable('usage')
    .set({ user_id: alias })
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user);
  if (agent !== null) usage = usage.where('agent_id', '=', agent);
  const { numUpdatedRows } = await usage.executeTakeFirst();
  const elsewhere = await writer
    .selectFrom('owners')
    .select('owner_key')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .limit(1)
    .executeTakeFirst();
  // The account is the user's with all agents: it goes with the last of them.
  if (elsewhere !== undefined) return Number(numUpdatedRows);
  for (const table of ['credit_accounts', 'credit_entries'] as const) {
    await writer
      .updateTable(table)
      .set({ user_id: alias })
      .where('tenant_id', '=', tenant)
      .where('user_id', '=', user)
      .execute();
  }
  return Number(numUpdatedRows);
}
