import type { z } from 'zod';
import { jsonSchema, type JsonSchema } from './json-schema.ts';
import { type Operation, TAGS } from './operation.ts';
import { queryProperties, SCOPE_PARTS } from './read-request.ts';
import * as records from './record-schemas.ts';

export interface OpenApiDocument {
  openapi: string;
  info: Record<string, unknown>;
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: { schemas: Record<string, JsonSchema>; [part: string]: unknown };
  [part: string]: unknown;
}

const SCOPE_TEXT: Record<(typeof SCOPE_PARTS)[number], string> = {
  agent: 'The agent of the scope.',
  user: 'The user of the scope.',
  session: 'The session of the scope: one conversation.',
  connection: 'The tool connection that the records concern.',
};

export function openApi(operations: readonly Operation[], version: string): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = {};
  const use = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    const made = jsonSchema(schema, io);
    Object.assign(schemas, made.named);
    return made.schema;
  };
  use(records.problem, 'output');
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method] = describe(operation, use);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Varve',
      version,
      summary: 'Long-term memory for AI agents.',
      description:
        'The key determines the tenant. Agent, user, session and connection are in the query string of every operation that ' +
        'works within a scope. Errors are `application/problem+json` with a `code`. A POST or PATCH with an ' +
        '`Idempotency-Key` is executed once, no matter how often it is sent.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => one.localeCompare(other))),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        reflectionSecret: { type: 'apiKey', in: 'header', name: 'X-Reflection-Secret' },
      },
      responses: {
        Problem: {
          description: 'The error, in a form that a program can act on.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
}

type Use = (schema: z.ZodType, io: 'input' | 'output') => JsonSchema;

function describe(operation: Operation, use: Use): Record<string, unknown> {
  const { answer, body, streams, example } = operation;
  const content =
    answer.schema === null
      ? {}
      : { content: { [answer.media ?? 'application/json']: { schema: use(answer.schema, 'output') } } };
  const required = !operation.bodyOptional;
  const also = Object.entries(answer.also ?? {}).map(([status, description]) => [
    status,
    status === '412' ? { $ref: '#/components/responses/Problem' } : { description },
  ]);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `Needs a key with ${operation.access} access.`,
    ...(operation.secret ? { security: [{ bearer: [] }, { apiKey: [] }, { reflectionSecret: [] }] } : {}),
    parameters: parametersOf(operation, use),
    ...(body === undefined
      ? {}
      : { requestBody: { required, content: { 'application/json': { schema: use(body, 'input'), example } } } }),
    ...(streams === undefined
      ? {}
      : { requestBody: { required, content: { [streams]: { schema: { type: 'string' }, example } } } }),
    responses: {
      [answer.status]: { description: answer.description, ...content },
      ...Object.fromEntries(also),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

function parametersOf(operation: Operation, use: Use): Record<string, unknown>[] {
  const text = { type: 'string', minLength: 1, maxLength: 200 };
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: text };
  });
  const parts = operation.scoped ? SCOPE_PARTS : [];
  const scope = parts.map((name) => ({ name, in: 'query', description: SCOPE_TEXT[name], schema: text }));
  const taken = new Set<string>(scope.map(({ name }) => name));
  if (operation.query !== undefined) use(operation.query, 'input');
  const query = Object.entries(queryProperties(operation))
    .filter(([name]) => !taken.has(name))
    .map(([name, schema]) => ({
      name,
      in: 'query',
      ...(name === 'cursor'
        ? { description: 'The cursor of the previous page.', schema: { type: 'string' } }
        : { schema }),
      ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    }));
  const headers = Object.entries(operation.headers ?? {});
  if (operation.once === true)
    headers.push(['idempotency-key', 'For a day, a repeated request with the same key gets the first answer.']);
  const inHeader = headers.map(([name, description]) => {
    return { name, in: 'header', description, schema: { type: 'string' } };
  });
  return [...inPath, ...scope, ...query, ...inHeader];
}
