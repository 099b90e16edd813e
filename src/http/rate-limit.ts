import { DoorError } from './problem.ts';

/** Counts the requests of keys. */
export interface RateLimit {
  /** Takes one request of a key; throws `rate_limited` when it has none left. */
  take(key: string, perSecond: number): void;
}

interface Bucket {
  tokens: number;
  at: number;
}

// Keys that were not heard of for a while have full buckets: forgetting them changes nothing.
const MOST_BUCKETS = 10_000;

/** A token bucket for each key, which fills at the key's rate and holds two seconds of it. In this process. */
export function createRateLimit(now: () => number = () => performance.now()): RateLimit {
  const buckets = new Map<string, Bucket>();
  return {
    take(key, perSecond) {
      if (perSecond <= 0) return;
      const room = Math.max(1, perSecond * 2);
      const at = now();
      const before = buckets.get(key) ?? { tokens: room, at };
      const tokens = Math.min(room, before.tokens + ((at - before.at) / 1000) * perSecond);
      if (tokens < 1) {
        const wait = String(Math.max(1, Math.ceil((1 - tokens) / perSecond)));
        throw new DoorError('rate_limited', `This key may make ${perSecond} requests a second.`, {
          'retry-after': wait,
        });
      }
      if (buckets.size >= MOST_BUCKETS) buckets.clear();
      buckets.set(key, { tokens: tokens - 1, at });
    },
  };
}
