import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import { bad, type Finding } from './finding.ts';
import { isLocked } from './is-locked.ts';

const RESTORE =
  'stop what uses it, keep a copy, and restore a backup; what `varve export` still reads can be imported anew';

// A write takes milliseconds: who holds the lock in every look does not let go.
const LOOKS = 20;
const BETWEEN = 50;

/** Reads an SQLite file from end to end and sees whether it can be written; null when it is whole and can. */
export async function examineFile(path: string): Promise<Finding | null> {
  const { DatabaseSync } = await import('node:sqlite');
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      database.exec('pragma busy_timeout = 1000');
      const [problem] = database
        .prepare('pragma quick_check(1)')
        .all()
        .map((row) => String(row['quick_check']));
      if (problem !== 'ok') return bad('store', `${path} is damaged: ${problem?.split('\n').at(-1)}`, RESTORE);
    } finally {
      database.close();
    }
  } catch (error) {
    const problem = messageOf(error);
    return /locked|busy/.test(problem) ? locked(path) : bad('store', `${path} cannot be read: ${problem}`, RESTORE);
  }
  for (let look = 0; look < LOOKS; look += 1) {
    if (!(await isLocked(path))) return null;
    await pause(BETWEEN);
  }
  return locked(path);
}

function locked(path: string): Finding {
  return bad('store', `${path} is locked by another process`, `end the process that holds it (fuser ${path} names it)`);
}
