import { setImmediate } from 'node:timers/promises';
import { VarveError } from '../errors.ts';
import type { Scope } from '../record/scope.ts';

/** Events that are read together, listed by their ids. */
interface Exchange {
  scope: Scope;
  events: readonly string[];
}

/** A queue of exchanges for the local reader, within this process. */
interface InlineQueue {
  /** Adds an exchange. The call never fails and never waits. */
  add(exchange: Exchange): void;
  /** Starts to read exchanges as they are added. */
  start(): void;
  /** Reads all waiting exchanges. */
  drain(): Promise<void>;
  /** Reads waiting exchanges for at most a second and accepts no more. The jobs of the remaining exchanges stay in the store. */
  stop(): Promise<void>;
}

// Beyond this number, the oldest exchange is dropped. No event is lost, because the job of the exchange, in this process or another, reads
// its events from the log.
const MOST_WAITING = 1000;
const PATIENCE = 1000;

/** Creates a queue. If `read` fails, the process emits a warning, and the job of the exchange reads its events again. */
export function createInlineQueue(read: (exchange: Exchange) => Promise<unknown>): InlineQueue {
  const waiting: Exchange[] = [];
  let isStarted = false;
  let stoppedAt: number | null = null;
  let running: Promise<void> | null = null;

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      // Waits a turn of the event loop, so that the caller gets its answer before the exchange is read.
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
      // The first drain of a process also finds the jobs of exchanges that wait here, so an exchange may be added twice.
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
