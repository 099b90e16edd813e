import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_USER } from '../mcp/create-mcp-server.ts';
import { type CommandInput, textOption } from './command.ts';
import { placeOf } from './open-memory.ts';

/** What to put into the settings of a client. */
export interface ClientConfig {
  client: string;
  /** The file, or what to do instead. */
  where: string;
  content: unknown;
}

/** The settings of common clients, with the options that this command was given. */
export function clientConfigs(input: CommandInput): ClientConfig[] {
  const main = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? 'main.ts' : 'main.js', import.meta.url));
  const { folder, store, isPostgres } = placeOf(input);
  const config = textOption(input, 'config');
  const user = encodeURIComponent(textOption(input, 'user') ?? DEFAULT_USER);
  // A client starts it in a folder of its own: what is meant here is named in full.
  const given = [
    ...(isPostgres ? ['--database', store] : ['--data', folder]),
    ...['tenant', 'agent', 'user'].flatMap((name) => {
      const value = textOption(input, name);
      return value === undefined ? [] : [`--${name}`, value];
    }),
    ...(config === undefined ? [] : ['--config', resolve(config)]),
  ];
  const server = { command: process.execPath, args: [main, 'mcp', ...given] };
  const line = [server.command, ...server.args]
    .map((word) => (/^[\w@./:=-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ');
  return [
    {
      client: 'Claude Desktop',
      where: 'claude_desktop_config.json (Settings › Developer › Edit Config)',
      content: { mcpServers: { varve: server } },
    },
    { client: 'Claude Code', where: 'run once', content: `claude mcp add varve -- ${line}` },
    { client: 'Cursor', where: '~/.cursor/mcp.json', content: { mcpServers: { varve: server } } },
    { client: 'VS Code', where: '.vscode/mcp.json', content: { servers: { varve: { type: 'stdio', ...server } } } },
    { client: 'Windsurf', where: '~/.codeium/windsurf/mcp_config.json', content: { mcpServers: { varve: server } } },
    { client: 'Zed', where: 'settings.json', content: { context_servers: { varve: { source: 'custom', ...server } } } },
    {
      client: 'Codex',
      where: '~/.codex/config.toml',
      content: `[mcp_servers.varve]\ncommand = ${JSON.stringify(server.command)}\nargs = ${JSON.stringify(server.args)}`,
    },
    {
      client: 'any client over HTTP',
      where: 'while `varve serve` runs',
      content: { url: `http://127.0.0.1:8787/mcp?user=${user}`, headers: { Authorization: 'Bearer <key>' } },
    },
  ];
}

/** The settings as a person reads them. */
export function configText(configs: readonly ClientConfig[]): string {
  return configs
    .map(({ client, where, content }) => {
      const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
      return `# ${client}: ${where}\n${text}\n`;
    })
    .join('\n');
}
