import { DoorError } from './problem.ts';

/** Counts wrong keys by the address that they come from. */
export interface FailureLimit {
  /** Notes a wrong key; throws `rate_limited` when too many came from there. A key that is right is never asked about. */
  note(address: string): void;
  counts(): { refused: number; limited: number };
}

interface Bucket {
  left: number;
  at: number;
}

// Enough for everyone who is at it at once. Who comes after that pushes out those who were quiet for longest.
const MOST_ADDRESSES = 10_000;

/** A bucket for each address that holds a minute of wrong keys and fills as the minute goes by. In this process. */
export function createFailureLimit(perMinute: number, now: () => number = () => performance.now()): FailureLimit {
  const buckets = new Map<string, Bucket>();
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
      throw new DoorError('rate_limited', 'Too many wrong keys came from this address.', { 'retry-after': wait });
    },
    counts: () => ({ refused, limited }),
  };
}

/** Who has one IPv6 address has the 2⁶⁴ beside it. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail = ''] = plain.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
