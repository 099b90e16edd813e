import { sql, type PostgresPool } from 'kysely';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { type Database, EVERY_TENANT } from '../../src/store/database.ts';
import { createVarve, type Varve } from '../../src/varve.ts';
import { databases } from '../databases.ts';
import { tally } from './tally.ts';

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`erase on ${database.name} (S5)`, () => {
    let varve: Varve;
    let store: Database;
    let created: Awaited<ReturnType<typeof database.create>>;
    beforeAll(async () => {
      created = await database.create();
      varve = await createVarve({ store: created.options, embedder: null, background: false });
      store = await openStore(created.options);
    });
    afterAll(async () => {
      await store.close();
      await varve.close();
      await created.drop();
    });

    /** The bytes of all files that contain tables and indexes. */
    async function bytes(): Promise<Buffer> {
      if ('path' in created.options) {
        const { path } = created.options;
        return Buffer.concat([path, `${path}-wal`].map((file) => readFileSync(file)));
      }
      const { schema = 'varve' } = created.options;
      return store.read(EVERY_TENANT, async (reader) => {
        const { rows } = await sql<{ data: Uint8Array | null }>`
          select pg_read_binary_file(pg_relation_filepath(c.oid::regclass), 0, 16777216, true) as data
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = ${schema} and c.relkind in ('r', 'i', 't') and pg_relation_filepath(c.oid::regclass) is not null`.execute(
          reader,
        );
        return Buffer.concat(rows.map(({ data }) => Buffer.from(data ?? [])));
      });
    }

    it('no erased word is left in the files', { timeout: 120_000 }, async () => {
      const counted = tally(`erase, bytes on ${database.name}`);
      // PostgreSQL writes its buffers to the files first, so that the files can be searched.
      const checkpoint = async (): Promise<void> => {
        if ('path' in created.options) return;
        const url = 'url' in created.options ? created.options.url : undefined;
        const { default: pg } = await import('pg');
        const pool = created.options.pool ?? (new pg.Pool({ connectionString: url }) as unknown as PostgresPool);
        const connection = await pool.connect();
        await connection.query('checkpoint', []);
        connection.release();
        if (created.options.pool === undefined) await pool.end();
      };
      for (const what of ['user', 'session', 'memory'] as const) {
        const word = `Zaubertrank${what}`;
        const handle = varve.for({ user: `erased-${what}`, session: 's' });
        await handle.logInteraction({ userMessage: `My ${word} is blue.`, agentResponse: `Your ${word}, noted.` });
        const { memory } = await handle.memories.create({ type: 'fact', content: `User owns a ${word}.` });
        await handle.memories.revise(memory.id, { content: `User owns a large ${word}.` });
        if (what !== 'memory') await handle.blocks.replace('profile', `Owns a ${word}.`);
        if (what === 'memory') {
          await handle.eraseMemory(memory.id);
          await handle.erase();
        } else if (what === 'session') {
          await handle.erase();
          await varve.for({ user: 'erased-session' }).erase();
        } else await varve.for({ user: 'erased-user' }).erase();
        const isLeft = async (): Promise<boolean> => {
          await checkpoint();
          return (await bytes()).includes(Buffer.from(word));
        };
        let left = await isLeft();
        // PostgreSQL cannot remove rows that a transaction of another test may still see. Erasing again removes them when that transaction
        // has ended.
        for (let tries = 0; left && tries < 20; tries += 1) {
          await delay(500);
          await varve.for({ user: `erased-${what}` }).erase();
          left = await isLeft();
        }
        counted.note(`${what}: ${word} is still in the files`, left);
      }
      // A word that was not erased is found, which shows that the search works.
      await varve.for({ user: 'kept' }).memories.create({ type: 'fact', content: 'User owns a Kochlöffelkind.' });
      await checkpoint();
      expect((await bytes()).includes(Buffer.from('Kochlöffelkind'))).toBe(true);
      counted.close();
    });
  });
}
