import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { runCli, type CliRun } from './run-cli.ts';

const ESCAPE = '\u001B[';
// Tests look into answers of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

describe('varve on the command line', () => {
  let folder: string;
  const run = (
    words: readonly string[],
    options: { input?: string; terminal?: boolean; environment?: Record<string, string> } = {},
  ): Promise<CliRun> =>
    runCli(words, {
      ...options,
      environment: { VARVE_DATA: join(folder, 'store'), VARVE_EMBEDDER: 'none', ...options.environment },
    });
  const json = async (...words: string[]): Promise<Loose> => {
    const { stdout, stderr, code } = await run([...words, '--json']);
    expect([words.join(' '), code, stderr]).toEqual([words.join(' '), 0, '']);
    return JSON.parse(stdout);
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'varve-cli-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has every command that the help lists, each with examples', async () => {
    const names = [
      'init',
      'serve',
      'worker',
      'mcp',
      'demo',
      'observe',
      'remember',
      'recall',
      'context',
      'list',
      'show',
      'history',
      'forget',
      'erase',
      'reflect',
      'consolidate',
      'jobs',
      'stats',
      'costs',
      'import',
      'export',
      'doctor',
      'calibrate',
      'keys',
    ];
    expect(Object.keys(COMMANDS)).toEqual(names);
    for (const name of names) {
      const command = await COMMANDS[name]?.load();
      expect([name, command?.usage.split(' ')[0], (command?.examples.length ?? 0) > 0]).toEqual([name, name, true]);
    }
    const help = await run(['--help']);
    expect(help.code).toBe(0);
    for (const name of names) expect(help.stdout).toContain(`  ${name} `);
    const one = await run(['recall', '--help']);
    expect(one.stdout).toMatch(/Usage: varve recall[\s\S]*Examples:\n {2}varve recall/);
  });

  it('remembers, lists, shows, revises its mind and forgets', async () => {
    const made = await json('remember', 'I live in Oslo');
    expect(made.outcome).toBe('created');
    expect((await json('remember', 'I live in Oslo')).outcome).toBe('unchanged');
    await json('remember', 'Bergen', '--key', 'home_city', '--category', 'location');
    expect((await json('remember', 'Oslo', '--key', 'home_city')).outcome).toBe('superseded');
    expect((await json('list')).items.length).toBeGreaterThanOrEqual(2);
    expect((await json('list', 'facts')).items).toMatchObject([{ key: 'home_city', value: 'Oslo' }]);
    expect((await json('show', made.memory.id)).content).toBe('I live in Oslo');
    expect((await json('history', made.memory.id)).items).toHaveLength(1);
    expect((await json('recall', 'Oslo', '--mode', 'text')).results[0].text).toContain('Oslo');
    expect((await json('context', 'hello')).system).toContain('Oslo');
    await json('forget', made.memory.id);
    expect((await json('list', '--archived')).items.map(({ id }: { id: string }) => id)).toContain(made.memory.id);
    expect((await run(['forget', 'no_such_key'])).code).toBe(3);
    expect((await run(['show', 'mem_nothing'])).code).toBe(3);
  });

  it('reads from a pipe and writes to one', async () => {
    const piped = await run(['observe', '-', '--session', 'log', '--origin', 'tool'], {
      input: 'The build is green.\n',
    });
    expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^evt_\w+\n$/) });
    expect((await json('list', 'events')).items[0].content).toBe('The build is green.');
    const plain = await run(['list']);
    expect(plain.stdout).not.toContain(ESCAPE);
    const exported = await run(['export']);
    expect(exported.stdout.split('\n')[0]).toContain('"header"');
    writeFileSync(join(folder, 'copy.ndjson'), exported.stdout);
    const copy = { environment: { VARVE_DATA: join(folder, 'copy') } };
    const taken = await run(['import', join(folder, 'copy.ndjson'), '--json'], copy);
    expect(JSON.parse(taken.stdout)).toMatchObject({ format: 'varve', rejected: 0 });
    expect(JSON.parse((await run(['stats', '--json'], copy)).stdout).memories).toBe((await json('stats')).memories);
  });

  it('uses colours on a terminal, and none where it is told not to', async () => {
    const shown = await run(['list'], { terminal: true });
    expect([shown.code, shown.stdout.includes(ESCAPE)]).toEqual([0, true]);
    expect((await run(['list'], { terminal: true, environment: { NO_COLOR: '1' } })).stdout).not.toContain(ESCAPE);
    const asJson = await run(['list', '--json'], { terminal: true });
    expect(() => JSON.parse(asJson.stdout)).not.toThrow();
    const exported = await run(['export', '-o', join(folder, 'shown.ndjson')], { terminal: true });
    expect(exported.stdout).toMatch(/lines in/);
  });

  it('asks before it erases, and needs --yes where nobody can be asked', async () => {
    await json('remember', 'Something about Gunnar', '--user', 'gunnar');
    const refused = await run(['erase', '--user', 'gunnar']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect((await run(['erase', '--user', 'gunnar'], { terminal: true, input: 'someone\n' })).code).toBe(1);
    expect((await json('stats', '--user', 'gunnar')).memories).toBe(1);
    expect((await json('erase', '--user', 'gunnar', '--yes')).memories).toBe(1);
    expect((await json('keys', 'acts')).items[0]).toMatchObject({ act: 'erase', actor: 'cli' });
  });

  it('has exit codes that scripts can use, and says what is wrong', async () => {
    expect(await run(['nonsense'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('no command'),
    });
    expect((await run(['rememeber', 'x'])).stderr).toContain('Did you mean remember?');
    expect((await run(['list', '--lmit', '3'])).code).toBe(2);
    expect((await run(['list', '--limit', 'many'])).stderr).toContain('needs a number');
    expect((await run(['remember'])).code).toBe(2);
    expect((await run(['remember', 'x', '--type', 'gossip'])).code).toBe(2);
    expect((await run(['recall', 'zebra crossing', '--mode', 'text'])).code).toBe(3);
    const failed = await run(['list', '--database', 'postgres://127.0.0.1:1/none', '--json']);
    expect([failed.code, JSON.parse(failed.stderr)]).toMatchObject([4, { error: { code: 'store_unavailable' } }]);
  });

  it('makes, rotates and revokes keys', async () => {
    const { key, secret } = await json('keys', 'create', 'app', '--for-user', 'ana', '--access', 'read');
    expect([key.users, key.access, secret.startsWith('varve_')]).toEqual([['ana'], 'read', true]);
    expect((await json('keys', 'rotate', key.id)).secret).not.toBe(secret);
    expect((await json('keys', 'revoke', key.id)).revokedAt).not.toBeNull();
    expect((await run(['keys', 'revoke', key.id])).code).toBe(3);
  });

  it('does background work, reflects and counts', async () => {
    await json('observe', 'I am vegetarian and I live in Bergen.', '--session', 'talk');
    await json('observe', 'Noted.', '--session', 'talk', '--origin', 'agent', '--close');
    expect(await json('worker', '--once')).toMatchObject({ done: expect.any(Number) });
    expect(await json('consolidate')).toMatchObject({ done: expect.any(Number) });
    expect(await json('reflect')).toMatchObject({ facts_added: expect.any(Number), skipped: expect.any(Boolean) });
    expect((await json('jobs', 'counts')).items.length).toBeGreaterThan(0);
    expect((await json('jobs')).jobs.length).toBeGreaterThan(0);
    expect(await json('costs')).toHaveProperty('items');
  });

  it('works in a process of its own, and stops when it is asked to', async () => {
    const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
    const environment = { ...process.env, VARVE_DATA: join(folder, 'apart'), VARVE_EMBEDDER: 'none' };
    await run(['observe', 'I live in Bergen.', '--session', 'apart'], {
      environment: { VARVE_DATA: join(folder, 'apart') },
    });
    await run(['observe', 'Noted.', '--origin', 'agent', '--session', 'apart', '--close'], {
      environment: { VARVE_DATA: join(folder, 'apart') },
    });
    const worker = spawn(process.execPath, [main, 'worker'], { env: environment, stdio: 'ignore' });
    const waiting = async (): Promise<number> => {
      const { stdout } = await run(['jobs', '--kind', 'form', '--state', 'done', '--json'], {
        environment: { VARVE_DATA: join(folder, 'apart') },
      });
      return (JSON.parse(stdout) as { jobs: unknown[] }).jobs.length;
    };
    await expect.poll(waiting, { timeout: 20_000, interval: 500 }).toBe(1);
    worker.kill('SIGTERM');
    const [code] = (await once(worker, 'exit')) as [number | null];
    expect(code).toBe(0);
  });

  it('finds and explains what is wrong', async () => {
    await json('init');
    const { findings } = await json('doctor');
    expect(findings.map(({ what }: { what: string }) => what)).toEqual(
      expect.arrayContaining(['Node', 'disk', 'store', 'embedder', 'background work', 'keys']),
    );
    const broken = join(folder, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'varve.db'), 'this is no database, and was never one'.repeat(100));
    const told = await run(['doctor', '--data', broken]);
    expect([told.code, told.stdout]).toEqual([1, expect.stringMatching(/wrong\s+store/)]);
  });

  it('prints settings for common clients, and starts in a project of its own', async () => {
    const configs = await json('mcp', '--print-config', '--user', 'ana');
    expect(configs.map(({ client }: { client: string }) => client)).toEqual(
      expect.arrayContaining(['Claude Desktop', 'Claude Code', 'Cursor', 'VS Code']),
    );
    expect(JSON.stringify(configs)).toContain('"--user","ana"');
    await run(['init', '--data', join(folder, 'fresh')]);
    expect(existsSync(join(folder, 'fresh', 'varve.db'))).toBe(true);
  });
});
