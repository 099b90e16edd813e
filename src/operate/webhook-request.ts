import { createHmac, randomBytes } from 'node:crypto';
import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import type { RequestOptions } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { invalidInput, VarveError } from '../errors.ts';

/** Which addresses webhooks may call. */
export interface WebhookOptions {
  /** Also allows private addresses and plain `http:`. Default false, because webhooks could otherwise reach internal services (SSRF). */
  allowPrivate?: boolean;
}

interface SignedRequest {
  url: string;
  /** The same in every attempt, so that a receiver can deduplicate. */
  id: string;
  body: string;
  /** Newest first. During a rotation, the previous secret also signs. */
  secrets: readonly string[];
  now: number;
  signal: AbortSignal;
}

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** HMAC-SHA256 of id, time and body, as in the Standard Webhooks specification. */
function signWebhook(secret: string, { id, seconds, body }: { id: string; seconds: number; body: string }): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

/** Does not resolve the host name, which `lookupPublic` checks at the connection. */
export function checkReceiver(url: string, { allowPrivate = false }: WebhookOptions): URL {
  const parsed = URL.parse(url);
  if (parsed === null)
    throw invalidInput(
      `${JSON.stringify(url.slice(0, 200))} is not a URL. A webhook needs one such as https://example.com/hook.`,
    );
  const isPlain = parsed.protocol === 'http:' && allowPrivate;
  if (parsed.protocol !== 'https:' && !isPlain) {
    throw invalidInput('The URL of a webhook must begin with https://. Set VARVE_WEBHOOKS_PRIVATE=1 to allow http://.');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw invalidInput(
      'The URL of a webhook must not contain a user name or a password. The receiver verifies the sender by the signature.',
    );
  }
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1');
  const isPrivateHost = isIP(host) === 0 ? /(?:^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  if (!allowPrivate && isPrivateHost) throw notPublic(host);
  return parsed;
}

/** Returns the status. Does not follow redirects and does not read the body of the response. */
export async function sendWebhook(message: SignedRequest, options: WebhookOptions): Promise<number> {
  const url = checkReceiver(message.url, options);
  const seconds = Math.floor(message.now / 1000);
  const { id, body, secrets, signal } = message;
  // Imported here, so that commands that send no message start faster.
  const { request: send } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const settings: RequestOptions = {
    method: 'POST',
    // No connection is reused, because its address was checked for another name or at another time.
    agent: false,
    signal,
    lookup: options.allowPrivate === true ? undefined : lookupPublic,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'varve-webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': secrets.map((secret) => signWebhook(secret, { id, seconds, body })).join(' '),
    },
  };
  return new Promise((resolve, reject) => {
    const outgoing = send(url, settings, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Refuses names with any address that is not public, and connects to the checked addresses, which a later lookup cannot change. */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  const all: LookupAllOptions = { ...options, family: options.family as LookupAllOptions['family'], all: true };
  lookup(hostname, all, (error, addresses: LookupAddress[]) => {
    const [first] = addresses ?? [];
    if (error !== null) return callback(error, '', 0);
    if (first === undefined || addresses.some(({ address }) => !isPublicAddress(address))) {
      return callback(notPublic(hostname), '', 0);
    }
    return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};

function notPublic(host: string): VarveError {
  const message = `${host} is not an address of the public internet. The operator can allow private addresses with VARVE_WEBHOOKS_PRIVATE=1.`;
  return new VarveError(message, { code: 'invalid_input', retryable: false });
}

// From IANA's registry of special-purpose addresses.
const NOT_PUBLIC = new BlockList();
const NOT_PUBLIC_IPV4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 ' +
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3';
// Parts of the global unicast range: protocol assignments with Teredo, documentation, and 6to4, which carries IPv4 addresses.
const NOT_PUBLIC_IPV6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';
for (const subnet of `${NOT_PUBLIC_IPV4} ${NOT_PUBLIC_IPV6}`.split(' ')) {
  const [network = '', prefix] = subnet.split('/');
  NOT_PUBLIC.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4');
}
// All other IPv6 addresses are loopback, link-local, unique local, multicast, or embedded IPv4.
const GLOBAL_UNICAST = new BlockList();
GLOBAL_UNICAST.addSubnet('2000::', 3, 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !NOT_PUBLIC.check(address, 'ipv4');
  // Only link-local addresses have a zone ("%eth0").
  if (isIP(address) !== 6 || address.includes('%')) return false;
  return GLOBAL_UNICAST.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6');
}
