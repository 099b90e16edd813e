import { setImmediate as nextTurn } from 'node:timers/promises';

/** In milliseconds. */
const LONGEST_BLOCK = 25;
let last = performance.now();

/** Call this in every iteration of a loop whose length a client determines, so that it does not block other requests. */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - last < LONGEST_BLOCK) return;
  await nextTurn();
  last = performance.now();
}

export type Mutex = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Works only within this process. If a task fails, only its own caller gets the error. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

interface GatheredWrites<Entry> {
  note(entry: Entry): void;
  settle(): Promise<void>;
}

const GATHER_FOR = 50;

/** Writes the entries of 50 ms in one batch, so that no response waits for a write. `write` must handle its own errors. */
export function gatherWrites<Entry>(write: (entries: readonly Entry[]) => Promise<void>): GatheredWrites<Entry> {
  let noted: Entry[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  const flush = (): void => {
    timer = null;
    const entries = noted;
    noted = [];
    writing = writing.then(() => write(entries));
  };
  return {
    note(entry) {
      noted.push(entry);
      timer ??= setTimeout(flush, GATHER_FOR);
    },
    async settle() {
      if (timer !== null) {
        clearTimeout(timer);
        flush();
      }
      await writing;
    },
  };
}
