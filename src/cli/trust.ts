import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The file in the folder of a store whose default export is the options of `createVarve()`. */
export const CONFIG_FILE = 'varve.config.js';

/** The person's own folder, whose content only that person has written. */
export function ownFolder(): string {
  return join(homedir(), '.varve');
}

/**
 * The folders that this person has trusted, each with the SHA-256 hash of its configuration at that time. A repository can change its
 * configuration in a later commit, so trust applies to the content and not to the path.
 */
type Trusted = Record<string, string>;

function listFile(): string {
  return join(ownFolder(), 'trusted.json');
}

/** The real path of a folder: a symbolic link must not count as another folder. */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : resolve(folder);
}

function readTrusted(): Trusted {
  try {
    const value: unknown = JSON.parse(readFileSync(listFile(), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Trusted) : {};
  } catch {
    // The list does not exist yet or is damaged. In both cases nothing is trusted.
    return {};
  }
}

function digestOf(folder: string): string {
  const file = join(folder, CONFIG_FILE);
  return existsSync(file) ? hash('sha256', readFileSync(file)) : '';
}

/** Whether a folder is the person's own, or was trusted with its present configuration. */
export function isTrusted(folder: string): boolean {
  const path = realPath(folder);
  return path === realPath(ownFolder()) || readTrusted()[path] === digestOf(path);
}

/** Remembers that a folder, with the configuration that it has now, may be used. */
export function trust(folder: string): void {
  const path = realPath(folder);
  mkdirSync(ownFolder(), { recursive: true, mode: 0o700 });
  const list = { ...readTrusted(), [path]: digestOf(path) };
  const temporary = `${listFile()}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, listFile());
}
