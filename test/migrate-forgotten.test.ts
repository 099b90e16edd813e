import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { ownerKey } from '../src/record/scope.ts';
import type { Writer } from '../src/store/database.ts';
import type { StoreOptions } from '../src/store/open-store.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { openAtSchema } from './open-at-schema.ts';

// A store as schema 12 left it, without forgotten records: memories are archived as forgotten, and their words are still in the log. The
// store opens, and the words are hidden until somebody restores them.

const TENANT = 'acme';
const OWNER = { tenant: TENANT, agent: 'coach', user: 'ana' };
const id = (prefix: string, name: string): string => `${prefix}_${name.padEnd(26, '0')}`;
const SAID = Date.parse('2026-03-01T09:00:00Z');
const FORGOTTEN = Date.parse('2026-03-04T09:00:00Z');

const TURNS = {
  salary: 'I earn 91,500 a year at Halden – naïve, I know 😀.',
  both: 'My dog Bruno is deaf, and my sister Ida owes me money.',
  kept: 'I play the cello.',
};

const MEMORIES = [
  { name: 'salary', content: 'User earns 91,500 a year.', attribute: 'salary', value: '91,500', turn: 'salary' },
  { name: 'dog', content: 'User has a deaf dog, Bruno.', attribute: 'pet_name', value: 'Bruno', turn: 'both' },
  { name: 'ida', content: "User's sister Ida owes User money.", attribute: null, value: null, turn: 'both' },
  { name: 'cello', content: 'User plays the cello.', attribute: 'hobby', value: 'the cello', turn: 'kept' },
] as const;
const GONE: readonly string[] = ['salary', 'dog', 'ida'];

async function insertOlder(writer: Writer): Promise<void> {
  const owner = ownerKey(OWNER);
  await sql`insert into owners values (${TENANT}, ${owner}, 'coach', 'ana', 9, 0, ${SAID})`.execute(writer);
  for (const [index, [name, content]] of Object.entries(TURNS).entries()) {
    await sql`insert into events (tenant_id, owner_key, id, agent_id, user_id, session_id, position, kind, origin, content,
        metadata, occurred_at, recorded_at, processed_at, attempts)
      values (${TENANT}, ${owner}, ${id('evt', name)}, 'coach', 'ana', 's', ${index}, 'message', 'user', ${content}, '{}',
        ${SAID + index}, ${SAID + index}, ${SAID + index}, 0)`.execute(writer);
  }
  for (const { name, content, attribute, value, turn } of MEMORIES) {
    const archived = GONE.includes(name) ? FORGOTTEN : null;
    await sql`insert into memories (tenant_id, owner_key, id, agent_id, user_id, session_id, connection_id, type, content,
        subject, attribute, value, polarity, tense, permanent, stated_at, stated_by, quotes, importance, confidence, trust,
        source_type, source_events, tags, entities, created_at, updated_at, archived_at, archive_reason, access_count,
        version, metadata, internal, unique_key, sequence)
      values (${TENANT}, ${owner}, ${id('mem', name)}, 'coach', 'ana', '', '', 'fact', ${content}, 'User', ${attribute},
        ${value}, 'affirmed', 'holds', ${sql.lit(0)}, ${SAID}, 'user', '[]', 0.7, 'high', 'high', 'conversation',
        ${JSON.stringify([id('evt', turn)])}, '[]', '[]', ${SAID}, ${SAID}, ${archived},
        ${archived === null ? null : 'forgotten'}, 0, 1, '{}', '{}', ${archived === null ? name : null}, 9)`.execute(
      writer,
    );
    await sql`insert into memory_sources (tenant_id, memory_id, event_id)
      values (${TENANT}, ${id('mem', name)}, ${id('evt', turn)})`.execute(writer);
  }
}

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(
    `[X1] memories that were forgotten before there were records, on ${database.name}`,
    () => {
      let varve: Varve;
      let ana: Handle;
      let options: StoreOptions;
      let drop: () => Promise<void>;
      const turn = async (name: keyof typeof TURNS): Promise<string | undefined> =>
        (await ana.events.get(id('evt', name)))?.content;

      beforeAll(async () => {
        ({ options, drop } = await database.create({ isBare: true }));
        const older = await openAtSchema(12, options);
        await older.write(TENANT, insertOlder);
        await older.close();
        varve = await createVarve({ store: options, embedder: null, background: false });
        ana = varve.for(OWNER);
      });
      afterAll(async () => {
        await varve.close();
        await drop();
      });

      it('have a record for each statement with its fields, and none of their words is left in the log', async () => {
        const records = await ana.forgotten.list();
        expect(records.map(({ memory }) => memory).toSorted()).toEqual(GONE.map((name) => id('mem', name)).toSorted());
        expect(records.find(({ attribute }) => attribute === 'salary')).toMatchObject({
          as: 'forgotten',
          value: '91,500',
          subject: 'User',
          by: 'application',
          at: new Date(FORGOTTEN),
          text: 'User earns 91,500 a year.',
        });
        expect((await turn('salary'))?.trim()).toBe('');
        expect((await turn('both'))?.trim()).toBe('');
        expect(await turn('kept')).toBe(TURNS.kept);
        for (const words of ['91,500', 'Bruno', 'Ida']) {
          const { results } = await ana.recall(words, { mode: 'text', abstain: false });
          expect(results.map(({ text }) => text).join('\n')).not.toContain(words);
        }
        const { system, messages } = await ana.context({ message: 'Hello' });
        expect(`${system}${JSON.stringify(messages)}`).not.toMatch(/91,500|Bruno|Ida/);
      });

      it('restore the words of a turn when the last memory that was formed from the turn is restored', async () => {
        const [dog, ida, salary] = ['dog', 'ida', 'salary'].map((name) => id('mem', name));
        await ana.memories.restore(salary ?? '');
        expect(await turn('salary')).toBe(TURNS.salary);
        await ana.memories.restore(dog ?? '');
        // The whole turn was hidden for both memories, so its words stay hidden while one of them is still forgotten.
        expect((await turn('both'))?.trim()).toBe('');
        await ana.memories.restore(ida ?? '');
        expect(await turn('both')).toBe(TURNS.both);
        expect(await ana.forgotten.list()).toEqual([]);
      });
    },
  );
}
