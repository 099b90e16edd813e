import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const CONFIG_FILE = 'varve.config.js';

/** The only folder that is always trusted, because the person alone has written its content. */
export function ownFolder(): string {
  return join(homedir(), '.varve');
}

/** The SHA-256 of each folder's configuration when the person trusted it: a later commit may change the file at the same path. */
type Trusted = Record<string, string>;

function listFile(): string {
  return join(ownFolder(), 'trusted.json');
}

// A symbolic link must not count as another folder.
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : resolve(folder);
}

function readTrusted(): Trusted {
  try {
    const value: unknown = JSON.parse(readFileSync(listFile(), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Trusted) : {};
  } catch {
    // The list does not exist yet or is damaged: nothing is trusted.
    return {};
  }
}

function digestOf(folder: string): string {
  const file = join(folder, CONFIG_FILE);
  return existsSync(file) ? hash('sha256', readFileSync(file)) : '';
}

export function isTrusted(folder: string): boolean {
  const path = realPath(folder);
  return path === realPath(ownFolder()) || readTrusted()[path] === digestOf(path);
}

export function trust(folder: string): void {
  const path = realPath(folder);
  mkdirSync(ownFolder(), { recursive: true, mode: 0o700 });
  const list = { ...readTrusted(), [path]: digestOf(path) };
  const temporary = `${listFile()}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, listFile());
}
