import { type Database, EVERY_TENANT, type Reader, type Writer } from './database.ts';

/** A setting of the whole store, such as the model of its vectors; null when it was never set. */
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
