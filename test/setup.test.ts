import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse as parseJsonc } from 'jsonc-parser';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS, type ServerCommand } from '../src/cli/setup/clients.ts';
import { applyEdit, planEdits } from '../src/cli/setup/edit-config.ts';
import { type CliRun, runCli } from './run-cli.ts';

const SERVERS = `{
  // The team's own servers. Keep them.
  "mcpServers": {
    "github": { "command": "npx", "args": ["-y", "github-mcp"], "env": { "TOKEN": "secret" } }, /* pinned */
  },
  "theme": "dark" // at night
}
`;

/** A configuration as people write it, with comments and other servers, for each client. */
const FILES: Record<string, { file: string; text: string; entry: string[] }> = {
  'claude-code': {
    file: '.claude.json',
    text: '{\n\t"numStartups": 41,\n\t"mcpServers": {}\n}\n',
    entry: ['mcpServers'],
  },
  'claude-desktop': { file: '.config/Claude/claude_desktop_config.json', text: SERVERS, entry: ['mcpServers'] },
  cursor: { file: '.cursor/mcp.json', text: SERVERS.replaceAll('\n', '\r\n'), entry: ['mcpServers'] },
  'vs-code': {
    file: '.config/Code/User/mcp.json',
    text: SERVERS.replace('mcpServers', 'servers'),
    entry: ['servers'],
  },
  windsurf: { file: '.codeium/windsurf/mcp_config.json', text: '', entry: ['mcpServers'] },
  zed: {
    file: '.config/zed/settings.json',
    text: '// Zed settings\n{\n  "vim_mode": true,\n  // servers\n  "context_servers": {\n    "postgres": { "source": "extension", "settings": {} },\n  },\n}\n',
    entry: ['context_servers'],
  },
};

const CODEX = `model = "gpt-5" # the good one

[mcp_servers.docs]
command = "docs"
args = [
  "--all", # everything
]

# Ours
[mcp_servers."varve"]
startup_timeout_sec = 30
args = [
  "old",
]
command = "old"

[mcp_servers.varve.env]
LOG = "1"

# Projects
[projects."/home/me"]
trust_level = "trusted"
`;

describe('varve setup', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'varve-setup-'));
    homes.push(home);
  });
  const homes: string[] = [];
  afterAll(() => homes.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

  const write = (file: string, text: string): string => {
    const path = join(home, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const read = (file: string): string => readFileSync(join(home, file), 'utf8');
  const run = (...words: string[]): Promise<CliRun> =>
    runCli(['setup', ...words, '--data', join(home, 'memory')], {
      environment: { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), APPDATA: home, VARVE_EMBEDDER: 'none' },
    });
  const serverIn = (client: string): { command: string; args: string[] } => {
    const { file, entry } = FILES[client] ?? { file: '', entry: [] };
    const config = parseJsonc(read(file), [], { allowTrailingComma: true }) as Record<string, Record<string, never>>;
    return config[entry[0] ?? '']?.['varve'] ?? { command: '', args: [] };
  };

  /** Runs `varve setup` on a simulated machine. */
  const setUp = (client: string, options: { remove?: boolean } = {}, platform: NodeJS.Platform = 'linux'): string[] => {
    const command = (word: string): ServerCommand => ({ command: '/usr/bin/node', args: ['/opt/varve/main.js', word] });
    const machine = { platform, home, appData: join(home, 'Roaming') };
    const entries = CLIENTS[client]?.entries(machine, { server: command('mcp'), hook: command('hook') }) ?? [];
    const edits = planEdits(entries, options);
    edits.forEach(applyEdit);
    return edits.map(({ file }) => file);
  };
  const parsed = (text: string): unknown => parseJsonc(text, [], { allowTrailingComma: true });

  it.each(Object.keys(FILES))('%s: adds the server, loses nothing, and removes it again', (client) => {
    const { file, text } = FILES[client] ?? { file: '', text: '' };
    if (text !== '') write(file, text);
    expect(setUp(client)).toContain(join(home, file));
    const after = read(file);
    // Every line is unchanged, except the line of an object that was empty.
    const lines = text.split(/\r?\n/).filter((line) => !line.endsWith('{}'));
    expect(lines.filter((line) => !after.split(/\r?\n/).includes(line))).toEqual([]);
    expect(serverIn(client)).toMatchObject({ command: '/usr/bin/node', args: ['/opt/varve/main.js', 'mcp'] });
    if (text !== '') expect(read(`${file}.before-varve`)).toBe(text);
    if (text.includes('\r\n')) expect(after).not.toMatch(/[^\r]\n/);
    expect(setUp(client)).toEqual([]);
    setUp(client, { remove: true });
    expect(read(file)).not.toContain('varve');
    expect(parsed(read(file))).toEqual(parsed(text || '{"mcpServers":{}}'));
  });

  it('keeps what the user has added to the entry', () => {
    write('.cursor/mcp.json', '{"mcpServers": {"varve": {"command": "old", "env": {"VARVE_USER": "ana"}}}}');
    setUp('cursor');
    expect(serverIn('cursor')).toEqual({
      command: '/usr/bin/node',
      args: ['/opt/varve/main.js', 'mcp'],
      env: { VARVE_USER: 'ana' },
    });
  });

  it.each([
    ['darwin', 'claude-desktop', 'Library/Application Support/Claude/claude_desktop_config.json'],
    ['win32', 'claude-desktop', 'Roaming/Claude/claude_desktop_config.json'],
    ['darwin', 'vs-code', 'Library/Application Support/Code/User/mcp.json'],
    ['darwin', 'zed', '.config/zed/settings.json'],
    ['win32', 'zed', 'Roaming/Zed/settings.json'],
  ] as const)('on %s writes for %s into %s', (platform, client, file) => {
    expect(setUp(client, {}, platform)).toEqual([join(home, file)]);
  });

  it('codex: changes its own fields of its own table and nothing else', () => {
    write('.codex/config.toml', CODEX);
    setUp('codex');
    const after = read('.codex/config.toml');
    const own = new Set(['  "old",', 'command = "old"']);
    for (const line of CODEX.split('\n').filter((each) => !own.has(each))) expect(after.split('\n')).toContain(line);
    expect(after).not.toContain('"old"');
    expect(after).toContain(
      '[mcp_servers."varve"]\nstartup_timeout_sec = 30\nargs = ["/opt/varve/main.js", "mcp"]\ncommand = "/usr/bin/node"\n',
    );
    expect(setUp('codex')).toEqual([]);
    setUp('codex', { remove: true });
    expect(read('.codex/config.toml')).not.toContain('varve');
    expect(read('.codex/config.toml')).toContain('# Projects\n[projects."/home/me"]\ntrust_level = "trusted"\n');
    rmSync(join(home, '.codex/config.toml'));
    setUp('codex');
    expect(read('.codex/config.toml')).toBe(
      '[mcp_servers.varve]\ncommand = "/usr/bin/node"\nargs = ["/opt/varve/main.js", "mcp"]\n',
    );
  });

  it.each([
    ['cursor', 'a mark at its beginning', '\uFEFF{\r\n  "mcpServers": { "a": {} }\r\n}\r\n', []],
    [
      'cursor',
      'comments at its end',
      '{"mcpServers": {"a": 1}} // the end\n/* really */',
      ['// the end', '/* really */'],
    ],
    ['cursor', 'commas at the end', '{ "a": [1, 2,], "mcpServers": {"b": {},}, }', []],
    ['cursor', 'an object of comments alone', '{ // 1\n "mcpServers": { // 2\n // 3\n }\n}', ['// 1', '// 2', '// 3']],
    [
      'cursor',
      'comments around the entry',
      '{"mcpServers": {\n // 1\n "varve": {}, // 2\n // 3\n "z": {} // 4\n}}',
      ['// 1', '// 2', '// 3', '// 4'],
    ],
    ['cursor', 'the entry at the end', '{"mcpServers": {\n "z": {}, // 1\n "varve": {} // 2\n}}', ['// 1', '// 2']],
    ['codex', 'a mark at its beginning', '\uFEFFmodel = "x"\r\n', []],
    ['codex', 'inline tables', 'mcp_servers = { docs = { command = "d" } } # 1\n', ['# 1']],
    ['codex', 'an inline entry', '[mcp_servers]\n# 1\nvarve = { command = "old" }\na = { x = 1 }\n', ['# 1']],
    ['codex', 'a table in a text', 'note = """\n[mcp_servers.varve]\ncommand = "no"\n"""\n[a]\nb = 1\n', []],
    [
      'codex',
      'brackets in texts and comments',
      '[mcp_servers.varve]\nargs = [\n "a]b", # ]\n "c",\n]\nmore = [\n [1],\n]\n\n# 1\n[x]\ny = [\n [2],\n]\n',
      ['# 1'],
    ],
    ['codex', 'lines of Windows', '[mcp_servers.varve]\r\ncommand = "o"\r\n\r\n# 1\r\n[x]\r\ny = 1\r\n', ['# 1\r\n']],
    ['codex', 'parts of the entry before it', '[mcp_servers.varve.env]\nA = "1"\n\n[x] # 1\ny = 1\n', ['# 1']],
    ['codex', 'no line at its end', 'model = "x" # 1', ['# 1']],
  ])('%s: a file with %s loses nothing', (client, _what, text, comments) => {
    const file = client === 'codex' ? '.codex/config.toml' : '.cursor/mcp.json';
    const holder = client === 'codex' ? 'mcp_servers' : 'mcpServers';
    const said = (): Record<string, Record<string, unknown>> => {
      const source = read(file).replace(/^\uFEFF/, '');
      return (client === 'codex' ? getStaticTOMLValue(parseTOML(source)) : parsed(source)) as never;
    };
    write(file, text);
    const { [holder]: servers = {}, ...others } = said();
    setUp(client);
    expect(said()).toEqual({
      ...others,
      [holder]: { ...servers, varve: expect.objectContaining({ command: '/usr/bin/node' }) },
    });
    expect(comments.filter((comment) => !read(file).includes(comment))).toEqual([]);
    expect([read(file).startsWith('\uFEFF'), /[^\r]\n/.test(read(file))]).toEqual([
      text.startsWith('\uFEFF'),
      !text.includes('\r\n'),
    ]);
    expect(setUp(client)).toEqual([]);
    setUp(client, { remove: true });
    const { varve: _ours, ...theirs } = servers;
    expect({ [holder]: {}, ...said() }).toEqual({ ...others, [holder]: theirs });
    expect(comments.filter((comment) => !read(file).includes(comment))).toEqual([]);
  });

  it.each([
    ['cursor', '.cursor/mcp.json', '{"mcpServers": {"a": 1}, "mcpServers": {"b": 2}}'],
    ['cursor', '.cursor/mcp.json', '{"mcpServers": "none"}'],
    ['cursor', '.cursor/mcp.json', '{"mcpServers": []}'],
    ['cursor', '.cursor/mcp.json', '[]'],
    ['codex', '.codex/config.toml', 'model = \n[x'],
    ['codex', '.codex/config.toml', '[[mcp_servers.varve]]\ncommand = "x"\n'],
    ['codex', '.codex/config.toml', 'mcp_servers.varve.command = "old"\n'],
  ])('%s: does not change a %s that contains %s, and says what to do', (client, file, text) => {
    write(file, text);
    expect(() => setUp(client)).toThrow(/cannot be changed safely: .*--print-config/);
    expect([read(file), existsSync(join(home, `${file}.before-varve`))]).toEqual([text, false]);
  });

  it('writes through links, also through one whose file does not exist yet', () => {
    const file = write('dotfiles/mcp.json', '{}');
    mkdirSync(join(home, '.cursor'));
    symlinkSync(file, join(home, '.cursor/mcp.json'));
    mkdirSync(join(home, '.codex'));
    symlinkSync(join(home, 'dotfiles/codex.toml'), join(home, '.codex/config.toml'));
    for (const client of ['cursor', 'codex']) setUp(client);
    expect(readlinkSync(join(home, '.cursor/mcp.json'))).toBe(file);
    expect([read('dotfiles/mcp.json'), read('dotfiles/codex.toml')]).toEqual([
      expect.stringContaining('varve'),
      expect.stringContaining('varve'),
    ]);
  });

  it('claude-code: does not change hooks beside its own or with a similar name', () => {
    const theirs = { type: 'command', command: '/home/varve/hook.sh' };
    const old = { type: 'command', command: 'node /old/varve/main.js hook --user ana' };
    const stop = [{ matcher: '*', hooks: [theirs, old] }, { hooks: [theirs] }];
    write('.claude/settings.json', JSON.stringify({ hooks: { Stop: stop } }));
    const hooks = (): unknown => (JSON.parse(read('.claude/settings.json')) as { hooks: { Stop: unknown } }).hooks.Stop;
    setUp('claude-code');
    const ours = { type: 'command', command: '/usr/bin/node /opt/varve/main.js hook', timeout: 30 };
    expect(hooks()).toEqual([{ matcher: '*', hooks: [theirs, ours] }, { hooks: [theirs] }]);
    setUp('claude-code', { remove: true });
    expect(hooks()).toEqual([{ matcher: '*', hooks: [theirs] }, { hooks: [theirs] }]);
  });

  it('claude-code: adds hooks beside those of others, once, and the written commands work', async () => {
    const theirs = { hooks: [{ type: 'command', command: 'say done' }] };
    write('.claude/settings.json', JSON.stringify({ model: 'opus', hooks: { Stop: [theirs] } }, null, 2));
    const dry = await run('Claude Code', '--user', 'ana', '--dry-run');
    expect([dry.code, existsSync(join(home, '.claude.json'))]).toEqual([0, false]);
    expect(dry.stdout).toContain('+     "varve": {');
    await run('Claude Code', '--user', 'ana');
    expect((await run('claude-code', '--user', 'ana')).stdout).toContain('Nothing has to be changed.');
    const settings = JSON.parse(read('.claude/settings.json')) as {
      model: string;
      hooks: Record<string, { hooks: { command: string }[] }[]>;
    };
    expect(settings.model).toBe('opus');
    expect(Object.keys(settings.hooks).toSorted()).toEqual(['SessionEnd', 'SessionStart', 'Stop']);
    expect(settings.hooks['Stop']).toHaveLength(2);
    expect(settings.hooks['Stop']).toContainEqual(theirs);
    expect(settings.hooks['SessionStart']?.[0]?.hooks[0]?.command).toMatch(/ hook --data .* --user ana$/);

    const { command, args } = serverIn('claude-code');
    const client = new Client({ name: 'test', version: '1' });
    const env = { ...(process.env as Record<string, string>), VARVE_EMBEDDER: 'none' };
    await client.connect(new StdioClientTransport({ command, args, env }));
    expect((await client.listTools()).tools).toHaveLength(7);
    await client.close();

    await run('claude-code', '--remove');
    expect(JSON.parse(read('.claude/settings.json'))).toMatchObject({ hooks: { Stop: [theirs] } });
    expect(read('.claude/settings.json')).not.toContain('--user ana');
  }, 120_000);

  it('refuses a file that it cannot read, and lists the clients', async () => {
    const path = write('.cursor/mcp.json', '{ "mcpServers": { ');
    const broken = await run('cursor');
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining(path)]);
    expect(read('.cursor/mcp.json')).toBe('{ "mcpServers": { ');
    const unknown = await run('emacs');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining(Object.keys(CLIENTS).join(', '))]);
  });
});

describe('varve hook', () => {
  it('logs the messages of a Claude Code session once, and adds context to the next session', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'varve-hook-'));
    const transcript = join(folder, 'session.jsonl');
    const entries = [
      { type: 'summary', summary: 'Earlier' },
      { type: 'user', uuid: 'u1', isMeta: true, message: { role: 'user', content: 'Caveat: …' } },
      {
        type: 'user',
        uuid: 'u2',
        timestamp: '2026-03-10T09:00:00Z',
        message: { role: 'user', content: 'My name is Ana. I live in Graz.' },
      },
      {
        type: 'assistant',
        uuid: 'a1',
        message: {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'Hello Ana.' },
          ],
        },
      },
      { type: 'assistant', uuid: 'a2', message: { role: 'assistant', content: [{ type: 'tool_use', name: 'Bash' }] } },
      {
        type: 'user',
        uuid: 'u3',
        message: { role: 'user', content: [{ type: 'tool_result', content: 'secret file' }] },
      },
      { type: 'user', uuid: 'u4', message: { role: 'user', content: '<command-name>/clear</command-name>' } },
    ];
    writeFileSync(transcript, entries.map((entry) => JSON.stringify(entry)).join('\n'));
    const data = ['--data', join(folder, 'memory'), '--user', 'ana'];
    const environment = { VARVE_EMBEDDER: 'none' };
    const hook = (event: string): Promise<CliRun> =>
      runCli(['hook', ...data], {
        environment,
        input: JSON.stringify({ session_id: 's1', transcript_path: transcript, hook_event_name: event }),
      });
    for (const event of ['Stop', 'SessionEnd']) expect(await hook(event)).toMatchObject({ code: 0, stderr: '' });
    const listed = await runCli(['list', 'events', '--json', ...data], { environment });
    const events = (JSON.parse(listed.stdout) as { items: { content: string }[] }).items.map(({ content }) => content);
    expect(events.toSorted()).toEqual(['Hello Ana.', 'My name is Ana. I live in Graz.']);
    await runCli(['consolidate', ...data], { environment });
    const started = await hook('SessionStart');
    const given = JSON.parse(started.stdout) as { hookSpecificOutput: { additionalContext: string } };
    expect(given.hookSpecificOutput.additionalContext).toContain('Graz');
    expect((await runCli(['hook', ...data], { environment, input: 'no JSON' })).code).toBe(0);
    rmSync(folder, { recursive: true, force: true });
    // The test starts seven processes.
  }, 120_000);
});
