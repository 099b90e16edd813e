import { type RawBuilder, sql } from 'kysely';
import { readdirSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { openStore } from './open-store.ts';

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`opening a store on ${database.name}`, () => {
    it('creates the schema once, even if two connections open at the same time', async () => {
      const { options, drop } = await database.create({ isBare: true });
      const [first, second] = await Promise.all([openStore(options), openStore(options)]);
      const count = await first.read('t', (reader) => reader.selectFrom('owners').selectAll().execute());
      expect(count).toEqual([]);
      await Promise.all([first.close(), second.close()]);
      await drop();
    });
  });
}

describe('a store in a file', () => {
  it('closes completely, even if nothing was read or written: the log is merged into the file, and no file stays open', async () => {
    const sqlite = databases('sql').find(({ name }) => name === 'SQLite');
    for (const isBare of [true, false]) {
      const { options, drop } = await sqlite!.create({ isBare });
      const folder = dirname((options as { path: string }).path);
      const store = await openStore(options);
      await store.close();
      expect(readdirSync(folder)).toEqual(['varve.db']);
      if (process.platform === 'linux') {
        const open = readdirSync('/proc/self/fd').map((file) => {
          try {
            return readlinkSync(`/proc/self/fd/${file}`);
          } catch {
            return '';
          }
        });
        expect(open.filter((path) => path.startsWith(folder))).toEqual([]);
      }
      await drop();
    }
  });

  it('finds records by an index on their keys, however many records the tenant has, even if an older version created the file', async () => {
    const sqlite = databases('sql').find(({ name }) => name === 'SQLite');
    const { options, drop } = await sqlite!.create({ isBare: true });
    await (await openStore(options)).close();
    const file = new DatabaseSync((options as { path: string }).path);
    file.exec('drop table sqlite_stat1');
    file.close();
    // Two processes may open the file at the same time.
    const [store, other] = await Promise.all([openStore(options), openStore(options)]);
    await other.close();
    const planOf = async (query: RawBuilder<unknown>): Promise<string> => {
      const plan = await store.read('t', (reader) =>
        sql<{ detail: string }>`explain query plan ${query}`.execute(reader),
      );
      return plan.rows.map(({ detail }) => detail).join('\n');
    };
    const keys = sql.join(Array.from({ length: 30 }, (_, index) => index));
    expect(await planOf(sql`select * from memories where tenant_id = ${'t'} and row_id in (${keys})`)).toBe(
      'SEARCH memories USING INTEGER PRIMARY KEY (rowid=?)',
    );
    expect(await planOf(sql`select event_id from memory_sources where tenant_id = ${'t'} and memory_id = ${'m'}`)).toBe(
      'SEARCH memory_sources USING INDEX memory_sources_memory (tenant_id=? AND memory_id=?)',
    );
    await store.close();
    await drop();
  });
});
