import { wholeOption, type CommandInput } from './command.ts';

const DEFAULT_PORT = 8787;

/** The port of the server, as options and environment name it. */
export function portOf(input: CommandInput): number {
  const port = input.options['port'] ?? process.env['PORT'];
  return wholeOption({ ...input, options: { port } }, 'port', 0, 65_535) ?? DEFAULT_PORT;
}
