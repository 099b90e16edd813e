import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VarveError } from '../../src/errors.ts';
import { createApp, type App } from '../../src/http/create-app.ts';
import { openStore } from '../../src/store/open-store.ts';
import { createVarve, type Varve } from '../../src/varve.ts';
import { databases } from '../databases.ts';
import { tally } from './tally.ts';

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`records of others by their id on ${database.name} (S4)`, () => {
    let varve: Varve;
    let app: App;
    let created: Awaited<ReturnType<typeof database.create>>;

    beforeAll(async () => {
      created = await database.create();
      varve = await createVarve({ store: created.options, embedder: null, background: false });
      app = createApp({ varve });
    });
    afterAll(async () => {
      await varve.close();
      await created.drop();
    });

    it('a handle that does not name the user cannot change the user’s records', async () => {
      const counted = tally(`changes by id on ${database.name}`);
      const ana = varve.for({ agent: 'coach', user: 'ana' });
      const strangers = [
        varve.for({ user: null }),
        varve.for({ agent: 'coach', user: null }),
        varve.for({ agent: 'coach', user: 'bob' }),
        varve.for({ user: 'bob' }),
        varve.for({ agent: 'other', user: null }),
        varve.for({ tenant: 'other', user: 'ana' }),
      ];
      const { memory: fact } = await ana.memories.create({ type: 'fact', content: 'User lives in Graz.' });
      const { memory: archived } = await ana.memories.create({ type: 'fact', content: 'User lived in Linz.' });
      await ana.memories.forget(archived.id);
      const intention = await ana.intentions.add({ text: 'Call the dentist' });
      const learning = await ana.learnings.add({ rule: 'Answer in German' });
      const all = async (): Promise<string> =>
        JSON.stringify(await Promise.all([fact, archived, intention, learning].map(({ id }) => ana.memories.get(id))));
      const before = await all();
      for (const [index, handle] of strangers.entries()) {
        const attempts: Record<string, () => Promise<unknown>> = {
          revise: () => handle.memories.revise(fact.id, { content: 'User lives in Hell.' }),
          archive: () => handle.memories.archive(fact.id),
          forgetMemory: () => handle.memories.forget(fact.id),
          restore: () => handle.memories.restore(archived.id),
          supersede: () => handle.memories.supersede(fact.id, { type: 'fact', content: 'User lives in Hell.' }),
          contradict: () =>
            handle.memories.create({ type: 'fact', content: `User lives in Hell ${index}.`, contradicts: fact.id }),
          eraseMemory: () => handle.eraseMemory(fact.id),
          done: () => handle.intentions.done(intention.id),
          dismiss: () => handle.intentions.dismiss(intention.id),
          snooze: () => handle.intentions.snooze(intention.id, '2030-01-01'),
          forget: () => handle.learnings.forget(learning.id),
        };
        for (const [name, attempt] of Object.entries(attempts)) {
          await attempt().catch((error: unknown) => {
            if (!VarveError.isInstance(error)) throw error;
          });
          counted.note(`${name} by ${JSON.stringify(handle.scope)}`, (await all()) !== before);
        }
        const use = await handle.consolidation.use(fact.id);
        counted.note(`use by ${JSON.stringify(handle.scope)}`, use !== null);
      }
      counted.close();
      expect((await ana.memories.revise(fact.id, { content: 'User lives in Wels.' })).content).toBe(
        'User lives in Wels.',
      );
    });

    it('an import with a key for one user changes no entities, memories or events of others', async () => {
      const counted = tally(`imports by id on ${database.name}`);
      const ana = varve.for({ user: 'ana2' });
      const entity = await ana.entities.add({ type: 'person', name: 'Ines', metadata: { note: 'hers' } });
      const { memory } = await ana.memories.create({ type: 'fact', content: 'Ines is her sister.' });
      const { events } = await ana.observe({ content: 'Ines is my sister.' });
      const bob = await varve.operator.keys.create('default', { name: 'bob', users: ['bob'], access: 'admin' }, 'test');
      for (const user of ['bob', 'ana2', undefined]) {
        const scope = { tenant: 'default', agent: null, user, session: null, connection: null };
        for (const line of [
          {
            record: 'entity',
            id: entity.id,
            scope,
            data: { type: 'person', name: 'Ines', aliases: ['Mallory'], metadata: { note: 'his' } },
          },
          { record: 'memory', id: memory.id, scope, data: { type: 'fact', content: 'Ines is a stranger.' } },
          {
            record: 'event',
            id: events[0]?.id,
            scope,
            data: { content: 'Ines is a stranger.', kind: 'message', origin: 'user' },
          },
        ]) {
          const answer = await app.fetch(
            new Request('http://localhost/v1/import', {
              method: 'POST',
              headers: {
                authorization: `Bearer ${bob.secret}`,
                'content-type': 'application/x-ndjson',
                host: 'localhost',
              },
              body: `${JSON.stringify(line)}\n`,
            }),
            '127.0.0.1',
          );
          // The import itself works: records of the key’s own user are imported.
          if (user === 'bob') expect(answer.status).toBe(200);
          const now = JSON.stringify([
            await ana.entities.get(entity.id),
            await ana.entities.find(['Mallory']),
            await ana.memories.get(memory.id),
            await ana.events.get(events[0]?.id ?? ''),
          ]);
          counted.note(`${line.record} as ${user}`, /Mallory|"his"|stranger/.test(now));
        }
      }
      counted.close();
    });

    it('an import with a key for one user does not reveal whether an id of another user exists', async () => {
      const cleo = varve.for({ user: 'cleo' });
      const { memory } = await cleo.memories.create({ type: 'fact', content: 'Cleo plays the harp.' });
      await cleo.memories.revise(memory.id, { content: 'Cleo plays the lute.' });
      const { events } = await cleo.observe({ content: 'I play the lute.' });
      const dan = await varve.operator.keys.create('default', { name: 'dan', users: ['dan'], access: 'admin' }, 'test');
      const scope = { tenant: 'default', agent: null, user: 'dan', session: null, connection: null };
      const importOf = async (line: object): Promise<unknown> => {
        const headers = {
          authorization: `Bearer ${dan.secret}`,
          'content-type': 'application/x-ndjson',
          host: 'localhost',
        };
        const body = `${JSON.stringify(line)}\n`;
        const request = new Request('http://localhost/v1/import', { method: 'POST', headers, body });
        return (await app.fetch(request, '127.0.0.1')).json();
      };
      const unknown = (id: string): string => `${id.slice(0, -4)}zzzz`;
      let count = 0;
      const linesFor = (id: string, event: string, entity: string): object[] => {
        const content = `Dan has ${(count += 1)} cats.`;
        const before = { type: 'fact', content };
        const data = { type: 'person', name: `Haugerud ${count}`, aliases: [], metadata: {} };
        return [
          { record: 'entity', id: entity, scope, data },
          { record: 'memory', id, scope, data: { type: 'fact', content } },
          { record: 'event', id: event, scope, data: { content, kind: 'message', origin: 'user' } },
          {
            record: 'revision',
            recordId: id,
            scope,
            version: 7,
            at: '2026-01-01T00:00:00Z',
            reason: 'x',
            actor: 'y',
            before,
          },
        ];
      };
      const entity = await cleo.entities.add({ type: 'person', name: 'Haugerud' });
      const known = linesFor(memory.id, events[0]?.id ?? '', entity.id);
      const other = linesFor(unknown(memory.id), unknown(events[0]?.id ?? ''), unknown(entity.id));
      for (const [index, line] of known.entries())
        for (const _time of ['first', 'second'])
          expect(await importOf(line)).toEqual(await importOf(other[index] ?? {}));
      expect((await cleo.memories.get(memory.id))?.content).toBe('Cleo plays the lute.');
      expect(await cleo.memories.history(memory.id)).toHaveLength(2);
    });

    it.skipIf(database.name === 'SQLite')('the role of a tenant does not see the key that seals cursors', async () => {
      await varve.operator.cursors.seal('default', '1');
      const store = await openStore(created.options);
      const seen = await store.read('default', (reader) => sql<{ key: string }>`select key from meta`.execute(reader));
      expect(seen.rows.map(({ key }) => key)).not.toContain('cursor_key');
      await store.close();
    });
  });
}
