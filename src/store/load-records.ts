import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import { ownerKey, type Scope, visibleOwners } from '../record/scope.ts';
import { chunks, type Database, type Reader } from './database.ts';
import { toEvent } from './event-store.ts';
import { fromSnapshot, isNotForgotten, toMemory } from './memory-rows.ts';
import { withinReach } from './owner-store.ts';
import { snapshotsAsOf } from './revision-store.ts';

/** The memories of given rows that a handle sees, as they are or as they were: row → memory. */
export async function loadMemories(
  reader: Reader,
  database: Database,
  { scope, rowIds, asOf = null }: { scope: Scope; rowIds: readonly number[]; asOf?: Date | null },
): Promise<Map<number, Memory>> {
  if (rowIds.length === 0) return new Map();
  const rows = await reader
    .selectFrom('memories')
    .selectAll()
    .where('row_id', 'in', [...rowIds])
    .where(isSeenFrom(scope, database))
    // What was forgotten since is out of sight in the past, too.
    .$if(asOf !== null, (query) => query.where(isNotForgotten))
    .execute();
  const then =
    asOf === null
      ? null
      : await snapshotsAsOf(
          reader,
          scope.tenant,
          rows.map((row) => row.id),
          asOf,
        );
  return new Map(
    rows.map((row) => {
      const snapshot = then?.get(row.id);
      return [row.row_id, snapshot === undefined ? toMemory(row) : fromSnapshot(snapshot)];
    }),
  );
}

/** The events of given rows that a handle sees: row → event. */
export async function loadEvents(
  reader: Reader,
  database: Database,
  { scope, rowIds }: { scope: Scope; rowIds: readonly number[] },
): Promise<Map<number, Event>> {
  if (rowIds.length === 0) return new Map();
  const rows = await reader
    .selectFrom('events')
    .selectAll()
    .where('row_id', 'in', [...rowIds])
    .where(isSeenFrom(scope, database))
    // What was forgotten as a whole is blank.
    .where(sql<SqlBool>`trim(content) <> ''`)
    .execute();
  return new Map(rows.map((row) => [row.row_id, toEvent(row)]));
}

function isSeenFrom(scope: Scope, { syntax }: Database): RawBuilder<SqlBool> {
  return sql<SqlBool>`${syntax.unindexed('tenant_id')} = ${scope.tenant}
    and ${syntax.unindexed('owner_key')} in (${sql.join(visibleOwners(scope))})`;
}

// A chain this long is a loop.
const LONGEST_CHAIN = 50;

/** Follows replacements from a memory's id to the one that is live; null when the trail ends in an archived one. */
export async function liveVersion(reader: Reader, scope: Scope, id: string): Promise<Memory | null> {
  let next: string | null = id;
  for (let step = 0; step < LONGEST_CHAIN && next !== null; step += 1) {
    const row = await reader
      .selectFrom('memories')
      .selectAll()
      .where('id', '=', next)
      .where(withinReach<'memories'>(scope))
      .executeTakeFirst();
    if (row === undefined) return null;
    if (row.archived_at === null) return toMemory(row);
    next = row.contradicted_by;
  }
  return null;
}

/** The memories that are linked to one of these entities: their rows. */
export async function rowsAbout(reader: Reader, tenant: string, entityIds: readonly string[]): Promise<number[]> {
  if (entityIds.length === 0) return [];
  const rows = await reader
    .selectFrom('memory_entities')
    .innerJoin('memories', (join) =>
      join
        .onRef('memories.tenant_id', '=', 'memory_entities.tenant_id')
        .onRef('memories.id', '=', 'memory_entities.memory_id'),
    )
    .select('memories.row_id as rowId')
    .where('memory_entities.tenant_id', '=', tenant)
    .where('memory_entities.entity_id', 'in', [...entityIds])
    .where('memories.archived_at', 'is', null)
    .limit(500)
    .execute();
  return rows.map((row) => row.rowId);
}

/** All memories that were learned from these events, archived ones too. */
export async function memoriesFrom(reader: Reader, tenant: string, eventIds: readonly string[]): Promise<Memory[]> {
  const found: Memory[] = [];
  for (const ids of chunks(eventIds)) {
    const rows = await reader
      .selectFrom('memories')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('memory_sources')
          .select('memory_id')
          .where('tenant_id', '=', tenant)
          .where('event_id', 'in', [...ids]),
      )
      .execute();
    found.push(...rows.map(toMemory));
  }
  return [...new Map(found.map((memory) => [memory.id, memory])).values()];
}

/** The archived memories in whose place a given one stands. */
export async function memoriesReplacedBy(reader: Reader, tenant: string, id: string): Promise<Memory[]> {
  const rows = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('contradicted_by', '=', id)
    .where('archived_at', 'is not', null)
    .execute();
  return rows.map(toMemory);
}

/** All that was said of some attributes and holds or once held: what was forgotten, merged or withdrawn is no history. */
export async function statementHistory(reader: Reader, owner: Scope, attributes: readonly string[]): Promise<Memory[]> {
  const rows = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', owner.tenant)
    .where('owner_key', '=', ownerKey(owner))
    .where('attribute', 'in', [...attributes])
    .where((eb) => eb.or([eb('archived_at', 'is', null), eb('archive_reason', 'in', ['superseded', 'contradicted'])]))
    .execute();
  return rows.map(toMemory);
}
