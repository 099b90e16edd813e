import { setTimeout as wait } from 'node:timers/promises';

/** Waits. Rejects at once when the signal is aborted. Injected, so that tests do not sleep. */
export type Delay = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/** Waits by the machine's own timers. */
export const systemDelay: Delay = (milliseconds, signal) => wait(milliseconds, undefined, { signal });
