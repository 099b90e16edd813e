import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEFAULT_USER } from '../mcp/default-user.ts';
import { messageOf, VarveError } from '../errors.ts';
import type { Embedder } from '../models/embedder.ts';
import type { HandleScope } from '../record/scope.ts';
import { makeFolder } from '../store/sqlite/make-folder.ts';
import type { Varve, VarveOptions } from '../varve.ts';
import { textOption, UsageError, type CommandInput } from './command.ts';
import { sayWaiting } from './say-waiting.ts';
import { CONFIG_FILE, isTrusted, ownFolder, trust } from './trust.ts';

/** Where memory is: a folder with an SQLite file, or a PostgreSQL server. */
export interface Place {
  folder: string;
  /** What `createVarve({ store })` takes. */
  store: string;
  isPostgres: boolean;
}

/**
 * The place that options and environment name. `./.varve` is taken when it is there, so that a project can have its own; the first
 * time it is asked for with `--trust`, because whoever made the project may have put words or code of theirs into it.
 */
export function placeOf(input: CommandInput): Place {
  const here = resolve('.varve');
  const named = textOption(input, 'data') ?? process.env['VARVE_DATA'];
  const folder = resolve(named ?? (existsSync(here) ? here : ownFolder()));
  if (named === undefined && !isTrusted(folder)) {
    if (input.options['trust'] !== true) throw untrustedMemory(folder);
    trust(folder);
  }
  const url =
    textOption(input, 'database') ??
    (textOption(input, 'data') === undefined ? process.env['DATABASE_URL'] : undefined);
  if (url === undefined || url === '') return { folder, store: join(folder, 'varve.db'), isPostgres: false };
  if (!/^postgres(ql)?:\/\//.test(url)) throw new UsageError('The database is not a postgres:// URL.');
  return { folder, store: url, isPostgres: true };
}

function untrustedMemory(folder: string): UsageError {
  return new UsageError(
    `There is a memory in ${folder} that you have not used before. It may be somebody else's: what it holds would stand in your prompts. Use it with --trust (which is remembered), or name your own with --data ${ownFolder()}.`,
  );
}

/** The scope that options and environment name. */
export function scopeOf(input: CommandInput): HandleScope {
  const part = (name: string, otherwise?: string): string | undefined => {
    const value = textOption(input, name) ?? process.env[`VARVE_${name.toUpperCase()}`] ?? otherwise;
    return value === '' ? undefined : value;
  };
  return {
    tenant: part('tenant', 'default'),
    agent: part('agent'),
    user: part('user', DEFAULT_USER) ?? null,
    session: textOption(input, 'session'),
  };
}

export interface OpenOptions {
  /** What the command embeds: nothing, a query, or all that waits. The model is loaded for what it embeds. Default nothing. */
  embeds?: 'nothing' | 'query' | 'all';
  /** Whether this process does background work. Default false. */
  background?: boolean | { concurrency?: number };
}

/** Opens memory for a command. */
export async function openMemory(
  input: CommandInput,
  { embeds = 'nothing', background = false }: OpenOptions = {},
): Promise<Varve> {
  const { createVarve } = await import('../varve.ts');
  const configured = await readConfig(input);
  const withoutEmbedder = embeds === 'nothing' || process.env['VARVE_EMBEDDER'] === 'none';
  const { folder, store, isPostgres } = placeOf(input);
  if (!isPostgres) makeOwnFolder(folder);
  return createVarve({
    store: isPostgres ? { url: store, schema: process.env['VARVE_SCHEMA'] } : store,
    background,
    ...(embeds === 'query' && configured.embedder === undefined ? { embedder: await embedderForOne() } : {}),
    ...(background === false ? { tracing: false } : {}),
    ...configured,
    ...(withoutEmbedder ? { embedder: null } : {}),
  });
}

/** What is remembered is nobody else's: only this user may look into the folder. */
function makeOwnFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700);
  } catch (cause) {
    throw new VarveError(`The folder ${folder} cannot be made: ${messageOf(cause)}.`, {
      code: 'store_unavailable',
      cause,
    });
  }
}

async function embedderForOne(): Promise<Embedder> {
  const { createLocalEmbedder } = await import('../models/local-embedder/local-embedder.ts');
  return createLocalEmbedder({ threads: 0 });
}

/** Runs something with an open memory, and closes it whatever happens. */
export async function withMemory<Result>(
  input: CommandInput,
  options: OpenOptions,
  work: (varve: Varve) => Promise<Result>,
): Promise<Result> {
  const { store, isPostgres } = placeOf(input);
  const stopWatching = isPostgres ? () => {} : sayWaiting(store, input.output);
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

async function importConfig(file: string): Promise<{ default?: VarveOptions }> {
  try {
    return (await import(pathToFileURL(file).href)) as { default?: VarveOptions };
  } catch (error) {
    throw new UsageError(`The configuration ${file} cannot be loaded: ${messageOf(error)}.`);
  }
}

/** Embedders, models, memory types and attributes cannot be written in a flag: a module gives them. */
export async function readConfig(input: CommandInput): Promise<VarveOptions> {
  const named = textOption(input, 'config') ?? process.env['VARVE_CONFIG'];
  const { folder } = placeOf(input);
  const usual = join(folder, CONFIG_FILE);
  const file = named === undefined ? (existsSync(usual) ? usual : null) : resolve(named);
  if (file === null) return {};
  // A folder from the environment is the machine's own setting. One that is named with --data may be anybody's: its memory was asked for,
  // its code was not.
  const isOwn = textOption(input, 'data') === undefined && process.env['VARVE_DATA'] !== undefined;
  if (named === undefined && !isOwn && !isTrusted(folder)) {
    if (input.options['trust'] !== true) throw untrustedCode(usual);
    trust(folder);
  }
  if (!existsSync(file)) throw new UsageError(`There is no configuration ${file}.`);
  const module = await importConfig(file);
  if (typeof module.default !== 'object') throw new UsageError(`${file} has no default export with options.`);
  return module.default;
}

function untrustedCode(file: string): UsageError {
  return new UsageError(
    `${file} is code that you have not used before, or that has changed since. Read it, then run it with --trust (which is remembered) or with --config ${file}.`,
  );
}
