import { sql } from 'kysely';
import { type Database, EVERY_TENANT, type Reader, type Writer } from './database.ts';
import { rowsWhere } from './rows.ts';

/** A setting of the whole store, such as the model of its vectors. Null if it was never set. */
export async function readMeta(database: Database, key: string): Promise<string | null> {
  return database.read(EVERY_TENANT, (reader) => findMeta(reader, key));
}

export async function findMeta(reader: Reader, key: string): Promise<string | null> {
  const [row] = await rowsWhere(reader, 'meta', sql`key = ${key}`, ['value']);
  return row?.value ?? null;
}

export async function setMeta(writer: Writer, key: string, value: string): Promise<void> {
  await sql`insert into meta (key, value) values (${key}, ${value})
    on conflict (key) do update set value = excluded.value`.execute(writer);
}

export async function removeMeta(writer: Writer, key: string): Promise<void> {
  await sql`delete from meta where key = ${key}`.execute(writer);
}
