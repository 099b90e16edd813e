import { z } from 'zod';
import { VarveError } from '../errors.ts';
import { derivedId } from '../record/id.ts';
import { parse } from '../record/parse.ts';
import type { Parts, Writer } from '../store/database.ts';
import {
  addEntry,
  addToBalance,
  balanceOf,
  creditEntries,
  type CreditEntry,
  type CreditOwner,
  takeFromBalance,
} from '../store/doors/credit-store.ts';
import { removeRows } from '../store/rows.ts';

/** A grant or a charge, in whole micro-dollars. */
export interface CreditMove extends CreditOwner {
  amount: number;
  /** The reason shown in the account's history, such as "top-up". */
  reason: string;
  /** The idempotency key, such as the id of a payment. */
  key?: string;
}

/** Prepaid credit. Each use of a model reduces it. */
export interface Credit {
  /** Returns the balance in micro-dollars. It may be slightly negative, because work in progress is finished and charged in full. */
  balance(owner: CreditOwner): Promise<number>;
  /** Adds credit and returns the new balance. */
  grant(move: CreditMove): Promise<number>;
  /** Charges for a service of the application itself. Throws `out_of_credit` and writes nothing if the balance is too low. */
  charge(writer: Writer, move: CreditMove): Promise<number>;
  /** Returns the entries of the account, newest first. Default: the last 100. */
  statement(owner: CreditOwner, limit?: number): Promise<CreditEntry[]>;
}

const moveSchema = z.object({
  tenant: z.string().min(1),
  user: z.string().min(1).nullable(),
  amount: z.number().int('is not a whole number of micro-dollars').positive().max(1e15),
  reason: z.string().min(1).max(200),
  key: z.string().min(1).max(200).optional(),
});

export function createCredit({ database, clock, ids }: Pick<Parts, 'database' | 'clock' | 'ids'>): Credit {
  const idOf = (move: CreditMove): string =>
    move.key === undefined ? ids.next('use') : derivedId('use', ['credit', move.tenant, move.user, move.key]);

  return {
    balance: (owner) => database.read(owner.tenant, (reader) => balanceOf(reader, owner)),
    async grant(input) {
      const move = parse(moveSchema, input, 'The grant');
      const id = idOf(move);
      return database.write(move.tenant, async (writer) => {
        const isNew = await addEntry(writer, { ...move, id, kind: 'grant', at: clock.now() });
        return isNew ? addToBalance(writer, move, move.amount, clock.now()) : balanceOf(writer, move);
      });
    },
    async charge(writer, input) {
      const move = parse(moveSchema, input, 'The charge');
      const id = idOf(move);
      // The entry's key decides which of two concurrent repetitions charges the amount, so the entry is written first.
      const isNew = await addEntry(writer, { ...move, amount: -move.amount, id, kind: 'charge', at: clock.now() });
      if (!isNew) return balanceOf(writer, move);
      const left = await takeFromBalance(writer, move, move.amount, clock.now());
      if (left !== null) return left;
      // The caller may catch the error and commit its transaction.
      await removeRows(writer, move.tenant, 'credit_entries', { id: [id] });
      throw outOfCredit(move, await balanceOf(writer, move), move.amount);
    },
    statement: (owner, limit = 100) => database.read(owner.tenant, (reader) => creditEntries(reader, owner, limit)),
  };
}

/** A job that gets this error waits for credit, and its events stay queued. */
export function outOfCredit(owner: CreditOwner, balance: number, needed?: number): VarveError {
  const who = owner.user === null ? `The tenant ${owner.tenant}` : `The user ${owner.user} of tenant ${owner.tenant}`;
  const what = needed === undefined ? 'paid work waits until credit is granted' : `a charge needs ${dollars(needed)}`;
  return new VarveError(`${who} is out of credit: ${dollars(balance)} left, and ${what}.`, {
    code: 'out_of_credit',
    retryable: true,
    details: { ...owner, balance, needed: needed ?? null },
  });
}

function dollars(amount: number): string {
  return `$${(amount / 1_000_000).toFixed(6)}`;
}
