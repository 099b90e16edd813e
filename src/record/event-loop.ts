import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work may block the event loop for this many milliseconds. Other requests have to wait meanwhile. */
const LONGEST_BLOCK = 25;
let last = performance.now();

/**
 * Lets other work run if the last time is more than 25 ms ago. Call this in every iteration of a loop whose length a client determines: one
 * client with thousands of requests must not stop the server for the others.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - last < LONGEST_BLOCK) return;
  await nextTurn();
  last = performance.now();
}

/** Runs tasks one at a time, in the order of the calls. */
export type Mutex = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Creates a mutex within this process. If a task fails, only its own caller gets the error. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

/** Collects entries and writes them in batches after a short delay, so that no response waits for a write. */
interface GatheredWrites<Entry> {
  note(entry: Entry): void;
  /** Resolves when everything that was added so far is written. */
  settle(): Promise<void>;
}

const GATHER_FOR = 50;

/**
 * Creates a buffer that collects entries for 50 ms and then passes them to `write`, one batch after the other. `write` must handle its own
 * errors.
 */
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
