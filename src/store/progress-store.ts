import type { Selectable } from 'kysely';
import { ownerKey, type Scope } from '../record/scope.ts';
import { type Database, EVERY_TENANT, type Reader, type Writer } from './database.ts';
import type { OwnerProgressTable } from './schema.ts';

/** How far the background work on an owner has come, and the owner's own settings for it. */
export interface OwnerProgress {
  timeZone: string | null;
  reflectionHour: number | null;
  nextReflectionAt: number | null;
  /** Interactions before this time have been reflected on. */
  reflectedUntil: number | null;
  eventRow: number;
  memoryRow: number;
  consolidatedVersion: number;
}

const NONE: OwnerProgress = {
  timeZone: null,
  reflectionHour: null,
  nextReflectionAt: null,
  reflectedUntil: null,
  eventRow: 0,
  memoryRow: 0,
  consolidatedVersion: 0,
};

export async function findProgress(reader: Reader, scope: Scope): Promise<OwnerProgress> {
  const row = await reader
    .selectFrom('owner_progress')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .executeTakeFirst();
  return row === undefined ? NONE : toProgress(row);
}

function toProgress(row: Selectable<OwnerProgressTable>): OwnerProgress {
  return {
    timeZone: row.time_zone,
    reflectionHour: row.reflection_hour,
    nextReflectionAt: row.next_reflection_at,
    reflectedUntil: row.reflected_until,
    eventRow: row.event_row,
    memoryRow: row.memory_row,
    consolidatedVersion: row.consolidated_version,
  };
}

/** Sets the fields that are given. */
export async function saveProgress(writer: Writer, scope: Scope, fields: Partial<OwnerProgress>): Promise<void> {
  const all = { ...NONE, ...fields };
  const set = {
    ...(fields.timeZone === undefined ? {} : { time_zone: fields.timeZone }),
    ...(fields.reflectionHour === undefined ? {} : { reflection_hour: fields.reflectionHour }),
    ...(fields.nextReflectionAt === undefined ? {} : { next_reflection_at: fields.nextReflectionAt }),
    ...(fields.reflectedUntil === undefined ? {} : { reflected_until: fields.reflectedUntil }),
    ...(fields.eventRow === undefined ? {} : { event_row: fields.eventRow }),
    ...(fields.memoryRow === undefined ? {} : { memory_row: fields.memoryRow }),
    ...(fields.consolidatedVersion === undefined ? {} : { consolidated_version: fields.consolidatedVersion }),
  };
  if (Object.keys(set).length === 0) return;
  await writer
    .insertInto('owner_progress')
    .values({
      tenant_id: scope.tenant,
      owner_key: ownerKey(scope),
      agent_id: scope.agent,
      user_id: scope.user,
      time_zone: all.timeZone,
      reflection_hour: all.reflectionHour,
      next_reflection_at: all.nextReflectionAt,
      reflected_until: all.reflectedUntil,
      event_row: all.eventRow,
      memory_row: all.memoryRow,
      consolidated_version: all.consolidatedVersion,
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'owner_key']).doUpdateSet(set))
    .execute();
}

/** A setting of the whole store, such as the model that its vectors are of; null when it was never set. */
export async function readMeta(database: Database, key: string): Promise<string | null> {
  return database.read(EVERY_TENANT, (reader) => findMeta(reader, key));
}

export async function findMeta(reader: Reader, key: string): Promise<string | null> {
  const row = await reader.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value ?? null;
}

export async function setMeta(writer: Writer, key: string, value: string): Promise<void> {
  await writer
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

export async function removeMeta(writer: Writer, key: string): Promise<void> {
  await writer.deleteFrom('meta').where('key', '=', key).execute();
}
