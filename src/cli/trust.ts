import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The configuration file in a store's folder. Its default export contains the options of `createVarve()`. */
export const CONFIG_FILE = 'varve.config.js';

/** Returns the person's own folder. Only that person has written its content. */
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

/** Returns the real path of a folder, so that a symbolic link is not treated as another folder. */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : resolve(folder);
}

function readTrusted(): Trusted {
  try {
    const value: unknown = JSON.parse(readFileSync(listFile(), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Trusted) : {};
  } catch {
    // The list does not exist yet or is damaged, so nothing is trusted.
    return {};
  }
}

function digestOf(folder: string): string {
  const file = join(folder, CONFIG_FILE);
  return existsSync(file) ? hash('sha256', readFileSync(file)) : '';
}

/** Checks whether a folder is the person's own, or was trusted with its current configuration. */
export function isTrusted(folder: string): boolean {
  const path = realPath(folder);
  return path === realPath(ownFolder()) || readTrusted()[path] === digestOf(path);
}

/** Records that a folder may be used with its current configuration. */
export function trust(folder: string): void {
  const path = realPath(folder);
  mkdirSync(ownFolder(), { recursive: true, mode: 0o700 });
  const list = { ...readTrusted(), [path]: digestOf(path) };
  const temporary = `${listFile()}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, listFile());
}
