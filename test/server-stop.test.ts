import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { serve } from '../src/http/serve.ts';
import { DEFAULT_SETTINGS } from '../src/http/settings.ts';
import { createVarve } from '../src/varve.ts';

it('a server stops at once, whatever connections are open that wait for no answer', async () => {
  const varve = await createVarve({ store: ':memory:', embedder: null, background: false });
  const server = await serve({
    varve,
    host: '127.0.0.1',
    port: 0,
    settings: DEFAULT_SETTINGS,
    version: 'test',
    log: () => {},
  });
  // A browser opens connections in advance, and keeps those that were answered.
  const silent = connect(server.port, '127.0.0.1');
  await once(silent, 'connect');
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  const closed = once(silent, 'close');
  // Waiting for the whole grace would exceed the time limit of the test.
  await server.stop(24 * 3_600_000);
  await closed;
  await varve.close();
});
