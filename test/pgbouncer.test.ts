import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openStore } from '../src/store/open-store.ts';
import { createVarve } from '../src/varve.ts';

const URL = process.env['VARVE_TEST_PGBOUNCER_URL'];

// `scripts/pgbouncer.sh start <the URL of the server>` prints the URL. .ci/run also runs suites of the store through PgBouncer.
describe.skipIf(URL === undefined)('PgBouncer in transaction mode', () => {
  const schema = `test_bouncer_${process.pid}`;

  it('sets the tenant of each transaction on any connection, and clears it afterwards', async () => {
    const store = await openStore({ url: URL ?? '', schema });
    const seen = await Promise.all(
      Array.from({ length: 200 }, (_, place) =>
        store.read(`tenant-${place}`, async (reader) => {
          const { rows } = await sql<{ tenant: string; role: string; backend: number }>`
            select current_setting('varve.tenant') as tenant, current_user as role, pg_backend_pid() as backend
            where ${place} >= 0`.execute(reader);
          return { place, ...rows[0] };
        }),
      ),
    );
    for (const { place, tenant, role } of seen) expect([tenant, role]).toEqual([`tenant-${place}`, 'varve_tenant']);
    // The transactions of one client used several connections of the server.
    expect(new Set(seen.map(({ backend }) => backend)).size).toBeGreaterThan(1);
    await store.close();
  });

  it('loses nothing that was acknowledged, with many writers, readers and workers', { timeout: 120_000 }, async () => {
    const options = { store: { url: URL ?? '', schema }, embedder: null };
    const [one, other] = [await createVarve(options), await createVarve(options)];
    await Promise.all(
      Array.from({ length: 12 }, async (_, writer) => {
        const handle = (writer % 2 === 0 ? one : other).for({
          tenant: `t${writer % 3}`,
          user: `u${writer}`,
          session: 's',
        });
        for (let place = 0; place < 12; place += 1) {
          await handle.observe({ content: `Turn ${place} about a trombone.` });
          if (place % 4 === 3) await handle.recall('trombone');
        }
        const { items } = await handle.events.list({ limit: 100 });
        expect(items).toHaveLength(12);
      }),
    );
    await one.drain();
    expect((await one.operator.jobs.count()).filter(({ state }) => state === 'dead')).toEqual([]);
    await one.close();
    await other.close();
    const { default: pg } = await import('pg');
    const client = new pg.Client(URL);
    await client.connect();
    await client.query(`drop schema "${schema}" cascade`);
    await client.end();
  });
});
