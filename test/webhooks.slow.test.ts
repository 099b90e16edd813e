import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { EVERY_TENANT } from '../src/store/database.ts';
import { openStore } from '../src/store/open-store.ts';
import { serverPlace, startServer } from './server-process.ts';

it(
  'a message whose server was killed while sending it arrives from the next server, with the same id',
  { timeout: 180_000 },
  async () => {
    const received: { id: string; type: string }[] = [];
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { type } = (await json(request)) as { type: string };
      received.push({ id: String(request.headers['webhook-id']), type });
      // The first request never gets an answer.
      if (received.length === 1) return first.resolve();
      response.writeHead(204).end();
      second.resolve();
    };
    const receiver = createServer((request, response) => void take(request, response));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    const place = await serverPlace();
    const environment = { VARVE_WEBHOOKS_PRIVATE: '1' };
    const killed = await startServer(place, { environment });
    const url = `http://127.0.0.1:${port}/hook`;
    const made = await killed.call('POST', '/v1/webhooks', { body: { url, events: ['memory.created'] } });
    expect(made.status).toBe(201);
    const memory = { type: 'fact', content: 'Plays the tuba.' };
    await killed.call('POST', '/v1/memories?user=ana', { body: { memory } });
    await first.promise;
    await killed.stop('SIGKILL');
    // A lease lasts a minute, and until then no other process may take the job, so the test ends the lease now.
    const store = await openStore({ path: join(place.folder, 'varve.db') });
    const ended = await store.write(EVERY_TENANT, (writer) =>
      writer.updateTable('jobs').set({ lease_until: 0 }).where('state', '=', 'running').executeTakeFirst(),
    );
    expect(ended.numUpdatedRows).toBeGreaterThan(0n);
    await store.close();
    const next = await startServer(place, { environment, key: killed.key });
    try {
      await second.promise;
      expect(received).toHaveLength(2);
      expect(received[1]).toEqual(received[0]);
      const path = `/v1/webhooks/${made.body.webhook.id as string}/deliveries`;
      await expect
        .poll(async () => (await next.call('GET', path)).body.items, { timeout: 10_000 })
        .toMatchObject([{ type: 'memory.created', state: 'delivered', status: 204 }]);
    } finally {
      await next.stop();
      await place.remove();
      receiver.closeAllConnections();
      receiver.close();
    }
  },
);
