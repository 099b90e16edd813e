import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVarve } from '../src/varve.ts';
import { openStore } from '../src/store/open-store.ts';
import type { Database } from '../src/store/database.ts';
import { ownerKey, parseScope } from '../src/record/scope.ts';
import { insertEvents } from '../src/store/event-store.ts';
import type { Event } from '../src/record/event.ts';

// SQLite’s own limit of pages simulates a full disk: the same error occurs at the same place.
describe('a full disk under SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'varve-full-'));
  const scope = parseScope({ user: 'ana' });
  let store: Database;
  beforeAll(async () => {
    store = await openStore({ path: join(folder, 'varve.db') });
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const limitPages = (pages: number): Promise<unknown> =>
    store.write('default', (writer) => sql.raw(`pragma max_page_count = ${pages}`).execute(writer));
  let version = 0;
  const write = (id: string): Promise<void> =>
    store.write('default', (writer) =>
      insertEvents(writer, store, [{ event: eventOf(id), idempotencyKey: null }], (version += 1)),
    );
  const eventOf = (id: string): Event => ({
    id,
    scope,
    position: null,
    kind: 'message',
    origin: 'user',
    speaker: null,
    content: `${id} ${'word '.repeat(400)}`,
    category: null,
    refersTo: null,
    interaction: null,
    channel: null,
    context: null,
    metadata: {},
    occurredAt: new Date(0),
    recordedAt: new Date(0),
    processedAt: null,
  });
  const kept = async (): Promise<string[]> => {
    const rows = await store.read('default', (reader) =>
      reader.selectFrom('events').select('id').where('owner_key', '=', ownerKey(scope)).orderBy('id').execute(),
    );
    return rows.map(({ id }) => id);
  };

  it('is reported, every acknowledged record and no other is kept, and writing continues when there is space', async () => {
    // The smallest limit that SQLite accepts is the current size of the file.
    await limitPages(1);
    const acknowledged: string[] = [];
    const refused: unknown[] = [];
    for (let round = 0; refused.length === 0 && round < 100; round += 1) {
      const ids = Array.from({ length: 4 }, (_, index) => `evt_${String(round * 4 + index).padStart(4, '0')}`);
      const outcomes = await Promise.allSettled(ids.map(write));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status === 'fulfilled') acknowledged.push(ids[index] ?? '');
        else refused.push(outcome.reason);
      }
    }
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) {
      expect(reason).toMatchObject({ code: 'store_unavailable', message: 'The disk is full.' });
    }
    expect(await kept()).toEqual(acknowledged);
    await limitPages(100_000);
    await write('evt_last');
    expect(await kept()).toEqual([...acknowledged, 'evt_last']);
  });

  it('is also reported if SQLite itself has rolled back the whole transaction with all writes of its batch', async () => {
    const before = await kept();
    const failing = store.write('default', async (writer) => {
      await sql`rollback`.execute(writer);
      throw new Error('The first failure.');
    });
    const outcomes = await Promise.allSettled([write('evt_x'), failing, write('evt_y')]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'The first failure.' } });
    }
    expect(await kept()).toEqual(before);
    await write('evt_z');
    expect(await kept()).toEqual([...before, 'evt_z']);
  });
});

describe('logging an interaction', () => {
  const exchange = { userMessage: 'I live in Oslo.', agentResponse: 'Noted.' };
  const options = { embedder: null, background: false as const };

  it('reports a store that fails and does not throw', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'varve-damaged-'));
    const path = join(folder, 'varve.db');
    const varve = await createVarve({ ...options, store: { path } });
    const handle = varve.for({ user: 'ana', session: 's' });
    expect(await handle.logInteraction(exchange)).toMatchObject({ logged: true });
    // After the write of another connection the pages are read from the file again.
    const other = new DatabaseSync(path);
    other.exec('create table other (id integer); pragma wal_checkpoint(truncate)');
    other.close();
    writeFileSync(path, 'not a database '.repeat(10_000));
    const logged = await handle.logInteraction(exchange);
    expect(logged).toMatchObject({ logged: false, error: { code: 'store_unavailable' } });
    await varve.close();
    // A call after close() is an error of the program and must be reported.
    await expect(handle.logInteraction(exchange)).rejects.toMatchObject({ code: 'closed', retryable: false });
    rmSync(folder, { recursive: true });
  });

  it('throws for any other failure', async () => {
    let isBroken = false;
    const clock = {
      now(): number {
        if (isBroken) throw new TypeError('no time');
        return 0;
      },
    };
    const varve = await createVarve({ ...options, store: { path: ':memory:' }, clock });
    const handle = varve.for({ user: 'ana', session: 's' });
    isBroken = true;
    await expect(handle.logInteraction(exchange)).rejects.toThrow(TypeError);
    isBroken = false;
    await varve.close();
  });
});
