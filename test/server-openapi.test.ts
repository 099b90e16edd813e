import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonSchema } from '../src/http/json-schema.ts';
import type { OpenApiDocument } from '../src/http/openapi.ts';
import { databases } from './databases.ts';
import { anything, fitting, spoilt } from './schema-arbitrary.ts';
import { runCli } from './run-cli.ts';
import { serverPlace, startServer, type Answered, type ServerPlace, type ServerProcess } from './server-process.ts';

interface Described {
  operationId: string;
  parameters: { name: string; in: string; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
}

const RUNS = 8;
const SECRET = 'A sentence that only the other tenant may read: xylophone.';
// These operations change what the others need: who may call, and whether the server still has the records.
const APART = new Set(['changes', 'erase', 'revokeKey', 'rotateKey', 'import']);

describe.each(databases().filter(({ name, skip }) => name !== 'PGlite' && skip === null))(
  'OpenAPI on $name',
  (database) => {
    let place: ServerPlace;
    let server: ServerProcess;
    let document: OpenApiDocument;
    let ids: Record<string, string[]>;

    beforeAll(async () => {
      place = await serverPlace(database);
      server = await startServer(place, { parameters: ['--log', 'error'], environment: { VARVE_RATE_LIMIT: '0' } });
      document = (await server.call('GET', '/openapi.json')).body as OpenApiDocument;
      const made = await runCli(['keys', 'create', 'o', '--access', 'admin', '--tenant', 'other', '--json'], {
        environment: { VARVE_DATA: place.folder, ...place.environment },
      });
      const other = (JSON.parse(made.stdout) as { secret: string }).secret;
      const at = '?user=ana&agent=a&session=s&connection=c';
      const memory = { memory: { type: 'fact', content: SECRET } };
      const theirs = (await server.call('POST', `/v1/memories${at}`, { body: memory, key: other })).body.memory
        .id as string;
      const theirEvent = (await server.call('POST', `/v1/events${at}`, { body: { content: SECRET }, key: other })).body
        .events[0].id as string;
      await server.call('PUT', `/v1/blocks/profile${at}`, { body: { content: SECRET }, key: other });
      const ours = (
        await server.call('POST', `/v1/memories${at}`, { body: { memory: { type: 'fact', content: 'Ours.' } } })
      ).body.memory.id as string;
      const event = (await server.call('POST', `/v1/events${at}`, { body: { content: 'Said.' } })).body.events[0]
        .id as string;
      const newWebhook = async (): Promise<string> =>
        (await server.call('POST', '/v1/webhooks', { body: { url: 'https://example.org/hook' } })).body.webhook.id;
      ids = {
        webhook: [await newWebhook(), 'whk_00000000000000000000000000'],
        // Removed during the test.
        removed: [await newWebhook()],
        id: [
          ours,
          event,
          'whk_00000000000000000000000000',
          theirs,
          theirEvent,
          'mem_00000000000000000000000000',
          'nothing',
          '%00',
          '..%2f..',
        ],
        kind: ['profile', 'working_memory', 'scaffold', 'learned_info', 'reflections', 'diary'],
        key: ['home_city', 'Not Snake'],
        name: ['remember_fact', 'search_memory', 'no_tool'],
        time: ['2026-01-01', new Date(Date.now() + 60_000).toISOString(), 'yesterday'],
      };
    });
    afterAll(async () => {
      await server.stop();
      await place.remove();
    });

    it('is a valid OpenAPI 3.1 document', async () => {
      const result = await new Validator().validate(structuredClone(document));
      expect(result.errors ?? []).toEqual([]);
      expect(document.openapi).toMatch(/^3\.1\./);
      expect(JSON.stringify(document)).not.toContain('__schema');
      const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
        ([, name]) => name ?? '',
      );
      expect(references.filter((name) => document.components.schemas[name] === undefined)).toEqual([]);
    });

    it(
      'describes every response: no request gets a 500, a stack trace or another tenant’s data',
      { timeout: 300_000 },
      async () => {
        const problems: string[] = [];
        const successes = new Set<string>();
        const ajv = new Ajv2020({ strict: false, validateFormats: false });
        ajv.addSchema({ $id: 'doc', components: document.components });
        for (const [path, methods] of Object.entries(document.paths)) {
          for (const [method, described] of Object.entries(methods)) {
            const operation = described as unknown as Described;
            if (APART.has(operation.operationId)) continue;
            const { schemas } = document.components;
            const body = operation.requestBody?.content['application/json']?.schema;
            const answers = validators(operation, ajv);
            await fc.assert(
              fc.asyncProperty(
                body === undefined ? fc.constant(undefined) : fitting(body, schemas),
                queryOf(operation, schemas),
                anything,
                fc.nat(1000),
                async (valid, query, strange, seed) => {
                  const target = fill(path, ids, seed) + query;
                  for (const input of body === undefined ? [undefined] : [valid, spoilt(valid, seed), strange]) {
                    const answered = await server.call(method.toUpperCase(), target, {
                      body: input === undefined ? undefined : JSON.stringify(input),
                    });
                    if (answered.status < 300) successes.add(operation.operationId);
                    const wrong = wrongWith(answered, answers);
                    if (wrong !== null)
                      problems.push(
                        `${operation.operationId} ${method} ${target} ${JSON.stringify(input)?.slice(0, 300)}: ${wrong}`,
                      );
                  }
                },
              ),
              { numRuns: RUNS, seed: 20261115 },
            );
          }
        }
        expect(problems.slice(0, 10)).toEqual([]);
        expect(server.log.filter((line) => line.includes('"internal"'))).toEqual([]);
        // Records that generated input cannot hit: the id of a dead job, a held change, an intention, a block that nobody wrote.
        const never = Object.values(document.paths)
          .flatMap((methods) => Object.values(methods).map((one) => (one as unknown as Described).operationId))
          .filter((id) => !successes.has(id) && !APART.has(id));
        expect(never.length).toBeLessThan(28);
      },
    );
  },
);

/** Fills the placeholders of a path with an existing id, another tenant’s id, or an invalid one. */
function fill(path: string, ids: Record<string, string[]>, seed: number): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const place = path === '/v1/webhooks/{id}' ? 'removed' : path.startsWith('/v1/webhooks/') ? 'webhook' : name;
    const choices = ids[place] ?? ['x'];
    const chosen = choices[seed % choices.length] ?? '';
    return chosen.includes('%') ? chosen : encodeURIComponent(chosen);
  });
}

function queryOf(operation: Described, schemas: Readonly<Record<string, JsonSchema>>): fc.Arbitrary<string> {
  const scope = { agent: 'a', user: 'ana', session: 's', connection: 'c' };
  const inQuery = operation.parameters.filter((one) => one.in === 'query');
  const others = inQuery.filter(({ name }) => !(name in scope));
  const values = Object.fromEntries(others.map(({ name, schema }) => [name, fitting(schema, schemas)]));
  const isScoped = inQuery.length > others.length;
  return fc.record(values, { requiredKeys: [], noNullPrototype: true }).map((chosen) => {
    const search = new URLSearchParams(isScoped ? scope : {});
    for (const [name, value] of Object.entries(chosen))
      search.set(name, Array.isArray(value) ? value.join(',') : String(value));
    return search.size === 0 ? '' : `?${search}`;
  });
}

function validators(operation: Described, ajv: Ajv2020): Map<number, ValidateFunction> {
  const found = new Map<number, ValidateFunction>();
  for (const [status, { content }] of Object.entries(operation.responses)) {
    const schema = content?.['application/json']?.schema;
    if (schema !== undefined) found.set(Number(status), ajv.compile(rooted(schema)));
  }
  return found;
}

function rooted(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components')) as JsonSchema;
}

function wrongWith(answered: Answered, answers: Map<number, ValidateFunction>): string | null {
  const { status, text, body } = answered;
  if (status >= 500) return `status ${status} ${text.slice(0, 200)}`;
  if (text.includes('xylophone')) return 'another tenant’s data';
  if (/\bat .*\.(ts|js):\d+/.test(text) || /node_modules|SQLITE|syntax error/i.test(text))
    return `inner workings: ${text.slice(0, 200)}`;
  if (status >= 400)
    return typeof body?.code === 'string' && body.status === status ? null : `no problem+json: ${text.slice(0, 100)}`;
  const validate = answers.get(status);
  if (validate === undefined || validate(body)) return null;
  return `not as described: ${JSON.stringify(validate.errors?.slice(0, 2))} ${text.slice(0, 200)}`;
}
