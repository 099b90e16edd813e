import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { createVarve } from '../src/varve.ts';
import { databases } from './databases.ts';

const REPLICA = process.env['VARVE_TEST_REPLICA_URL'];
const [, , server] = databases('sql');

// `scripts/postgres-replica.sh start <the URL of the server>` prints the URL of a streaming replica.
describe.skipIf(server?.skip !== null || inject('distributed'))('a replica for recall', () => {
  it.skipIf(REPLICA === undefined)(
    'a replica answers recall with what it has, while the turns of the session come from the primary',
    { timeout: 120_000 },
    async () => {
      const { options, drop } = await server!.create();
      const varve = await createVarve({
        store: { ...options, replicaUrl: REPLICA },
        embedder: null,
        background: false,
      });
      const ana = varve.for({ tenant: 'acme', user: 'ana', session: 's' });
      const found = async (query: string): Promise<string[]> =>
        (await ana.recall(query)).results.map(({ text }) => text);
      const replica = new pg.Client(REPLICA ?? '');
      await replica.connect();
      await ana.observe({ content: 'The harbour of Linz is closed in winter.' });
      await expect.poll(() => found('harbour'), { timeout: 60_000 }).toHaveLength(1);
      expect(await varve.operator.examineStore()).toEqual([]);

      await replica.query('select pg_wal_replay_pause()');
      try {
        await ana.observe({ content: 'The harbour of Graz does not exist.' });
        expect(await found('harbour')).toEqual(['The harbour of Linz is closed in winter.']);
        const { messages, system, user } = await ana.context({ message: 'And in summer?' });
        expect(JSON.stringify([messages, system, user])).toContain('The harbour of Graz does not exist.');
      } finally {
        await replica.query('select pg_wal_replay_resume()');
      }
      await expect.poll(() => found('harbour'), { timeout: 60_000 }).toHaveLength(2);

      // Forgotten and erased records are gone immediately, also for another process, and so is a revoked key.
      const { memory: kept } = await ana.memories.create({ type: 'fact', content: 'The lighthouse of Linz is white.' });
      const { memory: gone } = await ana.memories.create({ type: 'fact', content: 'The lighthouse of Graz is red.' });
      const { key, secret } = await varve.operator.keys.create('acme', { name: 'app' }, 'test');
      await expect.poll(() => found('lighthouse'), { timeout: 60_000 }).toHaveLength(2);
      const other = await createVarve({
        store: { ...options, replicaUrl: REPLICA },
        embedder: null,
        background: false,
      });
      const elsewhere = other.for({ tenant: 'acme', user: 'ana', session: 's' });
      expect((await elsewhere.recall('lighthouse')).results).toHaveLength(2);
      await replica.query('select pg_wal_replay_pause()');
      try {
        await ana.memories.forget(gone.id);
        expect(await found('lighthouse')).toEqual([kept.content]);
        expect((await elsewhere.recall('lighthouse')).results.map(({ text }) => text)).toEqual([kept.content]);
        expect(JSON.stringify(await elsewhere.context({ message: 'Which lighthouse?' }))).not.toContain('Graz is red');
        await varve.operator.keys.revoke('acme', key.id, 'test');
        expect(await other.operator.keys.verify(secret)).toBeNull();
        await varve.for({ tenant: 'acme', user: 'ana' }).erase();
        expect((await elsewhere.recall('lighthouse harbour')).results).toEqual([]);
      } finally {
        await replica.query('select pg_wal_replay_resume()');
      }
      await other.close();
      await replica.end();
      await varve.close();
      await drop();
    },
  );

  it('a replica is optional: without it the primary answers, and the doctor reports that', async () => {
    const { options, drop } = await server!.create();
    const store = { ...options, replicaUrl: 'postgres://varve:varve@127.0.0.1:1/varve' };
    const varve = await createVarve({ store, embedder: null, background: false });
    const ana = varve.for({ tenant: 'acme', user: 'ana', session: 's' });
    await ana.observe({ content: 'The harbour of Linz is closed in winter.' });
    expect((await ana.recall('harbour')).results).toHaveLength(1);
    expect(await varve.operator.examineStore()).toMatchObject([{ problem: expect.stringContaining('ECONNREFUSED') }]);
    await varve.close();
    await drop();
  });
});
