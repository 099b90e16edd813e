import type { Delay } from '../src/models/caller.ts';
import type { ManualClock } from '../src/record/clock.ts';

/** Waiting that takes no time: pauses pass at once and move the clock, timeouts pass when told to. */
export interface ManualDelay {
  delay: Delay;
  /** The pauses so far, in milliseconds. */
  readonly pauses: number[];
  /** How many still wait. */
  readonly waiting: number;
  /** Lets the time of everything that still waits run out. */
  timeOut(): void;
}

/** What is longer than `longestPause` is taken for a timeout. */
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
