import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { report } from './measure.ts';
import { serverUnder, topic, type Served } from './server-under-load.ts';

export interface SoakOptions {
  seconds: number;
  clients: number;
  /** The URL of a PostgreSQL server. Default: SQLite in a temporary folder. */
  database?: string;
  main?: string;
}

/** A sample of the memory of the server, in megabytes. */
interface Look {
  second: number;
  rss: number;
  heap: number;
  external: number;
}

type Call = [method: string, path: string, body?: unknown, headers?: Record<string, string>];

// The requests of a client, turn by turn. Ten of twenty turns observe, as agents do.
const MIX: readonly ((client: number, turn: number) => Call)[] = [
  observe,
  recall,
  observe,
  list,
  observe,
  context,
  observe,
  recall,
  observe,
  tool,
  observe,
  note,
  observe,
  recall,
  observe,
  listEvents,
  observe,
  context,
  observe,
  recall,
];
// One client in ten follows the stream of changes; one in twenty of these never reads it.
const FOLLOWERS = 0.1;
// Seconds after which the server has reached its working size.
const SETTLED = 15;
// The number of full garbage collections in a run. After a collection only retained memory is left.
const TIDIED = 6;
// The largest growth of memory that counts as stable. The caches grow with the number of turns, up to their limits.
const STABLE = 1.25;

/** Sends requests of all kinds to a server in parallel, prints the counts, and returns whether memory was stable and no error occurred. */
export async function soak({ seconds, clients, database, main }: SoakOptions): Promise<boolean> {
  const { start, ask, close } = serverUnder({ main, clients });
  const folder = mkdtempSync(join(tmpdir(), 'varve-soak-'));
  const schema = `soak_${Date.now()}`;
  const environment: Record<string, string> =
    database === undefined ? {} : { DATABASE_URL: database, VARVE_SCHEMA: schema };
  const served = await start({ folder, embedder: 'none', environment, inspect: true });
  const counts = new Map<string, number>();
  const errors = new Map<string, number>();
  const add = (to: Map<string, number>, name: string): void => void to.set(name, (to.get(name) ?? 0) + 1);
  const until = performance.now() + seconds * 1000;
  const following = Array.from({ length: Math.ceil(clients * FOLLOWERS) }, (_, index) =>
    follow(served, { user: `u${index}`, isSilent: index % 20 === 0, onEvent: () => add(counts, 'change told') }),
  );
  const looks: Look[] = [];
  const live: number[] = [];
  const every = (milliseconds: number, work: () => Promise<void>): NodeJS.Timeout =>
    setInterval(() => void work().catch((error: Error) => add(errors, error.message)), milliseconds);
  const tidying = every((seconds * 1000 - 500) / TIDIED, async () => {
    await tidy(served);
    live.push(lookAt((await ask(served, 'GET', '/metrics')).text, 0).heap);
  });
  const watching = every(1000, async () => {
    looks.push(lookAt((await ask(served, 'GET', '/metrics')).text, looks.length + 1));
  });
  await Promise.all(
    Array.from({ length: clients - following.length }, async (_, client) => {
      for (let turn = client; performance.now() < until; turn += 1) {
        const make = MIX[turn % MIX.length] as (typeof MIX)[number];
        const { status, text } = await ask(served, ...make(client, turn)).catch((error: Error) => ({
          status: 0,
          text: error.message,
        }));
        add(counts, make.name);
        const wrong = status < 200 || status >= 300 || (make === tool && !text.includes('structuredContent'));
        if (wrong) add(errors, `${make.name} ${status} ${text.slice(0, 160)}`);
      }
    }),
  );
  clearInterval(watching);
  clearInterval(tidying);
  const peak = peakOf(served);
  for (const stop of following) stop();
  const code = await served.stop();
  if (code !== 0) add(errors, `exit code ${code}`);
  close();
  rmSync(folder, { recursive: true, force: true });
  if (database !== undefined) await drop(database, schema);
  return show({ seconds, clients, database, counts, errors, looks, live, peak });
}

function at(client: number): string {
  return `user=u${client}&session=s${client % 5}`;
}

function observe(client: number, turn: number): Call {
  const content = `Turn ${turn}: ${topic(client, turn)} came up again.`;
  return ['POST', `/v1/events?${at(client)}`, { content, kind: 'tool_result', origin: 'tool' }];
}

function recall(client: number, turn: number): Call {
  return ['POST', `/v1/recall?user=u${client}`, { query: topic(client, turn), options: { mode: 'text' } }];
}

function context(client: number, turn: number): Call {
  return ['POST', `/v1/context?${at(client)}`, { message: topic(client, turn), budget: 1000 }];
}

function list(client: number): Call {
  return ['GET', `/v1/memories?user=u${client}&limit=20`];
}

function listEvents(client: number): Call {
  return ['GET', `/v1/events?${at(client)}&limit=20`];
}

function note(client: number, turn: number): Call {
  const headers = { 'idempotency-key': `note-${client}-${turn}` };
  return ['POST', `/v1/notes?user=u${client}`, { title: `Note ${turn}`, content: topic(client, turn) }, headers];
}

function tool(client: number, turn: number): Call {
  const isWrite = turn % 40 < 20;
  const params = isWrite
    ? { name: 'remember_fact', arguments: { key: `fact_${turn % 10}`, value: topic(client, turn) } }
    : { name: 'recall_facts', arguments: {} };
  const headers = { accept: 'application/json, text/event-stream' };
  return ['POST', `/mcp?user=u${client}`, { jsonrpc: '2.0', id: turn, method: 'tools/call', params }, headers];
}

/** Follows the changes of the whole tenant or of one user. A silent follower opens the stream and never reads it. */
function follow(
  served: Served,
  { user, isSilent, onEvent }: { user: string; isSilent: boolean; onEvent(): void },
): () => void {
  const headers = { authorization: `Bearer ${served.key}` };
  const asked = get(
    `${served.url}/v1/changes${isSilent ? '' : `?user=${user}`}`,
    { headers, agent: false },
    (response) => {
      response.on('error', () => {});
      if (isSilent) return void response.pause();
      response.setEncoding('utf8').on('data', (text: string) => {
        for (const line of text.split('\n')) if (line.startsWith('id: ')) onEvent();
      });
    },
  );
  asked.on('error', () => {});
  return () => void asked.destroy();
}

/** Runs a garbage collection in the server. */
async function tidy({ inspector }: Served): Promise<void> {
  const socket = new WebSocket(inspector ?? '');
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  await once(socket, 'message');
  socket.close();
}

function lookAt(metrics: string, second: number): Look {
  const megabytes = (name: string): number => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(metrics)?.[1]) / 1024 ** 2;
  return {
    second,
    rss: megabytes('process_resident_memory_bytes'),
    heap: megabytes('nodejs_heap_size_used_bytes'),
    external: megabytes('nodejs_external_memory_bytes'),
  };
}

function peakOf({ pid }: Served): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

async function drop(database: string, schema: string): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query(`drop schema if exists "${schema}" cascade`);
  await client.end();
}

interface Soaked extends SoakOptions {
  counts: ReadonlyMap<string, number>;
  errors: ReadonlyMap<string, number>;
  looks: readonly Look[];
  /** The heap after each collection, in megabytes. */
  live: readonly number[];
  peak: number;
}

function show({ seconds, clients, database, counts, errors, looks, live, peak }: Soaked): boolean {
  const median = (from: number, to: number, of: (look: Look) => number): number => {
    const values = looks
      .slice(from, to)
      .map(of)
      .toSorted((one, other) => one - other);
    return values[Math.floor(values.length / 2)] ?? Number.NaN;
  };
  const settled = Math.min(SETTLED, Math.floor(looks.length / 4));
  const windows = { first: [settled, settled * 2], last: [looks.length - settled, looks.length] } as const;
  const rows = (['rss', 'heap', 'external'] as const).map((name) => {
    const first = median(...windows.first, (look) => look[name]);
    const last = median(...windows.last, (look) => look[name]);
    return { name, first, last, ratio: last / first };
  });
  const asked = [...counts].filter(([name]) => name !== 'change told').reduce((sum, [, count]) => sum + count, 0);
  console.log([...counts].map(([name, count]) => `${name} ${count}`).join(', '));
  for (const [error, count] of errors) console.log(`  ${count} × ${error}`);
  const span = ([from, to]: readonly [number, number]): string => `median of seconds ${from + 1}–${to}`;
  report(`Server, everything at once for ${seconds} s`, {
    header: ['MB', span(windows.first), span(windows.last), 'ratio'],
    rows: rows.map(({ name, first, last, ratio }) => [name, first.toFixed(0), last.toFixed(0), ratio.toFixed(2)]),
    note:
      `${clients} clients on ${database === undefined ? 'SQLite' : 'PostgreSQL'}: ${asked.toLocaleString('en')} requests, ` +
      `${(asked / seconds).toFixed(0)} a second, ${[...errors.values()].reduce((sum, count) => sum + count, 0)} errors, ` +
      `RSS at most ${peak.toFixed(0)} MB; heap in use after collection ${live.map((size) => size.toFixed(0)).join(' → ')} MB.`,
  });
  const isStable = (rows[0]?.ratio ?? Number.NaN) <= STABLE;
  console.log(isStable ? 'memory is stable' : `memory is NOT stable: the ratio may be at most ${STABLE}`);
  return isStable && errors.size === 0;
}
