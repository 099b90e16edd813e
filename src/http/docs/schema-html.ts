import type { JsonSchema } from '../json-schema.ts';
import { escape, prose } from './html.ts';

// Deeper than this a reader is better served by the schema's own entry.
const DEEPEST = 3;

/** A schema for people: the fields of an object as a table, anything else as a line. */
export function schemaHtml(schema: JsonSchema, depth = 0): string {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return `<p class="type">${typeHtml(schema)}</p>`;
  const rows = properties.map(([name, one]) =>
    rowHtml({ name, schema: one, required: (schema.required ?? []).includes(name), inner: innerHtml(one, depth) }),
  );
  return tableHtml(rows);
}

export interface SchemaRow {
  name: string;
  schema: JsonSchema;
  required?: boolean;
  description?: string;
  inner?: string;
}

export function tableHtml(rows: readonly string[]): string {
  return `<div class="scroll" tabindex="0" role="region" aria-label="Fields"><table><tbody>${rows.join('')}</tbody></table></div>`;
}

/** A field or a parameter: its name, its type and what it is for. */
export function rowHtml({ name, schema, required = false, description, inner = '' }: SchemaRow): string {
  const about = description ?? (schema['description'] as string | undefined) ?? '';
  const must = required ? ' <span class="must">required</span>' : '';
  return `<tr><th scope="row"><code>${escape(name)}</code>${must}</th><td><span class="type">${typeHtml(schema)}</span>${about === '' ? '' : `<p>${prose(about)}</p>`}${inner}</td></tr>`;
}

function innerHtml(schema: JsonSchema, depth: number): string {
  const object = [schema, schema.items, ...(schema.anyOf ?? [])].find((one) => one?.properties !== undefined);
  if (object === undefined || depth >= DEEPEST) return '';
  return schemaHtml(object, depth + 1);
}

/** The type in one line: `text, at most 200`, `list of Event`, `read | write | admin`. */
export function typeHtml(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = escape(schema.$ref.split('/').at(-1) ?? '');
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema['enum'] !== undefined)
    return (schema['enum'] as unknown[]).map((one) => `<code>${escape(String(one))}</code>`).join(' | ');
  if (schema['const'] !== undefined) return `<code>${escape(JSON.stringify(schema['const']))}</code>`;
  const either = schema.anyOf ?? (schema['oneOf'] as JsonSchema[] | undefined);
  if (either !== undefined) return either.map(typeHtml).join(' or ');
  if (schema.type === 'array') return `list of ${typeHtml(schema.items ?? {})}${bounds(schema, 'Items')}`;
  if (schema.type === 'object') return objectType(schema);
  if (schema['format'] === 'date-time') return 'time';
  const names: Record<string, string> = { string: 'text', integer: 'whole number', boolean: 'true or false' };
  return `${names[schema.type ?? ''] ?? schema.type ?? 'anything'}${schema.type === 'string' ? bounds(schema, 'Length') : range(schema)}`;
}

function objectType(schema: JsonSchema): string {
  const values = schema['additionalProperties'];
  if (schema.properties !== undefined || typeof values !== 'object' || values === null) return 'object';
  const inner = typeHtml(values as JsonSchema);
  return inner === 'anything' ? 'object' : `object of ${inner}`;
}

function bounds(schema: JsonSchema, what: 'Length' | 'Items'): string {
  const most = schema[`max${what}`] as number | undefined;
  return most === undefined ? '' : `, at most ${most.toLocaleString('en')}`;
}

function range(schema: JsonSchema): string {
  const [least, most] = [schema['minimum'], schema['maximum']] as (number | undefined)[];
  if (least !== undefined && most !== undefined)
    return ` from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}`;
  if (most !== undefined) return `, at most ${most.toLocaleString('en')}`;
  return least === undefined ? '' : `, at least ${least.toLocaleString('en')}`;
}
