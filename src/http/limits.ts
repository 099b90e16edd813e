import { DoorError } from './problem.ts';

/** Counts wrong keys by the address that they come from. */
export interface FailureLimit {
  /** Notes a wrong key; throws `rate_limited` when too many came from there. Valid keys are never limited here. */
  note(address: string): void;
  counts(): { refused: number; limited: number };
}

interface Attempts {
  left: number;
  at: number;
}

// The most addresses that are tracked. Beyond that, the least recently seen address is evicted.
const MOST_ADDRESSES = 10_000;

/** A token bucket for each address that holds a minute of wrong keys and refills at that rate. In this process. */
export function createFailureLimit(perMinute: number, now: () => number = () => performance.now()): FailureLimit {
  const buckets = new Map<string, Attempts>();
  let refused = 0;
  let limited = 0;
  return {
    note(address) {
      const network = networkOf(address);
      const at = now();
      const before = buckets.get(network) ?? { left: perMinute, at };
      const left = Math.min(perMinute, before.left + ((at - before.at) / 60_000) * perMinute);
      const isLimited = perMinute > 0 && left < 1;
      buckets.delete(network);
      buckets.set(network, { left: isLimited ? left : left - 1, at });
      if (buckets.size > MOST_ADDRESSES) buckets.delete(buckets.keys().next().value ?? '');
      if (!isLimited) return void (refused += 1);
      limited += 1;
      const wait = String(Math.max(1, Math.ceil(((1 - left) / perMinute) * 60)));
      throw new DoorError(
        'rate_limited',
        'Too many wrong keys came from this address. Use a valid key, or wait a minute.',
        { 'retry-after': wait },
      );
    },
    counts: () => ({ refused, limited }),
  };
}

/** The owner of one IPv6 address has its whole /64 network. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail = ''] = plain.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

/** Limits the open streams of changes of a key, because each one polls the store. */
export interface FollowerLimit {
  /** Counts a stream until the signal aborts; throws `rate_limited` when the key has too many. */
  enter(key: string, until: AbortSignal): void;
}

/** At most `most` streams for each key in this process; 0: any number. */
export function createFollowerLimit(most: number): FollowerLimit {
  const open = new Map<string, number>();
  const add = (key: string, change: number): void => {
    const count = (open.get(key) ?? 0) + change;
    if (count === 0) open.delete(key);
    else open.set(key, count);
  };
  return {
    enter(key, until) {
      if (until.aborted) return;
      if (most > 0 && (open.get(key) ?? 0) >= most) {
        throw new DoorError(
          'rate_limited',
          `This key already follows ${most} streams of changes, which is the limit. Close one first.`,
          {
            'retry-after': '10',
          },
        );
      }
      add(key, 1);
      until.addEventListener('abort', () => add(key, -1), { once: true });
    },
  };
}

/** Counts the requests of keys, or of addresses. */
export interface RateLimit {
  /** Takes one request of a key; throws `rate_limited` when it has none left. */
  take(key: string, perSecond: number): void;
}

interface Bucket {
  tokens: number;
  at: number;
}

// Keys without recent requests have full buckets, so their buckets can be dropped.
const MOST_BUCKETS = 10_000;

/** A token bucket for each key, which fills at the key's rate and holds two seconds of it. In this process. */
export function createRateLimit(): RateLimit {
  const buckets = new Map<string, Bucket>();
  return {
    take(key, perSecond) {
      if (perSecond <= 0) return;
      const room = Math.max(1, perSecond * 2);
      const at = performance.now();
      const before = buckets.get(key) ?? { tokens: room, at };
      const tokens = Math.min(room, before.tokens + ((at - before.at) / 1000) * perSecond);
      if (tokens < 1) {
        const wait = String(Math.max(1, Math.ceil((1 - tokens) / perSecond)));
        throw new DoorError(
          'rate_limited',
          `${perSecond} requests a second are allowed, and there were more. Repeat the request later.`,
          {
            'retry-after': wait,
          },
        );
      }
      if (buckets.size >= MOST_BUCKETS) buckets.clear();
      buckets.set(key, { tokens: tokens - 1, at });
    },
  };
}
