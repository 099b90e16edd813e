import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { serve } from '../src/http/serve.ts';
import { DEFAULT_SETTINGS } from '../src/http/settings.ts';
import { createVarve } from '../src/varve.ts';

const LOCAL = { host: '127.0.0.1', port: 0, settings: DEFAULT_SETTINGS, version: 'test', log: () => {} };

it('a server with open idle connections stops immediately', async () => {
  const varve = await createVarve({ store: ':memory:', embedder: null, background: false });
  const server = await serve({ ...LOCAL, varve });
  // A browser opens connections in advance, and keeps connections open after an answer.
  const silent = connect(server.port, '127.0.0.1');
  await once(silent, 'connect');
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  const closed = once(silent, 'close');
  // Waiting for the whole grace period would exceed the time limit of the test.
  await server.stop(24 * 3_600_000);
  await closed;
  await varve.close();
});

it('a server stops although a client does not read its stream', async () => {
  const varve = await createVarve({ store: ':memory:', embedder: null, background: false });
  const { secret } = await varve.operator.keys.create('t', { name: 'k', access: 'admin' }, 'test');
  const endless = new ReadableStream<Uint8Array>({ pull: (stream) => stream.enqueue(new Uint8Array(2 ** 20)) });
  const server = await serve({
    ...LOCAL,
    varve,
    mcp: async () => new Response(endless, { headers: { 'content-type': 'text/event-stream' } }),
  });
  const client = connect(server.port, '127.0.0.1');
  client.write(`GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${secret}\r\n\r\n`);
  await once(client, 'readable');
  expect(String(client.read(15))).toBe('HTTP/1.1 200 OK');
  // Waiting for the whole grace period would exceed the time limit of the test.
  await server.stop(24 * 3_600_000);
  client.destroy();
  await varve.close();
});
