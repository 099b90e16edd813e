/** Runs work when there is room for it, first come first served. */
export type ParallelLimit = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;

/** At most `limit` pieces of work at a time. One whose signal is aborted while it waits leaves the queue. */
export function createParallelLimit(limit: number): ParallelLimit {
  let running = 0;
  const waiting = new Set<() => void>();

  const enter = (signal?: AbortSignal): Promise<void> | void => {
    signal?.throwIfAborted();
    if (running < limit) {
      running += 1;
      return;
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(start);
        reject(signal?.reason);
      };
      waiting.add(start);
      signal?.addEventListener('abort', leave, { once: true });
    });
  };

  const exit = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    // The place is handed over, not given back: a newcomer cannot slip in between.
    waiting.delete(next);
    next();
  };

  return async (work, signal) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      exit();
    }
  };
}
