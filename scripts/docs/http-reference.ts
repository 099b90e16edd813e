import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApi, type OpenApiDocument } from '../../src/http/openapi.ts';
import { OPERATIONS } from '../../src/http/operations/operations.ts';
import { type ProblemCode, STATUS } from '../../src/http/problem.ts';
import {
  type DescribedOperation,
  escape,
  operationHtml,
  type PlacedOperation,
  prose,
  schemaHtml,
} from './operation-html.ts';

const root = join(import.meta.dirname, '../..');

/** Writes the reference of the HTTP operations from the description that the server returns at /openapi.json. */
export function writeHttpReference(folder: string): void {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  writeFileSync(join(folder, 'http-reference.html'), httpReference(openApi(OPERATIONS, version)));
  for (const name of ['http-reference.css', 'http-reference.js'])
    copyFileSync(join(import.meta.dirname, name), join(folder, 'assets', name));
}

/** The reference as one page. It can be read without scripts; searching it and sending requests need scripts. */
export function httpReference(document: OpenApiDocument): string {
  const placed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): PlacedOperation => ({
      path,
      method,
      operation: operation as unknown as DescribedOperation,
    })),
  );
  const tags = document['tags'] as { name: string; description: string }[];
  const groups = tags.map(({ name, description }) => {
    const within = placed.filter(({ operation }) => operation.tags[0] === name);
    return `<section class="group" id="group-${escape(name)}"><h2>${escape(name)}</h2><p>${prose(description)}</p>${within.map(operationHtml).join('')}</section>`;
  });
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<details class="schema" id="schema-${escape(name)}" data-text="${escape(name.toLowerCase())}"><summary><code>${escape(name)}</code></summary><div class="open">${schemaHtml(schema)}</div></details>`,
  );
  const links = tags.map(({ name }) => `<li><a href="#group-${escape(name)}">${escape(name)}</a></li>`).join('');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Varve API</title><link rel="icon" href="assets/favicon.svg"><link rel="stylesheet" href="assets/http-reference.css"></head>
<body><a class="skip" href="#content">Skip to the reference</a>
<header><h1>Varve <small>HTTP ${escape(String(document.info['version']))}</small></h1>
<div class="tools" hidden><label><span>Search</span><input id="search" type="search" placeholder="recall, /v1/notes, delete …" autocomplete="off" spellcheck="false"></label>
<label><span>Key</span><input id="key" type="password" placeholder="varve_…" autocomplete="off" spellcheck="false"></label></div></header>
<nav aria-label="Groups"><ul><li><a href="index.html">all docs</a></li><li><a href="#group-start">start</a></li>${links}<li><a href="#group-schemas">schemas</a></li></ul></nav>
<main id="content" tabindex="-1"><p id="found" role="status"></p>${startHtml(document)}${groups.join('')}
<section class="group" id="group-schemas"><h2>schemas</h2><p>The types of requests and answers.</p>${schemas.join('')}</section></main>
<script src="assets/http-reference.js"></script></body></html>`;
}

const MEANINGS: readonly [ProblemCode, string][] = [
  [
    'invalid_input',
    'The path, the query string or the body is invalid. `detail` says what is wrong, and `problems` says where.',
  ],
  ['unauthenticated', 'The key is missing, unknown, revoked or expired.'],
  ['forbidden', 'The access level of the key does not allow this operation.'],
  ['outside_scope', 'The key does not reach that agent, user or tenant.'],
  ['not_found', 'There is no such record within this scope.'],
  ['conflict', 'Another change came first, or the idempotency key was used for another request.'],
  ['precondition_failed', 'The block has changed since it was read: read it again.'],
  ['too_large', 'The body is larger than the server accepts.'],
  [
    'rate_limited',
    'The key sends too many requests, or too many wrong keys came from this address. `Retry-After` says how long to wait.',
  ],
  [
    'timed_out',
    'The request took too long. With an `Idempotency-Key` it can be sent again and takes effect only once.',
  ],
  ['store_busy', 'The store cannot answer now. Try again after `Retry-After`.'],
];

function startHtml(document: OpenApiDocument): string {
  const errors = MEANINGS.map(
    ([code, text]) =>
      `<tr><th scope="row"><code>${code}</code></th><td><code class="status">${STATUS[code]}</code></td><td>${prose(text)}</td></tr>`,
  );
  return `<section class="group" id="group-start"><h2>start</h2><p>${prose(String(document.info['description']))} The document behind this page: <a href="/openapi.json">/openapi.json</a>.</p>
<h3 id="authentication">Authentication</h3><p>Every request except <code>/health</code> and <code>/ready</code> needs a key: <code>Authorization: Bearer varve_…</code> or <code>X-API-Key: varve_…</code>. A key belongs to one tenant and may <code>read</code>, <code>write</code> or <code>admin</code>; each level includes those before it. The key that you type above stays in this page: it is not stored, and it is gone when you close the page.</p>
<pre tabindex="0"><code>export VARVE_URL=<span id="origin">http://127.0.0.1:8787</span>
export VARVE_KEY=varve_…</code></pre>
<h3 id="errors">Errors</h3><p>An error is <code>application/problem+json</code> (RFC 9457): <a href="#schema-Problem">Problem</a>. Act on its <code>code</code>; <code>retryable</code> says whether the same request may succeed later.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Errors"><table><tbody>${errors.join('')}</tbody></table></div>
<h3 id="pages">Pages</h3><p>A list with more items returns a <code>cursor</code>: send it as the parameter <code>cursor</code> to get the next page. It is <code>null</code> on the last page.</p></section>`;
}
