import { parseArgs } from 'node:util';
import { COMMON_OPTIONS, EXIT, parseConfig, UsageError, type Command, type CommandInput } from './command.ts';
import { COMMANDS, findCommand } from './commands.ts';
import { commandHelp, overview } from './help.ts';
import { createOutput, type Output } from './output.ts';
import { version } from './version.ts';

/** Runs what the command line says and gives the exit code. Without a command it starts the server. */
export async function runCommand(line: readonly string[]): Promise<number> {
  const json = line.includes('--json');
  const output = createOutput({ json });
  // A reader that stops early (`varve list | head -1`) is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
  );
  const [first = ''] = line;
  const place = commandPlace(line);
  const name = line[place] ?? 'serve';
  const rest = line.toSpliced(place, 1);
  if (['-h', '--help'].includes(first) || name === 'help')
    return help(
      rest.find((word) => !word.startsWith('-')),
      output,
    );
  if (['-v', '--version'].includes(first) || name === 'version') return say(output, { version: version() }, version());
  const found = findCommand(name);
  if (found === undefined)
    return refuse(output, `There is no command ${JSON.stringify(name)}.${nearest(name)}`, 'varve --help');
  const command = await found.load();
  try {
    const input = readLine(command, rest, output);
    if (input.options['help'] === true)
      return say(output, { usage: command.usage }, commandHelp(name, command, output));
    return (await command.run(input)) ?? EXIT.ok;
  } catch (error) {
    if (error instanceof UsageError) return refuse(output, error.message, `varve ${name} --help`);
    return fail(output, error);
  }
}

/** Where the command stands: options of every command may come before it. After the end when there is none. */
function commandPlace(line: readonly string[]): number {
  const takesValue = (word: string): boolean =>
    !word.includes('=') &&
    Object.entries(COMMON_OPTIONS).some(
      ([name, option]) => option.type === 'string' && (word === `--${name}` || word === `-${option.short ?? ''}`),
    );
  let place = 0;
  while (line[place]?.startsWith('-') === true) place += takesValue(line[place] ?? '') ? 2 : 1;
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
    throw new UsageError((error as Error).message);
  }
}

async function help(name: string | undefined, output: Output): Promise<number> {
  const found = name === undefined ? undefined : findCommand(name);
  if (name !== undefined && found === undefined)
    return refuse(output, `There is no command ${JSON.stringify(name)}.`, 'varve --help');
  if (name === undefined || found === undefined)
    return say(output, { commands: Object.keys(COMMANDS) }, overview(output));
  const command = await found.load();
  return say(output, { usage: command.usage }, commandHelp(name, command, output));
}

async function say(output: Output, value: unknown, text: string): Promise<number> {
  await output.answer(value, () => text);
  return EXIT.ok;
}

function refuse(output: Output, problem: string, hint: string): number {
  complain(output, { code: 'usage', problem }, `${problem}\nSee: ${hint}`);
  return EXIT.usage;
}

interface Failure {
  code?: string;
  message?: string;
}

/** Errors of Varve are told by their message. Others are told with where they happened: they are ours to mend. */
function fail(output: Output, error: unknown): number {
  const { code = 'internal', message = String(error) } = (error ?? {}) as Failure;
  const isForeseen = error instanceof Error && error.name === 'VarveError';
  const text = isForeseen || !(error instanceof Error) ? message : (error.stack ?? message);
  complain(output, { code: isForeseen ? code : 'internal', problem: message }, text);
  if (code === 'not_found') return EXIT.nothing;
  if (code === 'invalid_input') return EXIT.usage;
  return ['store_unavailable', 'store_busy', 'store_too_new'].includes(code) ? EXIT.unavailable : EXIT.failed;
}

function complain(output: Output, value: object, text: string): void {
  process.stderr.write(output.json ? `${JSON.stringify({ error: value })}\n` : `${text}\n`);
}

function nearest(name: string): string {
  const near = Object.keys(COMMANDS).find((known) => known.startsWith(name.slice(0, 3)));
  return near === undefined ? '' : ` Did you mean ${near}?`;
}
