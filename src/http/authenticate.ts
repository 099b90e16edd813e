import { setTimeout as pause } from 'node:timers/promises';
import { sameText, type ApiKey } from '../operate/api-key.ts';
import type { Varve } from '../varve.ts';
import type { FailureLimit } from './failure-limit.ts';
import { DoorError } from './problem.ts';
import type { DoorSettings } from './settings.ts';

const CHALLENGE = 'Bearer realm="varve"';
// A wrong key takes this long whatever is wrong with it: longer than to look it up.
const REFUSED_AFTER = 25;

export interface AuthenticateOptions {
  varve: Varve;
  failures: FailureLimit;
  /** Where the request comes from. */
  address: string;
  /** Whether the key may come as the password of Basic: for pages that a browser opens, which asks for it by itself. */
  basic?: boolean;
}

/** The key that a request carries: `Authorization: Bearer …` or `X-API-Key: …`. */
export async function authenticate(
  headers: Headers,
  { varve, failures, address, basic = false }: AuthenticateOptions,
): Promise<ApiKey> {
  const challenge = basic ? `Basic realm="varve: any name, the key as password", ${CHALLENGE}` : CHALLENGE;
  const refusal = (detail: string): DoorError =>
    new DoorError('unauthenticated', detail, { 'www-authenticate': challenge });
  const secret = secretOf(headers, basic);
  if (secret === null) throw refusal('This needs a key: Authorization: Bearer <key>.');
  const began = performance.now();
  const key = await varve.operator.keys.verify(secret);
  if (key !== null) return key;
  await refused(began, failures, address);
  throw refusal('This key is not valid.');
}

/** Nothing can be written with Basic: a browser sends it by itself, also where another page sends it to. */
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

/** Who carries the reflection secret, as a key that reaches its tenant; null when nobody does (K12). */
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
    throw new DoorError('unauthenticated', 'This secret is not valid.');
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
