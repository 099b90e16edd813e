import { invalidInput } from '../errors.ts';
import { parse } from '../record/parse.ts';
import { jsonSchema, type JsonSchema } from './json-schema.ts';
import type { Operation } from './operation.ts';

/** The parts of a scope, as every scoped operation takes them in the query string. */
export const SCOPE_PARTS = ['agent', 'user', 'session', 'connection'] as const;

export interface ReadQuery {
  scope: Partial<Record<(typeof SCOPE_PARTS)[number], string>>;
  query: unknown;
}

const known = new WeakMap<Operation, Record<string, JsonSchema>>();

/** The properties of an operation's query, from the schema that checks it. */
export function queryProperties(operation: Operation): Record<string, JsonSchema> {
  const before = known.get(operation);
  if (before !== undefined) return before;
  const properties =
    operation.query === undefined ? {} : (jsonSchema(operation.query, 'input').schema.properties ?? {});
  known.set(operation, properties);
  return properties;
}

/** Reads the query string by the operation's schema: texts become numbers, booleans and lists where it says so. */
export function readQuery(operation: Operation, search: URLSearchParams): ReadQuery {
  const scope: ReadQuery['scope'] = {};
  // Without a prototype: a parameter may have any name, `__proto__` too.
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
    throw invalidInput(`The query string has ${JSON.stringify(unknown)}, which is not known here.`);
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
  throw invalidInput(`The query string has ${JSON.stringify(name.slice(0, 50))} more than once.`);
}
