import fc from 'fast-check';
import type { JsonSchema } from '../src/http/json-schema.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Values that match a JSON Schema, for the features that the server’s own schemas use. */
export function fitting(schema: JsonSchema, schemas: Schemas, depth = 0): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    if (name === 'JsonValue') return fc.jsonValue({ maxDepth: 2 });
    return fitting(schemas[name] ?? {}, schemas, depth + 1);
  }
  if (schema['enum'] !== undefined) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if (schema['const'] !== undefined) return fc.constant(schema['const']);
  const either = schema.anyOf ?? (schema['oneOf'] as JsonSchema[] | undefined);
  if (either !== undefined) return fc.oneof(...either.map((one) => fitting(one, schemas, depth)));
  switch (schema.type) {
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({ min: least(schema), max: most(schema) });
    case 'number':
      return fc.double({ min: least(schema), max: most(schema), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const minLength = (schema['minItems'] as number | undefined) ?? 0;
      return fc.array(fitting(schema.items ?? {}, schemas, depth + 1), {
        minLength,
        maxLength: Math.max(minLength, depth > 2 ? 0 : 3),
      });
    }
    case 'object':
      return object(schema, schemas, depth);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function object(schema: JsonSchema, schemas: Schemas, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) {
    const values = schema['additionalProperties'];
    const inner =
      typeof values === 'object' ? fitting(values as JsonSchema, schemas, depth + 1) : fc.jsonValue({ maxDepth: 1 });
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), inner, { maxKeys: 3 });
  }
  const isLeft = ([name]: [string, JsonSchema]): boolean => depth < 3 || (schema.required ?? []).includes(name);
  const arbitraries = properties.filter(isLeft).map(([name, one]) => [name, fitting(one, schemas, depth + 1)] as const);
  return fc.record(Object.fromEntries(arbitraries), {
    requiredKeys: (schema.required ?? []) as never[],
    noNullPrototype: true,
  });
}

function text(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema['format'] === 'date-time')
    return fc
      .date({ min: new Date('2000-01-01'), max: new Date('2050-01-01'), noInvalidDate: true })
      .map((time) => time.toISOString());
  if (schema['format'] === 'uri') return fc.webUrl();
  if (typeof schema['pattern'] === 'string') return fc.stringMatching(new RegExp(schema['pattern']));
  const maxLength = Math.min((schema['maxLength'] as number | undefined) ?? 40, 40);
  return fc.string({
    minLength: (schema['minLength'] as number | undefined) ?? 0,
    maxLength,
    unit: fc.constantFrom('a', 'Ö', ' ', '_', '1', '%', "'", '"', '日', '🙂', '\n'),
  });
}

function least(schema: JsonSchema): number {
  const above = schema['exclusiveMinimum'] as number | undefined;
  return (schema['minimum'] as number | undefined) ?? (above === undefined ? -1000 : above + 1);
}

function most(schema: JsonSchema): number {
  return Math.min((schema['maximum'] as number | undefined) ?? 1000, 1_000_000);
}

/** Values that mostly match no schema. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, '', [], {}, -1, 1e308, '\u0000', '\uD800', '../../etc/passwd', "'; drop table memories; --", {
    __proto__: 1,
  }),
);

/** The same value with one defect: an extra field, a missing field, or a field of another type. */
export function spoilt(value: unknown, seed: number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { unexpected: value };
  const names = Object.keys(value);
  const name = names[seed % Math.max(1, names.length)] ?? 'none';
  const wrong = [
    { ...value, surprise: 1 },
    { ...value, [name]: { wrong: true } },
    { ...value, [name]: '\u0000' },
    { ...value, [name]: null },
  ];
  return wrong[seed % wrong.length];
}
