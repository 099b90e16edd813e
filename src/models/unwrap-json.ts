import { acceptedKinds, kindOf, resolved, type JsonSchema } from './json-schema.ts';
import { DEEPEST, readTolerantJson } from './tolerant-json.ts';

/** The value nests too deep, or has a key that no honest answer has. */
export class UnusableJson extends Error {}

/**
 * Unwraps JSON that was written as text, at every depth, as the schema guides: where it takes no text, a text is read
 * as JSON; where it takes anything, a text that is exactly an object or an array becomes one; where it asks for text,
 * text stays text, whatever it looks like.
 */
export function unwrapJson(value: unknown, schema: JsonSchema): unknown {
  return unwrap(value, schema, { root: schema, depth: 0 });
}

interface Place {
  root: JsonSchema;
  depth: number;
}

function unwrap(value: unknown, schema: JsonSchema, place: Place): unknown {
  if (place.depth > DEEPEST) throw new UnusableJson(`The answer nests more than ${DEEPEST} levels deep.`);
  const within: Place = { root: place.root, depth: place.depth + 1 };
  if (typeof value === 'string') {
    const inner = innerJson(value, acceptedKinds(schema, place.root));
    return inner === undefined ? value : unwrap(inner, schema, within);
  }
  if (Array.isArray(value))
    return value.map((item, index) => unwrap(item, itemSchema(schema, index, place.root), within));
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, '__proto__')) throw new UnusableJson('The answer has a key __proto__.');
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, unwrap(member, memberSchema(schema, key, place.root), within)]),
  );
}

/** The JSON inside a text, where it is wanted; else undefined. */
function innerJson(text: string, accepted: ReadonlySet<string>): unknown {
  const trimmed = text.trim();
  if (!accepted.has('string')) {
    const found = readTolerantJson(trimmed);
    if (!found.ok || !found.complete || found.end !== trimmed.length) return undefined;
    // Text inside of text: it was stringified more than once, and is shorter each time.
    const again = typeof found.value === 'string' && found.value.length < text.length;
    return again || accepted.has(kindOf(found.value)) ? found.value : undefined;
  }
  const inner = /^[{["]/.test(trimmed) ? strictJson(trimmed) : undefined;
  if (typeof inner === 'string') return inner.length < text.length ? innerJson(inner, accepted) : undefined;
  return typeof inner === 'object' && accepted.has(kindOf(inner)) ? inner : undefined;
}

function strictJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const ANYTHING: JsonSchema = {};

function memberSchema(schema: JsonSchema, key: string, root: JsonSchema): JsonSchema {
  return pick(schema, root, (part) => {
    if (part.properties !== undefined && Object.hasOwn(part.properties, key)) return part.properties[key];
    return typeof part.additionalProperties === 'object' ? part.additionalProperties : undefined;
  });
}

function itemSchema(schema: JsonSchema, index: number, root: JsonSchema): JsonSchema {
  return pick(schema, root, (part) => {
    const tuple = part.prefixItems ?? (Array.isArray(part.items) ? part.items : undefined);
    if (tuple?.[index] !== undefined) return tuple[index];
    if (typeof part.additionalItems === 'object') return part.additionalItems;
    return part.items === undefined || Array.isArray(part.items) ? undefined : part.items;
  });
}

/** The schema of a part: of several alternatives that know it, all of them. */
function pick(schema: JsonSchema, root: JsonSchema, find: (part: JsonSchema) => JsonSchema | undefined): JsonSchema {
  const found = collect(schema, root, find, 0);
  if (found.length === 0) return ANYTHING;
  return found.length === 1 ? (found[0] as JsonSchema) : { anyOf: found };
}

function collect(
  schema: JsonSchema,
  root: JsonSchema,
  find: (part: JsonSchema) => JsonSchema | undefined,
  depth: number,
): JsonSchema[] {
  const part = resolved(schema, root);
  const own = find(part);
  const alternatives = [...(part.anyOf ?? []), ...(part.oneOf ?? []), ...(part.allOf ?? [])];
  const theirs = depth < 8 ? alternatives.flatMap((alternative) => collect(alternative, root, find, depth + 1)) : [];
  return own === undefined ? theirs : [own, ...theirs];
}
