import { DoorError } from './problem.ts';

/** Counts the streams of changes that keys have open: each looks into the store again and again. */
export interface FollowerLimit {
  /** Counts one in, until the signal; throws `rate_limited` when the key has as many as it may. */
  enter(key: string, until: AbortSignal): void;
}

/** At most so many for each key, in this process; 0: any number. */
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
        throw new DoorError('rate_limited', `This key follows ${most} streams of changes already.`, {
          'retry-after': '10',
        });
      }
      add(key, 1);
      until.addEventListener('abort', () => add(key, -1), { once: true });
    },
  };
}
