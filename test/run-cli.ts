import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

export interface CliOptions {
  environment?: Record<string, string>;
  input?: string;
  terminal?: boolean;
  /** The working folder. Default: that of the tests. */
  cwd?: string;
  /** Called when it first writes to the standard error output. */
  onComplaint?: () => void;
}

export interface CliRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `varve` in a process of its own, in a pipe, or in a pseudo-terminal where `terminal` is set. */
export async function runCli(
  words: readonly string[],
  { environment = {}, input = '', terminal = false, cwd, onComplaint }: CliOptions = {},
): Promise<CliRun> {
  const line = [process.execPath, MAIN, ...words];
  const quoted = line.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const [command, ...parameters] = terminal ? ['script', '-qec', quoted, '/dev/null'] : line;
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VARVE_|DATABASE_URL$|NO_COLOR$|FORCE_COLOR$|CI$)/.test(name),
  );
  const child = spawn(command ?? '', parameters, {
    env: { ...Object.fromEntries(kept), TERM: 'xterm', ...environment },
    stdio: 'pipe',
    cwd,
  });
  child.stdin.end(input);
  if (onComplaint !== undefined) child.stderr.once('readable', onComplaint);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Runs `varve` on a store in a folder, without an embedder. */
export function runCliIn(folder: string, words: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const environment = { VARVE_DATA: join(folder, 'store'), VARVE_EMBEDDER: 'none', ...options.environment };
  return runCli(words, { ...options, environment });
}
