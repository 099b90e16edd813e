import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { passagesOf } from '../src/language/sentences.ts';
import type { Embedder } from '../src/models/embedder.ts';
import { ownerKey } from '../src/record/scope.ts';
import type { Database } from '../src/store/database.ts';
import { databases } from './databases.ts';
import { openAtSchema } from './open-at-schema.ts';

const OWNER = ownerKey({ tenant: 'acme', agent: null, user: 'ana' });

/** An embedder that records its input. */
function listeningEmbedder(texts: string[]): Embedder {
  return {
    id: 'listening@1',
    dimensions: 2,
    async embed(asked) {
      texts.push(...asked);
      return { vectors: asked.map(() => Float32Array.of(1, 0)), tokens: 0 };
    },
  };
}

const LONG = Array.from({ length: 30 }, (_, index) => `The pump in hall ${index} was serviced in May.`).join(' ');
const EVENTS = [
  { kind: 'message', content: 'I moved to Linz.' },
  { kind: 'tool_result', content: 'Linz: 206,000 people' },
  { kind: 'document_chunk', content: LONG },
];

/** Events with one vector each, as in the older schema. */
async function insertOlder(store: Database): Promise<void> {
  await store.write('acme', async (writer) => {
    await sql`insert into owners (tenant_id, owner_key, user_id, version, epoch, created_at)
      values ('acme', ${OWNER}, 'ana', 1, 0, 0)`.execute(writer);
    for (const { kind, content } of EVENTS) {
      const { rows } = await sql<{ row: number }>`insert into events (tenant_id, owner_key, id, user_id, kind, origin,
          content, metadata, occurred_at, recorded_at, attempts)
        values ('acme', ${OWNER}, ${`evt_${kind}`}, 'ana', ${kind}, 'user', ${content}, '{}', 0, 0, 0)
        returning row_id as row`.execute(writer);
      await sql`insert into embeddings (tenant_id, owner_key, record_kind, record_row, model_id, sequence, vector)
        values ('acme', ${OWNER}, 'event', ${rows[0]?.row}, 'listening@1', 1,
          ${store.syntax.encodeVector(Float32Array.of(0, 1))})`.execute(writer);
    }
  });
}

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`the vectors of an older store on ${database.name}`, () => {
    it('are computed again for turns, which were embedded without their speakers, and for passages of long texts', async () => {
      const { options, drop } = await database.create({ isBare: true });
      const older = await openAtSchema(9, options);
      await insertOlder(older);
      await older.close();
      // Imported after openAtSchema, which resets the modules.
      const { createVarve } = await import('../src/varve.ts');
      const texts: string[] = [];
      const varve = await createVarve({ store: options, embedder: listeningEmbedder(texts), background: false });
      await varve.drain();
      const passages = passagesOf(LONG).map(({ start, end }) => LONG.slice(start, end));
      expect(passages.length).toBeGreaterThan(1);
      expect(texts.toSorted()).toEqual(['User: I moved to Linz.', ...passages].toSorted());
      await varve.close();
      const store = await openAtSchema(Infinity, options);
      const rows = await store.read('acme', (reader) => reader.selectFrom('embeddings').select('passage').execute());
      expect(rows).toHaveLength(2 + passages.length);
      await store.close();
      await drop();
    });
  });
}
