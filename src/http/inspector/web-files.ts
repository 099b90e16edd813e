import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** A file of the inspector, ready to be sent. */
export interface WebFile {
  body: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** The built inspector: gives the file of a path for what the browser accepts; null when there is none. */
export interface WebFiles {
  get(path: string, acceptEncoding: string): WebFile | null;
}

/**
 * Files of this server and nothing else: no inline script or style, no frames, no other host. Stored text that would become
 * markup against all care could not run, load or send anything.
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
};

/** Where the built inspector can be: beside the sources, in the package, beside the bundled command line. */
const PLACES = ['../../../dist/web/', '../../web/', '../web/'];

/** The folder of the built inspector; null when it was never built. */
export function webFolder(): string | null {
  const folders = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? null;
}

/** Reads a built inspector into memory, compressed once: it has a few files and some hundred kilobytes. */
export function readWebFiles(folder: string): WebFiles {
  const files = new Map<string, ReturnType<typeof prepare>>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const media = MEDIA[extname(entry.name)];
    if (!entry.isFile() || media === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    files.set(path === '/index.html' ? '/' : path, prepare(path, media, readFileSync(file)));
  }
  return {
    get(path, acceptEncoding) {
      const file = files.get(path);
      if (file === undefined) return null;
      const encoding = (['br', 'gzip'] as const).find((name) => new RegExp(`\\b${name}\\b`).test(acceptEncoding));
      return encoding === undefined
        ? { body: file.plain, headers: file.headers }
        : { body: file[encoding], headers: { ...file.headers, 'content-encoding': encoding } };
    },
  };
}

function prepare(
  path: string,
  media: string,
  content: Buffer,
): Record<'plain' | 'br' | 'gzip', Uint8Array<ArrayBuffer>> & { headers: Record<string, string> } {
  const isPage = path.endsWith('.html');
  // Names of files under /assets hold the digest of their content.
  const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return {
    plain: new Uint8Array(content),
    br: new Uint8Array(brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })),
    gzip: new Uint8Array(gzipSync(content)),
    headers: {
      'content-type': media,
      'cache-control': cache,
      etag: tag,
      vary: 'accept-encoding',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      ...(isPage ? { 'content-security-policy': PAGE_POLICY } : {}),
    },
  };
}

/** What is served where the inspector was not built. */
export const NOT_BUILT: WebFile = {
  body: new TextEncoder().encode(
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Varve</title><p>The inspector is not built. ' +
      'In a checkout, <code>npm start</code> builds it; or run <code>npm run build:web</code>. ' +
      'The API and its reference at <a href="/docs">/docs</a> work without it.</p></html>',
  ),
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  },
};
