import { sql } from 'kysely';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { EVERY_TENANT } from '../src/store/database.ts';
import { openStore } from '../src/store/open-store.ts';
import type { PostgresOptions } from '../src/store/postgres/open-postgres.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { openAtSchema } from './open-at-schema.ts';
import { runCliIn } from './run-cli.ts';

// These tests change the cluster itself, so they run before the other suites and not in parallel with them (.ci/run).
const [, , server] = databases('sql');
const isSkipped = server?.skip !== null;
const isCluster = inject('distributed');

/** A store that is not distributed yet, even if the suite runs on distributed stores. */
async function createPlain(): Promise<{ options: PostgresOptions; drop(): Promise<void> }> {
  const { options, drop } = await server!.create({ isBare: true });
  return { options: { ...(options as PostgresOptions), distribute: false }, drop };
}

async function onCoordinator<Row extends pg.QueryResultRow>(statement: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client(inject('postgresUrl') ?? '');
  await client.connect();
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** The same store through a worker, or through the coordinator, which is node 0. */
async function through(node: number, options: PostgresOptions): Promise<PostgresOptions> {
  const nodes = await onCoordinator<{ port: number }>('select nodeport as port from pg_dist_node order by groupid');
  const url = new URL(options.url ?? '');
  url.port = String(nodes[node]?.port);
  return { ...options, url: url.href };
}

/** Starts a process at each node. */
async function openEverywhere(options: PostgresOptions): Promise<Varve[]> {
  const nodes = await Promise.all([0, 1, 2].map((node) => through(node, options)));
  return Promise.all(nodes.map((store) => createVarve({ store, embedder: null, background: false })));
}

const PLACES = `select c.relname as name, p.partmethod as method, p.repmodel as replication from pg_class c
  left join pg_dist_partition p on p.logicalrelid = c.oid
  where c.relnamespace = $1::regnamespace and c.relkind = 'r'`;

const TENANTS = Array.from({ length: 12 }, (_, place) => `tenant-${place}`);

describe.skipIf(isSkipped || isCluster)('a PostgreSQL server without Citus', () => {
  it('refuses to distribute tables', async () => {
    const { options, drop } = await createPlain();
    await expect(openStore({ ...options, distribute: true })).rejects.toThrow('no extension citus');
    const store = await openStore(options);
    expect(await store.examine()).toEqual([]);
    await store.close();
    await drop();
  });
});

describe.skipIf(isSkipped || !isCluster)('a PostgreSQL cluster', () => {
  it('distributes a store that has records with `varve migrate --distribute`', { timeout: 120_000 }, async () => {
    const { options, drop } = await createPlain();
    const before = await createVarve({ store: options, embedder: null, background: false });
    expect(await before.operator.examineStore()).toMatchObject([{ remedy: 'varve migrate --distribute' }]);
    for (const tenant of TENANTS) {
      await before.for({ tenant, user: 'ana', session: 's' }).observe({ content: `The harbour of ${tenant} is deep.` });
    }
    await before.close();

    const environment = { DATABASE_URL: options.url ?? '', VARVE_SCHEMA: options.schema ?? '' };
    const folder = mkdtempSync(join(tmpdir(), 'varve-cluster-'));
    const run = await runCliIn(folder, ['migrate', '--distribute', '--json'], { environment });
    expect(run).toMatchObject({ code: 0 });
    expect(JSON.parse(run.stdout)).toMatchObject({ distributed: true, problems: [] });

    const tables = await onCoordinator<{ name: string; method: string | null }>(PLACES, [options.schema]);
    const local = tables.filter(({ method }) => method === 'n').map(({ name }) => name);
    expect(local.toSorted()).toEqual(['api_keys', 'jobs', 'meta', 'schedules']);
    expect(tables.filter(({ method }) => method !== 'n' && method !== 'h')).toEqual([]);

    const after = await createVarve({ store: options, embedder: null, background: false });
    for (const tenant of TENANTS) {
      const ana = after.for({ tenant, user: 'ana', session: 's' });
      await ana.observe({ content: `The lighthouse of ${tenant} is white.` });
      const { results } = await ana.recall('harbour lighthouse');
      const found = results.map(({ text }) => text);
      expect(found.toSorted()).toEqual([`The harbour of ${tenant} is deep.`, `The lighthouse of ${tenant} is white.`]);
    }
    expect(await after.operator.examineStore()).toEqual([]);
    await after.close();
    await drop();
  });

  it('keeps a store distributed when its schema is migrated', { timeout: 120_000 }, async () => {
    const { options, drop } = await createPlain();
    const older = await openAtSchema(11, { ...options, distribute: true });
    await older.close();
    const { openStore: open } = await import('../src/store/open-store.ts');
    const store = await open(options);
    expect(await store.examine()).toEqual([]);
    const tables = await onCoordinator<{ name: string; method: string | null }>(PLACES, [options.schema]);
    expect(tables.find(({ name }) => name === 'forgotten')).toMatchObject({ method: 'h' });
    await store.close();
    await drop();
  });

  it('can be used through every node; turns are in the same order on all', { timeout: 120_000 }, async () => {
    const { options, drop } = await server!.create();
    await (await openStore(options)).close();
    const entries = await openEverywhere(options as PostgresOptions);
    const said: string[] = [];
    for (const round of [1, 2, 3]) {
      for (const [node, varve] of entries.entries()) {
        const turns = [`Harbour ${round} of node ${node} is deep.`, `Lighthouse ${round} of node ${node} is white.`];
        said.push(...turns);
        await varve.for({ tenant: 'acme', user: 'ana', session: 's' }).observe(turns.map((content) => ({ content })));
      }
    }
    for (const varve of entries) {
      const ana = varve.for({ tenant: 'acme', user: 'ana' });
      const page = await ana.events.list({ order: 'oldest', limit: 10 });
      const rest = await ana.events.list({ order: 'oldest', cursor: page.cursor ?? '' });
      expect([...page.items, ...rest.items].map(({ content }) => content)).toEqual(said);
      // Each instance has its own recall view, which must also contain the turns that were written through the other nodes.
      expect((await ana.recall('lighthouse', { limit: 20 })).results).toHaveLength(said.length / 2);
    }
    // A job that is queued through one node is run by a worker that is connected to another node.
    const jobs = await Promise.all(entries.map((varve) => varve.operator.jobs.list({ tenant: 'acme' })));
    expect(new Set(jobs.map(({ items }) => items.map(({ id }) => id).join())).size).toBe(1);
    await Promise.all(entries.map((varve) => varve.drain()));
    expect(await entries[0]!.operator.examineStore()).toEqual([]);
    await Promise.all(entries.map((varve) => varve.close()));
    await drop();
  });

  it('isolates tenants through a worker, in handles, SQL and erasures', { timeout: 120_000 }, async () => {
    const { options, drop } = await server!.create();
    await (await openStore(options)).close();
    const [, worker] = await openEverywhere(options as PostgresOptions);
    for (const tenant of TENANTS) {
      await worker!.for({ tenant, user: 'ana', session: 's' }).observe({ content: `The secret of ${tenant} is kept.` });
    }
    for (const tenant of TENANTS) {
      const { results } = await worker!.for({ tenant, user: 'ana', session: 's' }).recall('secret');
      expect(results.map(({ text }) => text)).toEqual([`The secret of ${tenant} is kept.`]);
    }
    const store = await openStore(await through(1, options as PostgresOptions));
    const [first, second] = TENANTS;
    const read = await store.read(first!, (reader) =>
      sql<{ tenant_id: string }>`select tenant_id from events`.execute(reader),
    );
    expect(read.rows).toEqual([{ tenant_id: first }]);
    await expect(
      store.write(first!, (writer) =>
        sql`insert into owners (tenant_id, owner_key, version, epoch, created_at)
        values (${second}, 'x', 0, 0, 0)`.execute(writer),
      ),
    ).rejects.toThrow('row-level security');
    await store.write(first!, (writer) => sql`delete from events where tenant_id = ${second}`.execute(writer));
    await store.close();
    await worker!.for({ tenant: first!, user: 'ana' }).erase();
    expect((await worker!.for({ tenant: first!, user: 'ana', session: 's' }).recall('secret')).results).toEqual([]);
    expect((await worker!.for({ tenant: second!, user: 'ana', session: 's' }).recall('secret')).results).toHaveLength(
      1,
    );
    await worker!.close();
    await drop();
  });

  it('has its tables created and changed by the coordinator', async () => {
    const { options, drop } = await server!.create({ isBare: true });
    await expect(openStore(await through(1, options as PostgresOptions))).rejects.toThrow('only the coordinator');
    await drop();
  });

  it(
    'serves the tenants of the other workers while one worker is down, and the doctor names that worker',
    { timeout: 120_000 },
    async () => {
      const { options, drop } = await server!.create();
      const varve = await createVarve({ store: options, embedder: null, background: false });
      const [worker] = await onCoordinator<{ id: number; port: number }>(
        'select nodeid as id, nodeport as port from pg_dist_node where groupid > 0 order by nodeid limit 1',
      );
      const move = (port: number | undefined): Promise<unknown> =>
        onCoordinator(`select citus_update_node($1, '127.0.0.1', $2)`, [worker?.id, port]);
      await move(1);
      try {
        const problems = (await varve.operator.examineStore()).map(({ problem }) => problem);
        expect(problems.join('\n')).toContain('127.0.0.1:1 does not answer');
        await expect(varve.operator.keys.any()).resolves.toBe(false);
        const outcomes = await Promise.allSettled(
          TENANTS.map((tenant) => varve.for({ tenant, user: 'ana', session: 's' }).observe({ content: 'Still here.' })),
        );
        expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['fulfilled', 'rejected']));
      } finally {
        await move(worker?.port);
      }
      const store = await openStore(options);
      await store.read(EVERY_TENANT, (reader) => sql`select count(*) from events`.execute(reader));
      // Citus informs the nodes of the change a moment later.
      await expect.poll(() => store.examine(), { timeout: 90_000 }).toEqual([]);
      await store.close();
      await varve.close();
      await drop();
    },
  );
});
