import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, inject, it, vi } from 'vitest';
import { VarveError } from '../src/errors.ts';
import { functionEmbedder } from '../src/models/embedder.ts';
import type { Database } from '../src/store/database.ts';
import { openStore } from '../src/store/open-store.ts';
import { createPreparedStatements } from '../src/store/postgres/open-postgres.ts';
import { createVarve } from '../src/varve.ts';
import { databases } from './databases.ts';

const [, , database] = databases('sql');

describe.skipIf(database?.skip !== null)('messages to a PostgreSQL server', () => {
  // The embedder is a paid one, so each call also writes its usage to the ledger.
  it('are at most 11 to observe an exchange, 13 for a recall and 37 for a context', { timeout: 60_000 }, async () => {
    const { options, drop } = await database!.create();
    const embed = async (texts: readonly string[]): Promise<number[][]> =>
      texts.map((text) =>
        Array.from({ length: 16 }, (_, place) => ((text.codePointAt(place % text.length) ?? 0) % 17) / 68),
      );
    const embedder = functionEmbedder({ id: 'letters@1', dimensions: 16, embed });
    const varve = await createVarve({ store: options, embedder, background: false });
    const ana = varve.for({ tenant: 'messages', user: 'ana', session: 's' });
    const exchange = (number: number): Parameters<typeof ana.observe>[0] => ({
      messages: [
        { role: 'user', content: `I keep a boat ${number} in the shed.` },
        { role: 'assistant', content: 'Good to know.' },
      ],
    });
    for (let number = 0; number < 30; number += 1) await ana.observe(exchange(number));
    await varve.drain();
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    // The fewest messages of several calls, because work that one call defers is sent while another runs.
    const fewest = async (call: (number: number) => Promise<unknown>): Promise<number> => {
      const counts: number[] = [];
      for (let number = 100; number < 105; number += 1) {
        await varve.drain();
        sent.mockClear();
        await call(number);
        counts.push(sent.mock.calls.length);
      }
      return Math.min(...counts);
    };
    try {
      expect(await fewest((number) => ana.recall(`where is boat ${number}?`))).toBeLessThanOrEqual(13);
      expect(await fewest((number) => ana.context({ message: `and boat ${number}?` }))).toBeLessThanOrEqual(37);
      expect(await fewest((number) => ana.observe(exchange(number)))).toBeLessThanOrEqual(11);
    } finally {
      sent.mockRestore();
      await varve.close();
      await drop();
    }
  });
});

describe.skipIf(database?.skip !== null)('the vacuum after an erasure', () => {
  it('skips a table that another session has locked, and vacuums all others', async () => {
    // A separate store whose tables were never vacuumed.
    const { options, drop } = await database!.create({ isBare: true });
    const { schema = '' } = options as { schema?: string };
    const url = new URL(inject('postgresUrl') ?? '');
    url.searchParams.set('options', '-c lock_timeout=50');
    const store = await openStore({ ...options, url: url.href });
    const other = new pg.Client(inject('postgresUrl') ?? '');
    await other.connect();
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const vacuumed = async (): Promise<string[]> => {
      const { rows } = await other.query<{ name: string }>(
        'select relname as name from pg_stat_all_tables where schemaname = $1 and vacuum_count > 0',
        [schema],
      );
      return rows.map(({ name }) => name);
    };
    await other.query('begin');
    await other.query(`lock table "${schema}".events in share mode`);
    try {
      await store.scrub();
      expect(warned.mock.calls.map(([warning]) => String(warning))).toEqual([expect.stringMatching(/events.*lock/)]);
      await other.query('rollback');
      expect(await vacuumed()).toEqual(expect.arrayContaining(['blocks', 'entities', 'memories', 'sessions']));
      await store.scrub();
      expect(warned).toHaveBeenCalledTimes(1);
      expect(await vacuumed()).toContain('events');
    } finally {
      warned.mockRestore();
      await other.end();
      await store.close();
      await drop();
    }
  });
});

describe.skipIf(database?.skip !== null)('a PostgreSQL server that ends connections', () => {
  it('ends no process, loses no acknowledged event, and stores none twice', { timeout: 60_000 }, async () => {
    const { options, drop } = await database!.create();
    const name = `cut_${randomUUID().slice(0, 8)}`;
    const url = new URL(inject('postgresUrl') ?? '');
    url.searchParams.set('application_name', name);
    const store = { ...options, url: url.href };
    const varve = await createVarve({ store, embedder: null });
    const ana = varve.for({ tenant: 'cut', user: 'ana', session: 's' });
    const other = new pg.Client(inject('postgresUrl') ?? '');
    await other.connect();
    const cut = async (): Promise<number> =>
      (await other.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name]))
        .rowCount ?? 0;

    const acknowledged: string[] = [];
    let cuts = 0;
    // The next connection is ended only after some writes have succeeded; on a busy machine none would otherwise.
    let acknowledgedAtCut = 0;
    const cutting = setInterval(() => {
      if (acknowledged.length < acknowledgedAtCut + 4) return;
      acknowledgedAtCut = acknowledged.length;
      void cut().then((count) => (cuts += count));
    }, 20);
    const write = async (writer: number): Promise<void> => {
      for (let place = 0; place < 15; place += 1) {
        const content = `event ${writer}-${place}`;
        try {
          await ana.observe({ content, idempotencyKey: content });
          acknowledged.push(content);
        } catch (error) {
          // A write fails only if a commit was in progress when the connection ended.
          expect(VarveError.isInstance(error, 'store_unavailable')).toBe(true);
          expect((error as VarveError).retryable).toBe(true);
          place -= 1;
        }
      }
    };
    await Promise.all([0, 1, 2, 3].map(write));
    clearInterval(cutting);
    expect(cuts).toBeGreaterThan(5);
    const listed = (await ana.events.list({ limit: 1000 })).items.map(({ content }) => content);
    expect(listed.toSorted()).toEqual(acknowledged.toSorted());
    await other.end();
    await varve.close();
    await drop();
  });

  it('has no open transactions after reads, although reads do not wait for their commit', async () => {
    const { options, drop } = await database!.create();
    const name = `read_${randomUUID().slice(0, 8)}`;
    const url = new URL(inject('postgresUrl') ?? '');
    url.searchParams.set('application_name', name);
    const store = await openStore({ ...options, url: url.href, maximumConnections: 2 } as typeof options);
    const seen = await Promise.all(
      Array.from({ length: 40 }, (_, place) =>
        store.read(`tenant-${place}`, async (reader) => {
          const { rows } = await sql<{ tenant: string }>`select current_setting('varve.tenant') as tenant`.execute(
            reader,
          );
          return rows[0]?.tenant;
        }),
      ),
    );
    // Two connections serve forty reads, and no read has begun within the transaction of another.
    expect(seen).toEqual(seen.map((_, place) => `tenant-${place}`));
    const other = new pg.Client(inject('postgresUrl') ?? '');
    await other.connect();
    const states = async (): Promise<string[]> =>
      (
        await other.query<{ state: string }>('select state from pg_stat_activity where application_name = $1', [name])
      ).rows.map(({ state }) => state);
    await expect.poll(states).toEqual(['idle', 'idle']);
    await other.end();
    await store.close();
    await drop();
  });

  it('is reported as unavailable if it cannot be reached, while an SQL error keeps its own code', async () => {
    const gone = new URL(inject('postgresUrl') ?? '');
    gone.port = '1';
    await expect(openStore({ url: gone.href })).rejects.toMatchObject({ code: 'store_unavailable' });
    const { options, drop } = await database!.create();
    const store = await openStore(options);
    // An error in the SQL is not an outage.
    await expect(store.read('t', (reader) => sql`select nothing`.execute(reader))).rejects.toMatchObject({
      code: '42703',
    });
    await store.close();
    await drop();
  });

  it('treats the name of a tenant as data, and leaves no connection in a transaction that could not begin', async () => {
    const { options, drop } = await database!.create();
    const store = await openStore({ ...options, maximumConnections: 1 } as typeof options);
    const settingIn = (tenant: string): Promise<string | undefined> =>
      store.read(tenant, async (reader) => {
        const setting = sql<{ tenant: string }>`select current_setting('varve.tenant') as tenant where ${1} = 1`;
        return (await setting.execute(reader)).rows[0]?.tenant;
      });
    for (const name of ["o'neil", "\\'; select 1; --", 'a\\b', '$1', "'' E'\\\\'"]) {
      expect(await settingIn(name)).toBe(name);
    }
    // PostgreSQL accepts no NUL, so the transaction does not begin. The only connection works afterwards.
    await expect(settingIn('nul\0')).rejects.toThrow(/./);
    expect(await settingIn('after')).toBe('after');
    await store.close();
    await drop();
  });

  describe('prepared statements', () => {
    const names = (store: Database): Promise<number> =>
      store.read('t', async (reader) => {
        const { rows } = await sql<{ count: number }>`
          select count(*) as count from pg_prepared_statements where name like 'varve%'`.execute(reader);
        return Number(rows[0]?.count);
      });
    const use = async (store: Database, times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        const found = await store.read('t', (reader) =>
          reader.selectFrom('events').select('id').where('tenant_id', '=', 't').where('id', '=', `e${time}`).execute(),
        );
        expect(found).toEqual([]);
      }
    };
    const open = async (preparedStatements: boolean): Promise<{ store: Database; drop(): Promise<void> }> => {
      const { options, drop } = await database!.create();
      return { store: await openStore({ ...options, preparedStatements, maximumConnections: 1 }), drop };
    };

    it('are used for frequent queries', async () => {
      for (const isOn of [true, false]) {
        const { store, drop } = await open(isOn);
        await use(store, 2);
        const before = await names(store);
        await use(store, 5);
        expect((await names(store)) - before).toBe(isOn ? 1 : 0);
        await store.close();
        await drop();
      }
    });

    it('are no longer used behind a pooler that forgets them, and nothing fails', async () => {
      const { store, drop } = await open(true);
      await use(store, 5);
      // A pooler behaves like this when it gives the next transaction another connection.
      await store.read('t', (reader) => sql`deallocate all`.execute(reader));
      await use(store, 5);
      expect(await names(store)).toBe(0);
      await store.close();
      await drop();
    });

    it('are not used for vectors, where the plan depends on how many an owner has', () => {
      const prepared = createPreparedStatements(true);
      const named = (text: string): boolean => [1, 2, 3, 4].map(() => prepared.nameOf(text)).at(-1) !== undefined;
      expect(named('select 1 where a = $1')).toBe(true);
      expect(named('select v.vector <#> $1 from embeddings v')).toBe(false);
    });
  });
});
