import { readdirSync, rmSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Another version, another Node and another checkout leave theirs behind, some 4 MB for each command. */
const KEPT_FOR = 30 * 24 * 3_600_000;

/**
 * Makes a command start sooner; called before its code is loaded. Compiled code is kept in the user's own cache folder: in
 * Node's default, which others can write, someone could leave code to be run. Each command has its own, since what is kept
 * is what the first run used and is never added to.
 */
export function startFast(name: string, { isLasting = false }: { isLasting?: boolean } = {}): void {
  const caches = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'varve');
  removeOld(caches, name);
  enableCompileCache(join(caches, name));
  // Zod compiles a function for each schema when it is first used. A server gains by it; a short command waits 10 ms. Zod
  // reads this object when it is loaded (zod/v4/core/core.js): `z.config({ jitless: true })` says the same, but would load
  // all of Zod here, before the command is known to need it. Where Zod no longer reads it, only the 10 ms are lost.
  if (!isLasting) Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
}

/** What is in use is among them, and is made again by the next run. */
function removeOld(caches: string, name: string): void {
  try {
    // One look where there is nothing to do: this is in the way of every command.
    if (!isOld(join(caches, name))) return;
    for (const one of readdirSync(caches))
      if (isOld(join(caches, one))) rmSync(join(caches, one), { recursive: true, force: true });
  } catch {
    // Not ours to remove, or another command is at it: a cache is no reason not to start.
  }
}

function isOld(folder: string): boolean {
  const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && made < Date.now() - KEPT_FOR;
}
