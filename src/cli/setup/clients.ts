import { homedir } from 'node:os';
import { join } from 'node:path';

export interface ServerCommand {
  command: string;
  args: string[];
}

interface ClientCommands {
  server: ServerCommand;
  hook: ServerCommand;
}

export interface Machine {
  platform: NodeJS.Platform;
  home: string;
  /** `%APPDATA%` on Windows. */
  appData?: string;
  /** `$XDG_CONFIG_HOME` elsewhere. */
  configHome?: string;
}

export function thisMachine(): Machine {
  return {
    platform: process.platform,
    home: homedir(),
    appData: process.env['APPDATA'],
    configHome: process.env['XDG_CONFIG_HOME'] || undefined,
  };
}

export interface ConfigEntry {
  file: string;
  format: 'json' | 'toml';
  path: readonly string[];
  value: unknown;
  /** If true, the value is an element of a list, identified by the command that it runs. */
  inList?: true;
}

export type Settings = Record<string, unknown>;

/** `set` sets fields of an object, `first` inserts a value at the start of a list, and neither removes the value. */
export interface Change {
  path: (string | number)[];
  set?: Settings;
  first?: unknown;
}

export interface Client {
  title: string;
  entries(machine: Machine, commands: ClientCommands): ConfigEntry[];
  next: string;
}

function serverIn(
  fileOf: (machine: Machine) => string,
  { key = 'mcpServers', format = 'json', extra = {} }: { key?: string; format?: 'json' | 'toml'; extra?: object } = {},
): Client['entries'] {
  return (machine, { server }) => [
    { file: fileOf(machine), format, path: [key, 'varve'], value: { ...extra, ...server } },
  ];
}

export const CLIENTS: Readonly<Record<string, Client>> = {
  'claude-code': {
    title: 'Claude Code',
    entries: claudeCode,
    next: 'Start a new session of Claude Code; /mcp lists varve.',
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    entries: serverIn((machine) => join(applicationFolder(machine, 'Claude'), 'claude_desktop_config.json')),
    next: 'Quit Claude Desktop and start it again.',
  },
  cursor: {
    title: 'Cursor',
    entries: serverIn(({ home }) => join(home, '.cursor', 'mcp.json')),
    next: 'Cursor asks whether to enable varve: Settings › MCP.',
  },
  'vs-code': {
    title: 'VS Code',
    entries: serverIn((machine) => join(applicationFolder(machine, 'Code'), 'User', 'mcp.json'), {
      key: 'servers',
      extra: { type: 'stdio' },
    }),
    next: 'Run "MCP: List Servers" in VS Code and start varve.',
  },
  windsurf: {
    title: 'Windsurf',
    entries: serverIn(({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json')),
    next: 'Refresh the MCP servers in the settings of Cascade.',
  },
  zed: {
    title: 'Zed',
    entries: serverIn((machine) => join(zedFolder(machine), 'settings.json'), {
      key: 'context_servers',
      extra: { source: 'custom' },
    }),
    next: 'Zed starts varve at once; the agent panel lists it.',
  },
  codex: {
    title: 'Codex',
    entries: serverIn(({ home }) => join(home, '.codex', 'config.toml'), { key: 'mcp_servers', format: 'toml' }),
    next: 'Start Codex again; /mcp lists varve.',
  },
};

/** Claude Code also gets hooks: they log the conversation without the model's help, and add context at the start of a session. */
function claudeCode(machine: Machine, commands: ClientCommands): ConfigEntry[] {
  const { hook } = commands;
  const servers = serverIn(({ home }) => join(home, '.claude.json'), { extra: { type: 'stdio' } });
  const command = [hook.command, ...hook.args].map(shellWord).join(' ');
  return [
    ...servers(machine, commands),
    ...['SessionStart', 'Stop', 'SessionEnd'].map((event): ConfigEntry => ({
      file: join(machine.home, '.claude', 'settings.json'),
      format: 'json',
      path: ['hooks', event],
      value: { hooks: [{ type: 'command', command, timeout: 30 }] },
      inList: true,
    })),
  ];
}

function shellWord(word: string): string {
  return /^[\w@./:=\\-]+$/.test(word) ? word : JSON.stringify(word);
}

function applicationFolder({ platform, home, appData, configHome }: Machine, name: string): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', name);
  if (platform === 'win32') return join(appData ?? join(home, 'AppData', 'Roaming'), name);
  return join(configHome ?? join(home, '.config'), name);
}

function zedFolder(machine: Machine): string {
  if (machine.platform === 'win32') return applicationFolder(machine, 'Zed');
  return join(machine.configHome ?? join(machine.home, '.config'), 'zed');
}
