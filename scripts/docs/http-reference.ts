import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { docsPage } from '../../src/http/docs/docs-page.ts';
import { openApi } from '../../src/http/openapi.ts';
import { OPERATIONS } from '../../src/http/operations/operations.ts';

const root = join(import.meta.dirname, '../..');

/** Writes the reference of the HTTP operations, from the description that the server gives at /openapi.json. */
export function writeHttpReference(folder: string): void {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const { html } = docsPage(openApi(OPERATIONS, version));
  writeFileSync(join(folder, 'http-reference.html'), html);
}
