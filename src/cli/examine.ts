import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { messageOf, VarveError } from '../errors.ts';
import type { Varve } from '../varve.ts';
import type { CommandInput } from './command.ts';
import { openMemory, placeOf, scopeOf, type Place } from './open-memory.ts';

/** Something that was looked at. */
export interface Finding {
  what: string;
  state: 'good' | 'note' | 'bad';
  found: string;
  /** What to do about it. */
  remedy: string | null;
}

const good = (what: string, found: string): Finding => ({ what, state: 'good', found, remedy: null });
const note = (what: string, found: string, remedy: string | null = null): Finding => ({
  what,
  state: 'note',
  found,
  remedy,
});
const bad = (what: string, found: string, remedy: string): Finding => ({ what, state: 'bad', found, remedy });

/** Looks at everything that Varve needs, one after the other. */
export async function examine(input: CommandInput): Promise<Finding[]> {
  const place = placeOf(input);
  const findings = [node(), ...(place.isPostgres ? [] : folder(place))];
  if (findings.some(({ state }) => state === 'bad')) return findings;
  if (!place.isPostgres && !existsSync(place.store)) return findings;
  let varve: Varve;
  try {
    varve = await openMemory(input, { embedder: true });
  } catch (error) {
    return [...findings, storeProblem(error, place)];
  }
  try {
    return [...findings, ...(await store(varve)), await embedder(varve), await queue(varve), await keys(varve, input)];
  } finally {
    await varve.close();
  }
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > 22 || (major === 22 && minor >= 13);
  return isNew ? good('Node', process.version) : bad('Node', process.version, 'install Node 22.13 or newer');
}

function folder({ folder: path, store: file }: Place): Finding[] {
  if (!existsSync(path)) return [note('folder', `${path} is not there yet`, 'varve init')];
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    return [
      bad(
        'folder',
        `${path} cannot be written (${(error as NodeJS.ErrnoException).code})`,
        'give yourself write access, or use --data',
      ),
    ];
  }
  const { bavail, bsize } = statfsSync(path);
  const free = (bavail * bsize) / 1024 ** 2;
  const size = existsSync(file) ? statSync(file).size / 1024 ** 2 : 0;
  const others = (statSync(path).mode & 0o077) !== 0;
  return [
    free < 200
      ? bad('disk', `${free.toFixed(0)} MB free`, 'make room: a full disk stops all writes')
      : good('disk', `${free.toFixed(0)} MB free, the store has ${size.toFixed(1)} MB`),
    others
      ? note('folder', `${path} can be read by others on this machine`, `chmod 700 ${path}`)
      : good('folder', path),
  ];
}

function storeProblem(error: unknown, place: Place): Finding {
  if (VarveError.isInstance(error, 'store_too_new')) return bad('store', error.message, 'upgrade the package');
  const remedy = place.isPostgres
    ? 'check the URL, that the server runs, and that pgvector is installed'
    : 'check the file; restore it from a backup if it is damaged';
  return bad('store', messageOf(error), remedy);
}

async function store(varve: Varve): Promise<Finding[]> {
  const { dialect, schemaVersion, embedderChanging, vectorsWaiting } = await varve.operator.status();
  return [
    good('store', `${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, schema ${schemaVersion}`),
    embedderChanging
      ? note(
          'vectors',
          `being made anew for another model, ${vectorsWaiting} to go`,
          'leave `varve serve` or `varve worker` running',
        )
      : vectorsWaiting > 0
        ? note(
            'vectors',
            `${vectorsWaiting} records have none yet: found by words, not by meaning`,
            'varve worker --once',
          )
        : good('vectors', 'none missing'),
  ];
}

async function embedder(varve: Varve): Promise<Finding> {
  const { embedder: id } = await varve.operator.status();
  if (id === null)
    return note('embedder', 'none: recall by words alone', 'unset VARVE_EMBEDDER, or name one in the configuration');
  const probe = await varve
    .for({ tenant: 'varve-doctor' })
    .recall('does the embedder answer?', { mode: 'semantic', track: false });
  if (probe.degraded.length === 0) return good('embedder', id);
  return bad(
    'embedder',
    `${id} does not answer: ${probe.degraded.join(', ')}`,
    'check its address and key; recall goes on by words meanwhile',
  );
}

async function queue(varve: Varve): Promise<Finding> {
  const counts = await varve.operator.jobs.count();
  const dead = counts.filter(({ state }) => state === 'dead').reduce((sum, { count }) => sum + Number(count), 0);
  const waiting = counts.filter(({ state }) => state === 'waiting').reduce((sum, { count }) => sum + Number(count), 0);
  if (dead === 0) return good('background work', `${waiting} waiting, none failed for good`);
  const { jobs } = await varve.operator.jobs.list({ state: 'dead', limit: 1 });
  return bad(
    'background work',
    `${dead} failed for good, the last: ${jobs[0]?.kind}: ${jobs[0]?.lastError}`,
    `varve jobs --state dead, then varve jobs retry ${jobs[0]?.id}`,
  );
}

async function keys(varve: Varve, input: CommandInput): Promise<Finding> {
  const { tenant = 'default' } = scopeOf(input);
  const live = (await varve.operator.keys.list(tenant)).filter(({ revokedAt }) => revokedAt === null);
  return live.length === 0
    ? note('keys', 'none: programs cannot call the server', 'varve keys create "my app"')
    : good('keys', `${live.length} live`);
}
