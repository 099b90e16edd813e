import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { goal, report } from './measure.ts';
import { serverUnder, topic, TOPICS, type Served } from './server-under-load.ts';
import { soak } from './server-soak.ts';

// Measures the server in a separate process, on loopback, with many parallel clients in this process. Both processes share the cores, so a
// goal that is met here is also met if the clients run elsewhere. After `npm run build` the package is measured, otherwise the sources.
// `--soak 60` sends requests of all kinds for a minute and watches the memory of the server.

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    clients: { type: 'string', default: '200' },
    soak: { type: 'string', default: '0' },
    database: { type: 'string' },
    main: { type: 'string' },
  },
});
const SECONDS = Number(values.seconds);
const WARM_UP = 2_000;
const CLIENTS = Number(values.clients);
const { main, start, ask, close } = serverUnder({ main: values.main, clients: CLIENTS });

if (Number(values.soak) > 0) {
  const isStable = await soak({
    seconds: Number(values.soak),
    clients: CLIENTS,
    database: values.database,
    main: values.main,
  });
  process.exit(isStable ? 0 : 1);
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
  // The first seconds, in which V8 compiles, are not counted.
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

const observed = (client: number, turn: number): [string, string, unknown] => [
  'POST',
  `/v1/events?user=u${client}&session=s${turn % 50}`,
  { content: `Turn ${turn}: ${topic(client, turn)} came up again.`, kind: 'tool_result', origin: 'tool' },
];

const folder = mkdtempSync(join(tmpdir(), 'varve-bench-server-'));
const rows: string[][] = [];
const row = (name: string, least: number | null, { perSecond, p50, p99, errors, rss: bytes }: Load): void => {
  rows.push([
    name,
    perSecond.toFixed(0),
    least === null ? '' : goal(`≥ ${least.toLocaleString('en')}`, perSecond >= least),
    `${p50.toFixed(1)} ms`,
    `${p99.toFixed(1)} ms`,
    String(errors),
    `${bytes.toFixed(0)} MB`,
  ]);
};

const first = await start({ folder, embedder: 'none' });
row('observe', 2000, await load(first, SECONDS, observed));
const words = { mode: 'text', track: false };
row(
  'recall by words',
  1000,
  await load(first, SECONDS, (client, turn) => [
    'POST',
    `/v1/recall?user=u${client}`,
    { query: topic(client, turn), options: words },
  ]),
);
await first.stop();

// The embedder gets a separate store of the usual size, because embedding the events above would take minutes.
const small = mkdtempSync(join(tmpdir(), 'varve-bench-server-'));
const meaning = await start({ folder: small, embedder: 'local' });
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
  150,
  await load(meaning, SECONDS, (client, turn) => [
    'POST',
    `/v1/recall?user=u${client % 20}`,
    { query: `${topic(client, turn)} number ${(unique += 1)}`, options: { track: false } },
  ]),
);
row(
  'recall by meaning, queries repeat',
  null,
  await load(meaning, SECONDS, (client, turn) => [
    'POST',
    `/v1/recall?user=u${client % 20}`,
    { query: topic(client, turn), options: { track: false } },
  ]),
);
await meaning.stop();

const second = await start({ folder, embedder: 'local', key: first.key });
await second.stop();
report('Server', {
  header: ['', 'a second', 'goal', 'p50', 'p99', 'errors', 'RSS'],
  rows,
  note: `${main.endsWith('.ts') ? 'The sources' : 'The built package'}, ${CLIENTS} clients on loopback, ${SECONDS} s each; first start ${first.startedIn.toFixed(0)} ms, second ${second.startedIn.toFixed(0)} ms (goal 1,000).`,
});

close();
rmSync(folder, { recursive: true, force: true });
rmSync(small, { recursive: true, force: true });
