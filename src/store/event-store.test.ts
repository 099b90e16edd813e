import { describe, expect, it } from 'vitest';
import { databases } from '../../test/databases.ts';
import { createVarve } from '../varve.ts';
import { eventIdsBetween } from './event-store.ts';
import { openStore } from './open-store.ts';

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`events on ${database.name}`, () => {
    it('lists only the events of one owner between two positions, even if sessions of other owners have the same id', async () => {
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
        const [first] = own;
        const from = (first?.position ?? 0) + 1;
        const scope = { ...handle.scope, session: 's' };
        const ids = await store.read(scope.tenant, (reader) => eventIdsBetween(reader, scope, { from, to: from + 1 }));
        expect(ids.toSorted()).toEqual(
          own
            .slice(1, 3)
            .map(({ id }) => id)
            .toSorted(),
        );
      }
      await Promise.all([varve.close(), store.close()]);
      await drop();
    });
  });
}
