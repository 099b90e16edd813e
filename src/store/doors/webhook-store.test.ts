import { describe, expect, it } from 'vitest';
import { databases } from '../../../test/databases.ts';
import { openStore } from '../open-store.ts';
import { insertDeliveries } from './webhook-store.ts';

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`deliveries of webhooks on ${database.name}`, () => {
    it('are written in batches of any size, and only new deliveries are returned', async () => {
      const { options, drop } = await database.create();
      const store = await openStore(options);
      // Each row has 14 columns, so one statement with all rows would exceed the parameter limits of both databases.
      const deliveries = Array.from({ length: 5_000 }, (_, index) => ({
        tenant_id: 't',
        id: `whd_${index}`,
        webhook_id: 'whk_1',
        type: 'memory.archived',
        body: '{}',
        agent_id: null,
        user_id: 'ana',
        session_id: null,
        state: 'waiting',
        attempts: 0,
        status: null,
        error: null,
        created_at: 1,
        ended_at: null,
      }));
      const insert = (): Promise<Set<string>> => store.write('t', (writer) => insertDeliveries(writer, deliveries));
      await store.write('t', (writer) => insertDeliveries(writer, deliveries.slice(0, 10)));
      expect((await insert()).size).toBe(4_990);
      expect((await insert()).size).toBe(0);
      await store.close();
      await drop();
    });
  });
}
