import type { Selectable } from 'kysely';
import type { Reader, Writer } from '../database.ts';
import type { ApiKeyTable } from './door-tables.ts';

export type KeyRow = Selectable<ApiKeyTable>;

export async function insertKey(writer: Writer, row: KeyRow): Promise<void> {
  await writer.insertInto('api_keys').values(row).execute();
}

export async function findKey(reader: Reader, id: string): Promise<KeyRow | undefined> {
  return reader.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The keys of a tenant, newest first. */
export async function listKeys(reader: Reader, tenant: string): Promise<KeyRow[]> {
  const query = reader.selectFrom('api_keys').selectAll().where('tenant_id', '=', tenant);
  return query.orderBy('created_at', 'desc').execute();
}

/** Whether any tenant has a key that is not revoked. */
export async function hasLiveKey(reader: Reader): Promise<boolean> {
  const query = reader.selectFrom('api_keys').select('id').where('revoked_at', 'is', null).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Changes a live key. A revoked key stays as it is: it can be neither revoked again nor restored. */
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
