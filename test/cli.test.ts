import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { isNodeNewEnough } from '../src/varve-options.ts';
import { serverPlace, startServer } from './server-process.ts';
import { runCliIn, type CliOptions, type CliRun } from './run-cli.ts';

const ESCAPE = '\u001B[';
// Tests read answers of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

describe('varve on the command line', () => {
  let folder: string;
  const run = (words: readonly string[], options?: CliOptions): Promise<CliRun> => runCliIn(folder, words, options);
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
      'setup',
      'hook',
      'mcp',
      'demo',
      'observe',
      'remember',
      'recall',
      'context',
      'list',
      'show',
      'history',
      'refusals',
      'forget',
      'forgotten',
      'erase',
      'reflect',
      'consolidate',
      'jobs',
      'stats',
      'metrics',
      'costs',
      'import',
      'export',
      'migrate',
      'doctor',
      'eval',
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

  it('plays the demo of the README, with a week between its conversations', async () => {
    const { stdout } = await run(['demo']);
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const [, sample = ''] = /^npm install && npm run demo\n```\n\n```\n([\s\S]*?)^```/m.exec(readme) ?? [];
    const lines = sample.split('\n').map((line) => line.replace(/ +\(a week later\)$/, '').trim());
    const promised = lines.filter((line) => line !== '' && line !== '…');
    expect(promised.length).toBeGreaterThan(4);
    for (const line of promised) expect(stdout).toContain(line);
    const [first = '', second = ''] = [...stdout.matchAll(/, on (\d{4}-\d\d-\d\d)/g)].map(([, day]) => day);
    expect(Date.parse(second) - Date.parse(first)).toBe(7 * 24 * 3_600_000);
    expect(stdout).toContain(`until ${second}: Lives in Berlin`);
    // "Next week" of the first conversation is the week of the second one.
    const monday = new Date(Date.parse(second) - ((new Date(second).getUTCDay() + 6) % 7) * 24 * 3_600_000);
    const week = monday.toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    });
    expect(stdout).toContain(`[the week of ${week}]`);
    expect(stdout).not.toContain('“');
  });

  it('remembers, lists, shows, revises and forgets a memory', async () => {
    const made = await json('remember', 'The boat is moored in Oslo');
    expect(made.outcome).toBe('created');
    expect((await json('remember', 'The boat is moored in Oslo')).outcome).toBe('unchanged');
    await json('remember', 'Bergen', '--key', 'home_city', '--category', 'location');
    expect((await json('remember', 'Oslo', '--key', 'home_city')).outcome).toBe('superseded');
    expect((await json('list')).items.length).toBeGreaterThanOrEqual(2);
    expect((await json('list', 'facts')).items).toMatchObject([{ key: 'home_city', value: 'Oslo' }]);
    expect((await json('list', '--attribute', 'home_city')).items).toMatchObject([{ value: 'Oslo', permanent: true }]);
    expect((await run(['list', '--attribute', 'home_city'])).stdout).toMatch(
      /fact +home_city +0\.\d\d +Home city: Oslo/,
    );
    expect((await json('show', 'home_city')).value).toBe('Oslo');
    const changes = (await json('history', 'home_city')).items as { before: { value: string } | null }[];
    expect(changes.map(({ before }) => before?.value ?? null)).toEqual([null, 'Bergen', null]);
    for (const command of ['show', 'history']) expect((await run([command, 'no_such_key'])).code).toBe(3);
    expect((await json('list', '--subject', "User's sister Ana")).items).toEqual([]);
    expect((await json('show', made.memory.id)).content).toBe('The boat is moored in Oslo');
    expect((await json('history', made.memory.id)).items).toHaveLength(1);
    expect((await json('recall', 'Oslo', '--mode', 'text')).results[0].text).toContain('Oslo');
    expect((await json('context', 'hello')).system).toContain('Oslo');
    await json('forget', made.memory.id);
    expect((await json('list', '--archived')).items.map(({ id }: { id: string }) => id)).toContain(made.memory.id);
    expect((await run(['forget', 'no_such_key'])).code).toBe(3);
    expect((await run(['show', 'mem_nothing'])).code).toBe(3);
  });

  it('lets a remembered sentence replace the memory that it contradicts, and keeps every sentence verbatim', async () => {
    const remember = (text: string): Promise<Loose> => json('remember', text, '--user', 'jo');
    await remember('My boss is called Tilda');
    await remember('I work at Volvo');
    expect((await remember('I started a new job at Polestar')).outcome).toBe('superseded');
    expect((await remember('The spare key is under the blue pot')).outcome).toBe('created');
    const { items } = await json('list', '--user', 'jo');
    expect(items.map(({ content, attribute }: Loose) => [content, attribute]).toSorted()).toEqual([
      ['I started a new job at Polestar', 'employer'],
      ['My boss is called Tilda', 'manager_name'],
      ['The spare key is under the blue pot', null],
    ]);
  });

  it('forgets a memory that words match with certainty, and otherwise asks for more', async () => {
    const remember = (text: string): Promise<Loose> => json('remember', text, '--user', 'lea');
    await remember('The kayak is in the shed');
    await remember('The ladder is in the shed');
    const unclear = await run(['forget', 'shed', '--user', 'lea']);
    expect([unclear.code, unclear.stdout]).toEqual([3, expect.stringMatching(/id of a memory.*key of a fact/)]);
    expect(unclear.stdout).toMatch(/mem_\w+ +The ladder is in the shed/);
    const done = await run(['forget', 'the', 'kayak', '--user', 'lea']);
    expect([done.code, done.stdout]).toEqual([0, 'Forgot The kayak is in the shed.\n']);
    expect((await json('list', '--user', 'lea')).items).toMatchObject([{ content: 'The ladder is in the shed' }]);
    expect((await json('forgotten', '--user', 'lea'))[0]).toMatchObject({ by: 'user' });
  });

  it('reports the number of records in an export for another product', async () => {
    for (const text of ['I work at Lufthansa', 'I work at Condor', 'The bike is red'])
      await json('remember', text, '--user', 'uli');
    const file = join(folder, 'uli.json');
    expect(await json('export', '--user', 'uli', '--format', 'mem0', '-o', file)).toMatchObject({ lines: 2 });
    expect((JSON.parse(readFileSync(file, 'utf8')) as Loose).results).toHaveLength(2);
    expect((await run(['export', '--user', 'uli', '--format', 'markdown', '-o', file])).stdout).toMatch(/^2 records/);
  });

  it('lists refused statements', async () => {
    const refusal = {
      id: `ref_${'a'.repeat(26)}`,
      at: '2026-03-01T12:00:00.000Z',
      reason: 'quote_not_found',
      what: 'statement',
      text: 'Lives on the moon.',
    };
    const scope = { user: 'moon', session: 's1' };
    writeFileSync(join(folder, 'refusals.ndjson'), JSON.stringify({ record: 'refusal', ...refusal, scope }));
    await json('import', join(folder, 'refusals.ndjson'));
    expect(await json('refusals', '--user', 'moon')).toMatchObject({ items: [refusal], cursor: null });
    const shown = await run(['refusals', '--user', 'moon', '--session', 's1']);
    expect(shown.stdout).toMatch(/2026-03-01T12:00 +statement +quote_not_found +Lives on the moon\./);
    expect((await run(['refusals', '--user', 'nobody'])).stderr).toContain('Nothing was refused');
  });

  it('[X1] lists forgotten memories and restores them', async () => {
    await json('remember', '52k', '--key', 'salary', '--user', 'mars');
    await json('forget', 'salary', '--user', 'mars');
    const [record] = (await json('forgotten', '--user', 'mars')) as unknown as { id: string; value: string }[];
    expect(record).toMatchObject({ attribute: 'salary', value: '52k', by: 'user' });
    expect((await run(['forgotten', '--user', 'mars'])).stdout).toMatch(/salary.*52k/);
    const archived = (await run(['list', '--archived', '--user', 'mars'])).stdout;
    expect(archived).toContain('(forgotten)');
    expect(archived).not.toContain('52k');
    expect((await run(['forgotten', '--user', 'nobody'])).stderr).toContain('Nothing was forgotten');
    expect((await run(['forgotten', 'restore', '--user', 'mars'])).code).toBe(2);
    await json('forgotten', 'restore', record?.id ?? '', '--user', 'mars');
    expect(await json('list', 'facts', '--user', 'mars')).toMatchObject({ items: [{ key: 'salary', value: '52k' }] });
  });

  it('says how many records a list leaves out', async () => {
    for (let index = 0; index < 4; index += 1) await json('remember', `Shelf ${index} is full.`, '--user', 'max');
    const list = (...words: string[]) => run(['list', ...words, '--user', 'max']);
    expect((await list('--limit', '3')).stderr).toContain('3 of 4 memories; --limit shows more.');
    for (const words of [[], ['--limit', '4'], ['--limit', '3', '--json'], ['facts']])
      expect((await list(...words)).stderr).not.toContain('--limit');
    await json('observe', 'The mast is new.', '--user', 'max');
    await json('observe', 'The sail is old.', '--user', 'max');
    expect((await list('events', '--limit', '1')).stderr).toContain('1 of 2 events');
    expect((await list('events', '--limit', '2')).stderr).not.toContain('of');
  });

  it('says what it forgot, with one full stop', async () => {
    await json('remember', 'The lantern hangs in the porch.', '--user', 'ole');
    await json('remember', 'The anchor is rusty', '--user', 'ole');
    expect((await run(['forget', 'lantern', '--user', 'ole'])).stdout).toBe('Forgot The lantern hangs in the porch.\n');
    expect((await run(['forget', 'anchor', '--user', 'ole'])).stdout).toBe('Forgot The anchor is rusty.\n');
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

  it('uses colours on a terminal unless NO_COLOR is set', async () => {
    const shown = await run(['list'], { terminal: true });
    expect([shown.code, shown.stdout.includes(ESCAPE)]).toEqual([0, true]);
    expect((await run(['list'], { terminal: true, environment: { NO_COLOR: '1' } })).stdout).not.toContain(ESCAPE);
    const asJson = await run(['list', '--json'], { terminal: true });
    expect(() => JSON.parse(asJson.stdout)).not.toThrow();
    const exported = await run(['export', '-o', join(folder, 'shown.ndjson')], { terminal: true });
    expect(exported.stdout).toMatch(/records in/);
  });

  it('shows the progress of an import on a terminal, and nowhere else', async () => {
    const file = join(folder, 'long.jsonl');
    const turns = Array.from({ length: 600 }, (_, index) =>
      JSON.stringify({ role: 'user', content: `Turn ${index}.` }),
    );
    writeFileSync(file, turns.join('\n'));
    const shown = await run(['import', file, '--dry-run'], { terminal: true });
    expect(shown.stdout).toMatch(/importing █+░* [\d,]+/);
    expect(shown.stdout).toContain('600 records read');
    expect((await run(['import', file, '--dry-run'])).stderr).toBe('');
    expect((await run(['import', file, '--dry-run', '--json'], { terminal: true })).stdout).not.toContain('importing');
  });

  it('asks for confirmation before it erases, and needs --yes without a terminal', async () => {
    await json('remember', 'Something about Gunnar', '--user', 'gunnar');
    const refused = await run(['erase', '--user', 'gunnar']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const another = await run(['erase', '--user', 'gunnar'], { terminal: true, input: 'someone\n' });
    expect([another.code, another.stdout]).toEqual([1, expect.stringContaining('Nothing was erased.')]);
    expect((await json('stats', '--user', 'gunnar')).memories).toBe(1);
    expect((await json('erase', '--user', 'gunnar', '--yes')).memories).toBe(1);
    expect((await json('keys', 'acts')).items[0]).toMatchObject({ act: 'erase', actor: 'cli' });
  });

  it('has exit codes for scripts, and error messages', async () => {
    expect(await run(['nonsense'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('no command'),
    });
    expect((await run(['rememeber', 'x'])).stderr).toContain('Did you mean remember?');
    expect((await run(['entities'])).stderr).toContain('Did you mean list entities?');
    expect((await run(['note'])).stderr).toContain('Did you mean list notes?');
    expect(await run(['list', '--lmit', '3'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('mean --limit?'),
    });
    expect((await run(['worker', '--concurrency', '0'])).stderr).toContain('whole number from 1');
    expect((await run(['serve', '--port', '70000'])).stderr).toContain('whole number from 0');
    expect((await run(['serve', '--log', 'loud'])).stderr).toContain('no log level loud');
    expect(await run(['history', 'mem_nothing'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no mem_'),
    });
    expect((await run(['jobs', 'show', 'job_nothing'])).stderr).toContain('no job job_nothing');
    expect((await run(['list', '--limit', 'many'])).stderr).toContain('needs a number');
    expect((await run(['remember'])).code).toBe(2);
    expect((await run(['remember', 'x', '--type', 'gossip'])).code).toBe(2);
    expect((await run(['recall', 'zebra crossing', '--mode', 'text'])).code).toBe(3);
    const failed = await run(['list', '--database', 'postgres://127.0.0.1:1/none', '--json']);
    expect([failed.code, JSON.parse(failed.stderr)]).toMatchObject([4, { error: { code: 'store_unavailable' } }]);
  });

  it('explains what is wrong with a folder or a configuration, without a stack trace', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const config = join(folder, 'broken.config.js');
    writeFileSync(config, "throw new Error('no such key')");
    const importing = join(folder, 'importing.config.js');
    writeFileSync(
      importing,
      "import { mistral } from '@ai-sdk/mistral'; export default { languageModel: mistral('m') }",
    );
    const empty = join(folder, 'empty.config.js');
    writeFileSync(empty, 'export default () => null');
    const tries = [
      { words: ['init', '--data', file], code: 4, says: `varve doctor --data ${file}` },
      { words: ['observe', 'Hi', '--data', join(file, 'below')], code: 4, says: 'cannot be created' },
      { words: ['list', '--config', config], code: 2, says: 'no such key' },
      { words: ['list', '--config', importing], code: 2, says: `npm install --prefix ${folder}` },
      { words: ['list', '--config', empty], code: 2, says: 'or a function that returns them' },
      { words: ['export', '-o', join(folder, 'missing', 'x.ndjson')], code: 1, says: 'ENOENT' },
    ];
    for (const { words, code, says } of tries) {
      const told = await run(words);
      expect([words.join(' '), told.code, told.stderr]).toEqual([words.join(' '), code, expect.stringContaining(says)]);
      expect(told.stderr).not.toMatch(/^\s+at /m);
    }
  });

  it('names the scopes that have memories if the scope of a command is empty, and reports what happened to a new memory', async () => {
    const data = ['--data', join(folder, 'scopes')];
    expect((await run(['remember', 'I live in Turin', '--user', 'edda', ...data])).stdout).toMatch(
      /^mem_\S+ {2}created\n/,
    );
    const moved = await run(['remember', 'I moved to Genoa', '--user', 'edda', ...data]);
    expect(moved.stdout).toMatch(/^mem_\S+ {2}created; it replaced an older memory/);
    for (const words of [['list'], ['recall', 'where do I live?', '--mode', 'text'], ['context', 'hello']])
      expect((await run([...words, ...data])).stderr).toContain('user edda (1 memory): choose with --user');
    expect((await run(['list', '--user', 'edda', ...data])).stderr).toBe('');
  });

  it('makes the folder unreadable for others, whichever command creates it', async () => {
    const data = join(folder, 'private');
    await run(['worker', '--once', '--data', data]);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    const listed = await run(['list', '--data', data]);
    expect([listed.code, listed.stdout, listed.stderr]).toEqual([0, '', 'There are no memories within this scope.\n']);
  });

  it('creates no store for a command that only reads, and names the folder', async () => {
    const data = join(folder, 'mistyped');
    const reading = [['list'], ['recall', 'x'], ['context', 'x'], ['stats'], ['export'], ['consolidate'], ['keys']];
    for (const words of reading) {
      const told = await run([...words, '--data', data]);
      expect([words, told.code, told.stdout]).toEqual([words, 4, '']);
      expect(told.stderr).toContain(`There is no store in ${data}.`);
    }
    expect(existsSync(data)).toBe(false);
  });

  it('finds a new memory by meaning although no worker has run', async () => {
    const environment = { VARVE_DATA: join(folder, 'meaning'), VARVE_EMBEDDER: '' };
    await run(['remember', 'I live in Oslo'], { environment });
    const found = await run(['recall', 'which town is home?', '--mode', 'semantic', '--json'], { environment });
    expect(JSON.parse(found.stdout).results).toMatchObject([{ text: 'I live in Oslo' }]);
    const context = await run(['context', 'which town is home?', '--json'], { environment });
    expect(context.stdout).toContain('Oslo');
  });

  it('creates, rotates and revokes keys', async () => {
    const { key, secret } = await json('keys', 'create', 'app', '--for-user', 'ana', '--access', 'read');
    expect([key.users, key.access, secret.startsWith('varve_')]).toEqual([['ana'], 'read', true]);
    await run(['keys', 'create', 'kiosk', '--for-agent', 'desk', '--for-user', 'bo', '--expires', '2031-02-03']);
    const { stdout: listed } = await run(['keys', 'list']);
    expect(listed).toMatch(/live +user bo, agent desk +\S+ +until 2031-02-03 +kiosk/);
    expect(listed).toMatch(/live +user ana +\S+ +no expiry +app/);
    expect((await json('keys', 'rotate', key.id)).secret).not.toBe(secret);
    expect((await json('keys', 'revoke', key.id)).revokedAt).not.toBeNull();
    expect((await run(['keys', 'revoke', key.id])).code).toBe(3);
  });

  it('lists the work of all tenants, or of one', async () => {
    await json('observe', 'I live in Oslo.', '--session', 'one', '--close', '--tenant', 'acme');
    const tenants = async (...words: string[]): Promise<string[]> =>
      (await json('jobs', '--limit', '500', ...words)).items.map(({ tenant }: { tenant: string }) => tenant);
    expect(new Set(await tenants('--tenant', 'acme'))).toEqual(new Set(['acme']));
    expect(new Set(await tenants()).size).toBeGreaterThan(1);
    expect((await json('jobs', 'counts', '--tenant', 'nobody')).items).toEqual([]);
  });

  it('runs background work and the reflection, and lists jobs, job counts and costs', async () => {
    await json('observe', 'I am vegetarian and I live in Bergen.', '--session', 'talk');
    await json('observe', 'Noted.', '--session', 'talk', '--origin', 'agent', '--close');
    expect(await json('worker', '--once')).toMatchObject({ done: expect.any(Number) });
    expect(await json('consolidate')).toMatchObject({ done: expect.any(Number) });
    expect(await json('reflect')).toMatchObject({ facts_added: expect.any(Number), skipped: expect.any(Boolean) });
    expect((await json('jobs', 'counts')).items.length).toBeGreaterThan(0);
    expect((await json('jobs')).items.length).toBeGreaterThan(0);
    expect(await json('costs')).toHaveProperty('items');
  });

  it('runs a worker in a separate process, and stops it on a signal', async () => {
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
      return (JSON.parse(stdout) as { items: unknown[] }).items.length;
    };
    const exited = once(worker, 'exit') as Promise<[number | null]>;
    try {
      await expect.poll(waiting, { timeout: 50_000, interval: 100 }).toBe(1);
      // The worker stays although nothing is left to do. A program with idle background work ends.
      await waiting();
      expect(worker.exitCode).toBeNull();
    } finally {
      worker.kill('SIGTERM');
    }
    const [code] = await exited;
    expect(code).toBe(0);
  });

  it('finds and explains problems with `varve doctor`', async () => {
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

  it('names the scopes of the store if the scope of the command is empty', async () => {
    const data = join(folder, 'others');
    await run(['remember', 'Keeps bees', '--user', 'ilse', '--agent', 'coach', '--data', data]);
    const counted = await run(['stats', '--data', data]);
    expect(counted.stderr).toContain('nothing is stored for tenant default, user me');
    expect(counted.stderr).toContain('user ilse of agent coach (1 memory)');
    expect(counted.stderr).toContain('--user');
    const { findings } = JSON.parse((await run(['doctor', '--data', data, '--json'])).stdout) as Loose;
    expect(findings).toContainEqual(
      expect.objectContaining({ what: 'scope', state: 'note', found: expect.stringContaining('user ilse') }),
    );
    const elsewhere = await run(['stats', '--tenant', 'acme', '--data', data]);
    expect(elsewhere.stderr).toContain('the store has the tenants default');
    const own = await run(['stats', '--user', 'ilse', '--agent', 'coach', '--data', data]);
    expect(own.stderr).toBe('');
  });

  it('names the agents with records of a user if the user has none without an agent', async () => {
    const data = join(folder, 'agents');
    await run(['remember', 'Grows hops', '--user', 'jan', '--agent', 'gardener', '--data', data]);
    await run(['remember', 'Plays chess', '--user', 'liv', '--data', data]);
    for (const words of [['list'], ['recall', 'what grows?', '--mode', 'text'], ['context', 'hello']]) {
      const { stderr } = await run([...words, '--user', 'jan', '--data', data]);
      expect(stderr).toContain('user jan without an agent, but the store has user jan of agent gardener (1 memory):');
      for (const own of [
        ['--user', 'jan', '--agent', 'gardener'],
        ['--user', 'liv'],
      ])
        expect((await run([...words, ...own, '--data', data])).stderr).not.toContain('but the store has');
    }
    expect((await run(['stats', '--user', 'jan', '--data', data])).stderr).toBe('');
  });

  it('says what the numbers of a list mean, and shows a relevance as a share', async () => {
    const place = ['--data', join(folder, 'numbers')];
    await run(['remember', 'Keeps three goats', ...place]);
    expect((await run(['list', ...place])).stdout).toMatch(/^id +type +attribute +importance +content\n/);
    const words = ['recall', 'goats', ...place];
    const environment = { VARVE_EMBEDDER: '' };
    const found = await run(words, { environment });
    expect(found.stdout).toMatch(/^relevance {2}text {2}id\n +\d+ % {2}Keeps three goats {2}mem_\w+\n$/);
    // A second figure about the same results would contradict the first.
    expect(found.stderr).toBe('');
    const { results } = JSON.parse((await run([...words, '--json'], { environment })).stdout);
    expect(found.stdout).toContain(` ${Math.round(results[0].relevance * 100)} %`);
  });

  it('leaves records of an import that the store has already in their scope, and lists no owner for them', async () => {
    const [file, place] = [join(folder, 'own.ndjson'), ['--data', join(folder, 'twice')]];
    await run(['remember', 'My sister Ada lives in Lyon', '--user', 'rosa', ...place]);
    await run(['export', '-o', file, '--user', 'rosa', ...place]);
    expect((await run(['import', file, '--user', 'copy', ...place])).stderr).toContain('stay in their own scope');
    const listed = await run(['list', '--user', 'nobody', ...place]);
    expect(listed.stderr).toContain('the store has user rosa (1 memory):');
    expect((await run(['import', file, '--user', 'copy', '--data', join(folder, 'second')])).stderr).toBe('');
  });

  describe('the doctor', () => {
    const findings = async (data: string, environment: Record<string, string> = {}): Promise<Loose> => {
      const { stdout } = await run(['doctor', '--data', data, '--json'], { environment });
      const all = (JSON.parse(stdout) as { findings: { what: string }[] }).findings;
      return Object.fromEntries(all.map((finding) => [finding.what, finding]));
    };
    /** A store with a session and a formation job, changed by hand. */
    const store = async (name: string, change: string): Promise<string> => {
      const data = join(folder, name);
      await run(['observe', 'I live in Oslo.', '--session', 'one', '--close', '--data', data]);
      await run(['worker', '--once', '--data', data]);
      const database = new DatabaseSync(join(data, 'varve.db'));
      database.exec(change);
      database.close();
      return data;
    };

    it('finds that no worker is running, and the jobs that a stopped worker left running', async () => {
      expect((await findings(await store('watched', 'select 1')))['worker']).toMatchObject({ state: 'good' });
      const idle = await findings(await store('idle', 'update schedules set next_due = 1'));
      expect(idle['worker']).toMatchObject({ state: 'note', found: expect.stringContaining('1970-01-01') });
      const stuck = await findings(await store('stuck', "update jobs set state = 'running', lease_until = 1"));
      expect(stuck['background work']).toMatchObject({ state: 'bad', found: expect.stringContaining('left running') });
      const dead = await findings(await store('dead', "update jobs set state = 'dead', last_error = 'no luck'"));
      expect(dead['background work']).toMatchObject({
        state: 'bad',
        remedy: expect.stringContaining('varve jobs retry'),
      });
    });

    it('finds jobs that have failed and will be retried, and does not count postponed jobs as failed', async () => {
      const failing = "update jobs set state = 'waiting', last_error = 'no answer of the model', attempts =";
      const failed = await findings(await store('failed', `${failing} 2`));
      expect(failed['background work']).toMatchObject({
        state: 'bad',
        found: expect.stringContaining('no answer of the model'),
      });
      const postponed = await findings(await store('postponed', `${failing} 0`));
      expect(postponed['background work']).toMatchObject({ state: 'good' });
    });

    it('finds vectors of another model and a store of a newer version', async () => {
      const other =
        "insert into meta (key, value) values ('embedding_model', 'other') on conflict do update set value = 'other'";
      const changing = await findings(await store('other-model', other), { VARVE_EMBEDDER: '' });
      expect(changing['vectors']).toMatchObject({ state: 'note', found: expect.stringContaining('another embedder') });
      const newer = await findings(await store('newer', 'pragma user_version = 99'));
      expect(newer['store']).toMatchObject({ state: 'bad', remedy: 'upgrade the package' });
    });

    it('reads the whole file, and finds the process that holds it', async () => {
      const data = await store('damaged', 'select 1');
      const bytes = readFileSync(join(data, 'varve.db'));
      writeFileSync(join(data, 'varve.db'), bytes.fill(255, bytes.length - 40_960, bytes.length - 20_480));
      expect((await findings(data))['store']).toMatchObject({
        state: 'bad',
        found: expect.stringContaining('damaged'),
      });
      const held = await store('held', 'select 1');
      const holder = new DatabaseSync(join(held, 'varve.db'));
      holder.exec('pragma locking_mode = exclusive; begin exclusive; create table held (x); commit');
      expect((await findings(held))['store']).toMatchObject({ state: 'bad', found: expect.stringContaining('locked') });
      holder.close();
    });

    it('finds a file in place of the folder, and another program on the port', async () => {
      const file = join(folder, 'not-a-folder');
      writeFileSync(file, '');
      expect((await findings(file))['folder']).toMatchObject({
        state: 'bad',
        found: expect.stringContaining('is a file'),
      });
      const other = createServer((socket) => socket.end('hello\n')).listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as { port: number };
      const { server } = await findings(join(folder, 'store'), { PORT: String(port) });
      expect(server).toMatchObject({ state: 'note', found: `port ${port} is taken by another program` });
      other.close();
      const place = await serverPlace();
      const running = await startServer(place);
      const at = { PORT: new URL(running.url).port };
      expect((await findings(place.folder, at))['server']).toMatchObject({ found: `answers at ${running.url}` });
      for (const elsewhere of [join(folder, 'store'), join(folder, 'no-store-yet')]) {
        const found = expect.stringContaining('serves another store');
        expect((await findings(elsewhere, at))['server']).toMatchObject({ state: 'note', found });
      }
      await running.stop();
      await place.remove();
      expect((await findings(join(folder, 'store'), { PORT: String(port) }))['server']).toMatchObject({
        state: 'good',
      });
    });
  });

  it('prints commands at the first start of the server that work one right after the other', async () => {
    const { environment, folder: own, remove } = await serverPlace();
    const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
    const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--data', own], {
      env: { ...process.env, ...environment, VARVE_EMBEDDER: 'local' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let printed = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) if (/the docs at/.test((printed += chunk))) break;
    const commands = printed.match(/^ +(?:export|curl|-d) .*$/gm) ?? [];
    const script = commands.join('\n').replaceAll('curl ', 'curl -sS --fail-with-body ');
    const { stdout } = await promisify(execFile)('bash', ['-c', `set -e\n${script}`]);
    expect(stdout).toMatch(/"results":\[\{[^}]*"text":"Lives in Oslo"/);
    child.kill();
    await once(child, 'exit');
    await remove();
  });

  it('reports a folder that cannot be created', async () => {
    const { code, stderr } = await run(['list', '--data', '/proc/nowhere/at/all']);
    expect(code).toBe(4);
    expect(stderr).toContain('/proc/nowhere');
  });

  it('names the Node version that it needs', () => {
    expect(['20.20.2', '22.15.1', '22.16.0', '24.1.0'].map((version) => isNodeNewEnough(version))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('prints settings for common clients, and creates the memory of a project', async () => {
    const configs = await json('mcp', '--print-config', '--user', 'ana');
    expect(configs.map(({ client }: { client: string }) => client)).toEqual(
      expect.arrayContaining(['Claude Desktop', 'Claude Code', 'Cursor', 'VS Code']),
    );
    expect(JSON.stringify(configs)).toContain('"--user","ana"');
    // A client starts the server in another folder, so the settings name the folder.
    expect(JSON.stringify(configs)).toContain('"--data","/');
    const { stdout } = await run(['mcp', '--print-config'], { environment: { PORT: '9321' } });
    expect(stdout).toContain('http://127.0.0.1:9321/mcp');
    await run(['init', '--data', join(folder, 'fresh')]);
    expect(existsSync(join(folder, 'fresh', 'varve.db'))).toBe(true);
  });
});
