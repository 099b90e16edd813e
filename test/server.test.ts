import { readFileSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR } from '../src/record/clock.ts';
import { createClient } from '../src/http/client/create-client.ts';
import { databases } from './databases.ts';
import { runCli } from './run-cli.ts';
import { serverPlace, startServer, type ServerPlace, type ServerProcess } from './server-process.ts';

for (const database of databases().filter(({ name }) => name !== 'PGlite')) {
  describe.skipIf(database.skip !== null)(`server on ${database.name}`, () => {
    let place: ServerPlace;
    let server: ServerProcess;
    beforeAll(async () => {
      place = await serverPlace(database);
      server = await startServer(place, { environment: { VARVE_REFLECTION_SECRET: 'a secret of the operator' } });
    });
    afterAll(async () => {
      await server.stop();
      await place.remove();
    });

    it('prints a key at the first start only, and is ready at the second', async () => {
      const own = await serverPlace(database);
      const first = await startServer(own);
      expect(first.key).toMatch(/^varve_[0-9a-z]{26}_[\w-]{43}$/);
      expect(await first.stop()).toBe(0);
      const second = await startServer(own);
      expect(second.key).toBeNull();
      expect((await second.call('GET', '/ready', { key: null })).status).toBe(200);
      await second.stop();
      await own.remove();
    });

    it('requires a key except for health, the description, and the files of the inspector and the docs', async () => {
      expect((await server.call('GET', '/health', { key: null })).status).toBe(200);
      expect((await server.call('GET', '/ready', { key: null })).status).toBe(200);
      const description = await server.call('GET', '/openapi.json', { key: null });
      expect([description.status, description.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(description.headers.get('x-content-type-options')).toBe('nosniff');
      expect(description.body).toMatchObject({ openapi: '3.1.1' });
      // Only `npm run build:docs` builds the site.
      expect((await server.call('GET', '/docs/', { key: null })).status).not.toBe(401);
      for (const path of ['/v1/memories', '/v1/nothing', '/metrics', '/mcp', '/inspector/demo']) {
        const answer = await server.call('GET', path, { key: null });
        expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
          path,
          401,
          'application/problem+json',
        ]);
      }
      const wrong = `${server.key?.slice(0, -3)}abc`;
      expect((await server.call('GET', '/v1/memories', { key: wrong })).status).toBe(401);
      expect((await server.call('GET', '/v1/memories', { key: 'varve_x' })).status).toBe(401);
    });

    it('refuses other hosts and origins', async () => {
      const ask = (headers: Record<string, string>): Promise<number | undefined> =>
        new Promise((resolve) =>
          request(`${server.url}/health`, { headers }, (response) => resolve(response.resume().statusCode)).end(),
        );
      expect(await ask({ host: 'evil.example' })).toBe(403);
      expect(await ask({ origin: 'https://evil.example' })).toBe(403);
      expect(await ask({ host: 'localhost:1' })).toBe(200);
      const crossed = await server.call('OPTIONS', '/v1/memories', { headers: { origin: 'https://evil.example' } });
      expect(crossed.headers.get('access-control-allow-origin')).toBeNull();
    });

    it('returns the scope of the answer to a caller who names no user', async () => {
      const events = { messages: [{ role: 'user', content: 'I live in Trondheim.' }] };
      await server.call('POST', '/v1/events?agent=guide&user=unnamed&session=s1', { body: events });
      const asked = { query: 'Where do I live?', options: { abstain: false } };
      const named = await server.call('POST', '/v1/recall?agent=guide&user=unnamed', { body: asked });
      expect(named.body.results[0].text).toContain('Trondheim');
      expect(named.body).toMatchObject({ scope: { agent: 'guide', user: 'unnamed', session: null }, notice: null });
      const scope = { agent: 'guide', user: null, session: null };
      const told = { scope, notice: expect.stringContaining('names no user') };
      const unnamed = await server.call('POST', '/v1/recall?agent=guide', { body: asked });
      expect(unnamed.body).toMatchObject({ results: [], ...told });
      const many = await server.call('POST', '/v1/recall/batch?agent=guide', { body: { queries: [asked] } });
      expect(many.body.items).toEqual([expect.objectContaining(told)]);
      const context = await server.call('POST', '/v1/context?agent=guide', { body: { message: 'Where do I live?' } });
      expect(context.body).toMatchObject(told);
      expect(context.text).not.toContain('Trondheim');
    });

    it('observes, recalls and lists what was said', async () => {
      const query = '?user=ana&session=s1';
      const first = await server.call('POST', `/v1/events${query}`, {
        body: { content: 'My cat is called Minze.' },
        headers: { 'idempotency-key': 'turn-1' },
      });
      expect(first.status).toBe(201);
      const again = await server.call('POST', `/v1/events${query}`, {
        body: { content: 'My cat is called Minze.' },
        headers: { 'idempotency-key': 'turn-1' },
      });
      expect(again.body).toMatchObject({ repeated: 1, events: [{ id: first.body.events[0].id }] });
      expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
      const recalled = await server.call('POST', '/v1/recall?user=ana', {
        body: { query: 'Minze', options: { abstain: false } },
      });
      expect(recalled.body.results[0].text).toContain('Minze');
      const listed = await server.call('GET', `/v1/events${query}&limit=1&kinds=message`);
      expect(listed.body.items).toHaveLength(1);
      expect((await server.call('GET', '/v1/events?user=bea')).body.items).toEqual([]);
    });

    it('accepts messages as chat APIs send them, as a conversation or one by one', async () => {
      const messages = [
        { role: 'system', content: 'You are a coach.' },
        { role: 'user', content: [{ type: 'text', text: 'My horse is called Falada.' }], name: 'Ana', id: 'm1' },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'search' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'Nothing found.' },
        { role: 'assistant', content: 'A good name.' },
      ];
      const path = '/v1/events?user=chat&session=s';
      const logged = await server.call('POST', path, { body: { messages } });
      expect([
        logged.status,
        logged.body.events.map((event: { kind: string; origin: string }) => [event.kind, event.origin]),
      ]).toEqual([
        201,
        [
          ['message', 'user'],
          ['tool_result', 'tool'],
          ['message', 'agent'],
        ],
      ]);
      expect(logged.body.events[0]).toMatchObject({ content: 'My horse is called Falada.', speaker: 'Ana' });
      // A message with its own id is stored once, however often the conversation is sent.
      expect((await server.call('POST', path, { body: { messages: messages.slice(1, 2) } })).body.repeated).toBe(1);
      // Applications that number the messages of each conversation lose none of them.
      const next = { body: { messages: [{ role: 'user', content: 'He has a foal.', id: 'm1' }] } };
      const other = (await server.call('POST', '/v1/events?user=chat&session=t', next)).body;
      expect([other.repeated, other.events[0].content]).toEqual([0, 'He has a foal.']);
      const one = await server.call('POST', path, { body: { role: 'user', content: 'He is white.' } });
      expect(one.body.events[0]).toMatchObject({ origin: 'user', content: 'He is white.' });
      const dated = [
        { role: 'user', content: 'In the stable.', occurredAt: '2024-05-01' },
        { role: 'user', content: 'On the meadow.', timestamp: '2024-05-02T08:00:00Z' },
        { role: 'user', content: 'In the wood.', createdAt: '2024-05-03T08:00:00Z' },
      ];
      const { events } = (await server.call('POST', path, { body: { messages: dated } })).body;
      expect(events.map((event: { occurredAt: string }) => event.occurredAt.slice(0, 10))).toEqual([
        '2024-05-01',
        '2024-05-02',
        '2024-05-03',
      ]);
      // A misspelt time is refused, because the message would otherwise get the current time.
      const misspelt = { role: 'user', content: 'At the lake.', occured_at: '2024-05-01' };
      const refused = await server.call('POST', path, { body: { messages: [misspelt] } });
      expect([refused.status, refused.body.detail]).toEqual([
        400,
        expect.stringContaining('occured_at: is not a field of a message; expected role, content, name, id, timestamp'),
      ]);
      const wrong = await server.call('POST', path, { body: { messages: [{ role: 'narrator', content: 'x' }] } });
      expect([wrong.status, wrong.body.detail]).toEqual([
        400,
        expect.stringContaining('user, assistant, tool or system'),
      ]);
    });

    it('refuses events and messages without a text, and says in which field it belongs', async () => {
      const post = (body: unknown) => server.call('POST', '/v1/events?user=mute&session=s', { body });
      for (const [body, says] of [
        [{ content: ' ' }, 'content: is empty'],
        [{ role: 'user', content: '' }, 'the words of the user in `content`'],
        [{ messages: [{ role: 'user' }] }, 'the words of the user in `content`'],
        [{ text: 'Hello' }, 'Give "text" as content.'],
        [{ message: 'Hello' }, 'Give "message" as content.'],
        [{ role: 'user', text: 'Hello' }, 'text: is not a field of a message; expected role, content'],
      ] as const) {
        const { status, body: problem } = await post(body);
        expect([status, problem.detail]).toEqual([400, expect.stringContaining(says)]);
      }
      const calls = { role: 'assistant', content: '', tool_calls: [{ id: 'c1' }] };
      const image = { role: 'user', content: [{ type: 'image', image: 'data:' }] };
      for (const [body, count] of [
        [{ messages: [calls] }, 0],
        [{ messages: [image] }, 0],
        [{ messages: [{ role: 'system', content: 'Be brief.' }] }, 0],
        [[], 0],
        [
          {
            messages: [
              { role: 'user', content: '' },
              { role: 'assistant', content: 'Hello?' },
            ],
          },
          1,
        ],
      ] as const) {
        const { status, body: answer } = await post(body);
        expect([status, answer.events.length]).toEqual([201, count]);
      }
    });

    it('returns short records, requested fields, and signals on request', async () => {
      await server.call('POST', '/v1/memories?user=short', {
        body: { memory: { type: 'fact', content: 'Keeps owls.' } },
      });
      const asked = { query: 'owls', options: { abstain: false } };
      const recall = async (search = ''): Promise<Record<string, unknown>> =>
        (await server.call('POST', `/v1/recall?user=short${search}`, { body: asked })).body.results[0];
      const short = await recall();
      expect(short).toMatchObject({ kind: 'memory', type: 'fact', text: 'Keeps owls.', trust: expect.any(String) });
      expect(Object.keys(short)).not.toContain('memory');
      expect(Object.keys(short)).not.toContain('explanation');
      expect(await recall('&explain=true')).toMatchObject({ explanation: expect.any(Array), arms: expect.any(Array) });
      expect(Object.keys(await recall('&fields=id,text'))).toEqual(['id', 'text']);
      expect(Object.keys(await recall('&fields=date,type,text'))).toEqual(['text', 'type', 'date']);
      const wrong = await server.call('POST', '/v1/recall?user=short&fields=txt', { body: { query: 'owls' } });
      expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining('relevance')]);
      for (const [search, says] of [
        ['&fields=id,texts', 'There is no field "texts". Did you mean text? Known fields: kind, id, text'],
        [
          '&usr=short',
          'There is no query parameter "usr". Did you mean user? Known query parameters: fields, explain, agent, user, session',
        ],
        ['&explain=maybe', 'explain: expected true or false'],
      ] as const) {
        const { status, body } = await server.call('POST', `/v1/recall?agent=a${search}`, { body: { query: 'owls' } });
        expect([status, body.detail]).toEqual([400, expect.stringContaining(says)]);
      }
      const { body: page } = await server.call('GET', '/v1/memories?user=short&limit=few');
      expect(page.detail).toContain('limit: expected a number, got "few".');
      const types = await server.call('GET', '/v1/memories?user=short&types=fact,goals');
      expect([types.status, types.body.detail]).toEqual([
        400,
        expect.stringContaining('Did you mean goal? Known types: '),
      ]);
      const misplaced = await server.call('POST', '/v1/recall?user=short', { body: { query: 'owls', limit: 3 } });
      expect([misplaced.status, misplaced.body.detail]).toEqual([400, expect.stringContaining('options.limit')]);
      expect(await recall('&fields=all')).toMatchObject({ memory: { content: 'Keeps owls.' }, before: [] });
      const full = JSON.stringify(await recall('&fields=all&explain=true')).length;
      expect(JSON.stringify(short).length).toBeLessThan(full / 5);
      const listed = await server.call('GET', '/v1/memories?user=short&fields=id,content');
      expect(Object.keys(listed.body.items[0]).toSorted()).toEqual(['content', 'id']);
    });

    it('reads the past, consolidates and erases through the client', async () => {
      const client = createClient({ url: server.url, key: server.key ?? '' });
      const handle = client.for({ user: 'remote', session: 's' });
      await handle.facts.set({ key: 'shoe_size', value: '41' });
      await new Promise((resolve) => setTimeout(resolve, 5));
      const before = new Date();
      await new Promise((resolve) => setTimeout(resolve, 5));
      await handle.facts.set({ key: 'shoe_size', value: '42' });
      const past = handle.asOf(before);
      expect((await past.facts.get('shoe_size'))?.value).toBe('41');
      expect((await past.facts.list()).map(({ value }) => value)).toEqual(['41']);
      const [was] = (await past.memories.list()).items;
      expect((await past.memories.get(was?.id ?? ''))?.archivedAt).toBeNull();
      expect((await past.recall('shoe size', { mode: 'text' })).results).toHaveLength(1);
      expect(await past.blocks.read('scaffold')).toBeNull();

      await handle.context({ message: 'Which shoes?' });
      expect(await handle.contexts({ limit: 5 })).toHaveLength(1);
      await handle.noteGiven([was?.id ?? '']);
      await handle.consolidation.configure({ timeZone: 'Asia/Tokyo' });
      await handle.consolidation.run({ dryRun: true });
      for (const list of ['runs', 'held', 'setAside', 'suggestTools'] as const)
        expect(await handle.consolidation[list]()).toBeInstanceOf(Array);
      expect(await handle.consolidation.use('mem_00000000000000000000000000')).toBeNull();

      await handle.eraseMemory(was?.id ?? '', { reason: 'asked by mail' });
      expect(await handle.memories.get(was?.id ?? '')).toBeNull();
      await client.for({ user: 'remote' }).erase({ reason: 'left' });
      expect((await client.for({ user: 'remote' }).facts.list()).length).toBe(0);
      expect((await handle.erasures()).map(({ reason }) => reason).slice(0, 2)).toEqual(['left', 'asked by mail']);
      await expect(client.for({ user: null }).erase()).rejects.toThrow('erases a session, a user or an agent');
    });

    it('refuses an event more than a day ahead, also in an exchange and among others, and stores none of them', async () => {
      const ahead = new Date(Date.now() + 26 * HOUR).toISOString();
      const soon = new Date(Date.now() + 20 * HOUR).toISOString();
      for (const [path, body] of [
        ['events', [{ content: 'Good morning.' }, { content: 'Good night.', occurredAt: ahead }]],
        ['events', { messages: [{ role: 'user', content: 'Good night.', timestamp: ahead }] }],
        ['interactions', { userMessage: 'Good night.', occurredAt: ahead }],
      ] as const) {
        const { status, body: answer } = await server.call('POST', `/v1/${path}?user=ahead&session=s`, { body });
        expect([status, answer.detail]).toEqual([400, expect.stringContaining('more than a day in the future')]);
      }
      expect((await server.call('GET', '/v1/events?user=ahead')).body.items).toEqual([]);
      const near = { content: 'Good night.', occurredAt: soon };
      expect((await server.call('POST', '/v1/events?user=ahead', { body: near })).status).toBe(201);
    });

    it('stores, archives and recalls in batches, and an invalid item does not stop the others', async () => {
      const stored = await server.call('POST', '/v1/memories/batch?user=batch', {
        body: {
          memories: [{ type: 'fact', content: 'Has a boat.' }, { type: 'no_such' }, { type: 'fact', content: 'Rows.' }],
        },
      });
      expect(stored.body.items).toMatchObject([
        { outcome: 'created' },
        { error: { code: 'invalid_input' } },
        { outcome: 'created' },
      ]);
      const ids = [stored.body.items[0].memory.id as string, 'mem_nowhere'];
      const archived = await server.call('POST', '/v1/memories/archive?user=batch', { body: { ids } });
      expect(archived.body.items).toMatchObject([{ id: ids[0], archived: true }, { error: { code: 'not_found' } }]);
      const found = await server.call('POST', '/v1/recall/batch?user=batch', {
        body: { queries: [{ query: 'rows', options: { abstain: false } }, { query: 'boat' }] },
      });
      expect(found.body.items).toMatchObject([{ results: [{ text: 'Rows.' }] }, { results: [] }]);
    });

    it('shows the fields of statements, and finds memories by them', async () => {
      await server.call('PUT', '/v1/facts/home_city?user=fields', { body: { value: 'Oslo' } });
      const listed = async (search: string): Promise<unknown> =>
        (await server.call('GET', `/v1/memories?user=fields&${search}`)).body.items;
      const fact = {
        subject: 'User',
        attribute: 'home_city',
        value: 'Oslo',
        category: 'location',
        polarity: 'affirmed',
        tense: 'holds',
        permanent: true,
        statedBy: 'system',
        quotes: [],
      };
      expect((await server.call('GET', '/v1/facts/home_city?user=fields')).body).toMatchObject({
        key: 'home_city',
        ...fact,
      });
      for (const search of ['attributes=home_city', 'permanent=true', 'subjects=User'])
        expect([search, await listed(search)]).toMatchObject([search, [fact]]);
      for (const search of ['attributes=employer', 'permanent=false', 'subjects=Ana'])
        expect([search, await listed(search)]).toEqual([search, []]);
    });

    it('lists refused statements page by page, also to the client', async () => {
      const lines = ['a', 'b', 'c'].map((name, index) => ({
        record: 'refusal',
        id: `ref_${name.repeat(26)}`,
        scope: { user: 'refused', session: `s${index}` },
        at: '2026-03-01T12:00:00.000Z',
        reason: 'quote_not_found',
        what: 'statement',
        text: `Refused ${name}.`,
      }));
      const body = lines.map((line) => JSON.stringify(line)).join('\n');
      const headers = { 'content-type': 'application/x-ndjson', authorization: `Bearer ${server.key}` };
      const imported = await fetch(`${server.url}/v1/import`, { method: 'POST', headers, body });
      expect(await imported.json()).toMatchObject({ imported: { refusal: 3 }, rejected: 0 });
      const first = (await server.call('GET', '/v1/refusals?user=refused&limit=2')).body;
      expect(first.items).toMatchObject([{ text: 'Refused c.', reason: 'quote_not_found' }, { text: 'Refused b.' }]);
      const { refusals } = createClient({ url: server.url, key: server.key ?? '' }).for({ user: 'refused' });
      const rest = await refusals.list({ limit: 2, cursor: first.cursor });
      expect(rest).toMatchObject({
        items: [{ text: 'Refused a.', at: new Date('2026-03-01T12:00:00Z') }],
        cursor: null,
      });
      expect((await refusals.list({ session: 's1' })).items).toMatchObject([{ text: 'Refused b.' }]);
    });

    it('[X1] lists and restores forgotten memories, with their words only for keys that may erase', async () => {
      const client = createClient({ url: server.url, key: server.key ?? '' }).for({ user: 'forgets' });
      await client.facts.set({ key: 'salary', value: '52k at Halden' });
      await client.facts.forget('salary');
      const [record] = await client.forgotten.list();
      expect(record).toMatchObject({ as: 'forgotten', attribute: 'salary', value: '52k at Halden', saidAgainAt: null });
      expect(record?.at).toBeInstanceOf(Date);
      const other = await server.call('GET', '/v1/forgotten?user=somebody-else');
      expect(other.body).toEqual({ items: [] });
      const made = await server.call('POST', '/v1/keys', { body: { name: 'writes', access: 'write' } });
      const key = made.body.secret as string;
      const read = await server.call('GET', '/v1/forgotten?user=forgets', { key });
      expect(read.body).toMatchObject({ items: [{ id: record?.id, attribute: 'salary', value: null, text: '' }] });
      expect(read.text).not.toContain('Halden');
      // The operations on archived memories show the words to no key.
      for (const door of ['?archived=include&', `/${record?.memory}?`, `/${record?.memory}/history?`])
        for (const own of [undefined, key]) {
          const shown = await server.call('GET', `/v1/memories${door}user=forgets`, { key: own });
          expect(shown.status).toBe(200);
          expect(shown.text).not.toContain('Halden');
        }
      const path = `/v1/forgotten/${record?.id}/restore`;
      expect((await server.call('POST', `${path}?user=forgets`, { key })).status).toBe(403);
      const byMemory = `/v1/memories/${record?.memory}/restore?user=forgets`;
      expect((await server.call('POST', byMemory, { key })).status).toBe(403);
      expect((await server.call('POST', `${path}?user=somebody-else`)).status).toBe(404);
      await client.forgotten.restore(record?.id ?? '');
      expect(await client.forgotten.list()).toEqual([]);
      const fact = await client.facts.get('salary');
      expect(fact?.value).toBe('52k at Halden');
      // Any key that may write can restore a memory that was only archived.
      expect(await client.memories.archive(fact?.id ?? '')).toMatchObject({ archiveReason: 'pruned' });
      expect(await client.forgotten.list()).toEqual([]);
      expect((await server.call('POST', byMemory, { key })).status).toBe(200);
      expect(await client.memories.forget(fact?.id ?? '')).toMatchObject({ archiveReason: 'forgotten' });
      expect(await client.facts.get('salary')).toBeNull();
    });

    it('pages with cursors', async () => {
      for (let index = 0; index < 5; index += 1) {
        await server.call('POST', '/v1/memories?user=pages', {
          body: { memory: { type: 'fact', content: `Fact number ${index}` } },
        });
      }
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = await server.call(
          'GET',
          `/v1/memories?user=pages&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        seen.push(...page.body.items.map(({ content }: { content: string }) => content));
        ({ cursor } = page.body);
      }
      expect(seen).toEqual([4, 3, 2, 1, 0].map((index) => `Fact number ${index}`));
    });

    it('executes a request with an idempotency key once, also when two arrive together', async () => {
      const add = (key: string, title = 'Trip'): ReturnType<ServerProcess['call']> =>
        server.call('POST', '/v1/notes?user=once', {
          body: { title, content: 'Pack a tent.' },
          headers: { 'idempotency-key': key },
        });
      const answers = await Promise.all([add('n1'), add('n1'), add('n1')]);
      expect(answers.every(({ status }) => [201, 409].includes(status))).toBe(true);
      const replayed = await add('n1');
      expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect((await add('n1', 'Another title')).status).toBe(409);
      expect((await server.call('GET', '/v1/notes?user=once')).body.items).toHaveLength(1);
    });

    it('refuses other events under an idempotency key that the same user has used', async () => {
      const add = (user: string, body: unknown): ReturnType<ServerProcess['call']> =>
        server.call('POST', `/v1/events?user=${user}`, { body, headers: { 'idempotency-key': 'first-turn' } });
      const said = [{ content: 'My boat is called Quito.' }];
      const together = await Promise.all([add('eve', said), add('eve', said)]);
      expect(together.map(({ status }) => status)).toEqual([201, 201]);
      for (const other of [[{ content: 'My boat was sold.' }], [...said, { content: 'It is red.' }]]) {
        const { status, body } = await add('eve', other);
        expect([status, body.code, body.retryable]).toEqual([409, 'conflict', false]);
      }
      expect((await add('ida', [{ content: 'My boat was sold.' }])).status).toBe(201);
      expect((await add('eve', said)).body).toMatchObject({ repeated: 1 });
      expect((await server.call('GET', '/v1/events?user=eve')).body.items).toHaveLength(1);
      // A refused body does not use the key up.
      const headers = { 'idempotency-key': 'second-turn' };
      expect((await server.call('POST', '/v1/events?user=eve', { body: { content: '' }, headers })).status).toBe(400);
      expect((await server.call('POST', '/v1/events?user=eve', { body: said[0], headers })).status).toBe(201);
    });

    it('an observation names its source, and an order without the words of the user is attributed to a tool', async () => {
      const origins = [];
      for (const more of [
        { content: 'Likes rye bread.' },
        { content: 'Likes rye bread.', source: 'mail from a shop' },
        { content: 'Wants refunds processed automatically.' },
        { content: 'Wants refunds processed automatically.', statedBy: 'user' },
      ]) {
        const body = { category: 'preference', ...more };
        origins.push((await server.call('POST', '/v1/observations?user=bread', { body })).body.origin);
      }
      expect(origins).toEqual(['agent', 'tool', 'tool', 'agent']);
    });

    it('makes one version of a change that arrives twice under an idempotency key', async () => {
      const memory = { type: 'fact', content: 'Ana is 30.' };
      const { id } = (await server.call('POST', '/v1/memories?user=once', { body: { memory } })).body.memory;
      const change = { body: { change: { content: 'Ana is 31.' } }, headers: { 'idempotency-key': 'birthday' } };
      const answers = [
        await server.call('PATCH', `/v1/memories/${id}?user=once`, change),
        await server.call('PATCH', `/v1/memories/${id}?user=once`, change),
      ];
      expect(answers.map(({ status, body }) => [status, body.version])).toEqual([
        [200, 2],
        [200, 2],
      ]);
      expect(answers[1]?.headers.get('idempotent-replayed')).toBe('true');
    });

    it('protects blocks with ETags', async () => {
      const path = '/v1/blocks/working_memory?user=tags';
      expect((await server.call('GET', path)).status).toBe(404);
      const first = await server.call('PUT', path, {
        body: { content: 'Plans a trip.' },
        headers: { 'if-none-match': '*' },
      });
      const tag = first.headers.get('etag') ?? '';
      expect(first.status).toBe(200);
      expect((await server.call('GET', path, { headers: { 'if-none-match': tag } })).status).toBe(304);
      const second = await server.call('PUT', path, {
        body: { content: 'Plans a trip to Oslo.' },
        headers: { 'if-match': tag },
      });
      expect([second.status, second.body.version]).toEqual([200, 2]);
      const stale = await server.call('PUT', path, { body: { content: 'Lost update' }, headers: { 'if-match': tag } });
      expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
      expect(
        (await server.call('PUT', path, { body: { content: 'x' }, headers: { 'if-none-match': '*' } })).status,
      ).toBe(412);
    });

    it('accepts one of many writes with the same ETag, and answers the others with a conflict', async () => {
      const path = '/v1/blocks/profile?user=race';
      const write = (index: number, headers: Record<string, string>): Promise<number> =>
        server
          .call('PUT', path, { body: { content: `Writer ${index} ${Object.keys(headers).join()}` }, headers })
          .then(({ status }) => status);
      const race = async (headers: Record<string, string>): Promise<number[]> =>
        (await Promise.all(Array.from({ length: 12 }, (_, index) => write(index, headers)))).toSorted();
      const others = Array.from({ length: 11 }, () => 412);
      expect(await race({ 'if-none-match': '*' })).toEqual([200, ...others]);
      const tag = (await server.call('GET', path)).headers.get('etag') ?? '';
      expect(await race({ 'if-match': tag })).toEqual([200, ...others]);
      expect((await server.call('GET', path)).body.version).toBe(2);
    });

    it('exports a consistent state while others write, and tolerates a client that disconnects', async () => {
      const client = createClient({ url: server.url, key: server.key ?? '' });
      const events = Array.from({ length: 1500 }, (_, index) => ({
        content: `Line ${index}`,
        origin: 'tool' as const,
      }));
      await client.for({ user: 'export' }).observe(events);
      const leaving = await fetch(`${server.url}/v1/export?user=export`, {
        headers: { authorization: `Bearer ${server.key}` },
      });
      await leaving.body?.cancel();
      const [exported] = await Promise.all([
        server.call('GET', '/v1/export?user=export'),
        ...Array.from({ length: 20 }, (_, index) =>
          client.for({ user: 'export' }).observe({ content: `Meanwhile ${index}` }),
        ),
      ]);
      const lines = exported.text.trim().split('\n');
      const contents = new Set(
        lines.map((line) => (JSON.parse(line) as { data?: { content?: string } }).data?.content),
      );
      expect(events.filter(({ content }) => !contents.has(content))).toEqual([]);
      expect(server.log.filter((line) => line.includes('"internal"'))).toEqual([]);
    });

    it('streams changes as server-sent events, from a cursor on', async () => {
      const client = createClient({ url: server.url, key: server.key ?? '' });
      const stop = new AbortController();
      const seen: string[] = [];
      let cursor = '';
      const following = (async () => {
        for await (const change of client.changes({ user: 'follow' }, { signal: stop.signal })) {
          seen.push(change.kind);
          cursor = change.cursor;
          if (seen.length === 3) stop.abort();
        }
      })();
      // Without a cursor, the stream begins when it is opened, and the client does not report when that is.
      await new Promise((resolve) => setTimeout(resolve, 300));
      const handle = client.for({ user: 'follow' });
      await handle.observe({ content: 'It rains.' });
      await handle.memories.create({ type: 'fact', content: 'It rains in Bergen.' });
      await client.for({ user: 'somebody else' }).observe({ content: 'unseen' });
      await handle.blocks.replace('working_memory', 'Weather.');
      await following;
      expect(seen.toSorted()).toEqual(['block', 'event', 'memory']);
      await handle.observe({ content: 'It still rains.' });
      for await (const change of client.changes({ user: 'follow' }, { after: cursor })) {
        expect(change.kind).toBe('event');
        break;
      }
      expect((await server.call('GET', '/v1/changes?after=nonsense')).status).toBe(400);
    });

    it('exports and imports again without duplicates', async () => {
      const client = createClient({ url: server.url, key: server.key ?? '' });
      const handle = client.for({ user: 'mover' });
      const { events } = await handle.observe({ content: 'Tea: 4 cups.', kind: 'tool_result', origin: 'tool' });
      await handle.memories.create({
        type: 'preference',
        content: 'Likes tea.',
        sourceEvents: [events[0]?.id ?? ''],
        tags: ['tea'],
      });
      await handle.notes.add({ title: 'Tea', content: 'Green, not black.' });
      await handle.facts.set({ key: 'home_city', value: 'Bergen' });
      await handle.facts.set({ key: 'home_city', value: 'Oslo' });
      await handle.blocks.replace('profile', 'Drinks tea.');
      const exported = await server.call('GET', '/v1/export?user=mover');
      expect(exported.headers.get('content-type')).toBe('application/x-ndjson');
      const lines = exported.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { record: string });
      expect(new Set(lines.map(({ record }) => record))).toEqual(
        new Set(['header', 'event', 'revision', 'memory', 'block']),
      );

      const headers = { 'content-type': 'application/x-ndjson' };
      const known = await server.call('POST', '/v1/import', { body: exported.text, headers });
      expect(known.body).toMatchObject({ imported: {}, rejected: 0, known: { event: 1, memory: 4, block: 1 } });
      const other = await otherTenant(place);
      const dry = await server.call('POST', '/v1/import?dryRun=true', { body: exported.text, headers, key: other });
      expect(dry.body).toMatchObject({ dryRun: true, imported: { event: 1, memory: 4, block: 1 } });
      expect((await server.call('GET', '/v1/stats', { key: other })).body.memories).toBe(0);
      const real = await server.call('POST', '/v1/import', { body: exported.text, headers, key: other });
      expect(real.body).toMatchObject({ imported: { event: 1, memory: 4, block: 1 }, rejected: 0 });
      const again = await server.call('POST', '/v1/import', {
        body: `${exported.text}{"no":"record"}\nnot json\n`,
        headers,
        key: other,
      });
      expect(again.body).toMatchObject({ imported: {}, rejected: 2 });
      const copy = createClient({ url: server.url, key: other }).for({ user: 'mover' });
      expect((await copy.facts.get('home_city'))?.value).toBe('Oslo');
      const { items } = await copy.memories.list({ archived: 'only' });
      expect(items).toMatchObject([{ value: 'Bergen', archiveReason: 'superseded' }]);
      expect((await copy.memories.history(items[0]?.id ?? '')).length).toBe(2);
      expect((await copy.recall('tea', { abstain: false, mode: 'text' })).results.length).toBeGreaterThan(0);
    });

    it('[K12] starts a reflection over HTTP, with a key or with the secret', async () => {
      const counts = {
        facts_added: expect.any(Number),
        facts_updated: expect.any(Number),
        intentions_added: expect.any(Number),
        learnings_added: expect.any(Number),
      };
      const talk = createClient({ url: server.url, key: server.key ?? '' }).for({ user: 'kwasi', session: 'today' });
      await talk.logInteraction({
        userMessage: 'My name is Kwasi and I live in Accra.',
        agentResponse: 'Nice to meet you.',
      });
      await talk.logInteraction({ userMessage: 'I want to run a marathon next year.', agentResponse: 'Great plan.' });
      const secret = { 'x-reflection-secret': 'a secret of the operator' };
      const byHand = await server.call('POST', '/v1/reflect?user=kwasi', { key: null, headers: secret });
      expect([byHand.status, byHand.body]).toMatchObject([200, counts]);
      expect(byHand.body.skipped).toBe(false);
      expect((await server.call('POST', '/v1/reflect?user=kwasi')).body).toMatchObject({ ...counts, skipped: true });
      expect(
        (
          await server.call('POST', '/v1/reflect?user=kwasi', {
            key: null,
            headers: { 'x-reflection-secret': 'wrong' },
          })
        ).status,
      ).toBe(401);
      expect((await server.call('POST', '/v1/reflect?user=kwasi', { key: null })).status).toBe(401);
      expect((await server.call('GET', '/v1/memories', { key: null, headers: secret })).status).toBe(401);
    });

    it('[T3] [T4] stores observations and context updates as events first, over HTTP', async () => {
      const observed = await server.call('POST', '/v1/observations?user=tool', {
        body: { content: 'Prefers tables.', category: 'preference' },
      });
      expect(observed.body).toMatchObject({ kind: 'observation', category: 'preference', processedAt: null });
      expect(
        (await server.call('POST', '/v1/observations?user=tool', { body: { content: 'x', category: 'gossip' } }))
          .status,
      ).toBe(400);
      const update = {
        scaffoldUpdates: { role: 'cook', team: { size: 3 } },
        persistentInfoAdditions: ['Works at night.'],
      };
      const updated = await server.call('POST', '/v1/user-context?user=tool', { body: update });
      expect(updated.body.events.map(({ category }: { category: string }) => category)).toEqual([
        'scaffold_update',
        'scaffold_update',
        'learned_fact',
      ]);
      const called = await server.call('POST', '/v1/tools/record_observation?user=tool', {
        body: { content: 'Allergic to nuts.', category: 'fact' },
      });
      expect(called.status).toBe(200);
    });

    it('keeps keys within their scope and access', async () => {
      const make = async (key: object): Promise<string> =>
        (await server.call('POST', '/v1/keys', { body: key })).body.secret as string;
      const reader = await make({ name: 'reader', access: 'read' });
      expect((await server.call('GET', '/v1/memories', { key: reader })).status).toBe(200);
      expect((await server.call('POST', '/v1/events', { key: reader, body: { content: 'x' } })).status).toBe(403);
      expect((await server.call('GET', '/v1/keys', { key: reader })).status).toBe(403);

      const ana = await make({ name: 'ana', users: ['ana'] });
      const own = await server.call('POST', '/v1/memories', {
        key: ana,
        body: { memory: { type: 'fact', content: 'Ana sings.' } },
      });
      expect(own.body.memory.scope.user).toBe('ana');
      expect((await server.call('GET', '/v1/memories?user=bea', { key: ana })).body.code).toBe('outside_scope');
      expect((await server.call('GET', '/v1/jobs', { key: ana })).status).toBe(403);
      const above = { memory: { type: 'fact', content: 'Everybody sings.', level: 'tenant' } };
      expect((await server.call('POST', '/v1/memories', { key: ana, body: above })).status).toBe(403);
      const shared = await server.call('POST', '/v1/memories', {
        body: { memory: { type: 'fact', content: 'Shared by all.' } },
      });
      const { id } = shared.body.memory;
      expect((await server.call('GET', `/v1/memories/${id}`, { key: ana })).status).toBe(200);
      expect((await server.call('DELETE', `/v1/memories/${id}`, { key: ana })).status).toBe(403);
    });

    it('rotates and revokes keys, and keeps an audit of administrative acts', async () => {
      const made = (await server.call('POST', '/v1/keys', { body: { name: 'short-lived', access: 'admin' } })).body;
      expect((await server.call('GET', '/v1/keys', { key: made.secret })).status).toBe(200);
      const rotated = (await server.call('POST', `/v1/keys/${made.key.id}/rotate`)).body;
      expect((await server.call('GET', '/v1/keys', { key: made.secret })).status).toBe(401);
      expect((await server.call('GET', '/v1/keys', { key: rotated.secret })).status).toBe(200);
      await server.call('DELETE', `/v1/keys/${made.key.id}`);
      expect((await server.call('GET', '/v1/keys', { key: rotated.secret })).status).toBe(401);
      expect((await server.call('DELETE', `/v1/keys/${made.key.id}`)).status).toBe(404);
      const listed = await server.call('GET', '/v1/keys');
      expect(listed.text).not.toContain(rotated.secret);
      expect(listed.text).not.toMatch(/"hash"/);
      const acts = (await server.call('GET', '/v1/acts?limit=3')).body.items.map(({ act }: { act: string }) => act);
      expect(acts).toEqual(['key.revoke', 'key.rotate', 'key.create']);
    });

    it('limits the rate of a key', async () => {
      const { secret } = (await server.call('POST', '/v1/keys', { body: { name: 'slow', rate: 2 } })).body;
      // All at once: on a busy machine, requests one after another may be slower than the rate.
      const call = () => server.call('GET', '/v1/memory-types', { key: secret });
      const answers = await Promise.all(Array.from({ length: 9 }, call));
      const limited = answers.filter(({ status }) => status === 429);
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(5);
      expect(limited.map(({ headers }) => headers.get('retry-after'))).toEqual(limited.map(() => '1'));
      expect(limited.length).toBeGreaterThanOrEqual(4);
    });

    it('limits wrong keys from one address, and never a valid one', async () => {
      const own = await startServer(place, { key: server.key, environment: { VARVE_FAILURE_LIMIT: '5' } });
      const wrong = `${own.key?.slice(0, -3)}abc`;
      const statuses: number[] = [];
      for (let index = 0; index < 8; index += 1) {
        statuses.push((await own.call('GET', '/v1/memories', { key: index % 2 === 0 ? wrong : 'nonsense' })).status);
        expect((await own.call('GET', '/v1/memories')).status).toBe(200);
      }
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
      const limited = await own.call('POST', '/mcp', { key: wrong, body: {} });
      expect([limited.status, limited.body.code, limited.headers.get('content-type')]).toEqual([
        429,
        'rate_limited',
        'application/problem+json',
      ]);
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
      // A request without a key guesses nothing, and a browser must be asked for a key.
      expect((await own.call('GET', '/metrics', { key: null })).status).toBe(401);
      const { text } = await own.call('GET', '/metrics');
      expect(text).toContain('varve_wrong_keys_total{status="401"} 5');
      expect(text).toContain('varve_wrong_keys_total{status="429"} 4');
      await own.stop();
    });

    it('refuses every wrong key after the same time', async () => {
      const known = `${server.key?.slice(0, -3)}abc`;
      for (const key of [known, 'nonsense', `varve_${'0'.repeat(26)}_${'a'.repeat(43)}`]) {
        const start = performance.now();
        expect((await server.call('GET', '/v1/memories', { key })).status).toBe(401);
        expect(performance.now() - start).toBeGreaterThan(24);
      }
    });

    it('refuses a key that another process has revoked', async () => {
      const second = await startServer(place, { key: server.key, parameters: ['--no-worker'] });
      const { key, secret } = (await server.call('POST', '/v1/keys', { body: { name: 'for two' } })).body;
      expect((await second.call('GET', '/v1/memories', { key: secret })).status).toBe(200);
      await server.call('DELETE', `/v1/keys/${key.id}`);
      const refused = async (): Promise<boolean> =>
        (await second.call('GET', '/v1/memories', { key: secret })).status === 401;
      await expect.poll(refused, { interval: 50, timeout: 10_000 }).toBe(true);
      await second.stop();
    });

    it('executes a request that timed out once, when it is repeated', async () => {
      const hurried = await startServer(place, {
        key: server.key,
        parameters: ['--no-worker'],
        environment: { VARVE_TIMEOUT: '1' },
      });
      const add = (to: ServerProcess, index: number): ReturnType<ServerProcess['call']> =>
        to.call('POST', '/v1/notes?user=late', {
          body: { title: `Note ${index}`, content: 'x'.repeat(10_000) },
          headers: { 'idempotency-key': `late-${index}` },
        });
      const first = await Promise.all(Array.from({ length: 30 }, (_, index) => add(hurried, index)));
      const late = first.filter(({ body }) => body.code === 'timed_out').length;
      expect(late).toBeGreaterThan(0);
      for (let index = 0; index < first.length; index += 1) {
        await expect.poll(async () => (await add(server, index)).status, { timeout: 10_000 }).toBe(201);
      }
      const { items } = (await server.call('GET', '/v1/notes?user=late&limit=100')).body;
      expect(items).toHaveLength(first.length);
      await hurried.stop();
    });

    it('limits bodies and explains what is wrong with input', async () => {
      const large = await server.call('POST', '/v1/events', { body: { content: 'x'.repeat(11 * 1024 * 1024) } });
      expect([large.status, large.body.code]).toEqual([413, 'too_large']);
      expect((await server.call('POST', '/v1/events', { body: '{"content":' })).body.code).toBe('invalid_input');
      const misspelt = await server.call('POST', '/v1/events', { body: { contents: 'x' } });
      expect([misspelt.status, misspelt.body.problems.length > 0]).toEqual([400, true]);
      expect((await server.call('GET', '/v1/memories?usr=ana')).status).toBe(400);
      const form = await server.call('POST', '/v1/events', {
        body: 'content=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(form.status).toBe(415);
    });

    it('[X1] erases a person over HTTP, and the answers that were stored for repeated requests', async () => {
      const path = '?user=gone&session=s';
      await server.call('POST', `/v1/events${path}`, { body: { content: 'A secret sentence about Gunnar.' } });
      await server.call('POST', `/v1/notes${path}`, {
        body: { title: 'Gunnar', content: 'A secret sentence about Gunnar.' },
        headers: { 'idempotency-key': 'gunnar' },
      });
      const detail = async (path: string, body?: unknown): Promise<string> => {
        const refused = await server.call('POST', path, { body });
        expect(refused.status).toBe(400);
        return (refused.body as { detail: string }).detail;
      };
      const right = 'This request erases everything of the user "gone". To confirm, send {"confirm":"gone"}.';
      expect(await detail('/v1/erase?user=gone', { confirm: 'someone' })).toBe(right);
      expect(await detail('/v1/erase?user=gone')).toContain('send JSON, for example {"confirm":"ana"}');
      expect(await detail('/v1/erase?user=gone', {})).toContain('confirm: is missing');
      expect(await detail('/v1/erase', { confirm: 'gone' })).toMatch(
        /everything of the tenant .*name the user: \?user=/,
      );
      const erased = await server.call('POST', '/v1/erase?user=gone', { body: { confirm: 'gone' } });
      expect(erased.body).toMatchObject({ events: 1, memories: 1 });
      expect((await server.call('GET', '/v1/stats?user=gone')).body).toMatchObject({
        events: 0,
        memories: 0,
        memoriesArchived: 0,
      });
      if (database.name === 'SQLite') {
        const files = readdirSync(place.folder).filter((name) => name.startsWith('varve.db'));
        const bytes = files.map((name) => readFileSync(join(place.folder, name), 'latin1')).join('');
        expect(bytes).not.toContain('secret sentence about Gunnar');
      }
    });

    it('limits requests for its description by address, and requires a key if configured', async () => {
      const limited = await startServer(place, { key: server.key, environment: { VARVE_RATE_LIMIT: '0.01' } });
      expect((await limited.call('GET', '/openapi.json', { key: null })).status).toBe(200);
      expect((await limited.call('GET', '/docs', { key: null })).status).toBe(429);
      // Requests without a key do not use up the limit of a key.
      expect((await limited.call('GET', '/v1/memories')).status).toBe(200);
      await limited.stop();
      const closed = await startServer(place, { key: server.key, environment: { VARVE_DOCS_NEED_KEY: '1' } });
      for (const path of ['/openapi.json', '/docs', '/docs/'])
        expect([path, (await closed.call('GET', path, { key: null })).status]).toEqual([path, 401]);
      expect((await closed.call('GET', '/openapi.json')).status).toBe(200);
      await closed.stop();
    });

    it('serves its metrics to a browser with Basic authentication', async () => {
      const basic = `Basic ${Buffer.from(`anyone:${server.key}`).toString('base64')}`;
      const page = await server.call('GET', '/metrics', { key: null, headers: { authorization: basic } });
      expect(page.status).toBe(200);
      const challenge = (await server.call('GET', '/metrics', { key: null })).headers.get('www-authenticate');
      expect(challenge).toContain('Basic realm=');
      expect(
        (
          await server.call('POST', '/v1/events', {
            key: null,
            headers: { authorization: basic },
            body: { content: 'x' },
          })
        ).status,
      ).toBe(401);
      const metrics = await server.call('GET', '/metrics');
      expect(metrics.text).toMatch(/varve_http_requests_total\{method="POST",route="\/v1\/events",status="201"\} \d+/);
      expect(metrics.text).not.toContain('ana');
    });

    it('logs without content', () => {
      const log = server.log.join('\n');
      expect(log).toContain('"route":"/v1/memories/:id"');
      for (const said of ['Minze', 'Oslo', 'Gunnar', server.key ?? '-']) expect(log).not.toContain(said);
      // A random id may contain these three letters.
      expect(log).not.toMatch(/\bana\b/);
      for (const line of server.log)
        expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), message: expect.any(String) });
    });
  });
}

describe('a server without an embedder, and then with one', () => {
  it('[K15] saves and finds by words without vectors, and embeds what is missing on demand, with counts of each kind', async () => {
    const place = await serverPlace();
    const without = await startServer(place);
    const client = createClient({ url: without.url, key: without.key ?? '' });
    const handle = client.for({ user: 'ana' });
    await handle.notes.add({ title: 'Bees', content: 'The hive needs a new queen.' });
    await handle.savedItems.add({ title: 'Honey', url: 'https://example.org/honey', summary: 'How honey is made.' });
    await handle.observe({ content: 'The garden has four hives.', kind: 'tool_result', origin: 'tool' });
    expect((await handle.recall('hive queen')).results[0]?.text).toContain('queen');
    expect(await client.backfill()).toEqual({});
    await without.stop();
    const secret = { 'x-reflection-secret': 'a secret of the operator' };
    const environment = { VARVE_EMBEDDER: 'local', VARVE_REFLECTION_SECRET: 'a secret of the operator' };
    const server = await startServer(place, { key: without.key, parameters: ['--no-worker'], environment });
    expect((await server.call('GET', '/v1/stats?user=ana')).body.vectorsWaiting).toBe(3);
    const filled = await server.call('POST', '/v1/backfill?rate=100', { key: null, headers: secret });
    expect([filled.status, filled.body]).toEqual([200, { note: 1, saved_item: 1, tool_result: 1 }]);
    expect((await server.call('POST', '/v1/backfill')).body).toEqual({});
    expect((await server.call('GET', '/v1/stats?user=ana')).body.vectorsWaiting).toBe(0);
    expect((await server.call('POST', '/v1/backfill', { key: null })).status).toBe(401);
    await server.stop();
    await place.remove();
  });
});

/** A key of another tenant, which the operator creates on the command line. */
async function otherTenant(place: ServerPlace): Promise<string> {
  const words = ['keys', 'create', 'other', '--access', 'admin', '--tenant', 'other', '--json'];
  const made = await runCli(words, { environment: { VARVE_DATA: place.folder, ...place.environment } });
  return (JSON.parse(made.stdout) as { secret: string }).secret;
}
