import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../errors.ts';

/** Whether somebody holds the write lock of an SQLite file now. What else may be wrong with it is for others to say. */
export async function isLocked(file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  const sqlite = await import('node:sqlite');
  let database: DatabaseSync | undefined;
  try {
    database = new sqlite.DatabaseSync(file);
    database.exec('pragma busy_timeout = 0');
    database.exec('begin immediate; rollback');
    return false;
  } catch (error) {
    return /locked|busy/.test(messageOf(error));
  } finally {
    database?.close();
  }
}
