import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from './databases.ts';
import { serverPlace, startServer, type ServerPlace, type ServerProcess } from './server-process.ts';

const DEEP = 20_000;
const array = '['.repeat(DEEP) + ']'.repeat(DEEP);
const object = '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP);
const event = (index: number, rest: object = {}): string =>
  JSON.stringify({
    record: 'event',
    id: `evt_${String(index).padStart(26, '0')}`,
    scope: { user: 'd' },
    data: { content: `Line ${index}`, origin: 'tool' },
    ...rest,
  });
const NDJSON = { 'content-type': 'application/x-ndjson' };

describe.each(databases().filter(({ name, skip }) => name !== 'PGlite' && skip === null))(
  'hostile requests on $name',
  (database) => {
    let place: ServerPlace;
    let server: ServerProcess;
    beforeAll(async () => {
      place = await serverPlace(database);
      server = await startServer(place, { environment: { VARVE_TIMEOUT: '3000' } });
    });
    afterAll(async () => {
      await server.stop();
      await place.remove();
    });
    const internal = (): string[] => server.log.filter((line) => line.includes('"internal"'));

    /** Sends raw bytes, and returns what arrived until the server closed the connection. */
    const raw = async (...parts: (string | number | Uint8Array)[]): Promise<string> => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      let text = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
      socket.on('error', () => {});
      // `once` of node:events is not used, because it rejects on an error, and a reset after the answer is a valid refusal.
      const closed = new Promise((resolve) => socket.once('close', resolve));
      for (const part of parts) {
        if (typeof part === 'number') await new Promise((resolve) => setTimeout(resolve, part));
        else if (!socket.destroyed) socket.write(part);
      }
      await closed;
      return text;
    };
    const head = (first: string, ...headers: string[]): string =>
      [first, 'Host: 127.0.0.1', `Authorization: Bearer ${server.key}`, ...headers, '', ''].join('\r\n');

    it.each([
      ['POST', '/v1/events?user=u', `{"content":"x","metadata":{"a":${array}}}`],
      ['POST', '/v1/events?user=u', array],
      ['PUT', '/v1/blocks/scaffold?user=u', `{"content":${object}}`],
      ['POST', '/v1/user-context?user=u', `{"scaffoldUpdates":{"a":${array}}}`],
      ['POST', '/v1/tools/update_user_context?user=u', `{"scaffold_updates":{"a":${object}}}`],
      ['POST', '/v1/recall?user=u', `{"query":"x","options":{"filter":${object}}}`],
      ['PATCH', '/v1/connection/info?user=u&connection=c', `{"a":${array}}`],
      ['PUT', '/v1/connection/tool-schema?user=u&connection=c', `{"schema":${array}}`],
    ])('refuses input that is nested too deeply: %s %s', async (method, path, body) => {
      const answer = await server.call(method, path, { body });
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input']);
      expect(answer.body.detail).toContain('nested');
    });

    it.each(['"hello"', '7', 'null', '["a"]'])('refuses a scaffold that is no JSON object: %s', async (content) => {
      const answer = await server.call('PUT', '/v1/blocks/scaffold?user=u', { body: `{"content":${content}}` });
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input']);
      expect(answer.body.detail).toContain('JSON object');
      expect((await server.call('GET', '/v1/online-metrics')).status).toBe(200);
    });

    it('refuses compressed bodies with a clear error', async () => {
      const packed = {
        headers: { 'content-encoding': 'gzip' },
        body: gzipSync('x'.repeat(50_000_000)).toString('latin1'),
      };
      for (const path of ['/v1/events?user=u', '/v1/import?user=u', '/mcp?user=u']) {
        const { status, body } = await server.call('POST', path, packed);
        expect([path, status, body.code]).toEqual([path, 415, 'unsupported_media_type']);
      }
    });

    it('accepts names that have a meaning in JavaScript, such as __proto__, as plain names', async () => {
      const metadata = JSON.parse(
        '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
      ) as object;
      const memory = { type: 'fact', content: 'Plain.', metadata };
      const { body } = await server.call('POST', '/v1/memories?user=p', { body: { memory } });
      expect(body.memory.metadata.isAdmin).toBeUndefined();
      await server.call('PUT', '/v1/blocks/scaffold?user=p', { body: { content: metadata } });
      await server.call('PUT', '/v1/facts/constructor?user=p', { body: { value: 'x' } });
      expect((await server.call('POST', '/v1/context?user=p', { body: { message: 'x' } })).status).toBe(200);
      for (const path of ['/v1/stats?__proto__=x', '/v1/memories?__proto__=x', '/v1/stats?constructor=x'])
        expect([path, (await server.call('GET', path)).status]).toEqual([path, 400]);
      for (const path of ['/v1/blocks/__proto__', '/v1/blocks/constructor', '/v1/tools/constructor'])
        expect(
          (await server.call(path.includes('tools') ? 'POST' : 'GET', path, path.includes('tools') ? { body: {} } : {}))
            .status,
        ).toBeLessThan(500);
      expect(internal()).toEqual([]);
    });

    it('accepts bodies with ordinary nesting', async () => {
      const metadata = JSON.parse('{"a":'.repeat(90) + '1' + '}'.repeat(90)) as object;
      const quoted = '['.repeat(500);
      const answer = await server.call('POST', '/v1/events?user=u', { body: { content: quoted, metadata } });
      expect(answer.status).toBe(201);
    });

    it('imports the valid lines around an invalid line, and reports its number', async () => {
      const revision = {
        record: 'revision',
        scope: { user: 'd' },
        recordId: `mem_${'0'.repeat(26)}`,
        version: 1,
        at: 0,
        reason: 'r',
        actor: 'a',
        before: { text: 'a\u0000b' },
      };
      const lines = [
        event(1),
        '{{{',
        event(2, { data: { content: 'x', metadata: JSON.parse('{"a":'.repeat(99) + '1' + '}'.repeat(99)) as object } }),
        JSON.stringify(revision),
        JSON.stringify({ ...revision, before: { half: '\ud800' } }),
        event(3, { id: 'evt_../../x' }),
        event(4),
      ];
      const { status, body } = await server.call('POST', '/v1/import', { body: lines.join('\n'), headers: NDJSON });
      expect(status).toBe(200);
      expect(body).toMatchObject({ read: 7, imported: { event: 2 }, rejected: 5 });
      expect(body.problems.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4, 5, 6]);
      expect(body.problems[0].problem).toBe('The line is not valid JSON.');
      expect(internal()).toEqual([]);
    });

    it('refuses cursors that it has not issued', async () => {
      for (const made of ['["newest",1e308]', '["newest",1.5]', '["newest"]', '{}', '']) {
        const cursor = Buffer.from(made).toString('base64url');
        for (const path of ['/v1/memories?', '/v1/events?', '/v1/jobs?', '/v1/acts?', '/v1/notes?user=u&']) {
          const { status } = await server.call('GET', `${path}cursor=${cursor}`);
          expect([path, made, status]).toEqual([path, made, 400]);
        }
      }
      expect((await server.call('GET', '/v1/changes?after=9-9')).status).toBe(400);
      expect((await server.call('GET', '/v1/changes', { headers: { 'last-event-id': '9-9' } })).status).toBe(400);
    });

    it('does not report a truncated body as a server error', async () => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      const body = ['Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue'];
      socket.write(head('POST /v1/interactions?user=u HTTP/1.1', ...body));
      // The server requests the body after it has read the head.
      await once(socket, 'data');
      socket.destroy();
      // No other test of this file requests this route.
      await expect.poll(() => server.log.join('\n')).toContain('"route":"/v1/interactions"');
      expect(internal()).toEqual([]);
    });

    it('answers pipelined requests in order, and refuses ambiguous ones', async () => {
      const asked = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(20);
      const answered = await raw(asked, 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
      expect(answered.match(/HTTP\/1\.1 200/g)).toHaveLength(21);
      const post = 'POST /v1/events HTTP/1.1';
      expect(await raw(`${head(post, 'Content-Length: 2', 'Content-Length: 3')}{}`)).toMatch(/^HTTP\/1\.1 400/);
      expect(await raw(`${head(post, 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 400/,
      );
      expect(await raw(head('GET /health HTTP/1.1', `X-Long: ${'x'.repeat(20_000)}`))).toMatch(/^HTTP\/1\.1 431/);
    });

    it('lists the allowed methods of existing paths, and nothing for other paths', async () => {
      const wrong = await server.call('DELETE', '/v1/events');
      expect([wrong.status, wrong.body.code, wrong.headers.get('allow')]).toEqual([
        405,
        'method_not_allowed',
        'POST, GET',
      ]);
      expect((await server.call('GET', '/v1/nothing')).status).toBe(404);
      expect((await server.call('DELETE', '/v1/events', { key: null })).status).toBe(401);
    });

    // These three run in parallel, because the first waits for the time limit of requests.
    it.concurrent('closes connections with an incomplete request', { timeout: 20_000 }, async ({ expect }) => {
      const [slow, endless, overMcp] = await Promise.all([
        raw(
          head('POST /v1/events?user=u HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 100'),
          '{"content"',
        ),
        raw(
          head('POST /v1/events?user=u HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked'),
          '1\r\n{\r\n',
        ),
        raw(head('POST /mcp?user=u HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 100'), '{"jsonrpc"'),
      ]);
      expect(slow).toMatch(/^HTTP\/1\.1 504 [^]*"timed_out"/);
      expect(endless).toMatch(/^HTTP\/1\.1 504 /);
      expect(overMcp).toMatch(/^HTTP\/1\.1 504 [^]*"timed_out"/);
    });

    it.concurrent('limits the streams of changes for each key, and releases the slot of a client that disconnects', async ({
      expect,
    }) => {
      const own = await startServer(place, { key: server.key, environment: { VARVE_FOLLOWER_LIMIT: '3' } });
      let leaving = new AbortController();
      const follow = (): Promise<Response> =>
        fetch(`${own.url}/v1/changes`, {
          headers: { authorization: `Bearer ${server.key}` },
          signal: leaving.signal,
        });
      const first = await Promise.all([follow(), follow(), follow()]);
      expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
      const refused = await follow();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
      leaving.abort();
      leaving = new AbortController();
      await expect.poll(async () => (await follow()).status).toBe(200);
      leaving.abort();
      expect(await own.stop()).toBe(0);
    });
  },
);
