import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Memory } from '../src/record/memory.ts';
import { ownerKey } from '../src/record/scope.ts';
import { EVERY_TENANT, type Writer } from '../src/store/database.ts';
import { openStore, type StoreOptions } from '../src/store/open-store.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { openAtSchema } from './open-at-schema.ts';

// A store as schema 7 left it: keyed facts, slots in the metadata, and their revisions. It opens, and nothing is lost.

const TENANT = 'acme';
const OWNER = { tenant: TENANT, agent: null, user: 'ana' };
const id = (prefix: string, name: string): string => `${prefix}_${name.padEnd(26, '0')}`;
const time = (text: string): number => Date.parse(text);
const CREATED = time('2026-03-01T09:00:00Z');

const formed = (
  attribute: string | null,
  { subject = 'User', polarity = 'positive', ...rest }: Record<string, unknown> = {},
): Record<string, unknown> => ({
  slot: { subject, attribute, polarity },
  statedAt: '2026-02-27T08:00:00.000Z',
  statedAs: 'conversation',
  distiller: 'local',
  ...rest,
});

interface OlderRow {
  id: string;
  type: string;
  content: string;
  key?: string;
  value?: string;
  category?: string;
  source_type?: string;
  source_session?: string;
  source_events?: string[];
  trust?: string;
  title?: string;
  contradicted_by?: string;
  archived_at?: number;
  archive_reason?: string;
  version?: number;
  state?: string;
  metadata?: Record<string, unknown>;
  unique_key?: string;
}

const SAID = id('evt', 'said');
const WENT_WELL = id('evt', 'outcome');
const fact = (name: string, key: string, value: string, rest: Partial<OlderRow> = {}): OlderRow => ({
  id: id('mem', name),
  type: 'keyed_fact',
  content: `${key}: ${value}`,
  key,
  value,
  category: 'general',
  unique_key: `key:${key}`,
  ...rest,
});
const statement = (name: string, content: string, rest: Partial<OlderRow> = {}): OlderRow => ({
  id: id('mem', name),
  type: 'fact',
  content,
  unique_key: `content:${name}`,
  ...rest,
});

const APPLICATIONS_OWN = {
  slot: 'morning',
  statedAt: 'yesterday',
  distiller: 'Ardbeg',
  by: 'hand',
  tools: ['hammer'],
  sensitive: true,
};
const EVIDENCE = { evidence: [SAID], groups: [{ label: 'post' }], measure: 'views', ratio: 2, sessions: 3, tools: {} };

const ROWS: OlderRow[] = [
  fact('oslo', 'home_city', 'Oslo', {
    category: 'location',
    source_type: 'conversation',
    source_events: [SAID],
    metadata: formed('home_city'),
    version: 2,
  }),
  fact('bergen', 'home_city', 'Bergen', {
    contradicted_by: id('mem', 'oslo'),
    archived_at: CREATED,
    archive_reason: 'superseded',
    version: 2,
  }),
  fact('lucky', 'lucky_number', '7'),
  fact('city', 'city', 'Tromsø'),
  fact('company', 'company', 'Acme'),
  // Two types of the application, each with one live value for a key, that state the same.
  { ...fact('tone', 'tone', 'formal'), type: 'setting', unique_key: 'key:tone-of-settings' },
  { ...fact('style', 'tone', 'formal'), type: 'style', unique_key: 'key:tone-of-styles' },
  fact('dog', 'dog_name', 'Bello'),
  fact('cat', 'cat_name', 'Mia'),
  fact('penicillin', 'allergy_penicillin', 'penicillin', { metadata: formed('allergy:penicillin') }),
  // Formation would have written the same for both, so the second keeps its key.
  fact('nuts', 'allergy_nuts', 'nuts', { content: 'Allergy: nuts', metadata: formed('allergy:nut') }),
  fact('morenuts', 'allergy_tree_nuts', 'nuts', { content: 'Allergy: nuts', metadata: formed('allergy:nut') }),
  statement('lives', 'User lives in Oslo.', {
    source_type: 'conversation',
    source_events: [SAID],
    metadata: formed('home_city'),
  }),
  statement('tea', "User's sister Ana does not like tea.", {
    source_type: 'inference',
    trust: 'medium',
    metadata: formed('likes:tea', {
      subject: "User's sister Ana",
      polarity: 'negative',
      statedAs: 'explicit',
      correction: true,
      sensitive: ['health'],
      ticket: 7,
    }),
  }),
  statement('own', 'Starts at seven.', { metadata: APPLICATIONS_OWN }),
  statement('bare', 'Has a dog.', { source_type: 'conversation', trust: 'low' }),
  {
    id: id('mem', 'pattern'),
    type: 'pattern',
    content: 'Posts worked best.',
    source_type: 'consolidation',
    metadata: { ...EVIDENCE, boostedBy: [WENT_WELL] },
    unique_key: 'content:pattern',
  },
  {
    id: id('mem', 'goal'),
    type: 'goal',
    content: 'Run a marathon.',
    state: 'achieved',
    metadata: { achievedBy: id('mem', 'lives'), by: 'reflect' },
    unique_key: 'content:goal',
  },
  {
    id: id('mem', 'summary'),
    type: 'summary',
    title: 'Moving',
    content: 'They spoke of moving.',
    metadata: { distiller: 'local' },
    source_type: 'conversation',
    unique_key: 'title:summary:moving',
  },
];

/** The snapshot in the revision of a change: the whole memory as it was written then. */
const SNAPSHOT = {
  id: id('mem', 'oslo'),
  scope: { ...OWNER, session: null, connection: null },
  type: 'keyed_fact',
  content: 'home_city: Oslo',
  title: null,
  url: null,
  key: 'home_city',
  value: 'Oslo',
  category: 'location',
  importance: 0.3,
  confidence: 'high',
  trust: 'high',
  sourceType: 'conversation',
  sourceSession: null,
  sourceEvents: [SAID],
  tags: [],
  entities: [],
  contradicts: null,
  contradictedBy: null,
  state: null,
  dueAt: null,
  validFrom: null,
  validTo: null,
  createdAt: new Date(CREATED).toISOString(),
  updatedAt: new Date(CREATED).toISOString(),
  archivedAt: null,
  archiveReason: null,
  expiresAt: null,
  accessCount: 0,
  lastAccessedAt: null,
  version: 1,
  context: null,
  metadata: { ...formed('home_city'), note: 'mine' },
};
const REVISED = time('2026-03-02T09:00:00Z');

async function insertOlder(writer: Writer): Promise<void> {
  const owner = ownerKey(OWNER);
  await sql`insert into owners values (${TENANT}, ${owner}, null, 'ana', 9, 0, ${CREATED})`.execute(writer);
  for (const [index, event] of [SAID, WENT_WELL].entries()) {
    await sql`insert into events (tenant_id, owner_key, id, user_id, session_id, position, kind, origin, content, metadata,
        occurred_at, recorded_at, attempts)
      values (${TENANT}, ${owner}, ${event}, 'ana', 's', ${index}, 'message', 'user', 'I live in Oslo.', '{}', ${CREATED},
        ${CREATED}, 0)`.execute(writer);
  }
  for (const row of ROWS) {
    await sql`insert into memories (tenant_id, owner_key, id, agent_id, user_id, session_id, connection_id, type, content,
        title, key, value, category, importance, confidence, trust, source_type, source_events, tags, entities,
        contradicted_by, state, created_at, updated_at, archived_at, archive_reason, access_count, version, metadata,
        unique_key, sequence)
      values (${TENANT}, ${owner}, ${row.id}, null, 'ana', '', '', ${row.type}, ${row.content}, ${row.title ?? null},
        ${row.key ?? null}, ${row.value ?? null}, ${row.category ?? null}, 0.7, 'high', ${row.trust ?? 'high'},
        ${row.source_type ?? 'explicit'}, ${JSON.stringify(row.source_events ?? [])}, '[]', '[]',
        ${row.contradicted_by ?? null}, ${row.state ?? null}, ${CREATED}, ${CREATED}, ${row.archived_at ?? null},
        ${row.archive_reason ?? null}, 3, ${row.version ?? 1}, ${JSON.stringify(row.metadata ?? {})},
        ${row.unique_key ?? null}, 9)`.execute(writer);
    await sql`insert into revisions (tenant_id, owner_key, record_id, version, at, reason, actor, before)
      values (${TENANT}, ${owner}, ${row.id}, 1, ${CREATED}, 'formed', 'form', null)`.execute(writer);
  }
  await sql`insert into revisions (tenant_id, owner_key, record_id, version, at, reason, actor, before)
    values (${TENANT}, ${owner}, ${id('mem', 'oslo')}, 2, ${REVISED}, 'matters more', 'form',
      ${JSON.stringify(SNAPSHOT)})`.execute(writer);
}

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`a store of schema 7 on ${database.name}`, () => {
    let varve: Varve;
    let options: StoreOptions;
    let drop: () => Promise<void>;
    const ana = () => varve.for({ tenant: TENANT, user: 'ana' });
    const memory = async (name: string): Promise<Memory> => {
      const found = await ana().memories.get(id('mem', name));
      if (found === null) throw new Error(`The memory ${name} is gone.`);
      return found;
    };

    beforeAll(async () => {
      ({ options, drop } = await database.create({ isBare: true }));
      const older = await openAtSchema(7, options);
      await older.write(TENANT, insertOlder);
      await older.close();
      const memoryTypes = { setting: { description: 'A setting.' }, style: { description: 'A style.' } };
      varve = await createVarve({ store: options, embedder: null, background: false, memoryTypes });
    });
    afterAll(async () => {
      await varve.close();
      await drop();
    });

    it('loses no memory and no revision', async () => {
      const { items } = await ana().memories.list({ archived: 'include', limit: 1000 });
      expect(items.map((each) => each.id).sort()).toEqual(ROWS.map((row) => row.id).sort());
      for (const row of ROWS) {
        expect(await memory(row.id.slice(4).replace(/0+$/, ''))).toMatchObject({
          content: row.content,
          version: row.version ?? 1,
          accessCount: 3,
          archivedAt: row.archived_at === undefined ? null : new Date(row.archived_at),
        });
        expect(await ana().memories.history(row.id)).toHaveLength(row.id === id('mem', 'oslo') ? 2 : 1);
      }
    });

    it('makes keyed facts permanent statements of the user', async () => {
      expect(await memory('oslo')).toMatchObject({
        type: 'fact',
        subject: 'User',
        attribute: 'home_city',
        value: 'Oslo',
        category: 'location',
        polarity: 'affirmed',
        permanent: true,
        statedAt: new Date('2026-02-27T08:00:00Z'),
        statedBy: 'user',
        reader: 'local',
        metadata: {},
        internal: {},
      });
      expect(await memory('lucky')).toMatchObject({
        attribute: 'lucky_number',
        value: '7',
        permanent: true,
        statedAt: new Date(CREATED),
        statedBy: 'system',
        reader: null,
      });
      expect(await memory('bergen')).toMatchObject({ permanent: true, archiveReason: 'superseded', value: 'Bergen' });
      expect((await ana().facts.get('home_city'))?.value).toBe('Oslo');
      expect((await ana().facts.get('lucky_number'))?.value).toBe('7');
    });

    it('merges facts that had a key for each value into one attribute with many values', async () => {
      expect(await memory('penicillin')).toMatchObject({ attribute: 'allergy', value: 'penicillin' });
      expect(await memory('nuts')).toMatchObject({ attribute: 'allergy', value: 'nuts', archivedAt: null });
      expect(await memory('morenuts')).toMatchObject({
        attribute: 'allergy_tree_nuts',
        value: 'nuts',
        archivedAt: null,
      });
    });

    it('renames a key to the attribute with the same meaning, and keeps a key that says more', async () => {
      expect(await memory('company')).toMatchObject({ attribute: 'employer', value: 'Acme' });
      // There is already a home_city, so both values stay.
      expect(await memory('city')).toMatchObject({ attribute: 'city', value: 'Tromsø', archivedAt: null });
      expect(await memory('dog')).toMatchObject({ attribute: 'dog_name', value: 'Bello' });
      expect(await memory('cat')).toMatchObject({ attribute: 'cat_name', value: 'Mia' });
    });

    it('keeps both of two live memories that are exact duplicates by their fields', async () => {
      for (const name of ['tone', 'style']) {
        expect(await memory(name)).toMatchObject({ value: 'formal', permanent: false, archivedAt: null });
      }
    });

    it('converts slots to fields, and keeps the application’s own metadata', async () => {
      expect(await memory('tea')).toMatchObject({
        subject: "User's sister Ana",
        attribute: 'likes',
        value: null,
        polarity: 'denied',
        sourceType: 'explicit',
        statedBy: 'agent',
        permanent: false,
        metadata: { ticket: 7 },
      });
      // It was stated in the same turn as the keyed fact, whose value it gets. Another value replaces both.
      expect(await memory('lives')).toMatchObject({ attribute: 'home_city', value: 'Oslo', permanent: false });
      expect(await memory('bare')).toMatchObject({ subject: 'User', attribute: null, statedBy: 'tool' });
    });

    it('keeps the application’s metadata, whatever its names', async () => {
      expect(await memory('own')).toMatchObject({
        metadata: APPLICATIONS_OWN,
        internal: {},
        reader: null,
        attribute: null,
        subject: 'User',
        statedAt: new Date(CREATED),
      });
    });

    it('removes from the metadata what is not the application’s', async () => {
      expect(await memory('pattern')).toMatchObject({
        metadata: {},
        internal: { ...EVIDENCE, boostedBy: [WENT_WELL] },
      });
      expect(await memory('goal')).toMatchObject({
        metadata: {},
        internal: { achievedBy: id('mem', 'lives'), by: 'reflect' },
      });
      expect(await memory('summary')).toMatchObject({ metadata: {}, reader: 'local' });
    });

    it('reads older revisions with the fields of a statement', async () => {
      const [, revision] = await ana().memories.history(id('mem', 'oslo'));
      expect(revision?.before).toMatchObject({
        type: 'fact',
        subject: 'User',
        attribute: 'home_city',
        permanent: true,
        metadata: { note: 'mine' },
      });
      expect(revision?.before).not.toHaveProperty('key');
      const then = ana().asOf('2026-03-01T10:00:00Z');
      expect(await then.memories.get(id('mem', 'oslo'))).toMatchObject({
        type: 'fact',
        attribute: 'home_city',
        importance: 0.3,
        statedAt: new Date('2026-02-27T08:00:00Z'),
        version: 1,
      });
      expect((await then.facts.get('home_city'))?.value).toBe('Oslo');
    });

    it('has neither a column for keys nor a unique constraint on it', async () => {
      const store = await openStore(options);
      const readKeys = store.read(EVERY_TENANT, (reader) => sql`select memories.key from memories`.execute(reader));
      await expect(readKeys).rejects.toThrow(/key/);
      const unique = await store.read(EVERY_TENANT, (reader) =>
        reader.selectFrom('memories').select('unique_key').where('unique_key', 'like', 'key:%').execute(),
      );
      expect(unique).toEqual([]);
      await store.close();
    });

    it('works as before: another value replaces the old one, and the same value is known', async () => {
      expect((await ana().facts.set({ key: 'lucky_number', value: '7' })).outcome).toBe('unchanged');
      expect((await ana().facts.set({ key: 'lucky_number', value: '8' })).outcome).toBe('superseded');
      expect(await memory('lucky')).toMatchObject({ archiveReason: 'superseded', version: 2 });
      await expect(ana().memories.restore(id('mem', 'lucky'))).rejects.toMatchObject({ code: 'conflict' });
      const revised = await ana().memories.revise(id('mem', 'tea'), { importance: 0.9 });
      expect(revised).toMatchObject({ subject: "User's sister Ana", metadata: { ticket: 7 }, version: 2 });
    });
  });
}
