import { readdirSync, rmSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { didYouMean } from '../errors.ts';
import { COMMON_OPTIONS, EXIT, LISTED_KINDS, parseConfig, UsageError, version } from './command.ts';
import type { Command, CommandInput, CommandOption } from './command.ts';
import { COMMANDS, findCommand } from './commands.ts';
import { createOutput, type Output, table } from './output.ts';

export async function runCommand(line: readonly string[]): Promise<number> {
  const json = line.includes('--json');
  const output = createOutput({ json, raw: line.includes('--raw') });
  // The reader may stop early, as in `varve list | head -1`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
  );
  const [first = ''] = line;
  const place = commandPlace(line);
  const name = line[place] ?? 'serve';
  const rest = line.toSpliced(place, 1);
  const asked = rest.find((word) => !word.startsWith('-'));
  if (['-h', '--help'].includes(first) || name === 'help') return help(asked, output);
  if (['-v', '--version'].includes(first) || name === 'version') return say(output, { version: version() }, version());
  const found = findCommand(name);
  if (found === undefined) {
    const problem = `There is no command ${JSON.stringify(name)}.${nearestCommand(name)}`;
    return refuse(output, problem, 'varve --help');
  }
  startFast(name, found);
  const command = await found.load();
  try {
    const input = readLine(command, rest, output);
    if (input.options['help'] === true) return describe(command, output);
    return (await command.run(input)) ?? EXIT.ok;
  } catch (error) {
    if (error instanceof UsageError) return refuse(output, error.message, `varve ${name} --help`);
    return fail(output, error, rest);
  }
}

/** Returns the index of the command's name, which may follow global options, or the length of the line if it names no command. */
function commandPlace(line: readonly string[]): number {
  const common = (word: string): CommandOption | undefined =>
    Object.entries(COMMON_OPTIONS).find(
      ([name, { short = '' }]) => word.split('=', 1)[0] === `--${name}` || word === `-${short}`,
    )?.[1];
  let place = 0;
  while (line[place]?.startsWith('-') === true) {
    const option = common(line[place] ?? '');
    if (option?.type === 'string' && line[place]?.includes('=') === false) place += 1;
    // The next word is the value of an option of `serve`, as in `varve --port 8801`.
    else if (option === undefined && findCommand(line[place + 1] ?? '') === undefined) return line.length;
    place += 1;
  }
  return place;
}

function readLine(command: Command, line: readonly string[], output: Output): CommandInput {
  try {
    const { values, positionals } = parseArgs({
      args: [...line],
      options: parseConfig({ ...COMMON_OPTIONS, ...command.options }),
      allowPositionals: true,
      strict: true,
    });
    return { words: positionals, options: values as CommandInput['options'], output };
  } catch (error) {
    throw new UsageError(optionProblem(error as NodeJS.ErrnoException, command));
  }
}

function optionProblem({ code, message }: NodeJS.ErrnoException, command: Command): string {
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return message;
  const option = /'(-[^']*)'/.exec(message)?.[1] ?? '';
  const known = Object.keys({ ...COMMON_OPTIONS, ...command.options });
  return `There is no option ${option}.${didYouMean(option.replace(/^-+/, ''), known, (other) => `--${other}`)}`;
}

async function help(name: string | undefined, output: Output): Promise<number> {
  if (name === undefined) return say(output, { commands: Object.keys(COMMANDS) }, overview(output));
  const command = await findCommand(name)?.load();
  if (command !== undefined) return describe(command, output);
  return refuse(output, `There is no command ${JSON.stringify(name)}.${nearestCommand(name)}`, 'varve --help');
}

function describe(command: Command, output: Output): Promise<number> {
  const { usage, help: about, options = {}, examples } = command;
  return say(output, { usage, help: about, options, examples }, commandHelp(command, output));
}

async function say(output: Output, value: unknown, text: string): Promise<number> {
  await output.answer(value, () => text);
  return EXIT.ok;
}

function refuse(output: Output, problem: string, hint: string): number {
  output.complain({ code: 'usage', problem }, `${problem}\nSee: ${hint}`);
  return EXIT.usage;
}

interface Failure {
  code?: string;
  message?: string;
  /** Only in errors of the operating system. */
  syscall?: string;
  stack?: string;
}

/** Returns the exit code. An error that comes neither from Varve nor from the operating system is a defect of Varve. */
function fail(output: Output, error: unknown, line: readonly string[]): number {
  const { code = 'internal', message = String(error), syscall, stack } = (error ?? {}) as Failure;
  const isForeseen = error instanceof Error && (error.name === 'VarveError' || syscall !== undefined);
  const isUnavailable = UNAVAILABLE.has(code);
  const more = isUnavailable
    ? `\nSee: varve doctor${placeIn(line)}`
    : isForeseen
      ? ''
      : '\nThis is a defect of Varve. Run the command again with VARVE_DEBUG=1 to print the stack, and report the defect.';
  const text = process.env['VARVE_DEBUG'] ? (stack ?? message) : `${message}${more}`;
  output.complain({ code: isForeseen ? code : 'internal', problem: message }, text);
  if (code === 'not_found') return EXIT.nothing;
  if (code === 'invalid_input') return EXIT.usage;
  return isUnavailable ? EXIT.unavailable : EXIT.failed;
}

function placeIn(line: readonly string[]): string {
  const at = line.indexOf('--data');
  return at < 0 ? '' : ` --data ${line[at + 1] ?? ''}`;
}

const UNAVAILABLE = new Set(['store_unavailable', 'store_busy', 'store_too_new']);

function nearestCommand(name: string): string {
  const known = [...Object.keys(COMMANDS), ...LISTED_KINDS];
  return didYouMean(name, known, (other) => (findCommand(other) === undefined ? `list ${other}` : other));
}

function overview(output: Output): string {
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => [`  ${name}`, summary]);
  return [
    `${output.style('bold', 'varve')}: long-term memory for AI agents`,
    '',
    'Usage: varve <command> [options]        without a command: serve',
    '',
    table(rows),
    '',
    'Options of every command:',
    optionTable(COMMON_OPTIONS),
    '',
    'Examples:',
    '  varve remember "I live in Oslo"',
    '  varve recall "where do I live?"',
    '  varve setup claude-code',
    '',
    'Exit codes: 0 done, 1 failed, 2 wrong use, 3 nothing found, 4 the store cannot be reached.',
    '`varve <command> --help` describes a command.',
  ].join('\n');
}

function commandHelp({ usage, help: about, options, examples }: Command, output: Output): string {
  return [
    `Usage: ${output.style('bold', `varve ${usage}`)}`,
    '',
    about,
    ...(options === undefined ? [] : ['', 'Options:', optionTable(options)]),
    '',
    'Options of every command:',
    optionTable(COMMON_OPTIONS),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
  ].join('\n');
}

function optionTable(options: Record<string, CommandOption>): string {
  return table(
    Object.entries(options).map(([name, { short, value, help }]) => [
      `  ${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`,
      help,
    ]),
  );
}

// Milliseconds. Otherwise the caches of other versions and checkouts would pile up, at about 4 MB for each command.
const KEPT_FOR = 30 * 24 * 3_600_000;

// Must run before the command's code is loaded. The cache is in the user's own folder, because other users could plant code in Node's
// default folder. Each command has its own cache, because Node never adds to what the first run stored.
function startFast(name: string, { isLasting }: { isLasting?: boolean }): void {
  const caches = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'varve');
  removeOld(caches, name);
  enableCompileCache(join(caches, name));
  // Zod otherwise compiles each schema, which costs a short command 10 ms. `z.config({ jitless: true })` would load all of Zod here, so
  // this sets the object that Zod reads (zod/v4/core/core.js). If a later Zod ignores it, only the 10 ms are lost.
  if (!isLasting) Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
}

// A cache that another command is using may be removed: the next run creates it again.
function removeOld(caches: string, name: string): void {
  try {
    // Every command waits for this check, so the usual case costs only one `stat`.
    if (!isOld(join(caches, name))) return;
    for (const one of readdirSync(caches))
      if (isOld(join(caches, one))) rmSync(join(caches, one), { recursive: true, force: true });
  } catch {
    // The cache belongs to another user, or another command is removing it. Neither must prevent the start.
  }
}

function isOld(folder: string): boolean {
  const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && made < Date.now() - KEPT_FOR;
}
