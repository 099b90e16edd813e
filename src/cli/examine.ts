import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, VarveError } from '../errors.ts';
import { EXTRACTION_CHECKS } from '../operate/metric-definitions.ts';
import type { StoreStatus } from '../operate/operator.ts';
import { isNodeNewEnough, NODE_NEEDED, nodeProblem } from '../varve-options.ts';
import type { Varve } from '../varve.ts';
import { type CommandInput, portOf } from './command.ts';
import { isLocked, openMemory, otherScopes, scopeOf, type StorePlace, storePlace } from './open-memory.ts';

export async function examine(input: CommandInput): Promise<Finding[]> {
  const place = storePlace(input);
  const findings = [await node(), ...(place.isPostgres ? [] : folder(place))];
  if (findings.some(({ state }) => state === 'bad')) return findings;
  if (!place.isPostgres) {
    if (!existsSync(place.store)) return [...findings, await examineServer(input, null)];
    const damage = await examineFile(place.store);
    if (damage !== null) return [...findings, damage];
  }
  let varve: Varve;
  try {
    varve = await openMemory(input, { embeds: 'query' });
  } catch (error) {
    return [...findings, storeProblem(error, place)];
  }
  try {
    const problems = await varve.operator.examineStore();
    findings.push(...problems.map(({ problem, remedy }) => bad('cluster', problem, remedy)));
    // The next checks query every tenant, which needs every node of a cluster.
    if (findings.some(({ state }) => state === 'bad')) return findings;
    const status = await varve.operator.status();
    return [
      ...findings,
      store(status),
      vectors(status),
      await embedder(varve, status),
      await queue(varve),
      await schedules(varve),
      heldChanges(status),
      ...(await scopes(varve, input)),
      await extraction(varve, input),
      await keys(varve, input),
      await examineServer(input, await varve.operator.cursors.storeId()),
    ];
  } finally {
    await varve.close();
  }
}

async function node(): Promise<Finding> {
  const remedy = `install Node ${NODE_NEEDED} or newer`;
  if (!isNodeNewEnough()) return bad('Node', nodeProblem(), remedy);
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(':memory:');
  try {
    database.exec('create virtual table probe using fts5(text)');
    return good('Node', `${process.version}, with full-text search`);
  } catch (error) {
    return bad('Node', `${process.version} has no full-text search: ${messageOf(error)}`, remedy);
  } finally {
    database.close();
  }
}

function folder({ folder: path, store: file }: StorePlace): Finding[] {
  const there = nearestThere(path);
  if (!statSync(there).isDirectory()) return [bad('folder', `${there} is a file`, 'name a folder with --data')];
  const locked = [there, ...(existsSync(file) ? [file] : [])].find((part) => !isWritable(part));
  if (locked !== undefined)
    return [
      bad('folder', `you cannot write to ${locked}`, `give yourself write access, or name another folder with --data`),
    ];
  if (there !== path) return [note('folder', `${path} does not exist yet`, 'varve init')];
  const { bavail, bsize } = statfsSync(path);
  const free = (bavail * bsize) / 1024 ** 2;
  const size = existsSync(file) ? statSync(file).size / 1024 ** 2 : 0;
  const others = (statSync(path).mode & 0o077) !== 0;
  return [
    free < 200
      ? bad('disk', `${free.toFixed(0)} MB free`, 'free some disk space: a full disk stops all writes')
      : good('disk', `${free.toFixed(0)} MB free, the store has ${size.toFixed(1)} MB`),
    others
      ? note('folder', `${path} can be read by others on this machine`, `chmod 700 ${path}`)
      : good('folder', path),
  ];
}

function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const REMEDIES: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at this address: start PostgreSQL, or correct the host and port of the URL',
  ENOTFOUND: 'there is no such host: correct the URL',
  ETIMEDOUT: 'the server does not answer: check the network and firewalls',
  '28P01': 'the name or the password is wrong: correct the URL',
  '28000': 'this user may not connect: correct the URL, or allow the user in pg_hba.conf',
  '3D000': 'create the database: createdb <name>',
  '42501': 'this user may not create the schema: grant the right, or let an administrator start Varve once',
};

function storeProblem(error: unknown, place: StorePlace): Finding {
  if (VarveError.isInstance(error, 'store_too_new')) return bad('store', error.message, 'upgrade the package');
  if (VarveError.isInstance(error, 'store_busy')) return bad('store', error.message, 'end the process that holds it');
  const { code = '' } = ((error as Error).cause ?? {}) as { code?: string };
  const remedy = place.isPostgres
    ? (REMEDIES[code] ?? 'check the URL, that the server runs, and that pgvector is installed')
    : 'check the file; restore it from a backup if it is damaged';
  return bad('store', messageOf(error), remedy);
}

function store({ dialect, schemaVersion }: StoreStatus): Finding {
  return good('store', `${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, schema ${schemaVersion}`);
}

function vectors({ embedderChanging, vectorsWaiting: waiting }: StoreStatus): Finding {
  if (embedderChanging) {
    const found = `they were computed by another embedder and are being recomputed: ${waiting} remain; until then recall searches by words alone`;
    return note('vectors', found, 'leave `varve serve` or `varve worker` running');
  }
  if (waiting === 0) return good('vectors', 'none missing');
  const found = `${waiting} records have no vector yet: they are found by words, not by meaning`;
  return note('vectors', found, 'varve worker --once');
}

async function embedder(varve: Varve, { embedder: id }: StoreStatus): Promise<Finding> {
  const none = 'none: recall searches by words alone';
  if (id === null) return note('embedder', none, 'unset VARVE_EMBEDDER, or name one in the configuration');
  const probe = await varve
    .for({ tenant: 'varve-doctor', user: null })
    .recall('does the embedder answer?', { mode: 'semantic', track: false });
  if (probe.degraded.length === 0) return good('embedder', id);
  return bad(
    'embedder',
    `${id} does not answer: ${probe.degraded.join(', ')}`,
    'check its address and key; until then recall searches by words alone',
  );
}

async function queue(varve: Varve): Promise<Finding> {
  const { jobs } = varve.operator;
  const counts = await jobs.count();
  const of = (wanted: string): number =>
    counts.filter(({ state }) => state === wanted).reduce((sum, { count }) => sum + Number(count), 0);
  if (of('dead') > 0) {
    const [dead] = (await jobs.list({ state: 'dead', limit: 1 })).items;
    return bad(
      'background work',
      `${of('dead')} jobs failed for good, the latest: ${dead?.kind}: ${dead?.lastError}`,
      `varve jobs --state dead, then varve jobs retry ${dead?.id}`,
    );
  }
  const running = (await jobs.list({ state: 'running', limit: 100 })).items;
  const stuck = running.filter(({ leaseUntil }) => leaseUntil !== null && leaseUntil.getTime() < Date.now() - LATE);
  if (stuck.length > 0)
    return bad(
      'background work',
      `${stuck.length} jobs were left running by a worker that ended, the latest: ${stuck[0]?.kind}`,
      'varve serve or varve worker: the next worker takes them',
    );
  const waiting = (await jobs.list({ state: 'waiting', limit: 500 })).items;
  // Postponed jobs also have an error, but no attempts.
  const failed = waiting.filter(({ attempts, lastError }) => attempts > 0 && lastError !== null);
  if (failed.length > 0)
    return bad(
      'background work',
      `${failed.length} jobs have failed and will be retried, the latest: ${failed[0]?.kind}: ${failed[0]?.lastError}`,
      'correct the cause, such as the address or the key of a model; varve jobs lists them',
    );
  return good('background work', `${of('waiting')} waiting, none failed`);
}

// Milliseconds. A worker looks for due schedules every second, so this much delay means that none is running.
const LATE = 5 * 60_000;

function heldChanges({ heldChanges: held }: StoreStatus): Finding {
  if (held === 0) return good('documents', 'no change waits for review');
  return note(
    'documents',
    `${held} ${held === 1 ? 'change waits' : 'changes wait'} for review, because too much of a document would be lost`,
    'accept or reject them in the inspector under Review, or with consolidation.held() and accept() or reject()',
  );
}

async function schedules(varve: Varve): Promise<Finding> {
  const all = await varve.operator.jobs.schedules();
  const remedy = 'varve serve or varve worker; without one, `varve consolidate` now and then';
  if (all.length === 0) return note('worker', 'none has run yet: nothing is formed, merged or reflected on', remedy);
  const due = Math.min(...all.map(({ nextDue }) => nextDue.getTime()));
  if (due > Date.now() - LATE) return good('worker', 'nothing is overdue');
  const since = new Date(due).toISOString().slice(0, 16).replace('T', ' ');
  return note('worker', `none is running: work has been overdue since ${since} UTC`, remedy);
}

async function scopes(varve: Varve, input: CommandInput): Promise<Finding[]> {
  const others = await otherScopes(varve, input);
  return others === null ? [] : [note('scope', others.text, others.remedy)];
}

async function extraction(varve: Varve, input: CommandInput): Promise<Finding> {
  const { tenant } = scopeOf(input);
  const { conversations, checks } = await varve.operator.checkExtraction({ tenant });
  const failing = checks.find(({ isAlert }) => isAlert);
  if (conversations === 0)
    return good('extraction', `no conversation of the tenant ${tenant} has been formed into memories yet`);
  if (failing === undefined) return good('extraction', `the first ${conversations} conversations look right`);
  const { definition, remedy } = EXTRACTION_CHECKS[failing.check];
  return bad(
    'extraction',
    `${failing.check} ${((failing.share ?? 0) * 100).toFixed(0)} % of ${failing.of}, at most ${failing.threshold * 100} % is usual (${definition.replace(/\.$/, '')})`,
    remedy,
  );
}

async function keys(varve: Varve, input: CommandInput): Promise<Finding> {
  const live = (await varve.operator.keys.list(scopeOf(input).tenant)).filter(({ revokedAt }) => revokedAt === null);
  return live.length === 0
    ? note('keys', 'none: programs cannot call the server', 'varve keys create "my app"')
    : good('keys', `${live.length} live`);
}

const RESTORE =
  'stop all processes that use it, keep a copy, and restore a backup; records that `varve export` can still read can be imported into a new store';

// A write takes milliseconds, so a process that holds the lock at each of these looks is stuck.
const LOOKS = 20;
const BETWEEN = 50;

async function examineFile(path: string): Promise<Finding | null> {
  const { DatabaseSync } = await import('node:sqlite');
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      database.exec('pragma busy_timeout = 1000');
      const problem = String(database.prepare('pragma quick_check(1)').get()?.['quick_check']);
      if (problem !== 'ok') return bad('store', `${path} is damaged: ${problem.split('\n').at(-1)}`, RESTORE);
    } finally {
      database.close();
    }
  } catch (error) {
    const problem = messageOf(error);
    return /locked|busy/.test(problem) ? locked(path) : bad('store', `${path} cannot be read: ${problem}`, RESTORE);
  }
  for (let look = 0; look < LOOKS; look += 1) {
    if (!(await isLocked(path))) return null;
    await pause(BETWEEN);
  }
  return locked(path);
}

function locked(path: string): Finding {
  return bad('store', `${path} is locked by another process`, `end the process that holds it (fuser ${path} names it)`);
}

async function examineServer(input: CommandInput, ownStore: string | null): Promise<Finding> {
  const port = portOf(input);
  const url = `http://127.0.0.1:${port}`;
  try {
    const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2000) });
    const { status, store: served } = (await answer.json()) as { status?: unknown; store?: unknown };
    if (status === 'ready' && served === ownStore) return good('server', `answers at ${url}`);
    if (status === 'ready')
      return note(
        'server',
        `the server at ${url} serves another store than this one`,
        'name its store with --data or --database, or start a server for this store: varve serve --port <another>',
      );
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    if (code === 'ECONNREFUSED') return good('server', `none at port ${port}, which is free`);
  }
  return note('server', `port ${port} is taken by another program`, 'varve serve --port <another>');
}

interface Finding {
  what: string;
  state: 'good' | 'note' | 'bad';
  found: string;
  remedy: string | null;
}

function good(what: string, found: string): Finding {
  return { what, state: 'good', found, remedy: null };
}

/** Varve works but can be improved. */
function note(what: string, found: string, remedy: string): Finding {
  return { what, state: 'note', found, remedy };
}

/** A problem that prevents Varve from working. */
function bad(what: string, found: string, remedy: string): Finding {
  return { what, state: 'bad', found, remedy };
}
