import { invalidInput, noSuch, VarveError } from '../errors.ts';
import { cachedFor } from '../record/cache.ts';
import { parseJson } from '../record/json.ts';
import { parse } from '../record/parse.ts';
import { jsonSchema, type JsonSchema } from './json-schema.ts';
import type { Operation } from './operation.ts';
import { DoorError } from './problem.ts';

export const SCOPE_PARTS = ['agent', 'user', 'session', 'connection'] as const;

interface ReadQuery {
  scope: Partial<Record<(typeof SCOPE_PARTS)[number], string>>;
  query: unknown;
}

export const queryProperties: (operation: Operation) => Record<string, JsonSchema> = cachedFor(({ query }) =>
  query === undefined ? {} : (jsonSchema(query, 'input').schema.properties ?? {}),
);

export function readQuery(operation: Operation, search: URLSearchParams): ReadQuery {
  const scope: ReadQuery['scope'] = {};
  // Without a prototype, because a parameter may be called `__proto__`.
  const query = Object.create(null) as Record<string, unknown>;
  const properties = queryProperties(operation);
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const part = SCOPE_PARTS.find((one) => one === name);
    if (operation.scoped && part !== undefined) scope[part] = onlyOne(name, values);
    else query[name] = coerced(name, Object.hasOwn(properties, name) ? properties[name] : undefined, values);
  }
  const unknown = Object.keys(query).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) {
    const known = [...Object.keys(properties), ...(operation.scoped ? SCOPE_PARTS : [])];
    throw invalidInput(noSuch('query parameter', unknown, known), { field: unknown.slice(0, 60) });
  }
  return {
    scope,
    query: operation.query === undefined ? undefined : parse(operation.query, query, 'The query string'),
  };
}

function coerced(name: string, schema: JsonSchema | undefined, values: string[]): unknown {
  if (schema?.type === 'array') return values.flatMap((value) => value.split(',')).filter((value) => value !== '');
  const value = onlyOne(name, values);
  const isNumber = schema?.type === 'number' || schema?.type === 'integer';
  if (isNumber) return value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value);
  if (schema?.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

function onlyOne(name: string, values: string[]): string {
  if (values.length === 1) return values[0] ?? '';
  throw invalidInput(`The query string has ${JSON.stringify(name.slice(0, 50))} more than once. Give it once.`);
}

export async function readBody(
  operation: Operation,
  request: Request,
  limit: number,
): Promise<{ body: unknown; text: string }> {
  if (operation.body === undefined) return { body: undefined, text: '' };
  const text = await bodyText(request, limit);
  if (text === '') {
    if (operation.bodyOptional) return { body: undefined, text };
    throw invalidInput(`The body is missing: send JSON, for example ${JSON.stringify(operation.example)}.`);
  }
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type)) {
    throw new DoorError('unsupported_media_type', 'The body must be JSON: Content-Type: application/json.');
  }
  const body = parseJson(text, 'The body');
  return { body: operation.bodyCheckedLater ? body : parse(operation.body, body, 'The body'), text };
}

// A compressed body could become a thousand times as large.
export function assertPlain({ headers }: Request): void {
  const coding = headers.get('content-encoding') ?? 'identity';
  if (coding.toLowerCase() !== 'identity')
    throw new DoorError('unsupported_media_type', 'The body must not be compressed: send it without Content-Encoding.');
}

/** Throws before reading if Content-Length exceeds the limit. */
export async function bodyText(request: Request, limit: number): Promise<string> {
  assertPlain(request);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
  try {
    return await readText(request, limit);
  } catch (error) {
    if (error instanceof DoorError) throw error;
    // The client has disconnected. The log does not count `cancelled` as an error of the server.
    throw new VarveError('The connection ended before the body was complete.', {
      code: 'cancelled',
      retryable: true,
      cause: error,
    });
  }
}

async function readText(request: Request, limit: number): Promise<string> {
  if (request.headers.has('content-length')) return request.text();
  // The body may have no Content-Length, so the limit is checked while reading.
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function tooLarge(limit: number): DoorError {
  return new DoorError('too_large', `The body is too large: at most ${limit.toLocaleString('en')} bytes are accepted.`);
}
