import type { OpenApiDocument } from './openapi.ts';

interface Described {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters: { name: string; in: string; required?: boolean; description?: string; schema: unknown }[];
  requestBody?: { content: Record<string, { schema: unknown }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema: unknown }> }>;
}

const STYLE = `
:root{color-scheme:light dark;--ink:light-dark(#1c2430,#e6e9ee);--soft:light-dark(#5b6675,#9aa5b4);--line:light-dark(#dde2e8,#2c3440);
--back:light-dark(#fbfcfd,#12161c);--code:light-dark(#f1f4f7,#1a2029);--accent:light-dark(#0a6b62,#5ccabb)}
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back)}
main{max-width:60rem;margin:0 auto;padding:2rem 1.25rem 6rem}h1{margin:0 0 .25rem}h2{margin:2.5rem 0 .5rem;text-transform:capitalize}
p{color:var(--soft);max-width:44rem}nav a{margin-right:1rem;color:var(--accent)}
details{border-top:1px solid var(--line);padding:.5rem 0}summary{cursor:pointer;display:flex;gap:.75rem;flex-wrap:wrap;align-items:baseline}
summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
b{font:600 .8rem ui-monospace,monospace;min-width:3.6rem;color:var(--accent);text-transform:uppercase}
code,pre{font:.85rem/1.5 ui-monospace,monospace}pre{background:var(--code);padding:.75rem;overflow:auto;max-height:26rem;border-radius:6px}
summary code{overflow-wrap:anywhere}summary span{color:var(--soft)}table{border-collapse:collapse;width:100%;font-size:.9rem}
td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line)}h3{font-size:.9rem;margin:1rem 0 .25rem}`;

/** The reference as one page that needs nothing else: no script, no other host. */
export function docsPage(document: OpenApiDocument): string {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as unknown as Described,
    })),
  );
  const tags = [...new Set(described.map(({ operation }) => operation.tags[0] ?? ''))];
  const sections = tags.map((tag) => {
    const inTag = described.filter(({ operation }) => operation.tags[0] === tag);
    return `<section id="${escape(tag)}"><h2>${escape(tag)}</h2>${inTag.map(operationHtml).join('')}</section>`;
  });
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${escape(name)}"><summary><code>${escape(name)}</code></summary>${json(schema)}</details>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Varve API</title><style>${STYLE}</style></head><body><main><h1>Varve API</h1>
<p>${escape(String(document.info['description']))} The document itself: <a href="/openapi.json">/openapi.json</a>.</p>
<nav>${tags.map((tag) => `<a href="#${escape(tag)}">${escape(tag)}</a>`).join('')}<a href="#schemas">schemas</a></nav>
${sections.join('')}<section id="schemas"><h2>schemas</h2>${schemas.join('')}</section></main></body></html>`;
}

function operationHtml({ path, method, operation }: { path: string; method: string; operation: Described }): string {
  const rows = operation.parameters.map(
    ({ name, in: place, required, description = '', schema }) =>
      `<tr><td><code>${escape(name)}</code>${required ? ' *' : ''}</td><td>${place}</td><td><code>${escape(JSON.stringify(schema))}</code></td><td>${escape(description)}</td></tr>`,
  );
  const table = rows.length === 0 ? '' : `<h3>Parameters</h3><table>${rows.join('')}</table>`;
  const body = Object.entries(operation.requestBody?.content ?? {})
    .map(([media, { schema }]) => `<h3>Body (${escape(media)})</h3>${json(schema)}`)
    .join('');
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status !== 'default')
    .map(([status, { description = '', content = {} }]) => {
      const schemas = Object.values(content).map(({ schema }) => json(schema));
      return `<h3>${status} ${escape(description)}</h3>${schemas.join('')}`;
    });
  return `<details id="${escape(operation.operationId)}"><summary><b>${method}</b><code>${escape(path)}</code><span>${escape(operation.summary)}</span></summary>
<p>${escape(operation.description)}</p>${table}${body}${answers.join('')}</details>`;
}

function json(value: unknown): string {
  return `<pre>${escape(JSON.stringify(value, null, 2))}</pre>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
