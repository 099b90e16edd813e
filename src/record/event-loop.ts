import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may block the event loop, in milliseconds. Other requests wait during this time. */
const LONGEST_BLOCK = 25;
let last = performance.now();

/**
 * Lets other work of the process run, if more than 25 ms have passed since the last time. Loops whose length a client decides call this
 * function in every iteration: one client with thousands of requests must not stop the server for the others.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - last < LONGEST_BLOCK) return;
  await nextTurn();
  last = performance.now();
}

/** Runs one piece of work at a time, in the order of the calls. */
export type Mutex = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Creates a mutex within this process. If one piece of work fails, only its own caller gets the error. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

/** A buffer of entries that are written in batches after a short delay, so that no response waits for the write. */
interface GatheredWrites<Entry> {
  note(entry: Entry): void;
  /** Resolves when everything noted so far is written. */
  settle(): Promise<void>;
}

const GATHER_FOR = 50;

/** Collects entries for 50 ms and passes them to `write`, one batch after the other. `write` handles its own failures. */
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
