import { sql } from 'kysely';
import { notFound } from '../errors.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts, Reader, Writer } from './database.ts';
import { allOf, countRows, isIn, ofOwner, ownerColumns, rowsWhere, scopeOfRow } from './rows.ts';

/** The blocks that a held answer would change. `synthesis`: the working memory and the scaffold together. */
export type HeldKind = 'synthesis' | 'profile' | 'working_memory';

/** A model's answer that was not applied, because it would have removed too much. */
export interface HeldChange {
  id: string;
  scope: Scope;
  run: string;
  kind: HeldKind;
  /** Why the answer was held. */
  reason: string;
  /** The content that would be written. */
  proposal: unknown;
  /** The observations that led to the proposal. They stay unprocessed while the change waits for a decision. */
  events: string[];
  createdAt: Date;
}

export async function holdChange(
  writer: Writer,
  { clock, ids }: Pick<Parts, 'clock' | 'ids'>,
  held: Omit<HeldChange, 'id' | 'createdAt'>,
): Promise<void> {
  await writer
    .insertInto('held_changes')
    .values({
      ...ownerColumns(held.scope),
      id: ids.next('hld'),
      run: held.run,
      kind: held.kind,
      reason: held.reason,
      proposal: JSON.stringify(held.proposal),
      events: JSON.stringify(held.events),
      created_at: clock.now(),
      decided_at: null,
      decision: null,
    })
    .execute();
}

export async function listHeldChanges(reader: Reader, scope: Scope): Promise<HeldChange[]> {
  const isOpen = sql`${ofOwner(scope)} and decided_at is null order by created_at, id`;
  const rows = await rowsWhere(reader, 'held_changes', isOpen);
  return rows.map((row) => ({
    id: row.id,
    scope: scopeOfRow(row),
    run: row.run,
    kind: row.kind,
    reason: row.reason,
    proposal: JSON.parse(row.proposal) as unknown,
    events: JSON.parse(row.events) as string[],
    createdAt: new Date(row.created_at),
  }));
}

export async function countHeldChanges(reader: Reader): Promise<number> {
  return countRows(reader, 'held_changes', sql`decided_at is null`);
}

export async function findHeldChange(reader: Reader, scope: Scope, id: string): Promise<HeldChange> {
  const found = (await listHeldChanges(reader, scope)).find((held) => held.id === id);
  if (found !== undefined) return found;
  throw notFound(`There is no held change ${id} that waits for a decision.`, id);
}

export interface Decision {
  /** Default: all changes of the owner. */
  ids?: readonly string[];
  kind?: HeldKind;
  decision: 'accepted' | 'rejected' | 'outdated';
  now: number;
}

export async function decideHeldChanges(
  writer: Writer,
  scope: Scope,
  { ids, kind, decision, now }: Decision,
): Promise<void> {
  const isMeant = allOf([
    ofOwner(scope),
    sql`decided_at is null`,
    kind !== undefined && sql`kind = ${kind}`,
    ids && isIn('id', ids),
  ]);
  await sql`update held_changes set decision = ${decision}, decided_at = ${now} where ${isMeant}`.execute(writer);
}
