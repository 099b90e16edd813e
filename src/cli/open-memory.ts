import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { messageOf, VarveError } from '../errors.ts';
import type { Handle } from '../handle/handle.ts';
import type { OwnerSummary } from '../operate/inspect-records.ts';
import type { HandleScope } from '../record/scope.ts';
import type { Varve, VarveOptions } from '../varve.ts';
import { type CommandInput, textOption, UsageError } from './command.ts';
import type { Output } from './output.ts';
import { CONFIG_FILE, isTrusted, ownFolder, trust } from './trust.ts';

/** The default user on a person's own machine, so that the editor, the chat client and the terminal share the same memories. */
export const DEFAULT_USER = 'me';

/** The place of the store: a folder with an SQLite file, or a PostgreSQL server. */
export interface StorePlace {
  folder: string;
  /** The option `store` of `createVarve`. */
  store: string;
  isPostgres: boolean;
}

/**
 * Returns the store from the options or the environment. If `./.varve` exists, it is used, so that a project can have its own store. Its
 * first use needs `--trust`, because the author of the project may have put text or code into this folder.
 */
export function storePlace(input: CommandInput): StorePlace {
  const here = resolve('.varve');
  const named = textOption(input, 'data') ?? process.env['VARVE_DATA'];
  const folder = resolve(named ?? (existsSync(here) ? here : ownFolder()));
  if (named === undefined && !isTrusted(folder)) {
    const problem = `There is a memory in ${folder} that you have not used before. Somebody else may have put it there, and its text would be in your prompts. Use it with --trust (which is remembered), or name your own folder with --data ${ownFolder()}.`;
    if (input.options['trust'] !== true) throw new UsageError(problem);
    trust(folder);
  }
  const isFolderNamed = textOption(input, 'data') !== undefined;
  const url = textOption(input, 'database') ?? (isFolderNamed ? undefined : process.env['DATABASE_URL']);
  if (url === undefined || url === '') return { folder, store: join(folder, 'varve.db'), isPostgres: false };
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new UsageError('The database must be a postgres:// URL: give it with --database or in DATABASE_URL.');
  return { folder, store: url, isPostgres: true };
}

export function scopeOf(input: CommandInput): HandleScope & { tenant: string } {
  const part = (name: string, otherwise?: string): string | undefined => {
    const value = textOption(input, name) ?? process.env[`VARVE_${name.toUpperCase()}`] ?? otherwise;
    return value === '' ? undefined : value;
  };
  return {
    tenant: part('tenant') ?? 'default',
    agent: part('agent'),
    user: part('user', DEFAULT_USER) ?? null,
    session: textOption(input, 'session'),
  };
}

const MOST_NAMED = 8;

/**
 * If the command's scope has no records, lists the scopes that have some, and how to choose one. Otherwise, or if there is nothing to list,
 * returns null. A command that reads through a handle passes it: the handle does not see the records of its user's other agents, although
 * they are within the command's scope.
 */
export async function otherScopes(
  varve: Varve,
  input: CommandInput,
  handle?: Handle,
): Promise<{ text: string; remedy: string } | null> {
  const scope = scopeOf(input);
  const { events, memories } = await varve.operator.count(scope);
  const isWithin = events + memories > 0;
  if (isWithin && (handle === undefined || (await seesAny(handle)))) return null;
  const { tenant, agent, user } = scope;
  const whose = [`tenant ${tenant}`, ...named('agent', agent), ...named('user', user)];
  const without = [...(agent == null ? ['an agent'] : []), ...(user == null ? ['a user'] : [])].join(' or ');
  const nothing = `nothing is stored for ${whose.join(', ')}${isWithin ? ` without ${without}` : ''}`;
  const owners = await varve.operator.inspect.owners(tenant, {
    agents: isWithin && agent != null ? [agent] : null,
    users: isWithin && user != null ? [user] : null,
    limit: MOST_NAMED + 1,
  });
  if (owners.length > 0) {
    const text = `${nothing}, but the store has ${listed(owners.map(ownerText))}`;
    const remedy =
      'choose with --user and --agent (VARVE_USER, VARVE_AGENT); with --user "", stats and export cover the whole tenant';
    return { text, remedy };
  }
  const tenants = (await varve.operator.inspect.tenants()).filter((name) => name !== tenant);
  if (tenants.length === 0) return null;
  const text = `${nothing}, but the store has the tenants ${listed(tenants)}`;
  return { text, remedy: 'choose with --tenant (VARVE_TENANT)' };
}

async function seesAny({ memories, events }: Handle): Promise<boolean> {
  const pages = await Promise.all([memories.list({ limit: 1, archived: 'include' }), events.list({ limit: 1 })]);
  return pages.some(({ items }) => items.length > 0);
}

/** Prints which scopes have records if the command's scope has none. */
export async function noteOtherScopes(varve: Varve, input: CommandInput, handle?: Handle): Promise<void> {
  const others = await otherScopes(varve, input, handle);
  if (others !== null) input.output.note(`Here ${others.text}: ${others.remedy}.`);
}

function named(part: string, name: string | null | undefined): string[] {
  return name == null ? [] : [`${part} ${name}`];
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ' and others' : ''}`;
}

function ownerText({ agent, user, memories }: OwnerSummary): string {
  const whose = [...named('user', user), ...named('agent', agent)].join(' of ');
  return `${whose === '' ? 'records of the tenant' : whose} (${memories} ${memories === 1 ? 'memory' : 'memories'})`;
}

interface OpenOptions {
  /**
   * What the command embeds: nothing, a query, or every record that waits for a vector. If nothing, the model is not loaded. Default:
   * nothing.
   */
  embeds?: 'nothing' | 'query' | 'all';
  background?: boolean | { concurrency?: number };
  distribute?: boolean;
  /**
   * Whether the command may create a missing store. Default false: if --data is misspelt, a command that reads would otherwise show an
   * empty store.
   */
  creates?: boolean;
}

export async function openMemory(
  input: CommandInput,
  { embeds = 'nothing', background = false, distribute = false }: OpenOptions = {},
): Promise<Varve> {
  const { createVarve } = await import('../varve.ts');
  const configured = await readConfig(input);
  const withoutEmbedder = embeds === 'nothing' || process.env['VARVE_EMBEDDER'] === 'none';
  const { folder, store, isPostgres } = storePlace(input);
  if (!isPostgres) await makeOwnFolder(folder);
  return createVarve({
    store: isPostgres
      ? {
          url: store,
          schema: process.env['VARVE_SCHEMA'],
          replicaUrl: process.env['VARVE_REPLICA_URL'] || undefined,
          distribute,
        }
      : store,
    background,
    webhooks: { allowPrivate: process.env['VARVE_WEBHOOKS_PRIVATE'] === '1' },
    ...(embeds === 'query' && configured.embedder === undefined
      ? { embedder: (await import('../models/local-embedder/local-embedder.ts')).createLocalEmbedder({ threads: 0 }) }
      : {}),
    ...(background === false ? { tracing: false } : {}),
    ...configured,
    ...(withoutEmbedder ? { embedder: null } : {}),
  });
}

/** Creates the store's folder, which only this user may read, because memories are private. */
async function makeOwnFolder(folder: string): Promise<void> {
  const { makeFolder } = await import('../store/sqlite/open-sqlite.ts');
  try {
    makeFolder(folder, 0o700);
  } catch (cause) {
    throw new VarveError(`The folder ${folder} cannot be created: ${messageOf(cause)}.`, {
      code: 'store_unavailable',
      cause,
    });
  }
}

/** Runs `work` with an open store. Closes the store afterwards, also after an error. */
export async function withMemory<Result>(
  input: CommandInput,
  options: OpenOptions,
  work: (varve: Varve) => Promise<Result>,
): Promise<Result> {
  const { folder, store, isPostgres } = storePlace(input);
  if (!isPostgres && options.creates !== true && !existsSync(store)) {
    const problem = `There is no store in ${folder}. Name its folder with --data, or create a store there: varve init --data ${folder}`;
    throw new VarveError(problem, { code: 'store_unavailable' });
  }
  const stopWatching = isPostgres ? () => {} : await sayWaiting(store, input.output);
  try {
    const varve = await openMemory(input, options);
    try {
      return await work(varve);
    } finally {
      await varve.close();
    }
  } finally {
    stopWatching();
  }
}

/** Does the same as `withMemory`, and also passes the handle of the command's scope to `work`. */
export function withHandle<Result>(
  input: CommandInput,
  options: OpenOptions,
  work: (handle: Handle, varve: Varve) => Promise<Result>,
): Promise<Result> {
  return withMemory(input, options, (varve) => work(varve.for(scopeOf(input)), varve));
}

/** Loads the configuration module. It contains the options that do not fit into a flag: embedders, models, memory types, attributes. */
export async function readConfig(input: CommandInput): Promise<VarveOptions> {
  const named = textOption(input, 'config') ?? process.env['VARVE_CONFIG'];
  const { folder } = storePlace(input);
  const usual = join(folder, CONFIG_FILE);
  const file = named === undefined ? (existsSync(usual) ? usual : null) : resolve(named);
  if (file === null) return {};
  // A folder from the environment is a setting of this machine. A folder from --data may be anybody's: the user asked for its memory, not
  // for its code.
  const isOwn = textOption(input, 'data') === undefined && process.env['VARVE_DATA'] !== undefined;
  if (named === undefined && !isOwn && !isTrusted(folder)) {
    const problem = `${usual} is code that you have not used before, or that has changed since. Read it, then run it with --trust (which is remembered) or with --config ${usual}.`;
    if (input.options['trust'] !== true) throw new UsageError(problem);
    trust(folder);
  }
  if (!existsSync(file))
    throw new UsageError(`The configuration ${file} does not exist. Check --config and VARVE_CONFIG.`);
  const loading = import(pathToFileURL(file).href) as Promise<{ default?: VarveOptions }>;
  const module = await loading.catch((error: unknown) => {
    throw new UsageError(`The configuration ${file} cannot be loaded: ${messageOf(error)}.`);
  });
  if (typeof module.default !== 'object')
    throw new UsageError(`${file} has no default export. Export the options of createVarve() as its default.`);
  return module.default;
}

/**
 * Prints one note if this command has to wait for another process that writes to the file. Returns a function that removes the listener.
 */
async function sayWaiting(file: string, output: Output): Promise<() => void> {
  const { onLongWait } = await import('../store/sqlite/open-sqlite.ts');
  const end = onLongWait(() => {
    end();
    output.note(`Another process is writing to ${file}: waiting for it …`);
  });
  return end;
}

/** Checks whether a process has the write lock of an SQLite file now. Other errors are ignored here. */
export async function isLocked(file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  const sqlite = await import('node:sqlite');
  let database: DatabaseSync | undefined;
  try {
    database = new sqlite.DatabaseSync(file);
    database.exec('pragma busy_timeout = 0');
    database.exec('begin immediate; rollback');
    return false;
  } catch (error) {
    return /locked|busy/.test(messageOf(error));
  } finally {
    database?.close();
  }
}

/** The maximum number of records that a command embeds before it answers, at about 5 ms each. A worker embeds the rest. */
const FEW = 24;

/**
 * Embeds the records that wait for a vector if they are few, so that a new memory is found by meaning without a server or a worker. If
 * there are more, prints what to do.
 */
export async function embedFew(varve: Varve, output: Output): Promise<void> {
  const { vectorsWaiting, embedder } = await varve.operator.status();
  if (vectorsWaiting === 0 || embedder === null) return;
  if (vectorsWaiting <= FEW) await varve.backfill({ rate: Infinity });
  else output.note(`${vectorsWaiting} records have no vector yet and are found by words alone: varve worker --once`);
}
