import { readFileSync } from 'node:fs';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Output } from './output.ts';

export interface CommandInput {
  words: string[];
  options: Record<string, string | boolean | string[] | undefined>;
  output: Output;
}

export interface Command {
  usage: string;
  help: string;
  options?: Record<string, CommandOption>;
  examples: readonly string[];
  /** Returns the exit code. No value is the same as 0. */
  run(input: CommandInput): Promise<number | void>;
}

export interface CommandOption {
  type: 'string' | 'boolean';
  multiple?: boolean;
  short?: string;
  value?: string;
  help: string;
}

type Extra = Pick<CommandOption, 'multiple' | 'short'>;

export function valued(value: string, help: string, extra: Extra = {}): CommandOption {
  return { type: 'string', ...extra, value, help };
}

export function flag(help: string, extra: Extra = {}): CommandOption {
  return { type: 'boolean', ...extra, help };
}

/** Scripts rely on these exit codes. */
export const EXIT = { ok: 0, failed: 1, usage: 2, nothing: 3, unavailable: 4 } as const;

/** Wrong use of a command. Its message is printed with the usage, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const LISTED_KINDS = ['memories', 'facts', 'notes', 'saved-items', 'events', 'entities'] as const;

export const COMMON_OPTIONS: Record<string, CommandOption> = {
  data: valued('folder', 'the folder with the memory (default: ./.varve if it exists and you trust it, else ~/.varve)'),
  database: valued('url', 'a PostgreSQL server instead of a folder (default: $DATABASE_URL)'),
  tenant: valued('name', 'default: $VARVE_TENANT or "default"'),
  agent: valued('name', 'default: $VARVE_AGENT or none'),
  user: valued('name', 'default: $VARVE_USER or "me"; "" for none', { short: 'u' }),
  session: valued('name', 'default: none', { short: 's' }),
  config: valued('file', 'a module whose default export is the options of createVarve()'),
  trust: flag('use the memory and the configuration in this folder, now and later'),
  json: flag('print the answer as JSON'),
  raw: flag('print stored text as it is, with control characters, where the output is not a terminal'),
  help: flag('show the help of a command', { short: 'h' }),
};

export function parseConfig(options: Record<string, CommandOption>): ParseArgsOptionsConfig {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple, short }]) => [
      name,
      { type, ...(multiple ? { multiple } : {}), ...(short === undefined ? {} : { short }) },
    ]),
  );
}

export function textOption(input: CommandInput, name: string): string | undefined {
  const value = input.options[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberOption(input: CommandInput, name: string): number | undefined {
  const text = textOption(input, name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number))
    throw new UsageError(`--${name} needs a number, not ${JSON.stringify(text)}.`);
  return number;
}

export function wholeOption(input: CommandInput, name: string, least: number, most: number): number | undefined {
  const number = numberOption(input, name);
  if (number === undefined || (Number.isInteger(number) && number >= least && number <= most)) return number;
  throw new UsageError(`--${name} needs a whole number from ${least} to ${most}, not ${number}.`);
}

export function listOption(input: CommandInput, name: string): string[] | undefined {
  const value = input.options[name];
  if (!Array.isArray(value)) return undefined;
  return value
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/** Throws if `given` is none of `names`. `what` is the noun for the error message, such as "format". */
export function oneOf<Name extends string>(what: string, names: readonly Name[], given: string): Name {
  const found = names.find((name) => name === given);
  if (found !== undefined) return found;
  throw new UsageError(`There is no ${what} ${given}. Give one of: ${names.join(', ')}.`);
}

/** Joins the arguments to one text. The argument "-" reads standard input. */
export async function readWords({ words }: CommandInput): Promise<string> {
  const isPiped = words.length === 1 && words[0] === '-';
  const given = isPiped ? await (await import('node:stream/consumers')).text(process.stdin) : words.join(' ');
  if (given.trim() === '')
    throw new UsageError('The text is missing: give it as an argument, or give "-" to read it from standard input.');
  return given.trim();
}

export function oneWord({ words }: CommandInput, what: string): string {
  const [word] = words;
  if (word === undefined) throw new UsageError(`The ${what} is missing: give it as an argument.`);
  if (words.length > 1) throw new UsageError(`Only one ${what} can be given at a time, not ${words.length}.`);
  return word;
}

/** Resolves at the first signal to stop. A second signal ends the process immediately. */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = 0;
    const onSignal = (signal: NodeJS.Signals): void => {
      asked += 1;
      if (asked > 1) process.exit(1);
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** The command that starts this program: the npm script in a checkout, otherwise `varve`. */
export function calledAs(): string {
  return process.argv[1]?.endsWith('.ts') === true ? 'npm run -s varve --' : 'varve';
}

export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

const DEFAULT_PORT = 8787;

export function portOf(input: CommandInput): number {
  const port = input.options['port'] ?? process.env['PORT'];
  return wholeOption({ ...input, options: { port } }, 'port', 0, 65_535) ?? DEFAULT_PORT;
}
