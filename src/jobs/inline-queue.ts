import { setImmediate } from 'node:timers/promises';
import { VarveError } from '../errors.ts';
import type { Event } from '../record/event.ts';
import type { Scope } from '../record/scope.ts';

/** Exchanges that wait to be read by the local reader, in this process. */
export interface InlineQueue {
  /** Takes an exchange in. Never fails and never waits. */
  add(scope: Scope, events: readonly Event[]): void;
  /** From now on exchanges are read as they come in. */
  start(): void;
  /** Reads everything that waits. */
  drain(): Promise<void>;
  /** Reads what waits, as far as a second goes, and takes nothing more in. The rest is read by the next formation. */
  stop(): Promise<void>;
}

// Where nobody drains, another process does the work: formation reads the same events later.
const MOST_WAITING = 1000;
const PATIENCE = 1000;

/** Makes the queue. `read` may fail: that is told as a warning, and the later formation covers it. */
export function createInlineQueue(read: (scope: Scope, events: readonly Event[]) => Promise<unknown>): InlineQueue {
  const waiting: { scope: Scope; events: readonly Event[] }[] = [];
  let isStarted = false;
  let stoppedAt: number | null = null;
  let running: Promise<void> | null = null;

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      // The answer goes out first.
      await setImmediate();
      if (stoppedAt !== null && performance.now() - stoppedAt > PATIENCE) waiting.length = 0;
      const next = waiting.shift();
      if (next === undefined) return;
      await read(next.scope, next.events).catch((error: unknown) => {
        if (!VarveError.isInstance(error, 'closed')) process.emitWarning(error as Error, 'VarveFormationWarning');
      });
    }
  };
  const drain = async (): Promise<void> => {
    running ??= work().finally(() => {
      running = null;
    });
    await running;
    if (waiting.length > 0) await drain();
  };

  return {
    add(scope, events) {
      if (stoppedAt !== null) return;
      waiting.push({ scope, events });
      if (waiting.length > MOST_WAITING) waiting.shift();
      if (isStarted) void drain();
    },
    start() {
      isStarted = true;
      void drain();
    },
    drain,
    async stop() {
      stoppedAt ??= performance.now();
      isStarted = false;
      await drain();
    },
  };
}
