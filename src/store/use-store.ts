import type { IdSource } from '../record/id.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import { chunks, type Reader, type Writer } from './database.ts';

/** A memory that was given to a model, waiting for what comes of it. */
export interface GivenMemory {
  id: string;
  memoryId: string;
  session: string | null;
  givenAt: number;
  /** Whether it is always given, whatever the turn is about. */
  isAlways: boolean;
}

export async function insertGiven(
  writer: Writer,
  ids: IdSource,
  scope: Scope,
  memoryIds: readonly string[],
  { now, isAlways = false }: { now: number; isAlways?: boolean },
): Promise<void> {
  const unique = [...new Set(memoryIds)];
  for (const some of chunks(unique)) {
    await writer
      .insertInto('given_memories')
      .values(
        some.map((memory_id) => ({
          tenant_id: scope.tenant,
          id: ids.next('giv'),
          owner_key: ownerKey(scope),
          session_id: scope.session,
          memory_id,
          given_at: now,
          always: Number(isAlways),
        })),
      )
      .execute();
  }
}

/** What was given to an owner's models and not judged yet, oldest first. */
export async function listGiven(reader: Reader, scope: Scope, limit: number): Promise<GivenMemory[]> {
  const rows = await reader
    .selectFrom('given_memories')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .orderBy('given_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    memoryId: row.memory_id,
    session: row.session_id,
    givenAt: row.given_at,
    isAlways: row.always === 1,
  }));
}

/** Takes out what was judged. Gives back which were still there: what another run has judged meanwhile is not. */
export async function takeGiven(writer: Writer, tenant: string, ids: readonly string[]): Promise<Set<string>> {
  const taken = new Set<string>();
  for (const some of chunks(ids)) {
    const rows = await writer
      .deleteFrom('given_memories')
      .where('tenant_id', '=', tenant)
      .where('id', 'in', some)
      .returning('id')
      .execute();
    for (const { id } of rows) taken.add(id);
  }
  return taken;
}

/** How often a memory was given, used, confirmed and corrected. */
export interface MemoryUse {
  given: number;
  used: number;
  confirmed: number;
  corrected: number;
  lastConfirmedAt: Date | null;
}

export async function findUse(reader: Reader, tenant: string, memoryId: string): Promise<MemoryUse | null> {
  const row = await reader
    .selectFrom('memory_use')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('memory_id', '=', memoryId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { given, used, confirmed, corrected } = row;
  const lastConfirmedAt = row.last_confirmed_at === null ? null : new Date(row.last_confirmed_at);
  return { given, used, confirmed, corrected, lastConfirmedAt };
}

/** Adds to what is known of a memory's use, and gives the sum. */
export async function addUse(
  writer: Writer,
  scope: Scope,
  memoryId: string,
  more: Omit<MemoryUse, 'lastConfirmedAt'>,
  now: number,
): Promise<Omit<MemoryUse, 'lastConfirmedAt'>> {
  const confirmedAt = more.confirmed > 0 ? now : null;
  const row = await writer
    .insertInto('memory_use')
    .values({
      tenant_id: scope.tenant,
      owner_key: ownerKey(scope),
      memory_id: memoryId,
      ...more,
      last_confirmed_at: confirmedAt,
    })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'memory_id']).doUpdateSet((row) => ({
        given: row('memory_use.given', '+', more.given),
        used: row('memory_use.used', '+', more.used),
        confirmed: row('memory_use.confirmed', '+', more.confirmed),
        corrected: row('memory_use.corrected', '+', more.corrected),
        ...(confirmedAt === null ? {} : { last_confirmed_at: confirmedAt }),
      })),
    )
    .returning(['given', 'used', 'confirmed', 'corrected'])
    .executeTakeFirstOrThrow();
  return row;
}
