import { createLru } from '../record/cache.ts';
import { DoorError } from './problem.ts';

export interface FailureLimit {
  /** Records a wrong key from an address. If there were too many, throws `rate_limited`. Valid keys are never limited here. */
  note(address: string): void;
  counts(): { refused: number; limited: number };
}

interface Bucket {
  tokens: number;
  at: number;
}

// The maximum number of tracked keys or addresses. Beyond it, the one that was seen least recently is dropped and starts again with a full
// bucket.
const MOST_BUCKETS = 10_000;

/**
 * Makes token buckets, one for each name, in this process. `take` takes one token; if there is none, it returns the seconds until the next.
 */
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

/** Limits wrong keys by a bucket for each address. A bucket contains the wrong keys of one minute and refills at that rate. */
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

/** Returns an address, or the /64 network of an IPv6 address, because one client usually owns a whole /64. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail = ''] = plain.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

/** Limits how many streams of changes a key has open, because each one polls the store. */
export interface FollowerLimit {
  /** Counts a stream as open until the signal aborts. If the key has too many, throws `rate_limited`. */
  enter(key: string, until: AbortSignal): void;
}

/** Allows each key at most `most` streams in this process, or any number if `most` is 0. */
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
  /** Counts one request of a key. If the key has used up its rate, throws `rate_limited`. */
  take(key: string, perSecond: number): void;
}

/** Limits requests by a bucket for each key. A bucket refills at the key's rate and contains the requests of two seconds. */
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
