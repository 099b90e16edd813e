import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandInput, textOption } from '../command.ts';
import { DEFAULT_USER, storePlace } from '../open-memory.ts';
import { tomlTable } from './change-toml.ts';
import { CLIENTS, type ServerCommand, type Settings, thisMachine } from './clients.ts';

/**
 * Returns the command line with which another program starts a command of Varve. It repeats the current command's options. Paths are
 * absolute, because the other program runs in another folder.
 */
export function serverCommand(input: CommandInput, words: readonly string[]): ServerCommand {
  const isSource = import.meta.url.endsWith('.ts');
  const main = fileURLToPath(new URL(isSource ? '../main.ts' : './main.js', import.meta.url));
  const { folder, store, isPostgres } = storePlace(input);
  const config = textOption(input, 'config');
  const given = [
    ...(isPostgres ? ['--database', store] : ['--data', folder]),
    ...['tenant', 'agent', 'user', 'tools'].flatMap((name) => {
      const value = textOption(input, name);
      return value === undefined || (name === 'tools' && words[0] !== 'mcp') ? [] : [`--${name}`, value];
    }),
    ...(config === undefined ? [] : ['--config', resolve(config)]),
  ];
  return { command: process.execPath, args: [main, ...words, ...given] };
}

/** A snippet for the user to copy into a client's settings. */
interface ClientConfig {
  client: string;
  /** The file for the snippet, or a note on when the snippet works. */
  where: string;
  content: unknown;
  /** The snippet as text, if the settings are not JSON. */
  text?: string;
}

/** Returns the snippets of all clients that can be set up, with the current command's options, and one for any other client over HTTP. */
export function clientConfigs(input: CommandInput): ClientConfig[] {
  const server = serverCommand(input, ['mcp']);
  const commands = { server, hook: serverCommand(input, ['hook']) };
  const configs = Object.values(CLIENTS).flatMap(({ title, entries }) =>
    entries(thisMachine(), commands)
      .filter(({ inList }) => inList !== true)
      .map(({ file, format, path, value }) => ({
        client: title,
        where: file,
        content: path.reduceRight((inner, key) => ({ [key]: inner }), value),
        ...(format === 'toml' ? { text: tomlTable([...path], value as Settings) } : {}),
      })),
  );
  const user = encodeURIComponent(textOption(input, 'user') ?? DEFAULT_USER);
  const url = `http://127.0.0.1:8787/mcp?user=${user}`;
  const overHttp = { url, headers: { Authorization: 'Bearer <key>' } };
  return [...configs, { client: 'any client over HTTP', where: 'while `varve serve` runs', content: overHttp }];
}

export function configText(configs: readonly ClientConfig[]): string {
  const parts = configs.map(
    ({ client, where, content, text }) => `# ${client}: ${where}\n${text ?? `${JSON.stringify(content, null, 2)}\n`}`,
  );
  return ['# `varve setup <client>` writes these for you.\n', ...parts].join('\n');
}
