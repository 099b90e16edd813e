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
