import type { Delay } from '../src/models/caller.ts';
import type { ManualClock } from '../src/record/clock.ts';

/** Delays that take no real time: pauses pass immediately and advance the clock, and timeouts pass when the test says so. */
export interface ManualDelay {
  delay: Delay;
  /** The pauses so far, in milliseconds. */
  readonly pauses: number[];
  /** The number of pending timeouts. */
  readonly waiting: number;
  /** Lets all pending timeouts expire. */
  timeOut(): void;
}

/** A delay longer than `longestPause` is a timeout. */
export function manualDelay(clock: ManualClock, longestPause = 30_000): ManualDelay {
  const pauses: number[] = [];
  const waiting = new Set<() => void>();
  return {
    pauses,
    get waiting() {
      return waiting.size;
    },
    delay: async (milliseconds, signal) => {
      signal?.throwIfAborted();
      if (milliseconds <= longestPause) {
        pauses.push(milliseconds);
        clock.advance(milliseconds);
        return;
      }
      await new Promise<void>((resolve, reject) => {
        waiting.add(resolve);
        signal?.addEventListener('abort', () => {
          waiting.delete(resolve);
          reject(signal.reason);
        });
      });
    },
    timeOut() {
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
  };
}
