import { describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { openStore } from './open-store.ts';

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`opening a store on ${database.name}`, () => {
    it('makes the schema once, also when two open at the same time', async () => {
      const { options, drop } = await database.create();
      const [first, second] = await Promise.all([openStore(options), openStore(options)]);
      const count = await first.read('t', (reader) => reader.selectFrom('owners').selectAll().execute());
      expect(count).toEqual([]);
      await Promise.all([first.close(), second.close()]);
      await drop();
    });
  });
}
