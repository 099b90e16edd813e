/** Runs one piece of work at a time, in the order of the calls. */
export type Mutex = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Makes a lock of this process. A failure of one piece of work is its caller's alone. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}
