import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandInput, portOf, textOption } from '../command.ts';
import { DEFAULT_USER, storePlace } from '../open-memory.ts';
import { tomlTable } from './change-toml.ts';
import { CLIENTS, type ServerCommand, type Settings, thisMachine } from './clients.ts';

/** Repeats the current options. Paths are absolute, because another program starts the command in another folder. */
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

interface ClientConfig {
  client: string;
  where: string;
  content: unknown;
  text?: string;
}

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
  const url = `http://127.0.0.1:${portOf(input)}/mcp?user=${user}`;
  const overHttp = { url, headers: { Authorization: 'Bearer <key>' } };
  return [...configs, { client: 'any client over HTTP', where: 'while `varve serve` runs', content: overHttp }];
}

export function configText(configs: readonly ClientConfig[]): string {
  const parts = configs.map(
    ({ client, where, content, text }) => `# ${client}: ${where}\n${text ?? `${JSON.stringify(content, null, 2)}\n`}`,
  );
  return ['# `varve setup <client>` writes these for you.\n', ...parts].join('\n');
}
