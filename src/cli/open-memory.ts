import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEFAULT_USER } from '../mcp/default-user.ts';
import type { ScopeInput } from '../record/scope.ts';
import type { Varve, VarveOptions } from '../varve.ts';
import { textOption, UsageError, type CommandInput } from './command.ts';

/** Where memory is: a folder with an SQLite file, or a PostgreSQL server. */
export interface Place {
  folder: string;
  /** What `createVarve({ store })` takes. */
  store: string;
  isPostgres: boolean;
}

/** The place that options and environment name. `./.varve` is taken when it is there, so that a project can have its own. */
export function placeOf(input: CommandInput): Place {
  const here = resolve('.varve');
  const folder = resolve(
    textOption(input, 'data') ?? process.env['VARVE_DATA'] ?? (existsSync(here) ? here : join(homedir(), '.varve')),
  );
  const url =
    textOption(input, 'database') ??
    (textOption(input, 'data') === undefined ? process.env['DATABASE_URL'] : undefined);
  if (url === undefined || url === '') return { folder, store: join(folder, 'varve.db'), isPostgres: false };
  if (!/^postgres(ql)?:\/\//.test(url)) throw new UsageError('The database is not a postgres:// URL.');
  return { folder, store: url, isPostgres: true };
}

/** The scope that options and environment name. */
export function scopeOf(input: CommandInput): ScopeInput {
  const part = (name: string, otherwise?: string): string | undefined => {
    const value = textOption(input, name) ?? process.env[`VARVE_${name.toUpperCase()}`] ?? otherwise;
    return value === '' ? undefined : value;
  };
  return {
    tenant: part('tenant', 'default'),
    agent: part('agent'),
    user: part('user', DEFAULT_USER),
    session: textOption(input, 'session'),
  };
}

export interface OpenOptions {
  /** Whether the command needs vectors. Without, the model is never loaded. Default false. */
  embedder?: boolean;
  /** Whether this process does background work. Default false. */
  background?: boolean | { concurrency?: number };
}

/** Opens memory for a command. */
export async function openMemory(
  input: CommandInput,
  { embedder = false, background = false }: OpenOptions = {},
): Promise<Varve> {
  const { createVarve } = await import('../varve.ts');
  const configured = await readConfig(input);
  const withoutEmbedder = !embedder || process.env['VARVE_EMBEDDER'] === 'none';
  const { store, isPostgres } = placeOf(input);
  return createVarve({
    store: isPostgres ? { url: store, schema: process.env['VARVE_SCHEMA'] } : store,
    background,
    ...configured,
    ...(withoutEmbedder ? { embedder: null } : {}),
  });
}

/** Runs something with an open memory, and closes it whatever happens. */
export async function withMemory<Result>(
  input: CommandInput,
  options: OpenOptions,
  work: (varve: Varve) => Promise<Result>,
): Promise<Result> {
  const varve = await openMemory(input, options);
  try {
    return await work(varve);
  } finally {
    await varve.close();
  }
}

/** Embedders, models and memory types cannot be written in a flag: a module gives them. */
async function readConfig(input: CommandInput): Promise<VarveOptions> {
  const named = textOption(input, 'config') ?? process.env['VARVE_CONFIG'];
  const usual = join(placeOf(input).folder, 'varve.config.js');
  const file = named === undefined ? (existsSync(usual) ? usual : null) : resolve(named);
  if (file === null) return {};
  if (!existsSync(file)) throw new UsageError(`There is no configuration ${file}.`);
  const module = (await import(pathToFileURL(file).href)) as { default?: VarveOptions };
  if (typeof module.default !== 'object') throw new UsageError(`${file} has no default export with options.`);
  return module.default;
}
