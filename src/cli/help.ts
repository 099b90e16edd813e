import { COMMON_OPTIONS, type Command, type CommandOption } from './command.ts';
import { COMMANDS } from './commands.ts';
import { table, type Output } from './output.ts';

/** The list of commands. */
export function overview(output: Output): string {
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
    '  varve mcp --print-config',
    '',
    'Exit codes: 0 done, 1 failed, 2 wrong use, 3 nothing found, 4 the store cannot be reached.',
    '`varve <command> --help` says more.',
  ].join('\n');
}

/** What one command does. */
export function commandHelp(name: string, command: Command, output: Output): string {
  const own = Object.keys(command.options ?? {}).length > 0 ? ['', 'Options:', optionTable(command.options ?? {})] : [];
  return [
    `Usage: ${output.style('bold', `varve ${command.usage}`)}`,
    '',
    command.help,
    ...own,
    '',
    'Options of every command:',
    optionTable(COMMON_OPTIONS),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
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
