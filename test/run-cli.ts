import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createMutex } from '../src/record/event-loop.ts';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const HOST = fileURLToPath(new URL('fixtures/cli-host.ts', import.meta.url));
const TERMINAL = fileURLToPath(new URL('fixtures/cli-terminal.ts', import.meta.url));

export interface CliOptions {
  environment?: Record<string, string>;
  input?: string;
  /** Whether the command runs in a pseudo-terminal. With `input` or `isApart`, it runs in a separate process. */
  terminal?: boolean;
  /** The working folder. Default: the working folder of the tests. */
  cwd?: string;
  /** Called when the command first writes to stderr, in a separate process. */
  onComplaint?: () => void;
  /** Whether the command runs in a separate process, for a test about the process or the modules that it loads. Default false. */
  isApart?: boolean;
}

export interface CliRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A request to the host of commands. */
export interface HostedRun {
  words: readonly string[];
  environment: NodeJS.ProcessEnv;
  input: string;
  cwd: string;
}

/**
 * Runs `varve` with its output in a pipe, or in a pseudo-terminal if `terminal` is set. Commands run one after the other in one process for
 * each worker of the tests (and one in a terminal), which takes a tenth of the processor time of a process for each command.
 */
export async function runCli(words: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VARVE_|DATABASE_URL$|NO_COLOR$|FORCE_COLOR$|CI$)/.test(name),
  );
  const environment = { ...Object.fromEntries(kept), TERM: 'xterm', ...options.environment };
  const { input = '', cwd = process.cwd(), terminal = false, onComplaint, isApart = false } = options;
  if (isApart || onComplaint !== undefined || (terminal && input !== ''))
    return runApart(words, { ...options, environment });
  const run = { words, environment, input, cwd };
  return oneAtATime(() => (terminal ? runInTerminal(run) : runHosted(run)));
}

const oneAtATime = createMutex();
let host: ChildProcess | undefined;

async function runHosted(run: HostedRun): Promise<CliRun> {
  if (host === undefined || !host.connected) {
    host = fork(HOST, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    host.unref();
    host.channel?.unref();
  }
  const { channel } = host;
  const stop = new AbortController();
  const ended = once(host, 'exit', stop).then(([code]) => {
    throw new Error(`The process that ran \`varve ${run.words.join(' ')}\` ended with ${String(code)}.`);
  });
  const answered = once(host, 'message', stop);
  channel?.ref();
  host.send(run);
  try {
    const [answer] = (await Promise.race([answered, ended])) as [CliRun];
    return answer;
  } finally {
    channel?.unref();
    stop.abort();
  }
}

/** A terminal with a process that runs commands in it, and its output since the last command. */
interface Terminal {
  send(run: HostedRun): void;
  answered(): Promise<CliRun>;
}
let terminal: Promise<Terminal> | undefined;

async function runInTerminal(run: HostedRun): Promise<CliRun> {
  terminal ??= openTerminal();
  const { send, answered } = await terminal;
  send(run);
  return answered();
}

/** The process ends with its socket, which ends with this process. */
async function openTerminal(): Promise<Terminal> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-terminal-'));
  const listening = createServer().listen(join(folder, 'socket'));
  await once(listening, 'listening');
  const command = quoted([process.execPath, TERMINAL, join(folder, 'socket')]);
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const [socket] = (await once(listening, 'connection')) as [Socket];
  listening.close();
  rmSync(folder, { recursive: true });
  const output = child.stdout.setEncoding('utf8');
  for (const handle of [child, socket, child.stdin, output] as unknown as { unref(): void }[]) handle.unref();
  return {
    send: (run) => void socket.write(`${JSON.stringify(run)}\n`),
    async answered() {
      const held = setInterval(() => {}, 60_000);
      let printed = '';
      try {
        for (;;) {
          const [chunk] = (await once(output, 'data')) as [string];
          printed += chunk;
          const end = /\u{F0000}(\d+)\u{F0001}$/u.exec(printed);
          if (end !== null) return { code: Number(end[1]), stdout: printed.slice(0, end.index), stderr: '' };
        }
      } finally {
        clearInterval(held);
      }
    },
  };
}

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');

async function runApart(
  words: readonly string[],
  { environment = {}, input = '', terminal = false, cwd, onComplaint }: CliOptions,
): Promise<CliRun> {
  const line = [process.execPath, MAIN, ...words];
  const [command, ...parameters] = terminal ? ['script', '-qec', quoted(line), '/dev/null'] : line;
  const child = spawn(command ?? '', parameters, { env: environment, stdio: 'pipe', cwd });
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
