import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may block the event loop, in milliseconds. Other requests wait for as long. */
const LONGEST_BLOCK = 25;
let last = performance.now();

/**
 * Lets other work of the process run, if it has waited for more than 25 ms. Loops whose length a client decides call it in every step: one
 * client with thousands of requests must not stop the server for the others.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - last < LONGEST_BLOCK) return;
  await nextTurn();
  last = performance.now();
}
