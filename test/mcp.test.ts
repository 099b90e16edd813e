import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_TOOLS, TOOL_SETS } from '../src/tools/agent-tools.ts';
import { databases } from './databases.ts';
import { serverPlace, startServer, type ServerPlace, type ServerProcess } from './server-process.ts';
import { estimateTokens } from '../src/language/words.ts';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

// Tests read answers of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

describe.each(databases().filter(({ name, skip }) => name !== 'PGlite' && skip === null))(
  'MCP on $name',
  (database) => {
    let place: ServerPlace;
    let server: ServerProcess;
    const clients: Client[] = [];

    const overStdio = async (...parameters: string[]): Promise<Client> => {
      const client = new Client({ name: 'test', version: '1' });
      const data = place.environment['DATABASE_URL'] === undefined ? ['--data', place.folder] : [];
      const environment = { ...(process.env as Record<string, string>), VARVE_EMBEDDER: 'none', ...place.environment };
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [MAIN, 'mcp', ...data, ...parameters],
          env: environment,
        }),
      );
      clients.push(client);
      return client;
    };
    // There is one process for each choice of tools, because starting one takes most of the time of a test.
    const started = new Map<string | undefined, Promise<Client>>();
    const overStdioOnce = (tools?: string): Promise<Client> => {
      const client =
        started.get(tools) ?? overStdio('--user', 'ana', ...(tools === undefined ? [] : ['--tools', tools]));
      started.set(tools, client);
      return client;
    };
    const overHttp = async (query = '', key = server.key): Promise<Client> => {
      const client = new Client({ name: 'test', version: '1' });
      const headers = { authorization: `Bearer ${key}` };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${server.url}/mcp${query}`), { requestInit: { headers } }),
      );
      clients.push(client);
      return client;
    };
    const call = async (client: Client, name: string, input: Record<string, unknown>): Promise<Loose> =>
      client.callTool({ name, arguments: input });

    beforeAll(async () => {
      place = await serverPlace(database);
      server = await startServer(place);
    });
    afterAll(async () => {
      for (const client of clients) await client.close();
      await server.stop();
      await place.remove();
    });

    for (const [door, connect] of [
      ['stdio', overStdioOnce],
      ['HTTP', (tools?: string) => overHttp(`?user=ana${tools === undefined ? '' : `&tools=${tools}`}`)],
    ] as const) {
      it(`offers seven tools in at most 1,500 tokens over ${door}, and mentions no others`, async () => {
        const client = await connect();
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toEqual(TOOL_SETS.everyday.map(({ name }) => name));
        expect(tools).toHaveLength(7);
        expect(estimateTokens(JSON.stringify({ tools }))).toBeLessThanOrEqual(1500);
        const said = client.getInstructions() ?? '';
        for (const { name } of AGENT_TOOLS)
          expect([name, new RegExp(`\\b${name}\\b`).test(said)]).toEqual([
            name,
            tools.some((tool) => tool.name === name) && name !== 'list_due',
          ]);
      });

      it(`offers all tools or those that are named over ${door}, with output schemas and hints`, async () => {
        const { tools } = await (await connect('all')).listTools();
        // A client that names no connection does not get the tool that learns about one.
        const names = AGENT_TOOLS.map(({ name }) => name).filter((name) => name !== 'update_connection_context');
        expect(tools.map(({ name }) => name)).toEqual(names);
        for (const tool of tools) {
          const hints = AGENT_TOOLS.find(({ name }) => name === tool.name)?.hints;
          expect(tool.outputSchema).toMatchObject({ type: 'object' });
          // By the protocol’s defaults, a tool without hints changes records and may remove some.
          expect(tool.annotations?.readOnlyHint ?? false).toBe(hints?.readOnly);
          if (hints?.readOnly === false) expect(tool.annotations?.destructiveHint ?? true).toBe(hints.destructive);
        }
        const named = await (await connect('recall_facts,everyday')).listTools();
        expect(named.tools).toHaveLength(8);
        await expect(connect('no_such_tool').then((client) => client.listTools())).rejects.toThrow(/./);
      });

      it(`remembers, searches, corrects, forgets and lists what is due over ${door}`, async () => {
        const client = await connect();
        const pet = `parrot${door.toLowerCase()}`;
        const saved = await call(client, 'remember', { text: `The ${pet} is called Kiki.` });
        expect(saved.structuredContent).toMatchObject({
          outcome: 'saved',
          memory: { text: `The ${pet} is called Kiki.` },
        });
        const found = await call(client, 'search_memory', { query: `name of the ${pet}` });
        expect(found.structuredContent).toMatchObject({
          known: true,
          results: [{ text: `The ${pet} is called Kiki.` }],
        });
        const { id } = saved.structuredContent.memory as { id: string };
        const right = await call(client, 'correct', { what: id, text: `The ${pet} is called Koko.` });
        expect(right.structuredContent).toMatchObject({
          outcome: 'corrected',
          memory: { text: `The ${pet} is called Koko.` },
        });
        await call(client, 'log_conversation', { messages: [{ role: 'user', content: `My ${pet} sings at night.` }] });
        expect(
          (await call(client, 'get_context', { message: `Who is the ${pet}?` })).structuredContent.context,
        ).toContain('Koko');
        expect((await call(client, 'forget', { what: `${pet} Koko` })).structuredContent.forgotten).toHaveLength(1);
        expect((await call(client, 'forget', { what: `${pet} Koko` })).structuredContent.forgotten).toEqual([]);
        await call(client, 'remember', { text: `Feed the ${pet}`, due: '2026-03-01' });
        const due = await call(client, 'list_due', { until: '2026-03-02' });
        const plan = (due.structuredContent.due as { id: string; text: string }[]).find(({ text }) =>
          text.includes(pet),
        );
        expect(plan).toMatchObject({ text: `Feed the ${pet}`, due: '2026-03-01T00:00:00.000Z' });
        expect((await call(client, 'correct', { what: plan?.id, done: true })).structuredContent.outcome).toBe(
          'corrected',
        );
        const left = await call(client, 'list_due', {});
        expect(JSON.stringify(left.structuredContent)).not.toContain(pet);
      });

      it(`accepts a valid call of every other tool over ${door}`, async () => {
        const client = await connect('all');
        const mark = `quince${door.toLowerCase()}`;
        const answer = async (name: string, input: Record<string, unknown> = {}): Promise<string> => {
          const called = await call(client, name, input);
          expect([name, called.isError ?? false]).toEqual([name, false]);
          return JSON.stringify(called.structuredContent);
        };
        const tried = new Map<string, string>();
        const take = async (name: string, input?: Record<string, unknown>): Promise<string> => {
          tried.set(name, await answer(name, input));
          return tried.get(name) ?? '';
        };
        await answer('log_conversation', { messages: [{ role: 'user', content: `My ${mark} tree bears no fruit.` }] });
        await answer('remember', { text: `The ${mark} stands behind the barn.` });
        for (const name of ['search_user_memories', 'search_history', 'semantic_search', 'find_everything'])
          expect(await take(name, { query: mark })).toContain(mark);
        await take('add_note', { title: `Pruning the ${mark}`, content: 'In February.', tags: [mark] });
        expect(await take('list_notes', { tags: [mark] })).toContain(`Pruning the ${mark}`);
        await take('save_item', { title: `About the ${mark}`, url: `https://example.org/${mark}`, tags: [mark] });
        expect(await take('list_saved_items', { tags: [mark] })).toContain(`About the ${mark}`);
        for (const [name, state] of [
          ['complete_intention', 'done'],
          ['dismiss_intention', 'dismissed'],
        ] as const) {
          await answer('remember', { text: `Water the ${mark} (${state})`, due: '2026-04-01' });
          const { intentions } = JSON.parse(await take('list_intentions')) as {
            intentions: { id: string; text: string }[];
          };
          const id = intentions.find(({ text }) => text === `Water the ${mark} (${state})`)?.id;
          expect(JSON.parse(await take(name, { id }))).toMatchObject({ intention: { id, state } });
        }
        const inOtherTests =
          /remember|forget|correct|get_context|log_|list_due|search_memory|_facts|_observation|_user_context/;
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name).filter((name) => !tried.has(name) && !inOtherTests.test(name))).toEqual(
          [],
        );
      });

      it(`accepts input as models send it over ${door}`, async () => {
        const client = await connect('all');
        const mark = `medlar${door.toLowerCase()}`;
        const answer = async (name: string, input: Record<string, unknown>): Promise<Loose> => {
          const called = await call(client, name, input);
          expect([name, called.isError ?? false, called.content[0].text]).toEqual([name, false, expect.anything()]);
          return called.structuredContent;
        };
        const nothing = { key: null, value: '', due: null, source: '' };
        expect(await answer('remember', { text: `The ${mark} is ripe.`, ...nothing })).toMatchObject({
          outcome: 'saved',
        });
        for (const limit of [null, '5', 0, 5000, 2.5])
          expect((await answer('search_memory', { query: mark, limit, sources: 'Memory' })).results).toHaveLength(1);
        const roles = [
          { role: 'Human', content: [{ type: 'text', text: `I planted the ${mark}.` }] },
          { role: 'ai', content: 'Well done.' },
          { role: 'system', content: `The ${mark} grows in Rome.` },
          { role: 'Developer', content: `The ${mark} grows in Bonn.` },
        ];
        expect(await answer('log_conversation', { messages: JSON.stringify(roles) })).toEqual({ logged: 2 });
        const { items } = (await server.call('GET', '/v1/events?user=ana&kinds=message')).body as {
          items: { content: string; origin: string }[];
        };
        expect(items.find(({ content }) => content.includes(mark))?.origin).toBe('user');
        expect(await answer('remember_fact', { key: 'shoe_size', value: 43 })).toMatchObject({ value: '43' });
        // A reminder that is due before the end is listed, however long it has been due.
        await answer('remember', { text: `Prune the ${mark}`, due: '2030-01-02' });
        for (const until of [null, '2030-01-02', '2031-12-31', '2031-12-31T10:00:00+01:00'])
          expect(JSON.stringify(await answer('list_due', { until }))).toContain(`Prune the ${mark}`);
        expect(JSON.stringify(await answer('list_due', { until: '2030-01-01' }))).not.toContain(mark);
        expect(JSON.stringify(await answer('list_intentions', { due_before: '2031-12-31' }))).toContain(mark);
        for (const [name, input] of [
          ['search_memory', { query: ['a'] }],
          ['search_memory', { query: mark, sources: ['gossip'] }],
          ['list_due', { until: '2030-13-45' }],
          ['log_conversation', { messages: 'User: hello' }],
          ['log_conversation', { messages: [{ role: 'narrator', content: 'Night falls.' }] }],
        ] as const)
          expect([name, (await call(client, name, input)).isError]).toEqual([name, true]);
      });

      it(`returns helpful error messages over ${door}`, async () => {
        const client = await connect();
        const wrong = await call(client, 'remember', { content: 'Likes figs.' });
        expect([wrong.isError, wrong.content[0].text]).toEqual([true, expect.stringMatching(/text: .*"content"/)]);
        const { structuredContent } = await call(client, 'remember', {
          text: door === 'HTTP' ? 'I am allergic to kiwi and wasps.' : 'I am allergic to mango and bees.',
        });
        expect(JSON.stringify(structuredContent)).toMatch(/kiwi.*wasps|mango.*bees/);
        const { context } = (await call(client, 'get_context', {})).structuredContent as { context: string };
        expect((await call(client, 'get_context', {})).content[0].text).toBe(context);
        expect(context).toContain('<memory>');
      });

      it(`refuses an invalid date with an explanation over ${door}`, async () => {
        const wrong = await call(await connect(), 'remember', { text: 'Call Mum', due: 'next Tuesday' });
        expect([wrong.isError, wrong.content[0].text]).toEqual([true, expect.stringContaining('ISO 8601')]);
      });

      it(`[K6] remembers, recalls and forgets facts over ${door}`, async () => {
        const client = await connect('all');
        const key = `pet_${door.toLowerCase()}`;
        const remembered = await call(client, 'remember_fact', { key, value: 'a cat', category: 'personal' });
        expect(remembered.structuredContent).toMatchObject({ key, outcome: 'added' });
        const replaced = await call(client, 'remember_fact', { key, value: 'two cats', category: 'personal' });
        expect(replaced.structuredContent).toMatchObject({ outcome: 'replaced' });
        const recalled = await call(client, 'recall_facts', { query: key });
        expect(recalled.structuredContent.facts.personal).toContainEqual(
          expect.objectContaining({ key, value: 'two cats' }),
        );
        expect((await call(client, 'forget_fact', { key })).structuredContent).toMatchObject({ forgotten: true });
        const { facts } = (await call(client, 'recall_facts', { query: key })).structuredContent;
        expect(JSON.stringify(facts)).not.toContain(key);
      });

      it(`[T3] [T4] stores observations and context updates as events first over ${door}`, async () => {
        const client = await connect('all');
        const before = (await server.call('GET', '/v1/events?user=ana&kinds=observation')).body.items.length as number;
        expect(
          (await call(client, 'record_observation', { content: `Likes ${door}.`, category: 'preference' })).isError,
        ).toBeFalsy();
        const updated = await call(client, 'update_user_context', {
          scaffold_updates: { role: 'cook' },
          persistent_info_additions: ['Works at night.'],
        });
        expect(updated.isError).toBeFalsy();
        const { items } = (await server.call('GET', '/v1/events?user=ana&kinds=observation')).body;
        expect(items.length - before).toBe(3);
        expect(
          items
            .slice(0, 3)
            .map(({ category }: { category: string }) => category)
            .toSorted(),
        ).toEqual(['learned_fact', 'preference', 'scaffold_update']);
        for (const [given, kept] of [
          ['Preferences', 'preference'],
          ['projectDetails', 'project_details'],
          ['gossip', 'fact'],
        ]) {
          const { id } = (await call(client, 'record_observation', { content: `Of ${given}`, category: given }))
            .structuredContent as { id: string };
          expect((await server.call('GET', `/v1/events/${id}?user=ana`)).body.category).toBe(kept);
        }
        const spelled = await call(client, 'remember_fact', {
          key: 'Favourite Colour',
          value: door,
          category: 'Tastes',
        });
        expect(spelled.structuredContent).toMatchObject({ key: 'favourite_colour' });
      });
    }

    it('offers memories and blocks as resources, and prompts for recall and remember', async () => {
      await server.call('POST', '/v1/memories?user=res', {
        body: { memory: { type: 'fact', content: 'Keeps bees.' } },
      });
      await server.call('PUT', '/v1/blocks/profile?user=res', { body: { content: 'A beekeeper.' } });
      const client = await overHttp('?user=res');
      const { resources } = await client.listResources();
      const memory = resources.find(({ uri }) => uri.startsWith('varve://memories/'));
      expect(memory?.name).toBe('Keeps bees.');
      const read = (await client.readResource({ uri: memory?.uri ?? '' })) as Loose;
      expect(JSON.parse(read.contents[0].text)).toMatchObject({ content: 'Keeps bees.' });
      const profile = (await client.readResource({ uri: 'varve://blocks/profile' })) as Loose;
      expect(profile.contents[0].text).toBe('A beekeeper.');
      await expect(client.readResource({ uri: 'varve://memories/mem_nothing' })).rejects.toThrow('no memory');
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name).toSorted()).toEqual(['recall', 'remember']);
      const recall = (await client.getPrompt({ name: 'recall', arguments: { query: 'bees' } })) as Loose;
      expect(recall.messages[0].content.text).toContain('bees');
      const remember = (await client.getPrompt({ name: 'remember', arguments: { text: 'Moves to Oslo.' } })) as Loose;
      expect(remember.messages[0].content.text).toContain('Moves to Oslo.');
    });

    it('offers the connection tool if a connection is named', async () => {
      const client = await overHttp('?user=ana&connection=mail&tools=all');
      const learned = await call(client, 'update_connection_context', { learned_info: { signature: 'Ana' } });
      expect(learned.structuredContent).toEqual({ learned_info: { signature: 'Ana' } });
    });

    it('serves several clients at the same time on one store', async () => {
      const several = await Promise.all([
        overStdio('--user', 'many', '--tools', 'all'),
        overStdio('--user', 'many', '--tools', 'all'),
        overHttp('?user=many&tools=all'),
        overHttp('?user=many&tools=all'),
      ]);
      const calls = several.flatMap((client, index) =>
        Array.from({ length: 5 }, (_, turn) =>
          call(client, 'remember_fact', { key: `fact_${index}_${turn}`, value: `value ${turn}` }),
        ),
      );
      expect((await Promise.all(calls)).every(({ isError }) => !isError)).toBe(true);
      for (const client of several) expect((await call(client, 'recall_facts', {})).structuredContent.count).toBe(20);
    });

    it('lets a client cancel a call, and continues', async () => {
      for (const client of [
        await overStdio('--user', 'cancel', '--tools', 'all'),
        await overHttp('?user=cancel&tools=all'),
      ]) {
        const stop = new AbortController();
        const called = client.callTool(
          { name: 'search_memory', arguments: { query: 'anything' } },
          { signal: stop.signal },
        );
        stop.abort();
        await expect(called).rejects.toThrow(/./);
        expect((await call(client, 'recall_facts', {})).structuredContent.count).toBe(0);
      }
    });

    it('protects /mcp like the other routes', async () => {
      const headers = { accept: 'application/json, text/event-stream' };
      const asked = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const answer = await server.call('POST', '/mcp?user=ana', { body: asked, headers });
      expect([answer.status, answer.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
      expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
      const large = await server.call('POST', '/mcp?user=ana', {
        body: { ...asked, pad: 'x'.repeat(5_000_000) },
        headers,
      });
      expect([large.status, large.body.code]).toEqual([413, 'too_large']);
      expect((await server.call('GET', '/v1/stats')).status).toBe(200);
    });

    it('refuses input that is nested too deeply over both transports, and continues', async () => {
      // The client’s own stack overflows at a few thousand levels.
      let deep: unknown = 1;
      for (let level = 0; level < 500; level += 1) deep = [deep];
      for (const client of [
        await overStdio('--user', 'deep', '--tools', 'all'),
        await overHttp('?user=deep&tools=all'),
      ]) {
        const told = await call(client, 'update_user_context', { scaffold_updates: { a: deep } }).catch(
          (error: unknown) => String(error),
        );
        expect(told).toContain('nested deeper than 100 levels');
        expect((await call(client, 'recall_facts', {})).structuredContent.count).toBe(0);
      }
    });

    it('opens only the URIs of memories and blocks, and none of another user', async () => {
      const { memory } = (
        await server.call('POST', '/v1/memories?user=hers', { body: { memory: { type: 'fact', content: 'Hers.' } } })
      ).body as { memory: { id: string } };
      const client = await overHttp('?user=his');
      for (const uri of [
        'file:///etc/passwd',
        'varve://memories/..%2f..%2fetc%2fpasswd',
        'varve://blocks/../../etc/passwd',
        'varve://blocks/constructor',
        `varve://memories/${memory.id}`,
        `varve://memories/${memory.id}?user=hers`,
      ])
        await expect(client.readResource({ uri })).rejects.toThrow(/no memory|not found/i);
    });

    it('keeps clients within the limits of their key', async () => {
      const reader = (await server.call('POST', '/v1/keys', { body: { name: 'r', access: 'read', users: ['ana'] } }))
        .body.secret as string;
      const client = await overHttp('', reader);
      const { tools } = await client.listTools();
      expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
      await expect(overHttp('?user=bea', reader)).rejects.toThrow(/./);
      await expect(overHttp('', 'wrong')).rejects.toThrow(/./);
    });
  },
);
