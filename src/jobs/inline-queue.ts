import { setImmediate } from 'node:timers/promises';
import { VarveError } from '../errors.ts';
import type { Scope } from '../record/scope.ts';

interface Exchange {
  scope: Scope;
  events: readonly string[];
}

/** A queue of exchanges for the local reader, within this process. Each exchange also has a job in the store. */
interface InlineQueue {
  /** Never fails and never waits. */
  add(exchange: Exchange): void;
  start(): void;
  drain(): Promise<void>;
  /** Reads waiting exchanges for at most a second and accepts no new ones. The jobs of the others stay in the store. */
  stop(): Promise<void>;
}

// If more exchanges wait, the oldest one is dropped. No event is lost, because the exchange's job reads the events from the log.
const MOST_WAITING = 1000;
const PATIENCE = 1000;

/** If `read` fails, the process emits a warning, and the exchange's job reads the events again. */
export function createInlineQueue(read: (exchange: Exchange) => Promise<unknown>): InlineQueue {
  const waiting: Exchange[] = [];
  let isStarted = false;
  let stoppedAt: number | null = null;
  let running: Promise<void> | null = null;

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      // The caller gets its answer before the exchange is read.
      await setImmediate();
      if (stoppedAt !== null && performance.now() - stoppedAt > PATIENCE) waiting.length = 0;
      const next = waiting.shift();
      if (next === undefined) return;
      await read(next).catch((error: unknown) => {
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
    add(exchange) {
      // The first drain of a process finds the jobs of waiting exchanges and adds these exchanges again.
      if (stoppedAt !== null || waiting.some(({ events: [first] }) => first === exchange.events[0])) return;
      waiting.push(exchange);
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
