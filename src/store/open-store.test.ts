import { readdirSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { openStore } from './open-store.ts';

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`opening a store on ${database.name}`, () => {
    it('makes the schema once, also when two open at the same time', async () => {
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
  it('is closed as a whole, also if nothing was read or written: its log is in the file, and no file stays open', async () => {
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
});
