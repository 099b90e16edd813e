import { DoorError } from './problem.ts';
import type { DoorSettings } from './settings.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Fails when a request names a host that is not ours, or comes from a web page of elsewhere. A page in the user's
 * browser can reach a server on their machine, also under a name of its own that it has pointed here.
 */
export function checkOrigin(headers: Headers, settings: DoorSettings): void {
  const host = headers.get('host') ?? '';
  if (!isOurHost(host, settings))
    throw new DoorError('wrong_host', 'This server does not answer under that host name.');
  const origin = headers.get('origin');
  if (origin === null || settings.corsOrigins.includes(origin)) return;
  if (origin !== `http://${host}` && origin !== `https://${host}`) {
    throw new DoorError('wrong_origin', 'Web pages of other origins may not call this server.');
  }
}

function isOurHost(host: string, { local, allowedHosts }: DoorSettings): boolean {
  if (!local && allowedHosts.length === 0) return true;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return LOOPBACK.has(name) || allowedHosts.includes(name);
}

/** The headers that let a browser read an answer, for the origins that may. */
export function corsHeaders(origin: string | null, { corsOrigins }: DoorSettings): Record<string, string> {
  if (origin === null || !corsOrigins.includes(origin)) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-headers':
      'authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, x-api-key',
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-expose-headers': 'etag, retry-after, x-request-id',
    'access-control-max-age': '600',
    vary: 'origin',
  };
}
