import { invalidInput, VarveError } from '../errors.ts';
import { cachedFor } from '../record/cache.ts';
import { parseJson } from '../record/json.ts';
import { parse } from '../record/parse.ts';
import { jsonSchema, type JsonSchema } from './json-schema.ts';
import type { Operation } from './operation.ts';
import { DoorError } from './problem.ts';

/** The parts of a scope that every scoped operation accepts in the query string. */
export const SCOPE_PARTS = ['agent', 'user', 'session', 'connection'] as const;

interface ReadQuery {
  scope: Partial<Record<(typeof SCOPE_PARTS)[number], string>>;
  query: unknown;
}

/** Returns the JSON Schemas of an operation's query parameters. */
export const queryProperties: (operation: Operation) => Record<string, JsonSchema> = cachedFor(({ query }) =>
  query === undefined ? {} : (jsonSchema(query, 'input').schema.properties ?? {}),
);

/** Reads the query string by the operation's schema, which determines what is converted to a number, a boolean or a list. */
export function readQuery(operation: Operation, search: URLSearchParams): ReadQuery {
  const scope: ReadQuery['scope'] = {};
  // The object has no prototype, because a parameter may have any name, such as `__proto__`.
  const query = Object.create(null) as Record<string, unknown>;
  const properties = queryProperties(operation);
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const part = SCOPE_PARTS.find((one) => one === name);
    if (operation.scoped && part !== undefined) scope[part] = onlyOne(name, values);
    else query[name] = coerced(name, Object.hasOwn(properties, name) ? properties[name] : undefined, values);
  }
  if (operation.query !== undefined) return { scope, query: parse(operation.query, query, 'The query string') };
  const [unknown] = Object.keys(query);
  if (unknown !== undefined)
    throw invalidInput(
      `This operation has no query parameter ${JSON.stringify(unknown)}. GET /openapi.json lists its parameters.`,
    );
  return { scope, query: undefined };
}

function coerced(name: string, schema: JsonSchema | undefined, values: string[]): unknown {
  if (schema?.type === 'array') return values.flatMap((value) => value.split(',')).filter((value) => value !== '');
  const value = onlyOne(name, values);
  if (schema?.type === 'number' || schema?.type === 'integer') return value.trim() === '' ? value : Number(value);
  if (schema?.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

function onlyOne(name: string, values: string[]): string {
  if (values.length === 1) return values[0] ?? '';
  throw invalidInput(`The query string has ${JSON.stringify(name.slice(0, 50))} more than once. Give it once.`);
}

/** Reads and validates the body of a request. Also returns its text, for the fingerprint of an idempotent request. */
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

/** Throws if the body is compressed, because it could be a thousand times as large when it is decompressed. */
export function assertPlain({ headers }: Request): void {
  const coding = headers.get('content-encoding') ?? 'identity';
  if (coding.toLowerCase() !== 'identity')
    throw new DoorError('unsupported_media_type', 'The body must not be compressed: send it without Content-Encoding.');
}

/** Reads the whole body as text. If Content-Length exceeds the limit, throws without reading. */
export async function bodyText(request: Request, limit: number): Promise<string> {
  assertPlain(request);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
  try {
    return await readText(request, limit);
  } catch (error) {
    if (error instanceof DoorError) throw error;
    // The client has disconnected. Because of this code, the log does not record an error of the server.
    throw new VarveError('The connection ended before the body was complete.', {
      code: 'cancelled',
      retryable: true,
      cause: error,
    });
  }
}

async function readText(request: Request, limit: number): Promise<string> {
  if (request.headers.has('content-length')) return request.text();
  // Counts the bytes while reading, because there may be no Content-Length.
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
