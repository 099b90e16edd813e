import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '../openapi.ts';
import { type ProblemCode, STATUS } from '../problem.ts';
import {
  type DescribedOperation,
  escape,
  operationHtml,
  type PlacedOperation,
  prose,
  schemaHtml,
} from './operation-html.ts';

/** The page, and what a browser may do with it. */
export interface DocsPage {
  html: string;
  /** Its Content-Security-Policy: this script and these styles, no other host, in no frame. */
  policy: string;
}

/** The reference as one page that needs nothing else. Without scripts it can be read; with them searched and tried. */
export function docsPage(document: OpenApiDocument): DocsPage {
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
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Varve API</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><a class="skip" href="#content">Skip to the reference</a>
<header><h1>Varve <small>API ${escape(String(document.info['version']))}</small></h1>
<div class="tools" hidden><label><span>Search</span><input id="search" type="search" placeholder="recall, /v1/notes, delete …" autocomplete="off" spellcheck="false"></label>
<label><span>Key</span><input id="key" type="password" placeholder="varve_…" autocomplete="off" spellcheck="false"></label></div></header>
<nav aria-label="Groups"><ul><li><a href="#group-start">start</a></li>${links}<li><a href="#group-schemas">schemas</a></li></ul></nav>
<main id="content" tabindex="-1"><p id="found" role="status"></p>${startHtml(document)}${groups.join('')}
<section class="group" id="group-schemas"><h2>schemas</h2><p>What goes in and what comes out.</p>${schemas.join('')}</section></main>
<script>${SCRIPT}</script></body></html>`;
  return { html, policy: policyOf() };
}

function policyOf(): string {
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    "default-src 'none'",
    `script-src ${hash(SCRIPT)}`,
    `style-src ${hash(STYLE)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const MEANINGS: readonly [ProblemCode, string][] = [
  [
    'invalid_input',
    'Something in the path, the query string or the body is wrong. `detail` says what, `problems` where.',
  ],
  ['unauthenticated', 'There is no key, or it does not work.'],
  ['forbidden', 'The key may do less than this.'],
  ['outside_scope', 'The key does not reach that agent, user or tenant.'],
  ['not_found', 'There is no such record within this scope.'],
  ['conflict', 'Another change was first, or the idempotency key was used for another request.'],
  ['precondition_failed', 'The block is another by now: read it again.'],
  ['too_large', 'The body is larger than the server takes.'],
  [
    'rate_limited',
    'The key asks too often, or too many wrong keys came from there. `Retry-After` says how long to wait.',
  ],
  ['timed_out', 'It took too long. With an `Idempotency-Key` it can be asked again and happens once.'],
  ['store_busy', 'The store cannot answer now. Try again after `Retry-After`.'],
];

function startHtml(document: OpenApiDocument): string {
  const errors = MEANINGS.map(
    ([code, text]) =>
      `<tr><th scope="row"><code>${code}</code></th><td><code class="status">${STATUS[code]}</code></td><td>${prose(text)}</td></tr>`,
  );
  return `<section class="group" id="group-start"><h2>start</h2><p>${prose(String(document.info['description']))} The document behind this page: <a href="/openapi.json">/openapi.json</a>.</p>
<h3 id="authentication">Authentication</h3><p>Every request but <code>/health</code> and <code>/ready</code> carries a key: <code>Authorization: Bearer varve_…</code> or <code>X-API-Key: varve_…</code>. A key belongs to one tenant and may <code>read</code>, <code>write</code> or <code>admin</code>; each may do what those before it may. The key that you type above stays in this page: it is not stored and gone when you close it.</p>
<pre tabindex="0"><code>export VARVE_URL=<span id="origin">http://127.0.0.1:8787</span>
export VARVE_KEY=varve_…</code></pre>
<h3 id="errors">Errors</h3><p>An error is <code>application/problem+json</code> (RFC 9457): <a href="#schema-Problem">Problem</a>. Act on its <code>code</code>; <code>retryable</code> says whether the same request may succeed later.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Errors"><table><tbody>${errors.join('')}</tbody></table></div>
<h3 id="pages">Pages</h3><p>A list that has more gives a <code>cursor</code>: send it back as <code>cursor</code> for the next page. It is <code>null</code> on the last.</p></section>`;
}

/** How the reference looks: light or dark as the reader has it, on any width. */
const STYLE = `
:root{color-scheme:light dark;--ink:light-dark(#1b2330,#e4e8ee);--soft:light-dark(#566173,#9ba7b7);--line:light-dark(#dfe4ea,#2a323e);
--back:light-dark(#fff,#11151b);--panel:light-dark(#f5f7f9,#181e26);--accent:light-dark(#0a675e,#62cfc0);--danger:light-dark(#a8321f,#ff9c8a);--top:3.75rem}
*{box-sizing:border-box}
html{scroll-padding-top:calc(var(--top) + 1rem)}
body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--back);display:grid;grid-template-columns:13rem minmax(0,1fr);grid-template-rows:auto 1fr}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;z-index:3;background:var(--back);padding:.5rem 1rem}
header{grid-column:1/-1;position:sticky;top:0;z-index:2;min-height:var(--top);display:flex;gap:1rem 2rem;align-items:center;flex-wrap:wrap;padding:.6rem 1.5rem;background:var(--back);border-bottom:1px solid var(--line)}
h1{font-size:1.25rem;margin:0;white-space:nowrap}h1 small{font-weight:400;color:var(--soft)}
.tools{display:flex;gap:1rem;flex:1;justify-content:flex-end}.tools[hidden]{display:none}
.tools label{display:flex;gap:.5rem;align-items:center;font-size:.85rem;color:var(--soft);flex:0 1 20rem;min-width:0}
input,textarea,button{font:inherit;color:inherit;background:var(--back);border:1px solid var(--line);border-radius:6px;padding:.35rem .6rem;width:100%;min-width:0}
input,textarea{border-color:light-dark(#8a94a3,#5c6878)}
textarea,input[data-in]{font:.85rem/1.5 ui-monospace,monospace}textarea{resize:vertical}
nav{position:sticky;top:var(--top);align-self:start;max-height:calc(100vh - var(--top));overflow:auto;padding:1.25rem 0 2rem 1.5rem}
nav ul{list-style:none;margin:0;padding:0}nav a{display:block;padding:.2rem 0;text-decoration:none;text-transform:capitalize}nav a:hover{text-decoration:underline}
main{padding:1.25rem 1.5rem 8rem;max-width:64rem;outline:0}
h2{font-size:1.5rem;margin:2.5rem 0 .25rem;text-transform:capitalize}section:first-of-type h2{margin-top:0}
h3{font-size:1.05rem;margin:1.5rem 0 .25rem}h4{font-size:.9rem;margin:1.25rem 0 .35rem}h4 small,label small{font-weight:400;color:var(--soft)}
p{margin:.35rem 0;max-width:46rem}.group>p{color:var(--soft);margin-bottom:.75rem}
code,pre{font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}:not(pre)>code{overflow-wrap:anywhere}
pre{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.75rem 1rem;margin:.25rem 0;overflow:auto;max-height:30rem}
details{border-top:1px solid var(--line)}details:last-child{border-bottom:1px solid var(--line)}
summary{cursor:pointer;display:grid;grid-template-columns:4.25rem minmax(0,2fr) minmax(0,3fr);gap:0 .75rem;align-items:baseline;padding:.55rem .25rem;list-style:none}
summary::-webkit-details-marker{display:none}summary:hover{background:var(--panel)}
.schema summary{display:block}
.summary{color:var(--soft);font-size:.92rem}.path{font-weight:600}
.method{font:600 .75rem ui-monospace,monospace;text-transform:uppercase;color:var(--accent)}.method.delete{color:var(--danger)}
.open{padding:.25rem .25rem 2rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;font-weight:400;padding:.4rem 1rem .4rem 0;border-top:1px solid var(--line)}th{width:14rem}tr:first-child>*{border-top:0}
td table{margin-top:.35rem;border-left:2px solid var(--line)}td table th{padding-left:.75rem;width:10rem}td p{color:var(--soft)}
.type{color:var(--soft)}.must{font-size:.75rem;color:var(--danger)}.status{font-weight:600;white-space:nowrap}
.try{margin-top:1.5rem;padding:.25rem 1rem 1rem;border:1px solid var(--line);border-radius:8px;background:var(--panel)}.try[hidden]{display:none}
.fields{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.6rem 1rem}
.fields label{display:block;font-size:.85rem}.fields label span{color:var(--soft)}.wide{grid-column:1/-1}
.send{display:flex;gap:.75rem;align-items:center;flex-wrap:wrap;margin-top:.9rem}
button{width:auto;cursor:pointer;padding:.4rem 1.1rem;font-weight:600}button[type=submit]{background:var(--accent);border-color:var(--accent);color:light-dark(#fff,#0d1117)}
output{font-size:.9rem}output.wrong{color:var(--danger)}
#found{color:var(--soft);margin:0}#found:empty{display:none}
.away{display:none!important}
@media (max-width:50rem){
:root{--top:6.5rem}
body{display:block}header{padding:.5rem 1rem;gap:.35rem 1rem}.tools{flex-basis:100%;gap:.5rem}.tools label{flex:1 1 0}.tools span{position:absolute;left:-99rem}
nav{position:static;padding:.5rem 1rem 0;max-height:none}nav ul{display:flex;flex-wrap:wrap;gap:0 1rem}nav a{padding:.35rem 0}
main{padding:1rem 1rem 6rem}
summary{grid-template-columns:4.25rem minmax(0,1fr);padding:.7rem 0}.summary{grid-column:2}
th,td{display:block;width:auto;padding:.35rem 0 0;border-top:0}tr{display:block;border-top:1px solid var(--line);padding-bottom:.4rem}td table th{width:auto}td table tr{padding-left:.75rem}td table th{padding-left:0}
input,textarea,button{font-size:16px}
}
`;

/**
 * What the reference does in a browser: search, open what a link names, send an operation. The key is read from its
 * field when it is used and put nowhere else.
 */
const SCRIPT = `
'use strict';
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);
const MOST_SHOWN = 100000;

one('.tools').hidden = false;
one('#origin').textContent = location.origin;

const search = one('#search');
const look = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  const entries = all('details[data-text]');
  for (const entry of entries) entry.classList.toggle('away', !words.every((word) => entry.dataset.text.includes(word)));
  for (const group of all('.group')) {
    const within = all('details[data-text]', group);
    const isEmpty = within.every((entry) => entry.classList.contains('away'));
    group.classList.toggle('away', words.length > 0 && isEmpty);
  }
  const shown = entries.filter((entry) => !entry.classList.contains('away')).length;
  one('#found').textContent = words.length === 0 ? '' : shown === 0 ? 'Nothing is called that.' : shown + ' found';
};
search.addEventListener('input', look);
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    search.focus();
  }
  if (event.key === 'Escape' && event.target === search && search.value !== '') {
    search.value = '';
    look();
  }
});

const openNamed = () => {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named === null) return;
  if (named.classList.contains('away')) {
    search.value = '';
    look();
  }
  if (named.tagName === 'DETAILS') named.open = true;
  named.scrollIntoView();
};
addEventListener('hashchange', openNamed);
openNamed();

const requestOf = (form) => {
  const headers = { authorization: 'Bearer ' + one('#key').value.trim() };
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const { name, value, dataset } of all('input[data-in]', form)) {
    if (value === '') continue;
    if (dataset.in === 'path') path = path.replace('{' + name + '}', encodeURIComponent(value));
    else if (dataset.in === 'query') query.set(name, value);
    else headers[name] = value;
  }
  const body = one('textarea', form);
  if (body !== null) headers['content-type'] = body.dataset.media;
  const init = { method: form.dataset.method.toUpperCase(), headers, body: body?.value, cache: 'no-store' };
  return [path + (query.size === 0 ? '' : '?' + query), init];
};

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const readInto = async (answer, response) => {
  const decoder = new TextDecoder();
  let text = '';
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += decoder.decode(value, { stream: true });
    answer.textContent = text.slice(0, MOST_SHOWN);
    if (text.length > MOST_SHOWN) {
      answer.textContent += '\\n… and more';
      return void (await reader.cancel());
    }
  }
  answer.textContent = pretty(text);
};

for (const form of all('form.try')) {
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const output = one('output', form);
    const answer = one('.answer', form);
    const stop = one('.stop', form);
    output.className = 'wrong';
    if (one('#key').value.trim() === '') {
      output.textContent = 'Type a key at the top first.';
      return one('#key').focus();
    }
    const asked = new AbortController();
    const start = performance.now();
    stop.hidden = false;
    stop.onclick = () => asked.abort();
    output.textContent = 'Sent …';
    try {
      const [address, init] = requestOf(form);
      const response = await fetch(address, { ...init, signal: asked.signal });
      output.className = response.ok ? '' : 'wrong';
      output.textContent = [response.status, response.statusText, Math.round(performance.now() - start) + ' ms'].join(' ');
      const tag = response.headers.get('etag');
      if (tag !== null) output.textContent += ' ETag ' + tag;
      answer.hidden = false;
      answer.textContent = '';
      await readInto(answer, response);
    } catch (error) {
      if (!asked.signal.aborted) output.textContent = 'The server cannot be reached: ' + error.message;
      else output.textContent += ' stopped';
    } finally {
      stop.hidden = true;
    }
  });
}
`;
