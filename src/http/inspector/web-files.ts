import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { cached } from '../../record/cache.ts';

interface WebFile {
  body: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

export interface WebFiles {
  get(path: string, acceptEncoding: string): WebFile | null;
}

// Only files of this server, no inline script or style: stored text that became markup by mistake could not run, load or send anything.
const PAGE_POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const MEDIA: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ts': 'text/plain; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
};

// TypeDoc's script creates inline styles and markup, but only from files of this server, never from stored text.
export const DOCS_POLICY: string = PAGE_POLICY.split('; ')
  .filter((directive) => !directive.includes('trusted-types'))
  .map((directive) => (directive.startsWith('style-src') ? `${directive} 'unsafe-inline'` : directive))
  .join('; ');

const HASHED = /[/\\]assets[/\\][^/\\]+-[\w-]{8}\.\w+$/;

// Beside the sources, in the package, or beside the bundled command line.
const PLACES = ['../../../dist/', '../../', '../'];

export function siteFolder(name: 'web' | 'docs'): string | null {
  const folders = PLACES.map((place) => fileURLToPath(new URL(`${place}${name}/`, import.meta.url)));
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? null;
}

/** Each file is read and compressed at its first request, and then cached. */
export function readWebFiles(folder: string, policy: string = PAGE_POLICY): WebFiles {
  const names = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || MEDIA[extname(entry.name)] === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    names.set(path, file);
    // Pages are also served without `index.html` or `.html`, as people type addresses.
    if (path === '/index.html') names.set('/', file);
    else if (path.endsWith('.html')) names.set(path.slice(0, -'.html'.length), file);
  }
  const prepared = cached(names.size, (name) => prepare(name, policy));
  return {
    get(path, acceptEncoding) {
      const name = names.get(path);
      if (name === undefined) return null;
      const file = prepared(name);
      const encoding = (['br', 'gzip'] as const).find((each) => new RegExp(`\\b${each}\\b`).test(acceptEncoding));
      return encoding === undefined
        ? { body: file.plain, headers: file.headers }
        : { body: file[encoding], headers: { ...file.headers, 'content-encoding': encoding } };
    },
  };
}

function prepare(
  name: string,
  policy: string,
): Record<'plain' | 'br' | 'gzip', Uint8Array<ArrayBuffer>> & { headers: Record<string, string> } {
  const content = readFileSync(name);
  const isPage = name.endsWith('.html');
  // Vite puts a digest of the content into the name, so the file never changes.
  const cache = HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
  const tag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
  return {
    plain: new Uint8Array(content),
    br: new Uint8Array(brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })),
    gzip: new Uint8Array(gzipSync(content)),
    headers: {
      'content-type': MEDIA[extname(name)] ?? 'application/octet-stream',
      'cache-control': cache,
      etag: tag,
      vary: 'accept-encoding',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      ...(isPage ? { 'content-security-policy': policy } : {}),
    },
  };
}

export function notBuilt(what: string, command: string): WebFile {
  const text = `${what} not built. In a checkout, run <code>npm start</code> or <code>${command}</code>.`;
  return {
    body: new TextEncoder().encode(
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>Varve</title><p>${text} The API works without this page.</p></html>`,
    ),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    },
  };
}
