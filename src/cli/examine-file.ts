import { messageOf } from '../errors.ts';
import { bad, type Finding } from './finding.ts';

const RESTORE =
  'stop what uses it, keep a copy, and restore a backup; what `varve export` still reads can be imported anew';

/** Reads an SQLite file from end to end; null when it is whole. */
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
      return problem === 'ok' ? null : bad('store', `${path} is damaged: ${problem?.split('\n').at(-1)}`, RESTORE);
    } finally {
      database.close();
    }
  } catch (error) {
    const problem = messageOf(error);
    return /locked|busy/.test(problem)
      ? bad('store', `${path} is locked by another process`, `end the process that holds it (fuser ${path} names it)`)
      : bad('store', `${path} cannot be read: ${problem}`, RESTORE);
  }
}
