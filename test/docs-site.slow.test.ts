import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { consolidationSettings } from '../src/consolidate/consolidation-settings.ts';
import { serverPlace, startServer } from './server-process.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SITE = join(ROOT, 'dist/docs');

describe('the docs site', () => {
  let files: string[];
  beforeAll(() => {
    execFileSync(process.execPath, ['scripts/docs/build-docs.ts', '--strict'], { cwd: ROOT, stdio: 'pipe' });
    files = readdirSync(SITE, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  }, 180_000);
  const pages = (): string[] => files.filter((file) => file.endsWith('.html'));

  it('has no broken links and no inline script, and requests no other host', () => {
    const ids = new Map(pages().map((page) => [page, idsOf(readFileSync(page, 'utf8'))]));
    const dead: string[] = [];
    for (const page of pages()) {
      const html = readFileSync(page, 'utf8');
      expect([page, html.match(/<script(?![^>]*\ssrc=)[^>]*>/g)]).toEqual([page, null]);
      for (const [, link = ''] of html.matchAll(/\s(?:href|src)="([^"]+)"/g)) {
        if (/^(?:https?|data|mailto):|^\/openapi\.json$/.test(link)) continue;
        const [path = '', anchor] = decodeURIComponent(link).split('#');
        const target = path === '' ? page : resolve(dirname(page), path);
        const isThere =
          existsSync(target) && (anchor === undefined || anchor === '' || (ids.get(target)?.has(anchor) ?? true));
        if (!isThere) dead.push(`${relative(SITE, page)} → ${link}`);
      }
    }
    expect(dead).toEqual([]);
    expect(pages().length).toBeGreaterThan(200);
  });

  it('gives the cells of a table the headings of their columns, which a phone shows before each cell', () => {
    const html = readFileSync(join(SITE, 'inspector.html'), 'utf8');
    expect(html).toMatch(/<td>which memories exist<\/td>\s*<td data-label="view">/);
  });

  it('has every entry point of the package, and the settings with the defaults of the schemas', () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      exports: Record<string, unknown>;
    };
    const modules = readdirSync(join(SITE, 'modules')).length;
    expect(modules).toBeGreaterThanOrEqual(Object.keys(exports).length - 1);
    const settings = readFileSync(join(SITE, 'settings.html'), 'utf8').replaceAll(/<[^>]+>/g, ' ');
    expect(settings).toMatch(
      new RegExp(`decay\\.archiveAfterDays\\s+${consolidationSettings().decay.archiveAfterDays}\\s`),
    );
    for (const name of ['triggers.messages', 'limits.tokens', 'tokenBudget', 'recallCacheBytes', 'nightly.hour'])
      expect([name, settings.includes(name)]).toEqual([name, true]);
  });

  it('is served at /docs without a key', async () => {
    const place = await serverPlace();
    const server = await startServer(place);
    try {
      const page = await server.call('GET', '/docs/', { key: null });
      expect([page.status, page.text.includes('Quickstart')]).toEqual([200, true]);
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
      expect((await server.call('GET', '/docs/http-reference.html', { key: null })).status).toBe(200);
      for (const path of ['/docs/nothing.html', '/docs/..%2Fweb/index.html', '/docs/%2e%2e/package.json'])
        expect([path, (await server.call('GET', path, { key: null })).status >= 400]).toEqual([path, true]);
    } finally {
      await server.stop();
      await place.remove();
    }
  });
});

function idsOf(html: string): Set<string> {
  return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id));
}
