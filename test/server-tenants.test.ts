import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonSchema } from '../src/http/json-schema.ts';
import type { OpenApiDocument } from '../src/http/openapi.ts';
import { databases } from './databases.ts';
import { runCli } from './run-cli.ts';
import { serverPlace, startServer, type Answered, type ServerPlace, type ServerProcess } from './server-process.ts';

interface Described {
  operationId: string;
  parameters: { name: string; in: string; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema; example: unknown }> };
}

/** A request with a placeholder for an id. */
interface Probe {
  operation: string;
  where: string;
  send(id: string, user: string): Promise<Answered>;
}

const SECRET = 'xylophone';
// These operations stream their requests or answers.
const APART = new Set(['changes', 'export', 'import']);

describe.each(databases().filter(({ name, skip }) => name !== 'PGlite' && skip === null))(
  'two tenants on $name',
  (database) => {
    let place: ServerPlace;
    let server: ServerProcess;
    let document: OpenApiDocument;
    let other: string;
    /** The ids of all records of the other tenant. */
    let theirs: string[];

    const ask = (key: string | null, method: string, path: string, body?: unknown): Promise<Answered> =>
      server.call(method, path, { body, ...(key === null ? {} : { key }) });

    beforeAll(async () => {
      place = await serverPlace(database);
      server = await startServer(place, {
        parameters: ['--no-worker', '--log', 'error'],
        environment: { VARVE_RATE_LIMIT: '0' },
      });
      const words = ['keys', 'create', 'o', '--access', 'admin', '--tenant', 'other', '--json'];
      const made = await runCli(words, { environment: { VARVE_DATA: place.folder, ...place.environment } });
      other = (JSON.parse(made.stdout) as { secret: string }).secret;
      document = (await server.call('GET', '/openapi.json')).body as OpenApiDocument;
      theirs = await fill();
    });
    afterAll(async () => {
      await server.stop();
      await place.remove();
    });

    /** Creates one record of each kind for the other tenant. */
    async function fill(): Promise<string[]> {
      const at = '?user=ana&agent=a&session=s&connection=c';
      const post = (path: string, body: unknown): Promise<Answered> => ask(other, 'POST', `/v1/${path}${at}`, body);
      const answers = [
        await post('events', { content: `${SECRET} in a turn` }),
        await post('interactions', { userMessage: SECRET, agentResponse: SECRET }),
        await post('decisions', { content: SECRET }),
        await post('memories', { memory: { type: 'fact', content: SECRET } }),
        await post('notes', { title: SECRET, content: SECRET }),
        await post('entities', { type: 'person', name: SECRET }),
        await post('intentions', { text: SECRET }),
        await post('learnings', { rule: SECRET }),
        await ask(other, 'PUT', `/v1/facts/${SECRET}${at}`, { value: SECRET }),
        await ask(other, 'PUT', `/v1/blocks/profile${at}`, { content: SECRET }),
        await post('session/close', undefined),
        await ask(other, 'GET', '/v1/jobs'),
        await ask(other, 'GET', '/v1/keys'),
        await ask(other, 'POST', '/v1/webhooks', { url: 'https://example.org/hook' }),
      ];
      for (const { status } of answers) expect(status).toBeLessThan(300);
      const found = answers.flatMap(({ text }) => text.match(/\b[a-z]{3}_[0-9a-z]{26}\b/g) ?? []);
      return [...new Set(found)];
    }

    /** All places that accept a text: each placeholder of a path, each parameter, each field of a body. */
    function probes(): Probe[] {
      const found: Probe[] = [];
      for (const [path, methods] of Object.entries(document.paths)) {
        for (const [method, described] of Object.entries(methods)) {
          const operation = described as unknown as Described;
          const { operationId, parameters, requestBody } = operation;
          if (APART.has(operationId)) continue;
          const isScoped = parameters.some(({ name, in: where }) => name === 'user' && where === 'query');
          const { schema = {}, example } = requestBody?.content['application/json'] ?? {};
          const target = (user: string, id: string, query: Record<string, string> = {}): string => {
            const scope: Record<string, string> = isScoped ? { user, agent: 'a', session: 's', connection: 'c' } : {};
            const search = new URLSearchParams({ ...scope, ...query }).toString();
            const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PLACES[name] ?? id);
            return `${filled}${search === '' ? '' : `?${search}`}`;
          };
          const verb = method.toUpperCase();
          if (/\{id\}/.test(path))
            found.push({
              operation: operationId,
              where: 'path',
              send: (id, user) => ask(null, verb, target(user, id), example),
            });
          for (const { name, in: where, schema: one } of parameters) {
            if (where !== 'query' || !takesText(one, document) || ['agent', 'session', 'user'].includes(name)) continue;
            found.push({
              operation: operationId,
              where: name,
              send: (id, user) => ask(null, verb, target(user, 'x', { [name]: id }), example),
            });
          }
          for (const field of textFields(schema, document)) {
            found.push({
              operation: operationId,
              where: `body.${field.join('.')}`,
              send: (id, user) => ask(null, verb, target(user, 'x'), withField(example, field, id)),
            });
          }
        }
      }
      return found;
    }

    it('treats ids of another tenant like unknown ids everywhere', { timeout: 300_000 }, async () => {
      const before = await stateOf(other);
      const all = probes();
      const kinds = ['evt', 'mem', 'ent', 'job', 'key', 'whk'];
      expect(kinds.filter((kind) => !theirs.some((id) => id.startsWith(`${kind}_`)))).toEqual([]);
      // No operation with an id in its path or its body is left out.
      for (const name of ['getMemory', 'getEvent', 'retryJob', 'revokeKey', 'eraseMemory', 'acceptHeldChange'])
        expect(all.map(({ operation, where }) => `${operation} ${where}`)).toContain(`${name} path`);
      for (const place of [
        'noteGiven body.memories',
        'createMemory body.memory.sourceEvents',
        'createMemory body.memory.entities',
        'observe body.refersTo',
      ])
        expect(all.map(({ operation, where }) => `${operation} ${where}`)).toContain(place);
      const problems: string[] = [];
      let user = 0;
      for (const probe of all) {
        const ids =
          probe.where === 'path' ? theirs : kinds.map((kind) => theirs.find((id) => id.startsWith(kind)) ?? '');
        // The answer to an unknown id is the same for all ids of a kind.
        const unknown = new Map<string, string>();
        for (const id of ids) {
          const kind = id.slice(0, 4);
          const one = await probe.send(id, `user-${(user += 1)}`);
          if (!unknown.has(kind)) {
            const nobodys = kind + Array.from(id.slice(4)).toReversed().join('');
            unknown.set(kind, shape(await probe.send(nobodys, `user-${(user += 1)}`), nobodys));
          }
          if (one.text.includes(SECRET)) problems.push(`${probe.operation} ${probe.where} gives content away`);
          if (one.status >= 500) problems.push(`${probe.operation} ${probe.where}: ${one.status} ${one.text}`);
          const [seen, expected] = [shape(one, id), unknown.get(kind)];
          if (seen !== expected) problems.push(`${probe.operation} ${probe.where} tells ${id}: ${seen} / ${expected}`);
        }
      }
      expect(problems.slice(0, 10)).toEqual([]);
      expect(await stateOf(other)).toEqual(before);
      expect(server.log).toEqual([]);
    });

    async function stateOf(key: string): Promise<string[]> {
      const exported = await ask(key, 'GET', '/v1/export');
      const rest = await Promise.all(
        ['stats', 'keys', 'jobs', 'webhooks'].map((what) => ask(key, 'GET', `/v1/${what}`)),
      );
      return [...exported.text.split('\n').slice(1), ...rest.map(({ text }) => text)];
    }

    it('does not reveal how much other tenants write: cursors contain no counts, and belong to their tenant', async () => {
      const write = (key: string | null, index: number): Promise<Answered> =>
        ask(key, 'POST', '/v1/memories?user=count', { memory: { type: 'fact', content: `Fact number ${index}.` } });
      for (let index = 0; index < 3; index += 1) await write(null, index);
      for (const path of ['/v1/memories?limit=1&', '/v1/events?limit=1&', '/v1/memories?order=important&limit=1&']) {
        for (let index = 0; index < 2; index += 1) await ask(null, 'POST', '/v1/events?user=count', { content: 'x' });
        const { cursor } = (await ask(null, 'GET', `${path}user=count`)).body as { cursor: string };
        const bytes = Buffer.from(cursor, 'base64url').toString('latin1');
        expect(bytes).not.toMatch(/newest|important|^\d+$/);
        const again = (await ask(null, 'GET', `${path}user=count`)).body as { cursor: string };
        expect(again.cursor).not.toBe(cursor);
        expect((await ask(null, 'GET', `${path}user=count&cursor=${cursor}`)).status).toBe(200);
        const crossed = await ask(other, 'GET', `${path}user=count&cursor=${cursor}`);
        expect([crossed.status, crossed.body.code]).toEqual([400, 'invalid_input']);
      }
    });

    it('shows the metrics of the whole process only to the operator’s tenant', async () => {
      const own = (await ask(null, 'GET', '/metrics')).text;
      expect(own).toMatch(/^varve_http_requests_total/m);
      const foreign = (await ask(other, 'GET', '/metrics')).text;
      expect(foreign).toMatch(/^varve_vectors_waiting \d/m);
      expect(foreign).not.toMatch(/http_requests|process_|nodejs_/);
      const { secret } = (await ask(null, 'POST', '/v1/keys', { name: 'one user', users: ['ana'] })).body;
      expect((await ask(secret as string, 'GET', '/metrics')).status).toBe(403);
    });

    it('separates idempotency keys by tenant', async () => {
      const headers = { 'idempotency-key': 'the-same-for-both' };
      const add = (key: string | undefined, title: string): Promise<Answered> =>
        server.call('POST', '/v1/notes?user=once', { body: { title, content: 'x' }, headers, key });
      const ours = await add(undefined, 'Ours');
      const others = await add(other, 'Theirs');
      expect([ours.status, others.status]).toEqual([201, 201]);
      expect(others.headers.get('idempotent-replayed')).toBeNull();
      expect(others.text).not.toContain('Ours');
    });
  },
);

const PLACES: Readonly<Record<string, string>> = {
  kind: 'profile',
  key: 'home_city',
  name: 'search_memory',
  time: '2026-01-01',
};

/** An answer without the values that differ between any two requests: ids, times, numbers. */
function shape({ status, text }: Answered, id: string): string {
  const masked = text
    .replaceAll(id, 'THE ID')
    // Words of the question, which contain the id itself.
    .replaceAll(/"words":\[[^\]]*\]|"slug":"[^"]*"/g, 'WORDS')
    .replaceAll(/\b[a-z]{3}_[0-9a-z]{26}\b/g, 'ID')
    .replaceAll(/varve_[\w-]+|whsec_[\w+/=]+/g, 'KEY')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/user-\d+/g, 'USER')
    .replaceAll(/-?\d+(\.\d+)?(e-?\d+)?/g, 'N');
  return `${status} ${masked}`;
}

function resolved(schema: JsonSchema, document: OpenApiDocument): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

function takesText(schema: JsonSchema, document: OpenApiDocument): boolean {
  const { type, items, anyOf, enum: choices, format } = resolved(schema, document);
  if (choices !== undefined || format === 'date-time') return false;
  return type === 'string' || [items, ...(anyOf ?? [])].some((one) => one !== undefined && takesText(one, document));
}

/** The paths of all fields of a body that accept a text or a list of texts. */
function textFields(schema: JsonSchema, document: OpenApiDocument, depth = 0): string[][] {
  const found = resolved(schema, document);
  const object = found.properties === undefined ? found.anyOf?.map((one) => resolved(one, document))[0] : found;
  if (object?.properties === undefined || depth > 3) return [];
  return Object.entries(object.properties).flatMap(([name, one]) => {
    if (takesText(one, document)) return [[name]];
    return textFields(one, document, depth + 1).map((rest) => [name, ...rest]);
  });
}

/** The example of a body with an id in one field, as a list if the field is a list. */
function withField(example: unknown, [name = '', ...rest]: readonly string[], id: string): unknown {
  const body = { ...(example as Record<string, unknown>) };
  const isList = name.endsWith('s') && name !== 'status' && name !== 'as';
  body[name] = rest.length > 0 ? withField(body[name] ?? {}, rest, id) : isList ? [id] : id;
  return body;
}
