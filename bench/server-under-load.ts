import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A server process that listens. */
export interface Served {
  url: string;
  key: string;
  pid: number;
  startedIn: number;
  /** The address of Node's inspector, which can request a garbage collection; null if the server runs without it. */
  inspector: string | null;
  /** Stops the server and returns its exit code. */
  stop(): Promise<number | null>;
}

export interface StartOptions {
  folder: string;
  embedder: 'local' | 'none';
  /** The key of an earlier start, because a second start prints none. */
  key?: string;
  environment?: Record<string, string>;
  /** Whether the server opens Node's inspector. */
  inspect?: boolean;
}

export interface ServerUnderLoad {
  /** The path of the program: the built package, or the sources. */
  main: string;
  start(options: StartOptions): Promise<Served>;
  ask(
    served: Served,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string }>;
  close(): void;
}

// The same flag as in the Dockerfile and in `npm start`.
const HEAP = ['--max-semi-space-size=16'];
const built = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const source = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

/** Starts servers in separate processes and keeps connections to them open. */
export function serverUnder({ main: given, clients }: { main?: string; clients: number }): ServerUnderLoad {
  const main = given ?? (existsSync(built) ? built : source);
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  return {
    main,
    async start({ folder, embedder, key = '', environment = {}, inspect = false }) {
      const started = performance.now();
      const child = spawn(
        process.execPath,
        [
          ...HEAP,
          ...(inspect ? ['--inspect=127.0.0.1:0'] : []),
          main,
          'serve',
          '--json',
          '--port',
          '0',
          '--data',
          folder,
          '--log',
          'error',
        ],
        {
          env: { ...process.env, VARVE_EMBEDDER: embedder, VARVE_RATE_LIMIT: '0', ...environment },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      let inspector: string | null = null;
      createInterface(child.stderr).on('line', (said) => {
        const address = /ws:\/\/\S+/.exec(said)?.[0];
        if (address !== undefined) inspector = address;
        else if (!/^(For help|Debugger attached)/.test(said)) console.error(said);
      });
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      const said = JSON.parse(line) as { url: string; key: string | null };
      return {
        url: said.url,
        key: said.key ?? key,
        pid: child.pid ?? 0,
        startedIn: performance.now() - started,
        inspector,
        async stop() {
          child.kill('SIGTERM');
          const [code] = (await once(child, 'exit')) as [number | null];
          return code;
        },
      };
    },
    // `node:http` is used because the global fetch needs more time than the server itself.
    ask(served, method, path, body, more = {}) {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      return new Promise((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${served.key}`,
          ...(payload === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
          ...more,
        };
        const asked = request(`${served.url}${path}`, { method, agent, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
          response.on('error', reject);
        });
        asked.on('error', reject).end(payload);
      });
    },
    close: () => agent.destroy(),
  };
}

export const TOPICS: readonly string[] = [
  'the invoice of the printer',
  'a trip to Bergen in May',
  'the recipe with lentils',
  'who fixes the roof',
  'cello lessons',
  'the garden hives',
];

export function topic(client: number, turn: number): string {
  return TOPICS[(client + turn) % TOPICS.length] ?? '';
}
