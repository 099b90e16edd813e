import { VarveError } from '../errors.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Reader, Writer } from './database.ts';
import { incarnationOf } from './owner-store.ts';
import { ownerStates } from './recall-rows.ts';

/** An owner and its incarnation, which is another one once anything of the owner was erased; null: there is no owner. */
export interface SeenOwner {
  scope: Scope;
  incarnation: string | null;
}

/** Notes which incarnation of an owner is about to be read. */
export async function seeOwner(reader: Reader, scope: Scope): Promise<SeenOwner> {
  const [state] = await ownerStates(reader, scope.tenant, [ownerKey(scope)]);
  return { scope, incarnation: state?.incarnation ?? null };
}

/** Locks the owner against further erasures, and throws `conflict` when something was erased since the owner was seen. */
export async function assertNotErased(writer: Writer, { scope, incarnation }: SeenOwner): Promise<void> {
  if (incarnation === null) return;
  const row = await writer
    .updateTable('owners')
    .set((owner) => ({ version: owner.ref('version') }))
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .returning(['created_at', 'epoch'])
    .executeTakeFirst();
  if (row !== undefined && incarnationOf(row) === incarnation) return;
  throw new VarveError('Something was erased while the work was under way. The work starts again with what is left.', {
    code: 'conflict',
    retryable: true,
    details: { erased: true },
  });
}
