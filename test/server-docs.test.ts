import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpReference } from '../scripts/docs/http-reference.ts';
import type { JsonSchema } from '../src/http/json-schema.ts';
import type { OpenApiDocument } from '../src/http/openapi.ts';
import { serverPlace, startServer, type ServerPlace, type ServerProcess } from './server-process.ts';

interface Described {
  operationId: string;
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown }> };
}

describe('the HTTP reference', () => {
  let place: ServerPlace;
  let server: ServerProcess;
  let document: OpenApiDocument;
  let html: string;
  beforeAll(async () => {
    place = await serverPlace();
    server = await startServer(place);
    document = (await server.call('GET', '/openapi.json')).body as OpenApiDocument;
    html = httpReference(document);
  });
  afterAll(async () => {
    await server.stop();
    await place.remove();
  });
  const operations = (): { path: string; method: string; operation: Described }[] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        path,
        method,
        operation: operation as unknown as Described,
      })),
    );

  it('has its script and styles in its own files, and requests no other host', () => {
    expect(html.match(/<script[^>]*>/g)).toEqual(['<script src="assets/http-reference.js">']);
    expect(html).not.toMatch(/<style|\s(style|on\w+)="/);
    expect(html.match(/(href|action|src)="(?!#|\/openapi\.json"|index\.html"|assets\/)[^"]*"/g)).toBeNull();
  });

  it('keeps the key in the page', () => {
    const script = readFileSync(join(import.meta.dirname, '../scripts/docs/http-reference.js'), 'utf8');
    expect(script).toContain("one('#key').value");
    expect(`${html}${script}`).not.toMatch(/localStorage|sessionStorage|document\.cookie|indexedDB/);
  });

  it('has every operation once, with an example to copy, and no broken link', () => {
    for (const { operation, path } of operations()) {
      expect(html.split(`id="${operation.operationId}"`)).toHaveLength(2);
      const shown = html.split(`id="${operation.operationId}"`)[1]?.split('</details>', 1)[0] ?? '';
      expect(shown).toContain(`curl `);
      expect(shown).toContain('Authorization: Bearer $VARVE_KEY');
      expect(shown).toContain(`data-path="${path}"`);
    }
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.size).toBe([...html.matchAll(/ id="([^"]+)"/g)].length);
  });

  it('has an example for every body, which matches its schema', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'doc', components: document.components });
    const named: string[] = [];
    for (const { operation, method, path } of operations()) {
      for (const [media, { schema, example }] of Object.entries(operation.requestBody?.content ?? {})) {
        named.push(operation.operationId);
        expect([operation.operationId, example === undefined]).toEqual([operation.operationId, false]);
        const rooted = JSON.stringify(schema).replaceAll('"#/components', '"doc#/components');
        expect([operation.operationId, ajv.validate(JSON.parse(rooted) as object, example)]).toEqual([
          operation.operationId,
          true,
        ]);
        const query = operation.parameters.some(({ name }) => name === 'user')
          ? '?user=ana&session=s&connection=c'
          : '';
        const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PLACES[name] ?? 'mem_nothing') + query;
        if (operation.operationId === 'erase') continue;
        const answer = await server.call(method.toUpperCase(), target, {
          body: example,
          headers: { 'content-type': media },
        });
        expect([operation.operationId, answer.status < 300 || answer.status === 404, answer.text]).toEqual([
          operation.operationId,
          true,
          answer.text,
        ]);
      }
    }
    expect(named.length).toBeGreaterThan(30);
  });
});

const PLACES: Readonly<Record<string, string>> = { kind: 'profile', key: 'home_city', name: 'search_memory' };
