import { type Selectable, sql } from 'kysely';
import type { Reader, Writer } from '../database.ts';
import { rowsWhere } from '../rows.ts';
import type { ApiKeyTable } from '../schema.ts';

export type KeyRow = Selectable<ApiKeyTable>;

export async function insertKey(writer: Writer, row: KeyRow): Promise<void> {
  await writer.insertInto('api_keys').values(row).execute();
}

export async function findKey(reader: Reader, id: string): Promise<KeyRow | undefined> {
  return (await rowsWhere(reader, 'api_keys', sql`id = ${id}`))[0];
}

/** Returns a tenant's keys, newest first. */
export async function listKeys(reader: Reader, tenant: string): Promise<KeyRow[]> {
  return rowsWhere(reader, 'api_keys', sql`tenant_id = ${tenant} order by created_at desc`);
}

/** Checks whether any tenant has a key that is not revoked. */
export async function hasLiveKey(reader: Reader): Promise<boolean> {
  return (await rowsWhere(reader, 'api_keys', sql`revoked_at is null limit 1`)).length > 0;
}

/** Changes a live key. A revoked key never changes again. */
export async function updateKey(
  writer: Writer,
  { tenant, id }: { tenant: string; id: string },
  fields: Partial<KeyRow>,
): Promise<KeyRow | undefined> {
  return writer
    .updateTable('api_keys')
    .set(fields)
    .where('id', '=', id)
    .where('tenant_id', '=', tenant)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}
