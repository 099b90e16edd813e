import { isLocked } from './is-locked.ts';
import type { Output } from './output.ts';

// Long enough that a write of another process is over, short enough that nobody thinks this one is dead.
const AFTER = 1_000;
// Not held by chance: long work of another process frees the lock between its writes.
const LOOKS = 3;
const BETWEEN = 100;

/**
 * Says after a second that another process holds the lock of an SQLite file: whoever writes waits for it, up to 15 seconds.
 * Looks from outside, between the turns of this process, in which it holds no lock itself. Gives what ends it.
 */
export function sayWaiting(file: string, output: Output): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async (left: number): Promise<void> => {
    if (!(await isLocked(file)) || isOver) return;
    if (left > 1) lookIn(BETWEEN, left - 1);
    else output.note(`Another process is writing to ${file}: waiting for it …`);
  };
  const lookIn = (wait: number, left: number): void => {
    timer = setTimeout(() => void look(left), wait).unref();
  };
  lookIn(AFTER, LOOKS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
