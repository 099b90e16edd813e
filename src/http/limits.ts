import { createLru } from '../record/cache.ts';
import { DoorError } from './problem.ts';

export interface FailureLimit {
  /** Records a wrong key. Throws `rate_limited` if the address sent too many. Valid keys are never limited here. */
  note(address: string): void;
  counts(): { refused: number; limited: number };
}

interface Bucket {
  tokens: number;
  at: number;
}

// Beyond this number, the least recently used bucket is dropped. Its key or address then starts with a full one.
const MOST_BUCKETS = 10_000;

// Token buckets in this process. `take` returns null if a token was free, else the seconds until the next one.
function createBuckets(now: () => number): { take(name: string, room: number, perSecond: number): number | null } {
  const buckets = createLru<Bucket>({ most: MOST_BUCKETS });
  return {
    take(name, room, perSecond) {
      const at = now();
      const before = buckets.get(name) ?? { tokens: room, at };
      const tokens = Math.min(room, before.tokens + ((at - before.at) / 1000) * perSecond);
      const isEmpty = tokens < 1;
      buckets.set(name, { tokens: isEmpty ? tokens : tokens - 1, at });
      return isEmpty ? Math.max(1, Math.ceil((1 - tokens) / perSecond)) : null;
    },
  };
}

const systemTime = (): number => performance.now();

export function createFailureLimit(perMinute: number, now: () => number = systemTime): FailureLimit {
  const buckets = createBuckets(now);
  let refused = 0;
  let limited = 0;
  return {
    note(address) {
      const wait = perMinute === 0 ? null : buckets.take(networkOf(address), perMinute, perMinute / 60);
      if (wait === null) return void (refused += 1);
      limited += 1;
      throw limitedFor(wait, 'Too many wrong keys came from this address. Use a valid key, or wait a minute.');
    },
    counts: () => ({ refused, limited }),
  };
}

/** Returns the /64 network of an IPv6 address, because one client usually owns a whole /64. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail = ''] = plain.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

/** Limits the open streams of changes per key, because each one polls the store. */
export interface FollowerLimit {
  /** Counts a stream as open until the signal aborts. Throws `rate_limited` if the key has too many. */
  enter(key: string, until: AbortSignal): void;
}

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
      const problem = `This key already follows ${most} streams of changes, which is the limit. Close one first.`;
      if (most > 0 && (open.get(key) ?? 0) >= most) throw limitedFor(10, problem);
      add(key, 1);
      until.addEventListener('abort', () => add(key, -1), { once: true });
    },
  };
}

export interface RateLimit {
  /** Throws `rate_limited` if the key has used up its rate. */
  take(key: string, perSecond: number): void;
}

/** A key's bucket holds the requests of two seconds. */
export function createRateLimit(): RateLimit {
  const buckets = createBuckets(systemTime);
  return {
    take(key, perSecond) {
      const wait = perSecond <= 0 ? null : buckets.take(key, Math.max(1, perSecond * 2), perSecond);
      if (wait === null) return;
      const problem = `This key sent more than ${perSecond} requests a second, which is its limit. Repeat the request later.`;
      throw limitedFor(wait, problem);
    },
  };
}

function limitedFor(seconds: number, problem: string): DoorError {
  return new DoorError('rate_limited', problem, { 'retry-after': String(seconds) });
}
