import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { cached } from '../../record/cache.ts';

/** A file of a built site, the inspector or the docs, ready to be sent. */
interface WebFile {
  body: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** A built site: returns the file of a path in an encoding that the browser accepts; null when there is none. */
export interface WebFiles {
  get(path: string, acceptEncoding: string): WebFile | null;
}

/**
 * Allows files of this server and nothing else: no inline script or style, no frames, no other host. Even if stored text became markup by
 * mistake, it could not run, load or send anything.
 */
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

/** The docs also allow inline styles and markup: TypeDoc's script writes them from files of this server, never from stored text. */
export const DOCS_POLICY: string = PAGE_POLICY.split('; ')
  .filter((directive) => !directive.includes('trusted-types'))
  .map((directive) => (directive.startsWith('style-src') ? `${directive} 'unsafe-inline'` : directive))
  .join('; ');

const HASHED = /[/\\]assets[/\\][^/\\]+-[\w-]{8}\.\w+$/;

/** The possible folders of built sites: beside the sources, in the package, and beside the bundled command line. */
const PLACES = ['../../../dist/', '../../', '../'];

/** The folder of a built site, `web` or `docs`; null when it was never built. */
export function siteFolder(name: 'web' | 'docs'): string | null {
  const folders = PLACES.map((place) => fileURLToPath(new URL(`${place}${name}/`, import.meta.url)));
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? null;
}

/** Reads the file names of a built site. A file is read and compressed at the first request, and then cached. */
export function readWebFiles(folder: string, policy: string = PAGE_POLICY): WebFiles {
  const names = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || MEDIA[extname(entry.name)] === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    names.set(path, file);
    // Links within the docs end with `index.html`, but people leave out the end of an address, so both addresses work.
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
  // Vite puts the digest of the content into the names of its files.
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

/** The page that replaces a site that was not built. */
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
