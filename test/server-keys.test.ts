import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../src/http/operations/operations.ts';
import { AGENT_TOOLS } from '../src/tools/agent-tools.ts';
import { databases } from './databases.ts';
import { serverPlace, startServer, type Answered, type ServerPlace, type ServerProcess } from './server-process.ts';

const SECRET = 'xylophone';
const NDJSON = { 'content-type': 'application/x-ndjson' };
const PLACES: Readonly<Record<string, string>> = { kind: 'profile', key: 'home_city', name: 'search_memory' };

describe.each(databases().filter(({ name, skip }) => name !== 'PGlite' && skip === null))(
  'keys of one tenant on $name',
  (database) => {
    let place: ServerPlace;
    let server: ServerProcess;
    /** A key that reaches only the user `bob` and has full access there. */
    let bob: string;
    /** A memory of Ana, a memory that all users share, and an event of Ana. */
    let hers: string;
    let shared: string;
    let event: string;

    const make = async (key: object): Promise<string> =>
      (await server.call('POST', '/v1/keys', { body: key })).body.secret as string;
    /** All records that are not Bob’s, as an export has them. */
    const others = async (): Promise<string[]> => {
      const { text } = await server.call('GET', '/v1/export');
      return text.split('\n').filter((line) => line.includes('"scope"') && !line.includes('"user":"bob"'));
    };
    const asBob = (lines: readonly object[]): Promise<Answered> =>
      server.call('POST', '/v1/import', {
        key: bob,
        body: lines.map((line) => JSON.stringify(line)).join('\n'),
        headers: NDJSON,
      });

    beforeAll(async () => {
      place = await serverPlace(database);
      server = await startServer(place, {
        parameters: ['--no-worker', '--log', 'error'],
        environment: { VARVE_RATE_LIMIT: '0' },
      });
      bob = await make({ name: 'bob', users: ['bob'], access: 'admin' });
      const memory = { type: 'fact', content: `Ana plays the ${SECRET}.` };
      hers = (await server.call('POST', '/v1/memories?user=ana', { body: { memory } })).body.memory.id as string;
      const rule = { type: 'fact', content: 'The office is closed on Fridays.' };
      shared = (await server.call('POST', '/v1/memories', { body: { memory: rule } })).body.memory.id as string;
      event = (await server.call('POST', '/v1/events?user=ana&session=s', { body: { content: SECRET } })).body.events[0]
        .id as string;
      await server.call('PUT', '/v1/blocks/profile?user=ana', { body: { content: SECRET } });
    });
    afterAll(async () => {
      await server.stop();
      await place.remove();
    });

    it('refuse every operation that needs more access', async () => {
      const [reader, writer] = [await make({ name: 'r', access: 'read' }), await make({ name: 'w' })];
      const before = await others();
      const ask = (key: string, { method, path }: { method: string; path: string }): Promise<Answered> =>
        server.call(
          method.toUpperCase(),
          path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PLACES[name] ?? hers),
          {
            key,
            ...(method === 'get' || method === 'delete' ? {} : { body: {} }),
          },
        );
      const refused = async (key: string, operations: typeof OPERATIONS): Promise<string[]> => {
        const answers = await Promise.all(operations.map((one) => ask(key, one)));
        return answers.flatMap(({ status, body }, index) =>
          status === 403 && body.code === 'forbidden' ? [] : [`${operations[index]?.id}: ${status}`],
        );
      };
      const writes = OPERATIONS.filter(({ access }) => access !== 'read');
      expect(writes.length).toBeGreaterThan(40);
      expect(await refused(reader, writes)).toEqual([]);
      expect(
        await refused(
          writer,
          OPERATIONS.filter(({ access }) => access === 'admin'),
        ),
      ).toEqual([]);
      // The operations that a read key may call with a body.
      expect(
        OPERATIONS.filter(({ access, method }) => access === 'read' && method !== 'get').map(({ id }) => id),
      ).toEqual(['assembleContext', 'recall', 'recallMany', 'callTool']);
      for (const { name } of AGENT_TOOLS.filter(({ hints }) => !hints.readOnly)) {
        const { status } = await server.call('POST', `/v1/tools/${name}?user=ana`, { key: reader, body: {} });
        expect([name, status]).toEqual([name, 403]);
      }
      expect(await others()).toEqual(before);
    });

    it('reach no other user, however the user is named', async () => {
      const before = await others();
      const problems: string[] = [];
      for (const { id, method, path, scoped, body } of OPERATIONS) {
        for (const search of scoped
          ? ['user=ana', 'user=bob&user=ana', 'user=', 'user=BOB', 'user=bob%00']
          : ['user=ana']) {
          const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PLACES[name] ?? hers);
          const { status, text } = await server.call(method.toUpperCase(), `${filled}?${search}`, {
            key: bob,
            headers: { 'x-user': 'ana', user: 'ana' },
            ...(body === undefined ? {} : { body: { user: 'ana' } }),
          });
          if (text.includes(SECRET)) problems.push(`${id} ${search} gives content away`);
          if (scoped ? ![400, 403].includes(status) : ![400, 403, 404].includes(status))
            problems.push(`${id} ${search}: ${status} ${text}`);
        }
      }
      expect(problems).toEqual([]);
      expect(await others()).toEqual(before);
    });

    it('change nothing of another user or of all users, by an id or by a level', async () => {
      const before = await others();
      const send = (method: string, path: string, body?: unknown): Promise<Answered> =>
        server.call(method, path, { key: bob, body });
      for (const id of [hers, shared, event]) {
        const statuses = [
          await send('PATCH', `/v1/memories/${id}`, { change: { content: 'Mine.' } }),
          await send('DELETE', `/v1/memories/${id}`),
          await send('POST', `/v1/memories/${id}/restore`),
          await send('POST', `/v1/memories/${id}/supersede`, { memory: { type: 'fact', content: 'Mine.' } }),
          await send('POST', '/v1/memories', { memory: { type: 'fact', content: 'No.', contradicts: id } }),
          await send('POST', `/v1/memories/${id}/erase`),
          await send('POST', `/v1/intentions/${id}/done`),
          await send('DELETE', `/v1/learnings/${id}`),
        ].map(({ status }) => status);
        // The status 400 occurs, because a memory cannot contradict a memory that the key does not see.
        for (const status of statuses) expect([400, 403, 404]).toContain(status);
      }
      for (const level of ['tenant', 'agent']) {
        const memory = { type: 'fact', content: 'Everybody sings.', level };
        for (const answer of [
          await send('POST', '/v1/memories?agent=a', { memory }),
          await send('PUT', `/v1/blocks/profile?agent=a&level=${level}`, { content: 'x' }),
        ])
          expect([level, answer.status]).toEqual([level, 403]);
      }
      expect(await others()).toEqual(before);
    });

    it('import nothing into records of other users or of all users', async () => {
      const before = await others();
      const history = (await server.call('GET', `/v1/memories/${hers}/history?user=ana`)).body as unknown;
      const id = (digit: string): string => digit.repeat(26);
      const line = { scope: { user: 'bob' }, at: '2026-01-01', reason: 'x', actor: 'ana' };
      const { body } = await asBob([
        {
          record: 'memory',
          id: `mem_${id('1')}`,
          scope: { user: 'bob' },
          data: { type: 'fact', content: 'A.', level: 'tenant' },
        },
        {
          record: 'memory',
          id: `mem_${id('2')}`,
          scope: { user: 'bob', agent: 'a' },
          data: { type: 'fact', content: 'B.', level: 'agent' },
        },
        { record: 'memory', id: `mem_${id('3')}`, scope: { user: 'ana' }, data: { type: 'fact', content: 'C.' } },
        {
          record: 'memory',
          id: `mem_${id('4')}`,
          scope: { tenant: 'other', user: 'bob' },
          data: { type: 'fact', content: 'D.' },
        },
        { ...line, record: 'revision', recordId: hers, version: 2, before: { content: 'Ana said so.' } },
        { ...line, record: 'revision', recordId: shared, version: 2, before: null },
        {
          record: 'memory',
          id: `mem_${id('5')}`,
          scope: { user: 'bob' },
          data: { type: 'fact', content: 'E.', sourceEvents: [event] },
        },
      ]);
      expect(await others()).toEqual(before);
      expect((await server.call('GET', `/v1/memories/${hers}/history?user=ana`)).body).toEqual(history);
      // The memory can still be changed, because the import has not taken its next version number.
      const change = { change: { importance: 0.9 } };
      expect((await server.call('PATCH', `/v1/memories/${hers}?user=ana`, { body: change })).status).toBe(200);
      const fifth = await server.call('GET', `/v1/memories/mem_${id('5')}`, { key: bob });
      expect(fifth.body.sourceEvents).toEqual([]);
      // The tenant and user of a line are replaced by those of the key, so the third and the fourth are Bob’s now. Ids of other users are
      // treated like unknown ids, so that the answer does not reveal whether they exist.
      expect(body.imported).toEqual({ memory: 3, revision: 2 });
      expect((body.problems as { line: number }[]).map((problem) => problem.line)).toEqual([1, 2]);
    });
  },
);
