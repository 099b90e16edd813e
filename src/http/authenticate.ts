import { sameText, type ApiKey } from '../operate/api-key.ts';
import type { Varve } from '../varve.ts';
import { DoorError } from './problem.ts';
import type { DoorSettings } from './settings.ts';

const CHALLENGE = 'Bearer realm="varve"';

/** The key that a request carries: `Authorization: Bearer …` or `X-API-Key: …`. */
export async function authenticate(
  varve: Varve,
  headers: Headers,
  { basic = false }: { basic?: boolean } = {},
): Promise<ApiKey> {
  const secret = secretOf(headers, basic);
  const key = secret === null ? null : await varve.operator.keys.verify(secret);
  if (key !== null) return key;
  const detail = secret === null ? 'This needs a key: Authorization: Bearer <key>.' : 'This key is not valid.';
  const challenge = basic ? `${CHALLENGE}, Basic realm="varve: any name, the key as password"` : CHALLENGE;
  throw new DoorError('unauthenticated', detail, { 'www-authenticate': challenge });
}

/** Basic is for pages that a browser opens: it asks for the key by itself. Nothing can be written that way. */
function secretOf(headers: Headers, basic: boolean): string | null {
  const apiKey = headers.get('x-api-key');
  if (apiKey !== null) return apiKey;
  const [scheme = '', value = ''] = (headers.get('authorization') ?? '').split(' ', 2);
  if (scheme.toLowerCase() === 'bearer') return value;
  if (!basic || scheme.toLowerCase() !== 'basic') return null;
  const pair = Buffer.from(value, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}

/** Who carries the reflection secret, as a key that reaches its tenant; null when nobody does (K12). */
export function bySecret(headers: Headers, settings: DoorSettings): ApiKey | null {
  const given = headers.get('x-reflection-secret');
  if (given === null || settings.reflectionSecret === null) return null;
  if (!sameText(given, settings.reflectionSecret)) throw new DoorError('unauthenticated', 'This secret is not valid.');
  return {
    id: 'reflection-secret',
    tenant: settings.secretTenant,
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
