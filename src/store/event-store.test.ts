import { describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { createVarve } from '../varve.ts';
import { eventIdsAround } from './event-store.ts';
import { openStore } from './open-store.ts';

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`events on ${database.name}`, () => {
    it('lists only the events of one owner around others, even if sessions of other owners have the same id', async () => {
      const { options, drop } = await database.create();
      const varve = await createVarve({ store: options, embedder: null, background: false });
      const scopes = [
        { agent: 'coach', user: 'ana' },
        { agent: 'coach', user: 'bob' },
        { agent: 'waiter', user: 'ana' },
        { agent: 'coach', user: 'ana', tenant: 'other' },
      ];
      const store = await openStore(options);
      for (const scope of scopes) {
        const turns = ['one', 'two', 'three', 'four'].map((content) => ({ content }));
        await varve.for({ ...scope, session: 's' }).observe(turns);
      }
      for (const given of scopes) {
        const handle = varve.for({ ...given, session: 's' });
        const own = (await handle.events.list({ order: 'oldest', session: 's' })).items;
        const [one = '', two = '', three = '', four = ''] = own.map(({ id }) => id);
        const around = await store.read(handle.scope.tenant, (reader) => eventIdsAround(reader, [own[0]!, own[2]!], 1));
        const besideOf = (id: string): string[] =>
          around.flatMap((found) => (found.beside === id ? found.id : [])).toSorted();
        expect(around).toHaveLength(5);
        expect(besideOf(one)).toEqual([one, two].toSorted());
        expect(besideOf(three)).toEqual([two, three, four].toSorted());
      }
      await Promise.all([varve.close(), store.close()]);
      await drop();
    });
  });
}
