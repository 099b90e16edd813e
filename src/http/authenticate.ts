import { setTimeout as pause } from 'node:timers/promises';
import { type ApiKey, sameText } from '../operate/api-keys.ts';
import type { Varve } from '../varve.ts';
import type { FailureLimit } from './limits.ts';
import { DoorError } from './problem.ts';
import type { DoorSettings } from './settings.ts';

const CHALLENGE = 'Bearer realm="varve"';
// Milliseconds before a wrong key is refused. Longer than a lookup, so that timing does not reveal why the key is wrong.
const REFUSED_AFTER = 25;

interface AuthenticateOptions {
  varve: Varve;
  failures: FailureLimit;
  address: string;
  /** Also accepts the key as the password of Basic authentication, for pages that a browser opens. */
  basic?: boolean;
}

export async function authenticate(
  headers: Headers,
  { varve, failures, address, basic = false }: AuthenticateOptions,
): Promise<ApiKey> {
  const challenge = basic ? `Basic realm="varve: any name, the key as password", ${CHALLENGE}` : CHALLENGE;
  const refusal = (detail: string): DoorError =>
    new DoorError('unauthenticated', detail, { 'www-authenticate': challenge });
  const secret = secretOf(headers, basic);
  if (secret === null) throw refusal('This request needs a key in the header Authorization: Bearer <key>.');
  const began = performance.now();
  const key = await varve.operator.keys.verify(secret);
  if (key !== null) return key;
  await refused(began, failures, address);
  throw refusal('This key is not valid: it is unknown, revoked or expired.');
}

// Basic authentication is never accepted for writes, because browsers also send it with requests from other sites (CSRF).
function secretOf(headers: Headers, basic: boolean): string | null {
  const apiKey = headers.get('x-api-key');
  if (apiKey !== null) return apiKey;
  const [scheme = '', value = ''] = (headers.get('authorization') ?? '').split(' ', 2);
  if (scheme.toLowerCase() === 'bearer') return value;
  if (!basic || scheme.toLowerCase() !== 'basic') return null;
  const pair = Buffer.from(value, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}

async function refused(began: number, failures: FailureLimit, address: string): Promise<void> {
  await pause(Math.max(0, REFUSED_AFTER - (performance.now() - began)));
  failures.note(address);
}

/** Returns a key for the operator's tenant. Null without the header, or if the server has no reflection secret. */
export async function bySecret(
  headers: Headers,
  settings: DoorSettings,
  { failures, address }: Pick<AuthenticateOptions, 'failures' | 'address'>,
): Promise<ApiKey | null> {
  const given = headers.get('x-reflection-secret');
  if (given === null || settings.reflectionSecret === null) return null;
  const began = performance.now();
  if (!sameText(given, settings.reflectionSecret)) {
    await refused(began, failures, address);
    throw new DoorError('unauthenticated', 'The secret in X-Reflection-Secret is not valid.');
  }
  return {
    id: 'reflection-secret',
    tenant: settings.tenant,
    name: 'reflection secret',
    access: 'admin',
    agents: null,
    users: null,
    rate: null,
    createdAt: new Date(0),
    createdBy: 'environment',
    expiresAt: null,
    revokedAt: null,
  };
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const WRONG_HOST = 'This server does not answer under this host name. Allow the name with VARVE_ALLOWED_HOSTS.';
const WRONG_ORIGIN = 'Web pages of this origin may not call the server. Allow the origin with VARVE_CORS_ORIGINS.';

/** Without this check, a web page could reach a server on the user's machine, even under the page's own host name (DNS rebinding). */
export function checkOrigin(headers: Headers, settings: DoorSettings): void {
  const host = headers.get('host') ?? '';
  if (!isOurHost(host, settings)) throw new DoorError('wrong_host', WRONG_HOST);
  const origin = headers.get('origin');
  if (origin === null || settings.corsOrigins.includes(origin)) return;
  if (origin !== `http://${host}` && origin !== `https://${host}`) throw new DoorError('wrong_origin', WRONG_ORIGIN);
}

function isOurHost(host: string, { local, allowedHosts }: DoorSettings): boolean {
  if (!local && allowedHosts.length === 0) return true;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return LOOPBACK.has(name) || allowedHosts.includes(name);
}

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
