import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Reader, Writer } from '../database.ts';
import { insertion, insertNew, rowsWhere } from '../rows.ts';

/** A user, or the tenant itself if `user` is null. */
export interface CreditOwner {
  tenant: string;
  user: string | null;
}

/** One entry in the history of an account. */
export interface CreditEntry {
  id: string;
  kind: 'grant' | 'charge' | 'usage';
  /** Micro-dollars. Negative for charges and usage. */
  amount: number;
  reason: string;
  at: Date;
}

function ofAccount({ tenant, user }: CreditOwner): RawBuilder<SqlBool> {
  return sql`tenant_id = ${tenant} and user_id = ${user ?? ''}`;
}

/** Micro-dollars. An account without entries has 0. */
export async function balanceOf(reader: Reader, owner: CreditOwner): Promise<number> {
  const [row] = await rowsWhere(reader, 'credit_accounts', ofAccount(owner), ['balance']);
  return row?.balance ?? 0;
}

type NewEntry = CreditOwner & Omit<CreditEntry, 'at'> & { at: number };

/** Idempotent: returns false for a known id. */
export async function addEntry(writer: Writer, entry: NewEntry): Promise<boolean> {
  const { tenant, user, id, kind, amount, reason, at } = entry;
  const row = { tenant_id: tenant, id, user_id: user ?? '', kind, amount, reason, at };
  return (await insertNew(writer, 'credit_entries', [row])) > 0;
}

/** The balance may become negative, because usage is charged afterwards. Returns the new balance. */
export async function addToBalance(writer: Writer, owner: CreditOwner, amount: number, at: number): Promise<number> {
  const row = { tenant_id: owner.tenant, user_id: owner.user ?? '', balance: amount, updated_at: at };
  const { rows } = await sql<{ balance: number }>`${insertion('credit_accounts', [row])}
    on conflict (tenant_id, user_id) do update set balance = credit_accounts.balance + excluded.balance,
      updated_at = excluded.updated_at
    returning balance`.execute(writer);
  return rows[0]!.balance;
}

/**
 * One conditional update, so that two concurrent charges cannot both spend the last credit. Returns the new balance, or null if the old one
 * was too low.
 */
export async function takeFromBalance(
  writer: Writer,
  owner: CreditOwner,
  amount: number,
  at: number,
): Promise<number | null> {
  const { rows } = await sql<{ balance: number }>`
    update credit_accounts set balance = balance - ${amount}, updated_at = ${at}
    where ${ofAccount(owner)} and balance >= ${amount} returning balance`.execute(writer);
  return rows[0]?.balance ?? null;
}

export async function creditEntries(reader: Reader, owner: CreditOwner, limit: number): Promise<CreditEntry[]> {
  const latest = sql`${ofAccount(owner)} order by at desc, id desc limit ${limit}`;
  const rows = await rowsWhere(reader, 'credit_entries', latest, ['id', 'kind', 'amount', 'reason', 'at']);
  return rows.map((row) => ({ ...row, at: new Date(row.at) }));
}
