import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
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

/** The same in the editor, the chat client and the terminal, so that they share their memories. */
export const DEFAULT_USER = 'me';

export interface StorePlace {
  folder: string;
  store: string;
  isPostgres: boolean;
}

/** By default `./.varve`, if it exists. Its first use needs `--trust`, because the project's author may have put text or code there. */
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

/** Names scopes with records if the command's scope has none. Pass the handle that the command reads with: it may see less. */
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
  /** A query, or all records without a vector. With `nothing` (the default), the model is not loaded. */
  embeds?: 'nothing' | 'query' | 'all';
  background?: boolean | { concurrency?: number };
  distribute?: boolean;
  /** Whether to create a missing store. Default false, because a misspelt --data would look like an empty store. */
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

// Memories are private, so only this user may read the folder.
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

export function withHandle<Result>(
  input: CommandInput,
  options: OpenOptions,
  work: (handle: Handle, varve: Varve) => Promise<Result>,
): Promise<Result> {
  return withMemory(input, options, (varve) => work(varve.for(scopeOf(input)), varve));
}

export async function readConfig(input: CommandInput): Promise<VarveOptions> {
  const named = textOption(input, 'config') ?? process.env['VARVE_CONFIG'];
  const { folder } = storePlace(input);
  const usual = join(folder, CONFIG_FILE);
  const file = named === undefined ? (existsSync(usual) ? usual : null) : resolve(named);
  if (file === null) return environmentOptions();
  // With --data the user asked for the folder's memory, not for its code. A folder from the environment is a setting of this machine.
  const isOwn = textOption(input, 'data') === undefined && process.env['VARVE_DATA'] !== undefined;
  if (named === undefined && !isOwn && !isTrusted(folder)) {
    const problem = `${usual} is code that you have not used before, or that has changed since. Read it, then run it with --trust (which is remembered) or with --config ${usual}.`;
    if (input.options['trust'] !== true) throw new UsageError(problem);
    trust(folder);
  }
  if (!existsSync(file))
    throw new UsageError(`The configuration ${file} does not exist. Check --config and VARVE_CONFIG.`);
  const configured = await defaultExport(file).catch((error: NodeJS.ErrnoException) => {
    const problem = `The configuration ${file} cannot be loaded: ${messageOf(error)}.`;
    throw new UsageError(error.code === 'ERR_MODULE_NOT_FOUND' ? `${problem} ${packageHint(file)}` : problem);
  });
  if (typeof configured !== 'object' || configured === null)
    throw new UsageError(
      `${file} has no usable default export. Its default export must be the options of createVarve(), or a function that returns them.`,
    );
  return { ...(await environmentOptions()), ...configured };
}

async function defaultExport(file: string): Promise<unknown> {
  const { default: given } = (await import(pathToFileURL(file).href)) as { default?: unknown };
  return typeof given === 'function' ? given(await import('../index.ts')) : given;
}

function packageHint(file: string): string {
  return `A configuration finds only packages that are installed in its own folder or above it (npm install --prefix ${dirname(file)} <package>). It needs no package if its default export is a function, which gets the exports of varve: export default ({ createLanguageModel, openAiCompatible }) => ({ … }).`;
}

async function environmentOptions(): Promise<VarveOptions> {
  const model = process.env['VARVE_MODEL'];
  if (model === undefined || model === '') return {};
  const { createLanguageModel } = await import('../models/create-language-model.ts');
  const { openAiCompatible } = await import('../models/open-ai-compatible.ts');
  return { languageModel: createLanguageModel({ fast: openAiCompatible({ model }) }) };
}

/** Prints one note if another process holds the write lock of the file. Returns a function that removes the listener. */
async function sayWaiting(file: string, output: Output): Promise<() => void> {
  const { onLongWait } = await import('../store/sqlite/open-sqlite.ts');
  const end = onLongWait(() => {
    end();
    output.note(`Another process is writing to ${file}: waiting for it …`);
  });
  return end;
}

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

// The most records that a command embeds before it answers, at about 5 ms each.
const FEW = 24;

/** Embeds new records immediately if they are few, so that they are found by meaning without a server or a worker. */
export async function embedFew(varve: Varve, output: Output): Promise<void> {
  const { vectorsWaiting, embedder } = await varve.operator.status();
  if (vectorsWaiting === 0 || embedder === null) return;
  if (vectorsWaiting <= FEW) await varve.backfill({ rate: Infinity });
  else output.note(`${vectorsWaiting} records have no vector yet and are found by words alone: varve worker --once`);
}
