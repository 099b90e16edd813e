import { z } from 'zod';

/** A JSON schema, as far as we read it. */
export interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  definitions?: Record<string, JsonSchema>;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  required?: string[];
  items?: JsonSchema | JsonSchema[];
  prefixItems?: JsonSchema[];
  additionalItems?: boolean | JsonSchema;
}

const known = new WeakMap<z.ZodType, JsonSchema>();

/**
 * What a model has to write for a zod schema: its input, before defaults and transforms. Objects are closed,
 * as strict structured output asks; what JSON schema cannot say is left open, for zod checks it all the same.
 */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  let found = known.get(schema);
  if (found === undefined) {
    const made = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
    delete made['$schema'];
    found = closed(made as JsonSchema);
    known.set(schema, found);
  }
  return found;
}

function closed(schema: JsonSchema): JsonSchema {
  for (const part of parts(schema)) closed(part);
  if (schema.properties !== undefined) schema.additionalProperties ??= false;
  return schema;
}

function parts(schema: JsonSchema): JsonSchema[] {
  const { additionalProperties, additionalItems, items } = schema;
  return [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.$defs ?? schema.definitions ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...(schema.prefixItems ?? []),
    ...(Array.isArray(items) ? items : [items]),
    additionalProperties,
    additionalItems,
  ].filter((part): part is JsonSchema => typeof part === 'object');
}

/** Follows a reference within the schema. */
export function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  // A schema that refers to itself and to nothing else would never end.
  for (let hops = 0; current.$ref !== undefined && hops < 16; hops += 1) {
    if (current.$ref === '#') return root;
    const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(current.$ref)?.[1];
    const target = name === undefined ? undefined : (root.$defs ?? root.definitions)?.[name];
    if (target === undefined) return {};
    current = target;
  }
  return current;
}

/** The kinds of JSON value that a schema takes: string, number, boolean, null, object, array. */
export function acceptedKinds(schema: JsonSchema, root: JsonSchema, depth = 0): Set<string> {
  const found = resolved(schema, root);
  const kinds = new Set<string>();
  const add = (kind: string): unknown => kinds.add(kind === 'integer' ? 'number' : kind);
  if ('const' in found) return new Set([kindOf(found.const)]);
  if (found.enum !== undefined) return new Set(found.enum.map(kindOf));
  if (typeof found.type === 'string') add(found.type);
  else if (Array.isArray(found.type)) found.type.forEach(add);
  const alternatives = [...(found.anyOf ?? []), ...(found.oneOf ?? []), ...(found.allOf ?? [])];
  if (depth < 8)
    for (const part of alternatives) for (const kind of acceptedKinds(part, root, depth + 1)) kinds.add(kind);
  if (kinds.size === 0) return new Set(ANY);
  return kinds;
}

const ANY = ['string', 'number', 'boolean', 'null', 'object', 'array'];

/** The kind of a JSON value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
