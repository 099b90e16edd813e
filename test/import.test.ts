import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { importSource, type SourceFile } from '../src/import/import-source.ts';
import { jsonElements } from '../src/import/json-elements.ts';
import { IMPORT_FORMATS, importFormat, planImport } from '../src/import/read-import.ts';
import { writeExport } from '../src/import/write-export.ts';
import type { ImportReport } from '../src/operate/import-records.ts';
import type { Revision } from '../src/record/revision.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { runCli } from './run-cli.ts';

/** A text as a file. */
function textSource(name: string, text: string): SourceFile {
  const bytes = new TextEncoder().encode(text);
  return {
    name,
    size: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}

const oid = (text: string): object => ({ $oid: text });
const date = (text: string): object => ({ $date: text });

const EDEN = {
  memory_user: [
    {
      _id: oid('u1'),
      agent_id: oid('eve'),
      user_id: oid('ana'),
      content: 'Ana wants short answers.',
      unabsorbed_memory_ids: [oid('m2')],
      last_updated_at: date('2025-12-01T00:00:00Z'),
    },
  ],
  memory_agent: [
    {
      _id: oid('a1'),
      agent_id: oid('eve'),
      shard_name: 'events',
      content: 'The party is in May.',
      is_active: true,
      unabsorbed_memory_ids: [oid('m4')],
      facts: [oid('m5')],
    },
    { _id: oid('a2'), agent_id: oid('eve'), shard_name: 'old', content: 'Nobody needs this.', is_active: false },
  ],
  memory_sessions: [
    {
      _id: oid('m1'),
      agent_id: oid('eve'),
      source_session_id: oid('s1'),
      memory_type: 'episode',
      content: 'They planned the party.',
      related_users: [oid('ana')],
      createdAt: date('2025-11-30T10:00:00Z'),
    },
    {
      _id: oid('m2'),
      agent_id: oid('eve'),
      source_session_id: oid('s1'),
      memory_type: 'directive',
      content: 'Always ask before booking.',
      related_users: [oid('ana')],
    },
    {
      _id: oid('m3'),
      agent_id: oid('eve'),
      source_session_id: oid('s1'),
      memory_type: 'directive',
      content: 'Keep answers short.',
      related_users: [oid('ana')],
    },
    {
      _id: oid('m4'),
      agent_id: oid('eve'),
      source_session_id: oid('s1'),
      memory_type: 'suggestion',
      content: 'Hold it in the evening.',
      related_users: [oid('ana')],
      shard_id: oid('a1'),
    },
    {
      _id: oid('m5'),
      agent_id: oid('eve'),
      source_session_id: oid('s1'),
      memory_type: 'fact',
      content: 'The venue holds 80 people.',
      related_users: [oid('ana')],
      shard_id: oid('a1'),
    },
    {
      _id: oid('m6'),
      agent_id: oid('eve'),
      source_session_id: oid('s1'),
      memory_type: 'dream',
      content: 'No such type.',
    },
  ],
};

const CHATGPT = [
  {
    conversation_id: 'c1',
    title: 'Cooking',
    create_time: 1763000000,
    current_node: 'n4',
    mapping: {
      n0: { id: 'n0', message: null, parent: null, children: ['n1'] },
      n1: {
        id: 'n1',
        parent: 'n0',
        children: ['n2', 'nx'],
        message: {
          id: 'n1',
          author: { role: 'user' },
          create_time: 1763000001,
          content: { content_type: 'text', parts: ['I am vegetarian.'] },
        },
      },
      nx: {
        id: 'nx',
        parent: 'n1',
        children: [],
        message: {
          id: 'nx',
          author: { role: 'assistant' },
          content: { content_type: 'text', parts: ['An answer that was made again.'] },
        },
      },
      n2: {
        id: 'n2',
        parent: 'n1',
        children: ['n3'],
        message: {
          id: 'n2',
          author: { role: 'assistant' },
          create_time: 1763000005,
          content: { content_type: 'text', parts: ['Noted \uE200cite\uE202turn0search1\uE201.'] },
        },
      },
      n3: {
        id: 'n3',
        parent: 'n2',
        children: ['n4'],
        message: {
          id: 'n3',
          author: { role: 'system' },
          content: { content_type: 'text', parts: ['hidden'] },
          metadata: { is_visually_hidden_from_conversation: true },
        },
      },
      n4: {
        id: 'n4',
        parent: 'n3',
        children: [],
        message: {
          id: 'n4',
          author: { role: 'assistant' },
          recipient: 'web',
          content: { content_type: 'code', language: 'unknown', text: 'search("recipes")' },
        },
      },
    },
  },
];

const FORMATS: { format: string; file: SourceFile; imported: Record<string, number>; rejected?: number }[] = [
  {
    format: 'eden',
    file: textSource('dump.json', JSON.stringify(EDEN)),
    imported: { memory: 6, block: 2 },
    rejected: 1,
  },
  { format: 'chatgpt', file: textSource('conversations.json', JSON.stringify(CHATGPT)), imported: { event: 2 } },
  {
    format: 'mem0',
    file: textSource(
      'api.json',
      JSON.stringify({
        results: [
          {
            id: '1',
            memory: 'Likes hiking',
            user_id: 'ana',
            categories: ['hobbies'],
            metadata: { app: 'x' },
            created_at: '2025-01-01T00:00:00-08:00',
          },
          { id: '2', memory: 'Lives in Oslo', user_id: 'ana', agent_id: 'eve', run_id: 'r1' },
          { id: '3' },
        ],
      }),
    ),
    imported: { memory: 2 },
    rejected: 1,
  },
  {
    format: 'mem0',
    file: textSource(
      'oss.jsonl',
      [
        {
          id: 'a',
          payload: { data: 'Owns a boat', user_id: 'ana', hash: 'h', created_at: '2025-01-01', colour: 'red' },
          vector: [0.1],
        },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    ),
    imported: { memory: 1 },
  },
  {
    format: 'mem0',
    file: textSource(
      'get-all.json',
      JSON.stringify({
        results: [{ id: 'o1', memory: 'Lives in Rome', hash: 'abc', metadata: null, user_id: 'bea' }],
        relations: [{ source: 'bea', relationship: 'lives_in', target: 'rome' }],
      }),
    ),
    imported: { memory: 1 },
  },
  {
    format: 'mem0',
    file: textSource(
      'qdrant-scroll.json',
      JSON.stringify({
        result: { points: [{ id: 'q1', payload: { data: 'Has a dog', user_id: 'bea' }, vector: null }] },
        status: 'ok',
        time: 0.001,
      }),
    ),
    imported: { memory: 1 },
  },
  {
    format: 'langgraph',
    file: textSource(
      'store.json',
      JSON.stringify([
        {
          namespace: ['memories', 'ana'],
          key: 'k1',
          value: { content: 'Plays the cello' },
          created_at: '2025-05-05T00:00:00Z',
        },
        { prefix: 'memories.ana', key: 'k2', value: { kind: 'Memory', content: { content: 'Has two brothers' } } },
        { prefix: 'profile.ana', key: 'k3', value: { name: 'Ana', age: 40 } },
        { prefix: 'memories.ana', key: 'k4', value: '{"text":"Rides a bike"}' },
        { prefix: 'memories.ana', key: 'k5', value: '{not JSON, but said}' },
      ]),
    ),
    imported: { memory: 5 },
  },
  {
    format: 'zep',
    file: textSource(
      'thread.json',
      JSON.stringify({
        thread_id: 'th1',
        user_id: 'ana',
        messages: [
          { uuid: 'z1', role: 'user', name: 'Ana', content: 'I row on Sundays.', created_at: '2025-03-01T08:00:00Z' },
          { uuid: 'z2', role: 'assistant', content: 'Noted.', created_at: '2025-03-01T08:00:05Z' },
          { uuid: 'z3', role: 'system', content: 'You are a coach.' },
        ],
        row_count: 3,
      }),
    ),
    imported: { event: 2 },
  },
  {
    format: 'zep',
    file: textSource(
      'graph.json',
      JSON.stringify({
        user_id: 'ana',
        edges: [
          {
            uuid: 'e1',
            fact: 'Ana works at Acme',
            name: 'WORKS_AT',
            created_at: '2024-01-01',
            expired_at: '2025-01-01',
          },
          {
            uuid: 'e2',
            fact: 'Ana works at Umbra',
            name: 'WORKS_AT',
            created_at: '2025-01-01',
            valid_at: '2025-01-01',
          },
        ],
        nodes: [
          { uuid: 'n1', name: 'Umbra', summary: 'A lamp maker in Graz.', labels: ['Entity'], created_at: '2025-01-01' },
          { uuid: 'n2', name: 'Acme', summary: '', labels: ['Entity'], created_at: '2025-01-01' },
        ],
      }),
    ),
    imported: { memory: 3 },
  },
  {
    format: 'letta',
    file: textSource(
      'coach.af',
      JSON.stringify({
        agents: [
          {
            name: 'coach',
            agent_type: 'memgpt_agent',
            messages: [
              { id: 'm1', role: 'system', content: [{ type: 'text', text: 'You are a coach.' }] },
              { id: 'm2', role: 'user', content: [{ type: 'text', text: '{"type":"login","last_login":"never"}' }] },
              {
                id: 'm3',
                role: 'user',
                content: [{ type: 'text', text: '{"type":"user_message","message":"I am training for a marathon."}' }],
                created_at: '2025-04-01T09:00:00Z',
              },
              {
                id: 'm4',
                role: 'assistant',
                content: [{ type: 'text', text: 'The user is training. I should ask when.' }],
                tool_calls: [{ function: { name: 'send_message', arguments: '{"message":"When is it?"}' } }],
              },
              { id: 'm5', role: 'tool', content: [{ type: 'text', text: '{"status":"OK"}' }] },
            ],
          },
        ],
        blocks: [
          { id: 'b1', label: 'human', value: 'Name is Bea.\n- Has two sons.' },
          { id: 'b2', label: 'persona', value: 'I am a patient coach.' },
        ],
        tools: [{ name: 'send_message', source_code: 'def send_message(): pass' }],
      }),
    ),
    imported: { event: 2, memory: 3 },
  },
  {
    format: 'letta',
    file: textSource(
      'passages.json',
      JSON.stringify([
        { id: 'passage-1', text: 'Bea ran 30 km in May.', agent_id: 'agent-1', created_at: '2025-05-30' },
      ]),
    ),
    imported: { memory: 1 },
  },
  {
    format: 'supermemory',
    file: textSource(
      'documents.json',
      JSON.stringify({
        memories: [
          {
            id: 's1',
            title: 'Rowing',
            content: 'Row twice a week.',
            containerTags: ['ana', 'sport'],
            createdAt: '2025-02-02',
          },
          {
            id: 's2',
            title: 'Tides',
            url: 'https://example.com/tides',
            summary: 'How tides work.',
            containerTags: ['ana'],
          },
          { id: 's3', memory: 'Ana has a boat.', containerTag: 'ana', isForgotten: true, updatedAt: '2025-02-03' },
          { id: 's4', containerTags: ['ana'] },
        ],
        pagination: { totalItems: 4 },
      }),
    ),
    imported: { memory: 3 },
    rejected: 1,
  },
  {
    format: 'claude',
    file: textSource(
      'conversations.json',
      JSON.stringify([
        {
          uuid: 'c1',
          name: 'Bread',
          summary: '',
          created_at: '2025-06-01T08:00:00Z',
          chat_messages: [
            { uuid: 'x1', sender: 'human', text: 'My starter is called Otto.', created_at: '2025-06-01T08:00:00Z' },
            { uuid: 'x2', sender: 'assistant', text: '', content: [{ type: 'text', text: 'Hello Otto.' }] },
            { uuid: 'x3', sender: 'assistant', text: '', content: [{ type: 'tool_use', name: 'search' }] },
          ],
        },
      ]),
    ),
    imported: { event: 2 },
  },
  {
    format: 'claude',
    file: textSource(
      'memories.json',
      JSON.stringify([{ conversations_memory: '**Work**\nBakes bread.', project_memories: { p1: 'Uses rye.' } }]),
    ),
    imported: { memory: 2 },
  },
  {
    format: 'markdown',
    file: textSource(
      'work/Apollo.md',
      '---\ntitle: Apollo\ntags: [moon, work]\ncreated: 2025-07-20\n---\n# Goal\nLand before autumn. #launch\n',
    ),
    imported: { memory: 1 },
  },
  {
    format: 'transcripts',
    file: textSource(
      'talk.jsonl',
      '{"role":"user","content":"Hello","session":"t","user":"ana"}\n{"role":"assistant","content":"Hi","session":"t","user":"ana"}\n{"messages":[{"role":"human","content":"Hello"},{"role":"ai","content":[{"type":"text","text":"Hi"}]}],"user":"ana"}\n{"role":"user"}\n{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"weather"}}],"session":"t"}\n',
    ),
    imported: { event: 4 },
    rejected: 1,
  },
  {
    // The format in which OpenAI’s API lists the messages of a thread.
    format: 'transcripts',
    file: textSource(
      'thread-messages.json',
      JSON.stringify({
        object: 'list',
        data: [openAiMessage('msg_2', 'assistant', 'Noted.'), openAiMessage('msg_1', 'user', 'I row on Sundays.')],
        first_id: 'msg_2',
        last_id: 'msg_1',
        has_more: false,
      }),
    ),
    imported: { event: 2 },
  },
];

function openAiMessage(id: string, role: string, value: string): Record<string, unknown> {
  const created_at = 1_740_816_000 + Number(id.at(-1));
  const content = [{ type: 'text', text: { value, annotations: [] } }];
  return {
    id,
    object: 'thread.message',
    created_at,
    assistant_id: null,
    thread_id: 'thread_abc',
    run_id: null,
    role,
    content,
  };
}

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`import on ${database.name}`, () => {
    let close: () => Promise<void> = async () => {};
    const open = async (): Promise<Varve> => {
      const { options, drop } = await database.create();
      const varve = await createVarve({ store: options, embedder: null, background: false });
      close = async () => {
        await varve.close();
        await drop();
      };
      return varve;
    };
    afterEach(() => close());

    it('puts the messages of a thread, which OpenAI lists newest first, in the order in which they were said', async () => {
      const varve = await open();
      const data = [openAiMessage('msg_2', 'assistant', 'Noted.'), openAiMessage('msg_1', 'user', 'I row on Sundays.')];
      const file = textSource('messages.json', JSON.stringify({ object: 'list', data }));
      await varve.operator.import(importFormat('transcripts').read([file]), { into: { user: 'ana' } });
      const turns = await varve.for({ user: 'ana', session: 'thread_abc' }).session.window();
      expect(turns.map(({ origin, content }) => [origin, content])).toEqual([
        ['user', 'I row on Sundays.'],
        ['agent', 'Noted.'],
      ]);
      expect(turns[0]?.occurredAt).toEqual(new Date(1_740_816_001_000));
    });

    it('forms imported conversations at the next background work, however short they are', async () => {
      const varve = await open();
      const turn = (id: string, content: string, place: object): object => ({
        record: 'event',
        id: `evt_${id.repeat(26)}`,
        scope: { user: 'mia', ...place },
        data: { content, origin: 'user' },
      });
      const lines = [
        turn('a', 'I live in Siena.', { session: 's1' }),
        turn('b', 'My dog is called Pippin.', { session: 's2' }),
        turn('c', 'I work as a potter.', {}),
      ];
      expect(await varve.operator.import(lines, { dryRun: true })).toMatchObject({ forming: 3 });
      expect(await varve.operator.import(lines, {})).toMatchObject({ forming: 3 });
      await varve.drain();
      const { items } = await varve.for({ user: 'mia' }).memories.list();
      expect(items.map(({ content }) => content).sort()).toEqual([
        'Lives in Siena',
        'Pet is called Pippin',
        'Works as potter',
      ]);
      // Turns that were read in their original store are not read again.
      const exported: unknown[] = [];
      for await (const line of varve.operator.export({})) exported.push(line);
      expect(await varve.operator.import(exported, { into: { tenant: 'copy' } })).toMatchObject({ forming: 0 });
    });

    it('forms waiting turns before their session is quiet, if requested', async () => {
      const { options, drop } = await database.create();
      const varve = await createVarve({
        store: options,
        embedder: null,
        background: false,
        formation: { writes: 'deferred' },
      });
      close = async () => {
        await varve.close();
        await drop();
      };
      const handle = varve.for({ user: 'mia', session: 's1' });
      await handle.observe({ content: 'I live in Siena.' });
      await varve.drain();
      expect((await handle.memories.list()).items).toEqual([]);
      expect(await varve.operator.formWaiting()).toBe(1);
      await varve.drain();
      expect((await handle.memories.list()).items).toMatchObject([{ content: 'Lives in Siena' }]);
      expect(await varve.operator.formWaiting()).toBe(0);
    });

    it.each(FORMATS)(
      '[E12] imports $format ($file.name) once, after a dry run that reports the same',
      async ({ format, file, imported, rejected = 0 }) => {
        const varve = await open();
        expect(await planImport([file])).toEqual({ groups: [{ format, files: [file] }], left: [] });
        const run = (dryRun: boolean): Promise<ImportReport> =>
          varve.operator.import(importFormat(format).read([file]), { dryRun });
        expect(await run(true)).toMatchObject({ imported, known: {}, rejected });
        expect(await varve.operator.count({})).toMatchObject({ events: 0, memories: 0, blocks: 0 });
        expect(await run(false)).toMatchObject({ imported, known: {}, rejected });
        const before = await varve.operator.count({});
        expect(await run(false)).toMatchObject({ imported: {}, known: imported, rejected });
        expect(await varve.operator.count({})).toEqual(before);
      },
    );

    it('keeps dates, tags and scopes of other products’ exports', async () => {
      const varve = await open();
      const files = FORMATS.filter(({ format }) =>
        ['zep', 'letta', 'supermemory', 'claude', 'markdown'].includes(format),
      );
      for (const { format, file } of files)
        await varve.operator.import(importFormat(format).read([file]), { into: { tenant: 'default' } });
      const ana = varve.for({ user: 'ana' });
      const archived = (await ana.memories.list({ archived: 'only' })).items.map(({ content }) => content);
      expect(archived.toSorted()).toEqual(['Ana has a boat.', 'Ana works at Acme']);
      const live = (await ana.memories.list()).items;
      expect(live.find(({ content }) => content.includes('Umbra'))?.statedAt).toEqual(new Date('2025-01-01'));
      expect(live.find(({ type }) => type === 'saved_item')).toMatchObject({ url: 'https://example.com/tides' });
      expect(live.find(({ title }) => title === 'Rowing')).toMatchObject({ type: 'note', tags: ['sport'] });
      const rows = await varve.for({ user: 'ana', session: 'th1' }).events.list({ order: 'oldest' });
      expect(rows.items.map(({ speaker, origin }) => [speaker, origin])).toEqual([
        ['Ana', 'user'],
        [null, 'agent'],
      ]);
      const letta = await varve.for({ user: null, session: 'letta-coach' }).events.list({ order: 'oldest' });
      expect(letta.items.map(({ content }) => content)).toEqual(['I am training for a marathon.', 'When is it?']);
      const notes = (await varve.for({ user: null }).notes.list()).items;
      expect(notes.find(({ title }) => title === 'Apollo')).toMatchObject({
        content: expect.stringContaining('Land before autumn.'),
        tags: expect.arrayContaining(['work', 'moon', 'launch']),
        createdAt: new Date('2025-07-20'),
      });
    });

    it('[E12] maps each type of the older layout to its scope in the new design', async () => {
      const varve = await open();
      const file = textSource('dump.json', JSON.stringify(EDEN));
      await varve.operator.import(importFormat('eden').read([file]), {});
      const ana = varve.for({ agent: 'eve', user: 'ana', session: 's1' });
      const live = (await ana.memories.list()).items.map(({ type, content, scope }) => [
        type,
        content,
        scope.user,
        scope.session,
      ]);
      expect(live).toEqual(
        expect.arrayContaining([
          ['reflection', 'They planned the party.', 'ana', 's1'],
          ['reflection', 'Always ask before booking.', 'ana', null],
          ['reflection', 'Hold it in the evening.', null, null],
          ['fact', 'The venue holds 80 people.', null, null],
        ]),
      );
      // Reflections that are part of the merged text do not wait again.
      expect(live.map(([, content]) => content)).not.toContain('Keep answers short.');
      const { items } = await ana.memories.list({ archived: 'only' });
      expect(items).toMatchObject([{ content: 'Keep answers short.', archiveReason: 'absorbed' }]);
      expect((await ana.blocks.read('reflections', { level: 'user' }))?.content).toBe('Ana wants short answers.');
      expect((await ana.blocks.read('reflections', { level: 'agent' }))?.content).toBe('The party is in May.');
      expect(items[0]?.sourceType).toBe('import');
      const other = varve.for({ agent: 'eve', user: 'bea', session: 's2' });
      expect((await other.memories.list()).items.map(({ content }) => content).toSorted()).toEqual(
        ['Hold it in the evening.', 'Nobody needs this.', 'The venue holds 80 people.']
          .map((content) => (content === 'Nobody needs this.' ? 'old: Nobody needs this.' : content))
          .toSorted(),
      );
    });

    it('[E12] cuts a merged text that is too long for its block, and keeps the whole text as a note', async () => {
      const varve = await open();
      const long = Array.from({ length: 450 }, (_, index) => `word${index}`).join(' ');
      const user = { ...EDEN.memory_user[0], content: long };
      await varve.operator.import(
        importFormat('eden').read([textSource('memory_user.json', JSON.stringify([user]))]),
        {},
      );
      const ana = varve.for({ agent: 'eve', user: 'ana' });
      expect(String((await ana.blocks.read('reflections'))?.content).split(' ')).toHaveLength(400);
      expect((await ana.notes.list()).items[0]?.content).toBe(long);
    });

    it('imports an export of an older version, with keys and slots', async () => {
      const varve = await open();
      const id = (prefix: string, name: string): string => `${prefix}_${name.padEnd(26, '0')}`;
      const slot = { subject: 'User', attribute: 'employer', polarity: 'negative' };
      const formed = { slot, statedAt: '2025-05-04T08:00:00.000Z', statedAs: 'explicit', distiller: 'local' };
      const memory = (name: string, data: object): unknown => ({
        record: 'memory',
        id: id('mem', name),
        scope: { user: 'ana' },
        data: {
          type: 'fact',
          trust: 'high',
          sourceType: 'conversation',
          level: 'user',
          value: null,
          key: null,
          ...data,
        },
        createdAt: '2025-05-05T08:00:00.000Z',
        version: 1,
      });
      const fact = { type: 'keyed_fact', content: 'Home city: Oslo', key: 'home_city', value: 'Oslo' };
      const before = { ...fact, id: id('mem', 'fact'), createdAt: '2025-05-05T08:00:00.000Z', metadata: {} };
      const report = await varve.operator.import(
        [
          { record: 'header', format: 'varve', version: 1 },
          memory('fact', { ...fact, category: 'location', metadata: { theirs: 1 } }),
          memory('formed', { content: 'Does not work at Acme.', metadata: { ...formed, theirs: 2 } }),
          memory('plain', { content: 'Has a dog.' }),
          memory('own', { content: 'Starts at seven.', metadata: { slot: 'morning', distiller: 'Ardbeg' } }),
          {
            record: 'revision',
            scope: { user: 'ana' },
            recordId: id('mem', 'fact'),
            version: 2,
            at: '2025-06-01T08:00:00.000Z',
            reason: 'changed',
            actor: 'form',
            before,
          },
        ],
        {},
      );
      expect(report).toMatchObject({ imported: { memory: 4, revision: 1 }, rejected: 0, problems: [] });
      const ana = varve.for({ user: 'ana' });
      expect(await ana.facts.get('home_city')).toMatchObject({
        key: 'home_city',
        value: 'Oslo',
        category: 'location',
        permanent: true,
        type: 'fact',
        metadata: { theirs: 1 },
        statedAt: new Date('2025-05-05T08:00:00Z'),
      });
      expect(await ana.memories.get(id('mem', 'formed'))).toMatchObject({
        attribute: 'employer',
        polarity: 'denied',
        statedAt: new Date('2025-05-04T08:00:00Z'),
        statedBy: 'user',
        sourceType: 'explicit',
        reader: 'local',
        metadata: { theirs: 2 },
      });
      expect(await ana.memories.get(id('mem', 'own'))).toMatchObject({
        reader: null,
        metadata: { slot: 'morning', distiller: 'Ardbeg' },
      });
      const [, revision] = await ana.memories.history(id('mem', 'fact'));
      expect(revision?.before).toMatchObject({ type: 'fact', attribute: 'home_city', permanent: true });
    });

    it('does not add a second value to an attribute with one value', async () => {
      const varve = await open();
      const ana = varve.for({ user: 'ana' });
      await ana.facts.set({ key: 'home_city', value: 'Bergen' });
      const fact = { type: 'fact', content: 'Oslo', attribute: 'home_city', value: 'Oslo', permanent: true };
      const line = { record: 'memory', id: `mem_${'a'.repeat(26)}`, scope: { user: 'ana' }, data: fact, version: 1 };
      expect((await varve.operator.import([line], {})).known).toEqual({ memory: 1 });
      expect((await ana.facts.get('home_city'))?.value).toBe('Bergen');
    });

    it('dates the memories of other products by their own time', async () => {
      const varve = await open();
      const records = [
        { id: 'a', memory: 'Likes tea', user_id: 'ana', created_at: '2024-02-01', updated_at: '2024-03-01' },
      ];
      const file = textSource('api.json', JSON.stringify({ results: records }));
      await varve.operator.import(importFormat('mem0').read([file]), {});
      expect((await varve.for({ user: 'ana' }).memories.list()).items).toMatchObject([
        {
          content: 'Likes tea',
          sourceType: 'import',
          statedAt: new Date('2024-03-01'),
          createdAt: new Date('2024-02-01'),
        },
      ]);
    });

    it('lets a later sentence of another product replace an earlier one, in its own words', async () => {
      const varve = await open();
      const records = [
        ['a', 'Works at Kone', '2024-02-01'],
        ['b', 'Works at Wolt', '2025-02-01'],
        ['c', 'Wife is called Elina', '2024-05-01'],
        ['d', 'I live in Turku and play the cello in a quartet', '2024-06-01'],
        ['e', 'Lives in Espoo', '2025-06-01'],
        ['f', 'Elina lives in Vaasa', '2025-07-01'],
      ].map(([id, memory, created_at]) => ({ id, memory, user_id: 'ilmari', created_at }));
      const file = textSource('api.json', JSON.stringify({ results: records }));
      const report = await varve.operator.import(importFormat('mem0').read([file]), {});
      expect(report.imported).toEqual({ memory: 6 });
      const { items } = await varve.for({ user: 'ilmari' }).memories.list({ archived: 'include', order: 'oldest' });
      const rows = items.map(({ content, attribute, value, archiveReason }) => [
        content,
        attribute,
        value,
        archiveReason,
      ]);
      expect(rows.toSorted()).toEqual([
        ['Elina lives in Vaasa', null, null, null],
        ['I live in Turku and play the cello in a quartet', null, null, null],
        ['Lives in Espoo', 'home_city', 'Espoo', null],
        ['Lives in Turku', 'home_city', 'Turku', 'superseded'],
        ['Wife is called Elina', 'partner_name', 'Elina', null],
        ['Works at Kone', 'employer', 'Kone', 'superseded'],
        ['Works at Wolt', 'employer', 'Wolt', null],
      ]);
      expect((await varve.operator.import(importFormat('mem0').read([file]), {})).known).toEqual({ memory: 6 });
    });

    it('keeps the ids, times, versions and history of an export', async () => {
      const varve = await open();
      const ana = varve.for({ user: 'ana' });
      const { memory } = await ana.memories.create({ type: 'fact', content: 'Lives in Bergen.', tags: ['home'] });
      await ana.memories.revise(memory.id, { content: 'Lives in Oslo.' });
      await ana.blocks.replace('profile', 'First.', { reason: 'the beginning' });
      await ana.blocks.replace('profile', 'Second.');
      await ana.entities.add({ type: 'place', name: 'Oslo' });
      const lines: unknown[] = [];
      for await (const line of varve.operator.export({ user: 'ana' })) lines.push(JSON.parse(JSON.stringify(line)));
      await varve.operator.import(lines, { into: { tenant: 'copy' } });
      const copy = varve.for({ tenant: 'copy', user: 'ana' });
      const before = await ana.memories.get(memory.id);
      expect(await copy.memories.get(memory.id)).toMatchObject({
        ...before,
        scope: { ...before?.scope, tenant: 'copy' },
      });
      expect((await copy.memories.history(memory.id)).map(({ version }) => version)).toEqual([1, 2]);
      expect((await copy.blocks.read('profile'))?.version).toBe(2);
      const told = ({ version, at, reason, actor }: Revision): unknown => [version, at, reason, actor];
      expect((await copy.blocks.history('profile')).map(told)).toEqual((await ana.blocks.history('profile')).map(told));
      expect((await copy.entities.list()).map(({ name }) => name)).toEqual(['Oslo']);
      expect((await copy.blocks.replace('profile', 'Third.')).version).toBe(3);
    });
  });
}

describe('JSON files of any shape', () => {
  const collect = async (text: string, size: number): Promise<unknown[]> => {
    const bytes = new TextEncoder().encode(text);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const found: unknown[] = [];
    for await (const { value } of jsonElements(pieces())) found.push(value);
    return found;
  };

  it('returns the same values for any structure of the file and any chunk size', async () => {
    const values = fc.array(fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(values, fc.integer({ min: 1, max: 40 }), async (written, size) => {
        const expected = JSON.parse(JSON.stringify(written)) as unknown[];
        expect(await collect(JSON.stringify(written), size)).toEqual(expected);
        expect(await collect(JSON.stringify(written, null, 2), size)).toEqual(expected);
        expect(await collect(JSON.stringify({ count: 3, results: written, next: null }), size)).toEqual(expected);
        expect(await collect(written.map((value) => JSON.stringify(value)).join('\n'), size)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('reports a broken file', async () => {
    await expect(collect('[{"a":1},{"b":', 7)).rejects.toThrow('middle of a value');
    await expect(collect('[{"a":1},nonsense]', 7)).rejects.toThrow('not valid JSON');
    await expect(collect(`[${'['.repeat(9000)}${']'.repeat(9000)}]`, 70)).rejects.toThrow('deeper than 100 levels');
  });
});

describe('varve import', () => {
  it('imports a folder of MongoDB exports on the command line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'varve-eden-'));
    for (const [name, records] of Object.entries(EDEN))
      writeFileSync(join(folder, `${name}.json`), records.map((record) => JSON.stringify(record)).join('\n'));
    const environment = { VARVE_DATA: join(folder, 'store') };
    const dry = await runCli(['import', folder, '--dry-run'], { environment });
    expect(dry.stdout).toContain('Would import from eden');
    const done = await runCli(['import', folder, '--json'], { environment });
    expect(JSON.parse(done.stdout)).toMatchObject({ format: 'eden', imported: { memory: 6, block: 2 }, rejected: 1 });
    const again = await runCli(['import', folder, '--json'], { environment });
    expect(JSON.parse(again.stdout)).toMatchObject({ imported: {}, known: { memory: 6, block: 2 } });
    rmSync(folder, { recursive: true, force: true });
  });

  it('reports the waiting conversations, and consolidate forms them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'varve-transcript-'));
    const file = join(folder, 'talk.txt');
    writeFileSync(file, 'user: I live in Gdansk\nassistant: How nice.\nuser: I work as a pilot\n');
    const environment = { VARVE_DATA: join(folder, 'store') };
    const { stdout } = await runCli(['import', file, '--user', 'yan'], { environment });
    expect(stdout).toContain('1 conversation waits to be formed');
    await runCli(['consolidate'], { environment });
    const listed = await runCli(['list', '--user', 'yan'], { environment });
    expect(listed.stdout).toContain('Lives in Gdansk');
    expect(listed.stdout).toContain('Works as pilot');
    rmSync(folder, { recursive: true, force: true });
  });

  it('imports the conversations of an unpacked ChatGPT export as they were shown', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'varve-chatgpt-'));
    writeFileSync(join(folder, 'conversations.json'), JSON.stringify(CHATGPT));
    writeFileSync(join(folder, 'message_feedback.json'), '[{"id":"f","rating":"thumbs_up"}]');
    writeFileSync(join(folder, 'user.json'), '{"id":"user-1","email":"ana@example.org"}');
    const environment = { VARVE_DATA: join(folder, 'store') };
    const done = await runCli(['import', folder, '--json'], { environment });
    expect(JSON.parse(done.stdout)).toMatchObject({ format: 'chatgpt', imported: { event: 2 }, rejected: 0 });
    const { stdout } = await runCli(['list', 'events', '--json'], { environment });
    const { items } = JSON.parse(stdout) as { items: { content: string; session?: string }[] };
    expect(items.map(({ content }) => content)).toEqual(['Noted .', 'I am vegetarian.']);
    rmSync(folder, { recursive: true, force: true });
  });
});

describe('a folder with files of several formats', () => {
  const folder = mkdtempSync(join(tmpdir(), 'varve-import-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('passes every readable file to its reader, and lists the others', async () => {
    mkdirSync(join(folder, 'vault/.obsidian'), { recursive: true });
    writeFileSync(join(folder, 'vault/.obsidian/app.json'), '{"theme":"dark"}');
    writeFileSync(join(folder, 'vault/Trip.md'), '# Trip\nTo Bergen in May.');
    writeFileSync(join(folder, 'vault/map.png'), 'no text');
    writeFileSync(join(folder, 'mem0.json'), '{"results":[{"id":"1","memory":"Likes tea","user_id":"ana"}]}');
    writeFileSync(join(folder, 'settings.json'), '{"theme":"dark"}');
    symlinkSync('/etc/hostname', join(folder, 'vault/link.md'));
    const { files, others } = importSource(folder);
    expect(others).toEqual([
      { file: 'vault/link.md', problem: 'links are not followed.' },
      { file: 'vault/map.png', problem: 'files of this kind are not read.' },
    ]);
    const { groups, left } = await planImport(files);
    expect(groups.map((group) => [group.format, group.files.map(({ name }) => name)])).toEqual([
      ['mem0', ['mem0.json']],
      ['markdown', ['vault/Trip.md']],
    ]);
    expect(left).toEqual([{ file: 'settings.json', problem: 'its content has no known format.' }]);
  });

  it('keeps conversations on separate lines of a file separate', async () => {
    const lines = ['one', 'two'].map((content) => JSON.stringify({ messages: [{ role: 'user', content }] }));
    const sessions: unknown[] = [];
    for await (const line of importFormat('transcripts').read([textSource('talks.jsonl', lines.join('\n'))]))
      sessions.push((line as { scope: { session: string } }).scope.session);
    expect(sessions).toEqual(['talks-1', 'talks-2']);
  });

  it('splits a long note into its sections, and keeps code in them', async () => {
    const text = `Before.\n\n## First\n\n${'Words. '.repeat(150)}\n\n\`\`\`sh\n# no heading\n\`\`\`\n\n## Second\n\n${'More. '.repeat(150)}`;
    const titles: unknown[] = [];
    for await (const line of importFormat('markdown').read([textSource('Long.md', text)]))
      titles.push((line as { data: { title: string } }).data.title);
    expect(titles).toEqual(['Long', 'Long › First', 'Long › Second']);
  });
});

describe('an export in another format', () => {
  it('has the live memories, as mem0 and as Markdown', async () => {
    const memoryTypes = { brew_note: { description: 'How a brew came out.' } };
    const varve = await createVarve({ store: ':memory:', embedder: null, background: false, memoryTypes });
    const ana = varve.for({ user: 'ana' });
    await ana.facts.set({ key: 'home_city', value: 'Graz' });
    const { memory } = await ana.memories.create({ type: 'preference', content: 'Likes short e-mails.' });
    await ana.memories.create({ type: 'fact', content: 'Old news.' });
    await ana.memories.forget((await ana.memories.list({ types: ['fact'], permanent: false })).items[0]?.id ?? '');
    await ana.notes.add({ title: 'Sourdough', content: 'Feed it daily.' });
    await ana.savedItems.add({ title: 'Tides', url: 'https://example.com/tides', summary: 'How tides work.' });
    const written = async (format: 'mem0' | 'markdown'): Promise<string> => {
      let text = '';
      for await (const piece of writeExport(varve.operator.export({ user: 'ana' }), format)) text += piece;
      return text;
    };
    const mem0 = await written('mem0');
    expect((JSON.parse(mem0) as { results: unknown[] }).results).toContainEqual(
      expect.objectContaining({ id: memory.id, memory: 'Likes short e-mails.', user_id: 'ana' }),
    );
    expect(mem0).not.toContain('Old news');
    const back = await planImport([textSource('mem0.json', mem0)]);
    expect(back.groups.map(({ format }) => format)).toEqual(['mem0']);
    const report = await varve.operator.import(importFormat('mem0').read(back.groups[0]?.files ?? []), {
      into: { tenant: 'copy' },
    });
    expect(report).toMatchObject({ imported: { memory: 4 }, rejected: 0 });
    await ana.memories.create({ type: 'fact', content: 'The shed has a green door.' });
    await ana.memories.create({ type: 'summary', title: 'Sheds', content: 'About sheds.' });
    await ana.memories.create({ type: 'brew_note', content: 'The stout came out sweet.' });
    const markdown = await written('markdown');
    const headings = ['Facts', 'Preferences', 'Notes', 'Saved items', 'Summaries', 'Brew note'];
    expect(markdown.match(/^## .*$/gm)).toEqual(headings.map((heading) => `## ${heading}`));
    expect(markdown).toMatch(/\*\*Home city\*\*: Graz\n- The shed has a green door\./);
    for (const part of [
      '# Memory of ana',
      '- **Home city**: Graz',
      '- Likes short e-mails. (',
      '### Sourdough',
      '[Tides](https://example.com/tides)',
    ])
      expect(markdown).toContain(part);
    expect(markdown).not.toContain('Old news');
    await varve.close();
  });
});

it('reads a sentence that ends a known fact within the transaction of the import', async () => {
  const varve = await createVarve({ store: ':memory:', embedder: null, background: false });
  const memories = ['User works at Siemens', 'User left Siemens in March'];
  const results = memories.map((memory, index) => ({ id: `m${index}`, memory, user_id: 'ana' }));
  const plan = await planImport([textSource('mem0.json', JSON.stringify({ results }))]);
  const report = await varve.operator.import(importFormat('mem0').read(plan.groups[0]?.files ?? []), {});
  expect(report).toMatchObject({ imported: { memory: 2 }, rejected: 0 });
  await varve.close();
});

it('reads a transcript of lines that begin with a role', async () => {
  const file = textSource(
    'tuesday.txt',
    '\ufeffUser: I keep three goats.\r\nThey are called:\n- Ida\nassistant: Lovely!\n\nHUMAN: Thanks.\n',
  );
  expect((await planImport([file])).groups.map(({ format }) => format)).toEqual(['transcripts']);
  const lines: unknown[] = [];
  for await (const line of importFormat('transcripts').read([file])) lines.push(line);
  const turn = (origin: string, content: string): unknown =>
    expect.objectContaining({ data: expect.objectContaining({ origin, content }) });
  expect(lines).toEqual([
    turn('user', 'I keep three goats.\nThey are called:\n- Ida'),
    turn('agent', 'Lovely!'),
    turn('user', 'Thanks.'),
  ]);
});

it('has a row of docs/import.md for each format', () => {
  const docs = readFileSync(new URL('../docs/import.md', import.meta.url), 'utf8');
  expect(IMPORT_FORMATS.filter((format) => !docs.includes(`\n| \`${format}\` | `))).toEqual([]);
});
