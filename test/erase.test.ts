import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import type { Database } from '../src/store/database.ts';
import { openStore, type StoreOptions } from '../src/store/open-store.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { ownerKey } from '../src/record/scope.ts';
import { EVERY_TENANT } from '../src/store/database.ts';
import { databases } from './databases.ts';

const SECRET = 'xylophonequartz';

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`erasing on ${database.name}`, () => {
    let varve: Varve;
    let store: Database;
    let options: StoreOptions;
    let drop: () => Promise<void>;

    beforeAll(async () => {
      ({ options, drop } = await database.create());
      varve = await createVarve({ store: options, embedder: null, background: false });
      store = await openStore(options);
    });
    afterAll(async () => {
      await Promise.all([varve.close(), store.close()]);
      await drop();
    });

    /** Every row of every table as text, and the bytes of the files if there are any. */
    async function everything(): Promise<string> {
      const tables = await store.read(EVERY_TENANT, async (reader) => {
        const { rows } =
          store.dialect === 'sqlite'
            ? await sql<{
                name: string;
              }>`select name from sqlite_master where type = 'table' and name not like '%\\_text\\_%' escape '\\' and name not like '%vocabulary'`.execute(
                reader,
              )
            : await sql<{
                name: string;
              }>`select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(
                reader,
              );
        return rows.map((row) => row.name);
      });
      const texts: string[] = [];
      for (const table of tables) {
        const { rows } = await store.read(EVERY_TENANT, (reader) =>
          sql`select * from ${sql.table(table)}`.execute(reader),
        );
        texts.push(
          JSON.stringify(rows, (_key, value: unknown) =>
            value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
          ),
        );
      }
      if ('path' in options) {
        const folder = dirname(options.path);
        for (const file of readdirSync(folder)) texts.push(readFileSync(join(folder, file), 'latin1'));
      }
      return texts.join('\n');
    }

    async function fill(user: string, session: string): Promise<void> {
      const handle = varve.for({ tenant: 't', agent: 'coach', user, session, connection: 'mail' });
      const { events } = await handle.observe([
        { content: `${SECRET} one` },
        { content: `${SECRET} two`, idempotencyKey: SECRET },
      ]);
      const { memory } = await handle.memories.create({
        type: 'fact',
        content: `Knows ${SECRET}.`,
        sourceEvents: [events[0]!.id],
        tags: [SECRET],
      });
      await handle.memories.revise(memory.id, { content: `Knew ${SECRET}.` });
      await handle.memories.create({
        type: 'fact',
        level: 'agent',
        content: `Everybody knows ${SECRET}.`,
        sourceEvents: [events[1]!.id],
      });
      await handle.facts.set({ key: 'password', value: SECRET });
      await handle.facts.set({ key: 'password', value: `${SECRET}2` });
      await handle.blocks.replace('working_memory', `About ${SECRET}.`);
      await handle.blocks.replace('working_memory', `More about ${SECRET}.`);
      await handle.entities.add({ type: 'product', name: SECRET });
      await handle.connection.saveToolSchema({ [SECRET]: true });
      await handle.connection.learn({ [SECRET]: true });
      await handle.indexDocument({ content: `A document on ${SECRET}.` });
      await handle.logInteraction({ userMessage: SECRET, agentResponse: SECRET });
      await handle.session.setState({ activePreferences: [SECRET] });
      await handle.session.close();
    }

    it('[X1] erasing a person leaves no trace of them, and keeps all others', async () => {
      await varve
        .for({ tenant: 't', agent: 'coach', user: 'bob' })
        .memories.create({ type: 'fact', content: 'Bob stays.' });
      await varve
        .for({ tenant: 't2', agent: 'coach', user: 'ana' })
        .memories.create({ type: 'fact', content: 'Another tenant’s Ana stays.' });
      await fill('ana', 'ana-session');
      expect(await everything()).toContain(SECRET);
      const erased = await varve.for({ tenant: 't', user: 'ana' }).erase();
      expect(erased).toMatchObject({ sessions: 1, entities: 1, toolSchemas: 1 });
      expect(erased.events).toBeGreaterThanOrEqual(5);
      const left = await everything();
      expect(left).not.toContain(SECRET);
      expect(left).not.toContain('ana-session');
      expect(left).toContain('Bob stays.');
      expect(left).toContain('Another tenant’s Ana stays.'.slice(0, 7));
    });

    it('[X1] the answer names the erased scope and counts what its handle can still read of the user', async () => {
      const own = { tenant: 't', agent: 'coach', user: 'ana' };
      await fill('ana', 'monday');
      await fill('bob', 'monday');
      const opened = varve.for({ ...own, session: 'monday' });
      const session = await opened.erase();
      expect(session.scope).toEqual({ ...own, session: 'monday', connection: null });
      expect(session.remaining.memories).toBeGreaterThan(0);
      const ofAgent = await varve.for(own).erase();
      expect(ofAgent).toMatchObject({ memories: session.remaining.memories, events: session.remaining.events });
      expect(ofAgent.remaining).toEqual({ memories: 0, events: 0 });
      const bob = await varve.for({ tenant: 't', user: 'bob' }).erase();
      expect(bob).toMatchObject({ scope: { agent: null, session: null }, remaining: { memories: 0, events: 0 } });
    });

    it('[X1] erased records are in no later context, of this process or of another', async () => {
      const scope = { tenant: 't4', agent: 'coach', user: 'ana', session: 's' };
      const other = await createVarve({ store: options, embedder: null, background: false });
      const contexts = (): Promise<string[]> =>
        Promise.all([varve, other].map(async (each) => (await each.for(scope).context({ message: 'Hi' })).system));
      const { memory } = await varve
        .for(scope)
        .memories.create({ type: 'fact', content: `The word is ${SECRET}.`, importance: 0.9 });
      // This memory is newer than the erased one, so the time of the last change stays the same.
      await varve.for(scope).memories.create({ type: 'fact', content: 'The garden is green.', importance: 0.9 });
      await varve.for(scope).blocks.replace('profile', `Ana likes tea. Her word is ${SECRET}.`);
      for (const system of await contexts()) expect(system.split(SECRET)).toHaveLength(3);
      await varve.for(scope).eraseMemory(memory.id);
      for (const system of await contexts()) {
        expect(system).not.toContain(SECRET);
        expect(system).toContain('The garden is green.');
        expect(system).toContain('Ana likes tea.');
      }
      await other.close();
    });

    it('[X1] erasing begins a new epoch for every owner that could see the record, and for no other', async () => {
      const owners = [{}, { agent: 'coach' }, { user: 'ana' }, { agent: 'coach', user: 'ana' }, { user: 'bob' }];
      const created = await Promise.all(
        owners.map(async (owner) => {
          const handle = varve.for({ tenant: 't5', user: null, ...owner });
          return { handle, ...(await handle.memories.create({ type: 'fact', content: 'There is a cat.' })) };
        }),
      );
      const epochs = async (): Promise<number[]> => {
        const rows = await store.read('t5', (reader) =>
          reader.selectFrom('owners').select(['owner_key', 'epoch']).where('tenant_id', '=', 't5').execute(),
        );
        return created.map(({ handle }) => rows.find((row) => row.owner_key === ownerKey(handle.scope))?.epoch ?? -1);
      };
      /** The owners whose epoch has changed. */
      const erase = async (index: number): Promise<boolean[]> => {
        const before = await epochs();
        await created[index]?.handle.eraseMemory(created[index].memory.id);
        return (await epochs()).map((epoch, place) => epoch > (before[place] ?? 0));
      };
      expect(await erase(4)).toEqual([false, false, false, false, true]);
      expect(await erase(3)).toEqual([false, false, false, true, false]);
      expect(await erase(2)).toEqual([false, false, true, true, false]);
      expect(await erase(1)).toEqual([false, true, false, true, false]);
      expect(await erase(0)).toEqual([true, true, true, true, true]);
    });

    it('[X1] memories that replaced an erased one, or were replaced by it, can still be changed', async () => {
      const handle = varve.for({ tenant: 't7', agent: 'coach', user: 'ana' });
      const { memory: oslo } = await handle.memories.create({ type: 'fact', content: 'Ana lives in Oslo.' });
      const rome = await handle.memories.supersede(oslo.id, { type: 'fact', content: 'Ana lives in Rome.' });
      const linz = await handle.memories.supersede(rome.id, { type: 'fact', content: 'Ana lives in Linz.' });
      await handle.eraseMemory(rome.id);
      expect(await handle.memories.get(oslo.id)).toMatchObject({ contradictedBy: linz.id });
      expect(await handle.memories.get(linz.id)).toMatchObject({ contradicts: null });
      const revised = await handle.memories.revise(linz.id, { content: 'Ana lives in Linz now.' });
      expect(revised).toMatchObject({ content: 'Ana lives in Linz now.', contradicts: null });
      await handle.eraseMemory(linz.id);
      // Oslo stays marked as replaced and does not become true again.
      expect(await handle.memories.get(oslo.id)).toMatchObject({
        archiveReason: 'superseded',
        contradictedBy: linz.id,
      });
      expect((await handle.memories.restore(oslo.id)).contradictedBy).toBeNull();
    });

    it('[X1] memories of the agent lose the entities of an erased person', async () => {
      const handle = varve.for({ tenant: 't9', agent: 'coach', user: 'ana' });
      const entity = await handle.entities.add({ type: 'product', name: 'Pedalo' });
      const { memory } = await handle.memories.create({
        type: 'fact',
        level: 'agent',
        content: 'Guests like boats.',
        entities: [entity.id],
      });
      await handle.erase();
      const agent = varve.for({ tenant: 't9', agent: 'coach', user: null });
      expect((await agent.memories.get(memory.id))?.entities).toEqual([]);
    });

    it('[X1] the certificate counts the entities that only erased memories mention', async () => {
      const scope = { tenant: 't10', agent: 'coach', user: 'ana' };
      const handle = varve.for(scope);
      const names = ['Pedalo', 'Sloop', 'Ketch'];
      const [first, second, third] = await Promise.all(
        names.map((name) => handle.entities.add({ type: 'product', name })),
      );
      const fact = { type: 'fact', content: 'Ana rows.', entities: [first!.id, second!.id] };
      const { memory } = await handle.memories.create(fact);
      await handle.memories.create({ type: 'fact', content: 'Ana sails.', entities: [second!.id, third!.id] });
      expect((await handle.eraseMemory(memory.id)).counts).toMatchObject({ memories: 1, entities: 1 });
      const erased = await handle.erase();
      expect([erased.entities, erased.certificate.counts['entities']]).toEqual([2, 2]);
    });

    it('[X1] references that an earlier version left behind do not block a change, and new ones are refused', async () => {
      const handle = varve.for({ tenant: 't8', agent: 'coach', user: 'ana' });
      const { memory } = await handle.memories.create({ type: 'fact', content: 'Ana lives in Oslo.' });
      await store.write('t8', (writer) =>
        sql`update memories set contradicts = 'mem_gone', entities = '["ent_gone"]' where tenant_id = 't8'`.execute(
          writer,
        ),
      );
      await handle.memories.revise(memory.id, { content: 'Ana lives in Oslo now.' });
      for (const change of [{ entities: ['ent_gone', 'ent_none'] }, { sourceEvents: ['evt_none'] }]) {
        await expect(handle.memories.revise(memory.id, change)).rejects.toThrow(
          /There is no (entity ent|event evt)_none/,
        );
      }
    });

    it('refuses unknown options, because they may have been meant to erase less', async () => {
      const handle = varve.for({ tenant: 't6', user: 'ana' });
      const { memory } = await handle.memories.create({ type: 'fact', content: 'Ana has a cat.' });
      await expect(handle.erase({ memory: memory.id } as object)).rejects.toThrow(/memory/);
      await expect(handle.reflect({ dryrun: true } as object)).rejects.toThrow(/dryrun/);
      await expect(handle.consolidation.run({ dryrun: true } as object)).rejects.toThrow(/dryrun/);
      expect(await handle.memories.get(memory.id)).not.toBeNull();
    });

    it('[X1] erasing a session erases the memories that rest on it alone', async () => {
      const handle = (session: string) => varve.for({ tenant: 't3', agent: 'coach', user: 'ana', session });
      const { events: first } = await handle('s1').observe({ content: 'One' });
      const { events: second } = await handle('s2').observe({ content: 'Two' });
      const { memory: onlyFirst } = await handle('s1').memories.create({
        type: 'fact',
        content: 'From one.',
        sourceEvents: [first[0]!.id],
      });
      const { memory: both } = await handle('s1').memories.create({
        type: 'fact',
        content: 'From both.',
        sourceEvents: [first[0]!.id, second[0]!.id],
      });
      await handle('s1').session.close();
      await handle('s2').session.close();
      await handle('s1').erase();
      expect(await handle('s2').memories.get(onlyFirst.id)).toBeNull();
      expect((await handle('s2').memories.get(both.id))?.sourceEvents).toEqual([second[0]!.id]);
      expect(await handle('s1').session.get()).toBeNull();
      expect(await handle('s2').session.get()).not.toBeNull();
      expect((await handle('s2').events.list()).items.map((event) => event.content)).toEqual(['Two']);
    });
  });
}

describe('erasing in an SQLite file', () => {
  it('[X1] leaves no word of the person in a file that `vacuum into` made, whose pages are full', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'varve-'));
    const [path, copy] = [join(folder, 'own.db'), join(folder, 'copy.db')];
    const withStore = async (file: string, work: (varve: Varve) => Promise<void>): Promise<void> => {
      const varve = await createVarve({ store: file, embedder: null, background: false });
      await work(varve);
      await varve.close();
    };
    await withStore(path, async (varve) => {
      for (let turn = 0; turn < 60; turn += 1) {
        const user = turn % 5 < 3 ? 'ana' : 'bob';
        const content = `${user === 'ana' ? `The word is ${SECRET}` : 'Bob stays'} ${'again '.repeat((turn * 37) % 90)}${turn}.`;
        const handle = varve.for({ tenant: 't', user, session: `s${turn % 7}` });
        await handle.observe({ content });
        await handle.memories.create({ type: 'fact', content });
      }
    });
    const connection = new DatabaseSync(path);
    connection.exec(`vacuum into '${copy}'`);
    connection.close();
    for (const file of [path, copy]) {
      expect(readFileSync(file, 'latin1')).toContain(SECRET);
      await withStore(file, async (varve) => void (await varve.for({ tenant: 't', user: 'ana' }).erase()));
      const left = readFileSync(file, 'latin1');
      expect([left.includes(SECRET), left.includes('Bob stays')]).toEqual([false, true]);
    }
    rmSync(folder, { recursive: true });
  });
});

describe('erasing one source of an agent’s shared memory', () => {
  it('[X1] removes the sentences of that source from the shared document, and keeps the sentences of other users', async () => {
    const { options, drop } = await databases()[0]!.create();
    const consolidation = { reflections: { agent: { threshold: 2 } } };
    const varve = await createVarve({ store: options, embedder: null, background: false, consolidation });
    const of = (user: string): Handle => varve.for({ tenant: 't', agent: 'coach', user, session: 's' });
    const given = {
      ana: ['Long tables wear people out.', 'Maps calm.'],
      bob: ['Short answers help most.', 'Jokes fall flat.'],
    };
    for (const [user, reflections] of Object.entries(given)) {
      const { events } = await of(user).observe({ content: `Talk of ${user}.` });
      for (const content of reflections) {
        const input = {
          type: 'reflection',
          level: 'agent' as const,
          content,
          sourceEvents: events.map(({ id }) => id),
        };
        await of(user).memories.create(input);
      }
    }
    const agent = varve.for({ tenant: 't', agent: 'coach', user: null });
    const shared = async (): Promise<string> => String((await agent.blocks.read('reflections'))?.content ?? '');
    await of('bob').consolidation.run();
    expect(await shared()).toContain('Long tables wear people out');
    expect(await shared()).toContain('Short answers help most');
    await varve.for({ tenant: 't', user: 'ana' }).erase();
    expect(await shared()).not.toMatch(/tables|Maps/);
    expect(await shared()).toContain('Short answers help most');
    const { items } = await agent.memories.list({ types: ['reflection'], archived: 'include' });
    expect(items.map(({ content }) => content).toSorted()).toEqual(given.bob.toSorted());
    await varve.close();
    await drop();
  });

  it('[X1] erasing a long session removes all of its words, and keeps sentences that other memories support', async () => {
    const { options, drop } = await databases()[0]!.create();
    const varve = await createVarve({ store: options, embedder: null, background: false });
    const long = varve.for({ tenant: 't', agent: 'coach', user: 'ana', session: 'long' });
    const ana = varve.for({ tenant: 't', agent: 'coach', user: 'ana' });
    const turns = Array.from({ length: 2100 }, (_, index) => ({ content: `Turn ${index} about nothing.` }));
    await long.observe([{ content: 'I live in Linz by the river.' }, ...turns, { content: `The word is ${SECRET}.` }]);
    for (let index = 0; index < 2100; index += 1) {
      await ana.memories.create({ type: 'fact', content: `Owns book ${index}.`, importance: 0.9 });
    }
    await ana.memories.create({ type: 'fact', content: 'Lives in Linz by the river.', importance: 0.1 });
    await ana.blocks.replace('profile', `Lives in Linz by the river. The word is ${SECRET}.`);
    await long.erase();
    expect((await ana.blocks.read('profile'))?.content).toBe('Lives in Linz by the river.');
    await varve.close();
    await drop();
  });

  it.each([
    ['a person', { tenant: 't', user: 'ana' }],
    ['an agent', { tenant: 't', agent: 'waiter', user: null }],
  ])('[X1] erasing %s keeps documents that others share, even with the same words', async (_what, erased) => {
    const { options, drop } = await databases()[0]!.create();
    const varve = await createVarve({ store: options, embedder: null, background: false });
    const menu = { soup: 'pumpkin soup', closed: 'on Sundays' };
    const text = 'Guests ask for the terrace first. The kitchen closes at ten.';
    const house = varve.for({ tenant: 't', agent: 'house', user: null });
    await house.blocks.replace('learned_info', menu, { level: 'agent' });
    await house.blocks.replace('reflections', text, { level: 'agent' });
    await varve.for({ tenant: 't', user: null }).blocks.replace('learned_info', menu, { level: 'tenant' });
    for (const agent of ['house', 'waiter']) {
      const ana = varve.for({ tenant: 't', agent, user: 'ana', session: 's' });
      await ana.observe({ content: 'I had pumpkin soup before the kitchen closes at ten, but not on Sundays.' });
      await ana.memories.create({ type: 'fact', content: 'Guests ask for the terrace first.' });
    }
    await varve.for(erased).erase();
    expect((await house.blocks.read('learned_info', { level: 'agent' }))?.content).toEqual(menu);
    expect((await house.blocks.read('reflections', { level: 'agent' }))?.content).toBe(text);
    const everyone = varve.for({ tenant: 't', user: null });
    expect((await everyone.blocks.read('learned_info', { level: 'tenant' }))?.content).toEqual(menu);
    await varve.close();
    await drop();
  });
});
