import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printTable } from './measure.ts';

// The server in a process of its own, on loopback, asked by many clients at once from this one. Both share the cores, so
// that a goal that is met here is met with room to spare where clients are elsewhere. Built first (npm run build) it is
// the package that is measured, else the sources.

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    clients: { type: 'string', default: '200' },
    soak: { type: 'string', default: '0' },
    main: { type: 'string' },
  },
});
const SECONDS = Number(values.seconds);
const WARM_UP = 2_000;
// As the first line of the command and the Dockerfile have it.
const HEAP = ['--max-semi-space-size=16'];
const CLIENTS = Number(values.clients);

const built = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const source = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const main = values.main ?? (existsSync(built) ? built : source);

interface Served {
  url: string;
  key: string;
  startedIn: number;
  stop(): Promise<void>;
}

async function start(folder: string, embedder: 'local' | 'none', key = ''): Promise<Served> {
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [...HEAP, main, 'serve', '--json', '--port', '0', '--data', folder, '--log', 'error'],
    {
      env: { ...process.env, VARVE_EMBEDDER: embedder, VARVE_RATE_LIMIT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const said = JSON.parse(line) as { url: string; key: string | null };
  return {
    url: said.url,
    key: said.key ?? key,
    startedIn: performance.now() - started,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

/** One request over a connection that stays open. The global fetch costs more than the server does. */
function ask(served: Served, method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${served.key}`,
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    };
    const asked = request(`${served.url}${path}`, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    asked.on('error', reject).end(payload);
  });
}

interface Load {
  perSecond: number;
  p50: number;
  p99: number;
  errors: number;
  rss: number;
  rssFirst: number;
}

async function load(
  served: Served,
  seconds: number,
  one: (client: number, turn: number) => [string, string, unknown],
): Promise<Load> {
  const times: number[] = [];
  let errors = 0;
  // The first seconds go into compiling: they are run and not counted.
  const begin = performance.now() + WARM_UP;
  const until = begin + seconds * 1000;
  const rssFirst = await rss(served);
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = 0; performance.now() < until; turn += 1) {
        const sent = performance.now();
        const [method, path, body] = one(client, turn);
        const { status } = await ask(served, method, path, body);
        if (sent >= begin) times.push(performance.now() - sent);
        if (status >= 300) errors += 1;
      }
    }),
  );
  const took = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { perSecond: times.length / took, p50: at(0.5), p99: at(0.99), errors, rss: await rss(served), rssFirst };
}

async function rss(served: Served): Promise<number> {
  const { text } = await ask(served, 'GET', '/metrics');
  return Number(/process_resident_memory_bytes (\d+)/.exec(text)?.[1]) / 1024 ** 2;
}

const TOPICS = [
  'the invoice of the printer',
  'a trip to Bergen in May',
  'the recipe with lentils',
  'who fixes the roof',
  'cello lessons',
  'the garden hives',
];
const topic = (client: number, turn: number): string => TOPICS[(client + turn) % TOPICS.length] ?? '';
const observed = (client: number, turn: number): [string, string, unknown] => [
  'POST',
  `/v1/events?user=u${client}&session=s${turn % 50}`,
  { content: `Turn ${turn}: ${topic(client, turn)} came up again.`, kind: 'tool_result', origin: 'tool' },
];

const folder = mkdtempSync(join(tmpdir(), 'varve-bench-server-'));
const rows: string[][] = [];
const row = (name: string, goal: string, { perSecond, p50, p99, errors, rss: bytes }: Load): void => {
  rows.push([
    name,
    perSecond.toFixed(0),
    goal,
    `${p50.toFixed(1)} ms`,
    `${p99.toFixed(1)} ms`,
    String(errors),
    `${bytes.toFixed(0)} MB`,
  ]);
};

const first = await start(folder, 'none');
row('observe', '2,000', await load(first, SECONDS, observed));
const words = { mode: 'text', track: false };
row(
  'recall by words',
  '1,000',
  await load(first, SECONDS, (client, turn) => [
    'POST',
    `/v1/recall?user=u${client}`,
    { query: topic(client, turn), options: words },
  ]),
);
await first.stop();

// A store of a usual size for the embedder: what was observed above would take it minutes.
const small = mkdtempSync(join(tmpdir(), 'varve-bench-server-'));
const meaning = await start(small, 'local');
for (let client = 0; client < 20; client += 1) {
  for (const [index, about] of TOPICS.entries()) {
    await ask(meaning, 'POST', `/v1/memories?user=u${client}`, {
      memory: { type: 'fact', content: `Fact ${index} of ${client}: ${about}.` },
    });
  }
}
await ask(meaning, 'POST', '/v1/backfill?rate=10000');
let unique = 0;
row(
  'recall by meaning, each query new',
  '150',
  await load(meaning, SECONDS, (client, turn) => [
    'POST',
    `/v1/recall?user=u${client % 20}`,
    { query: `${topic(client, turn)} number ${(unique += 1)}`, options: { track: false } },
  ]),
);
row(
  'recall by meaning, queries repeat',
  '',
  await load(meaning, SECONDS, (client, turn) => [
    'POST',
    `/v1/recall?user=u${client % 20}`,
    { query: topic(client, turn), options: { track: false } },
  ]),
);
await meaning.stop();

const second = await start(folder, 'local', first.key);
console.log(`\n${main.endsWith('.ts') ? 'sources' : 'built package'}, ${CLIENTS} clients, ${SECONDS} s each`);
console.log(
  `first start ${first.startedIn.toFixed(0)} ms, second start ${second.startedIn.toFixed(0)} ms (goal 1,000)\n`,
);
await second.stop();
printTable(['', 'a second', 'goal', 'p50', 'p99', 'errors', 'RSS'], rows);

if (Number(values.soak) > 0) {
  const long = mkdtempSync(join(tmpdir(), 'varve-bench-server-'));
  const soaked = await start(long, 'none');
  const mixed = await load(soaked, Number(values.soak), (client, turn) =>
    turn % 3 === 2
      ? ['POST', `/v1/recall?user=u${client}`, { query: topic(client, turn), options: words }]
      : observed(client, turn),
  );
  console.log(
    `\n${CLIENTS} clients for ${values.soak} s: ${mixed.perSecond.toFixed(0)} a second, p99 ${mixed.p99.toFixed(0)} ms, ${mixed.errors} errors, RSS ${mixed.rssFirst.toFixed(0)} → ${mixed.rss.toFixed(0)} MB`,
  );
  await soaked.stop();
  rmSync(long, { recursive: true, force: true });
}
agent.destroy();
rmSync(folder, { recursive: true, force: true });
rmSync(small, { recursive: true, force: true });
