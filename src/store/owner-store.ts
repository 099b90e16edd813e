import { ownerKey, type Scope } from '../record/scope.ts';
import type { Writer } from './database.ts';

/** By what an owner is another one than it was: something of it was removed for good, or it came back after that. */
export function incarnationOf({ created_at, epoch }: { created_at: number; epoch: number }): string {
  return `${created_at} ${epoch}`;
}

/**
 * Begins a change to what an owner knows: takes the owner's lock (its row) until the transaction ends, so that
 * writes to one owner are serialised, and gives back the owner's new version, by which caches know of the change.
 */
export async function changeOwner(writer: Writer, scope: Scope, now: number): Promise<number> {
  const { version } = await writer
    .insertInto('owners')
    .values({
      tenant_id: scope.tenant,
      owner_key: ownerKey(scope),
      agent_id: scope.agent,
      user_id: scope.user,
      version: 1,
      epoch: 0,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'owner_key']).doUpdateSet((row) => ({ version: row('owners.version', '+', 1) })),
    )
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}
