import type { JsonSchema } from '../../src/http/json-schema.ts';

const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  kind: 'profile',
  key: 'home_city',
  name: 'search_memory',
  time: '2026-01-31',
};

/** The prefix of the ids below each path. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  decisions: 'evt',
  entities: 'ent',
  events: 'evt',
  forgotten: 'fgt',
  'held-changes': 'run',
  jobs: 'job',
  keys: 'key',
  'set-aside': 'evt',
  'webhook-deliveries': 'whd',
  webhooks: 'whk',
};

/** The example value of a placeholder in a path. */
function pathExample(path: string, parameter: string): string {
  if (parameter !== 'id') return PATH_EXAMPLES[parameter] ?? parameter;
  return `${ID_PREFIXES[path.split('/')[2] ?? ''] ?? 'mem'}_01jd00000000000000000000aa`;
}

/** An operation of the document, as far as the page shows it. */
export interface DescribedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters: { name: string; in: string; required?: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema: JsonSchema }> }>;
}

export interface PlacedOperation {
  method: string;
  path: string;
  operation: DescribedOperation;
}

const PLACES = [
  ['path', 'In the path'],
  ['query', 'In the query string'],
  ['header', 'Headers'],
] as const;

/** One operation: a line when closed, and the complete description when open. */
export function operationHtml(placed: PlacedOperation): string {
  const { method, path, operation } = placed;
  const parameters = PLACES.map(([place, title]) => {
    const rows = operation.parameters.filter((one) => one.in === place).map((one) => rowHtml(one));
    return rows.length === 0 ? '' : `<h4>${title}</h4>${tableHtml(rows)}`;
  });
  const body = Object.entries(operation.requestBody?.content ?? {}).map(
    ([media, { schema }]) => `<h4>Body <small>${escape(media)}</small></h4>${schemaHtml(schema)}`,
  );
  return `<details class="operation" id="${escape(operation.operationId)}" data-text="${escape(searchText(placed))}">
<summary><span class="method ${method}">${method}</span><code class="path">${pathHtml(path)}</code><span class="summary">${prose(operation.summary)}</span></summary>
<div class="open"><p>${prose(operation.description)} <a href="#${escape(operation.operationId)}">Link</a></p>
<h4>Example</h4><pre class="example" tabindex="0"><code>${escape(curl(placed))}</code></pre>
${parameters.join('')}${body.join('')}<h4>Answers</h4>${answersHtml(operation)}${tryHtml(placed)}</div></details>`;
}

function searchText({ method, path, operation }: PlacedOperation): string {
  return [method, path, operation.operationId, operation.summary, operation.tags[0]].join(' ').toLowerCase();
}

/** Allows line breaks between the parts of a long path. */
function pathHtml(path: string): string {
  return escape(path).replaceAll('/', '<wbr>/');
}

function answersHtml(operation: DescribedOperation): string {
  return Object.entries(operation.responses)
    .filter(([status]) => status !== 'default')
    .map(([status, { description = '', content = {} }]) => {
      const schemas = Object.entries(content).map(([media, { schema }]) =>
        media === 'application/json' ? schemaHtml(schema) : `<p class="type">${escape(media)}</p>`,
      );
      return `<p><code class="status">${status}</code> ${prose(description)}</p>${schemas.join('')}`;
    })
    .join('');
}

/** The operation as a command line. */
function curl({ method, path, operation }: PlacedOperation): string {
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathExample(path, name));
  const isScoped = operation.parameters.some(({ name, in: place }) => name === 'user' && place === 'query');
  const session = /^\/v1\/(session|form)/.test(path) ? '&session=s1' : '';
  const connection = path.startsWith('/v1/connection') ? '&connection=mail' : '';
  const query = isScoped ? `?user=ana${session}${connection}` : '';
  const isStream = operation.operationId === 'changes';
  const verb =
    method === 'get' || (method === 'post' && operation.requestBody !== undefined) ? '' : `-X ${method.toUpperCase()} `;
  const lines = [
    `curl ${isStream ? '-N ' : ''}${verb}"$VARVE_URL${at}${query}"`,
    `-H "Authorization: Bearer $VARVE_KEY"`,
  ];
  for (const [media, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
    lines.push(`-H 'Content-Type: ${media}'`);
    const text = typeof example === 'string' ? example : JSON.stringify(example);
    lines.push(`${media === 'application/json' ? '-d' : '--data-binary'} '${text.replaceAll("'", `'\\''`)}'`);
  }
  return lines.join(' \\\n  ');
}

/** A form that sends the operation. It is shown only if scripts run. */
function tryHtml({ method, path, operation }: PlacedOperation): string {
  const field = (name: string, place: string, required = false): string => {
    const id = `${operation.operationId}-${place}-${name}`;
    const value = place === 'path' ? pathExample(path, name) : name === 'user' ? 'ana' : '';
    return `<label for="${escape(id)}"><span><code>${escape(name)}</code> ${place === 'query' ? '' : escape(place)}</span><input id="${escape(id)}" data-in="${place}" name="${escape(name)}" value="${escape(value)}"${required ? ' required' : ''} autocomplete="off" spellcheck="false"></label>`;
  };
  const fields = operation.parameters.map((one) => field(one.name, one.in, one.required));
  const body = Object.entries(operation.requestBody?.content ?? {}).map(([media, { example }]) => {
    const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
    const id = `${operation.operationId}-body`;
    return `<label class="wide" for="${id}"><span>body <small>${escape(media)}</small></span><textarea id="${id}" data-media="${escape(media)}" rows="${Math.min(12, text.split('\n').length + 1)}" spellcheck="false">${escape(text)}</textarea></label>`;
  });
  return `<form class="try" hidden data-method="${method}" data-path="${escape(path)}"><h4>Try it</h4><div class="fields">${fields.join('')}${body.join('')}</div>
<div class="send"><button type="submit">Send</button><button type="button" class="stop" hidden>Stop</button><output aria-live="polite"></output></div><pre class="answer" tabindex="0" hidden></pre></form>`;
}

/** Escapes text for HTML, including attributes. */
export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Escapes text for HTML and shows text between backticks as code. */
export function prose(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

// Deeper levels are shown only in the entry of the schema itself.
const DEEPEST = 3;

/** A schema as HTML: the fields of an object as a table, any other type as a line. */
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

function tableHtml(rows: readonly string[]): string {
  return `<div class="scroll" tabindex="0" role="region" aria-label="Fields"><table><tbody>${rows.join('')}</tbody></table></div>`;
}

/** A field or a parameter: its name, its type and what it is for. */
function rowHtml({ name, schema, required = false, description, inner = '' }: SchemaRow): string {
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
function typeHtml(schema: JsonSchema): string {
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
