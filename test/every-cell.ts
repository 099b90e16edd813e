import { sql } from 'kysely';
import { type Database, EVERY_TENANT } from '../src/store/database.ts';

/**
 * The cells of a store that contain words: `table.column` of each, with the text around the first occurrence. Tables and columns are read
 * from the database, so that new ones need not be listed here. For SQLite’s full-text index the vocabulary is read; the tables behind it
 * are binary, and `attacks/erase.test.ts` searches the files for them.
 */
export async function cellsWith(store: Database, words: RegExp): Promise<string[]> {
  return store.read(EVERY_TENANT, async (reader) => {
    const { rows: tables } = await (
      store.dialect === 'sqlite'
        ? sql<{
            name: string;
          }>`select name from sqlite_master where type = 'table' and name not like '%\\_text%' escape '\\'`
        : sql<{ name: string }>`select table_name as name from information_schema.tables
            where table_schema = current_schema() and table_type = 'BASE TABLE'`
    ).execute(reader);
    const found: string[] = [];
    for (const { name } of tables) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(reader);
      for (const row of rows) {
        for (const [column, value] of Object.entries(row)) {
          const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : JSON.stringify(value);
          const place = text.search(words);
          if (place >= 0) found.push(`${name}.${column}: ${text.slice(Math.max(0, place - 60), place + 60)}`);
        }
      }
    }
    return found;
  });
}
