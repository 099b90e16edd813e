import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestDatabase } from './databases.ts';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

/** A store for server processes. Servers that are started again have the same store. */
export interface ServerPlace {
  environment: Record<string, string>;
  folder: string;
  remove(): Promise<void>;
}

/** Creates an empty store for server processes, in a folder or in its own schema on a PostgreSQL server. */
export async function serverPlace(database?: TestDatabase): Promise<ServerPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-server-'));
  const store = database === undefined || database.name === 'SQLite' ? null : await database.create();
  const environment: Record<string, string> = {};
  if (store !== null && 'url' in store.options) {
    environment['DATABASE_URL'] = store.options.url ?? '';
    environment['VARVE_SCHEMA'] = store.options.schema ?? '';
  }
  return {
    environment,
    folder,
    async remove() {
      await store?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A real server in a separate process. */
export interface ServerProcess {
  url: string;
  /** The secret that the first start printed; null on later starts. */
  key: string | null;
  process: ChildProcess;
  /** The lines of its log. */
  log: string[];
  /** Sends a request with a key. */
  call(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string>; key?: string | null },
  ): Promise<Answered>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface Answered {
  status: number;
  headers: Headers;
  // Tests read answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  text: string;
}

/** Starts a server and waits until it listens. By default it has no embedder, because other tests cover the embedder. */
export async function startServer(
  place: ServerPlace,
  {
    environment = {},
    parameters = [],
    key = null,
  }: { environment?: Record<string, string>; parameters?: string[]; key?: string | null } = {},
): Promise<ServerProcess> {
  const child = spawn(
    process.execPath,
    [
      MAIN,
      'serve',
      '--json',
      '--port',
      '0',
      ...(place.environment['DATABASE_URL'] === undefined ? ['--data', place.folder] : []),
      ...parameters,
    ],
    {
      env: { ...withoutOurs(process.env), VARVE_EMBEDDER: 'none', ...place.environment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  // A test that fails before it stops its server must not leave the server running.
  process.once('exit', () => child.kill('SIGKILL'));
  const log: string[] = [];
  createInterface(child.stderr).on('line', (line) => log.push(line));
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`The server ended with ${code}: ${log.join('\n')}`))),
  ])) as [string];
  const said = JSON.parse(line) as { url: string; key: string | null };
  const secret = said.key ?? key;
  return {
    ...said,
    key: secret,
    process: child,
    log,
    async call(method, path, options = {}) {
      const used = options.key === undefined ? secret : options.key;
      const isText = typeof options.body === 'string';
      const response = await fetch(`${said.url}${path}`, {
        method,
        headers: {
          ...(used === null ? {} : { authorization: `Bearer ${used}` }),
          ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...options.headers,
        },
        body: options.body === undefined ? undefined : isText ? (options.body as string) : JSON.stringify(options.body),
      });
      const text = await response.text();
      const isJson =
        /json/.test(response.headers.get('content-type') ?? '') &&
        !/ndjson/.test(response.headers.get('content-type') ?? '');
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson && text !== '' ? JSON.parse(text) : null,
      };
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    },
  };
}

/** Settings of the machine that runs the tests must not reach the servers under test. */
function withoutOurs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(VARVE_|DATABASE_URL$|PORT$|HOST$)/.test(name)),
  );
}
