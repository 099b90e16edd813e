import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withMemory } from '../src/cli/open-memory.ts';
import { createOutput } from '../src/cli/output.ts';
import { runCliIn, type CliOptions, type CliRun } from './run-cli.ts';

// Clears the screen, sets the title, overwrites the line, begins a sequence with one character, and sets a colour.
const HOSTILE = 'Likes \u001B[2J\u001B]0;owned\u0007 \u009B31m tea\rand\u001B[31m\u0008 cake\u007F.';
// All control characters that a terminal interprets, except the line breaks of the pseudo-terminal and the colours of the CLI.
// oxlint-disable-next-line no-control-regex
const OBEYED = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/;
// oxlint-disable-next-line no-control-regex
const OUR_COLOURS = /\x1b\[(1|2|22|32|39)m/g;

describe('varve on the command line, with hostile input and failures', () => {
  let folder: string;
  const run = (words: readonly string[], options?: CliOptions): Promise<CliRun> => runCliIn(folder, words, options);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'varve-cli-hostile-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('prints no stored control sequence that a terminal would obey', async () => {
    const made = await run(['remember', '-', '--json'], { input: HOSTILE });
    const { id } = (JSON.parse(made.stdout) as { memory: { id: string } }).memory;
    await run(['observe', '-', '--session', 's'], { input: HOSTILE });
    for (const words of [
      ['list'],
      ['list', 'events'],
      ['recall', 'tea cake', '--mode', 'text'],
      ['show', id],
      ['history', id],
      ['context', 'tea'],
      ['show', HOSTILE],
      [HOSTILE],
    ]) {
      const { stdout } = await run(words, { terminal: true });
      expect(stdout).toMatch(/\S/);
      expect([words[0], OBEYED.exec(stdout.replaceAll(OUR_COLOURS, ''))]).toEqual([words[0], null]);
    }
    // A colour sequence in stored text is escaped, even if the CLI uses the same one.
    expect((await run(['list'], { terminal: true })).stdout).toContain('[31m');
    const json = (await run(['show', id, '--json'], { terminal: true })).stdout;
    expect(OBEYED.exec(json)).toBeNull();
    expect((JSON.parse(json) as { content: string }).content).toContain('tea');
    // Output to a pipe is escaped too, because it often ends in a terminal. Only --raw prints stored text unchanged.
    const recall = ['recall', 'tea cake', '--mode', 'text'];
    expect(OBEYED.exec((await run(recall)).stdout)).toBeNull();
    expect((await run([...recall, '--source', 'events', '--raw'])).stdout).toContain('\u001B[2J');
  });

  it(
    'reports that another process holds the store, and the doctor finds that process',
    { timeout: 60_000 },
    async () => {
      await run(['init']);
      const file = join(folder, 'store', 'varve.db');
      const holder = new DatabaseSync(file);
      holder.exec('begin immediate');
      // The command reports after a second that it waits, and gives up after 15 seconds.
      const waited = await run(['remember', 'I can wait'], { onComplaint: () => holder.exec('rollback') });
      expect([waited.code, waited.stdout]).toEqual([0, expect.stringContaining('created')]);
      expect(waited.stderr).toBe(`Another process is writing to ${file}: waiting for it …\n`);
      holder.exec('begin immediate');
      const { code, stdout } = await run(['doctor', '--json']);
      holder.close();
      expect(code).toBe(1);
      expect((JSON.parse(stdout) as { findings: object[] }).findings).toContainEqual(
        expect.objectContaining({ what: 'store', state: 'bad', remedy: expect.stringContaining('fuser') }),
      );
      expect((await run(['remember', 'I did not wait'])).stderr).toBe('');
    },
  );

  it('does not report another writing process during a long transaction of its own', { timeout: 60_000 }, async () => {
    await run(['init']);
    const data = join(folder, 'store');
    const notes: string[] = [];
    const output = { ...createOutput({ json: true }), note: (text: string) => void notes.push(text) };
    const input = { words: [], options: { data, trust: true }, output };
    // The first use loads modules, which may take a second.
    await withMemory(input, {}, async () => {});
    await withMemory(input, {}, async () => {
      // A long transaction of the command itself must not be reported.
      const own = new DatabaseSync(join(data, 'varve.db'));
      own.exec('begin immediate');
      await new Promise((resolve) => setTimeout(resolve, 2000));
      own.close();
    });
    expect(notes).toEqual([]);
  });

  it('removes compiled code that is older than a month, also of other commands', async () => {
    const caches = join(folder, 'cache', 'varve');
    const monthsAgo = new Date(Date.now() - 60 * 24 * 3_600_000);
    for (const name of ['list', 'recall', 'stats']) mkdirSync(join(caches, name, 'v20-old'), { recursive: true });
    for (const name of ['list', 'recall']) utimesSync(join(caches, name), monthsAgo, monthsAgo);
    expect((await run(['list'], { environment: { XDG_CACHE_HOME: join(folder, 'cache') } })).code).toBe(0);
    const left = ['list', 'recall', 'stats'].map((name) => existsSync(join(caches, name, 'v20-old')));
    expect(left).toEqual([false, false, true]);
  });

  it('explains what is wrong with a file to import', async () => {
    const write = (name: string, content: string | Uint8Array): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const turn = '{"role":"user","content":"I live in Oslo."}\n';
    mkdirSync(join(folder, 'no-json'));
    writeFileSync(join(folder, 'no-json', 'readme.rst'), 'Nothing here');
    for (const [path, says] of [
      [write('empty.json', ''), 'empty.json: it is empty'],
      [write('turns.jsonl.gz', gzipSync(turn)), 'turns.jsonl.gz: The file is compressed. Unpack it first: gunzip'],
      [write('export.zip', 'PK\u0003\u0004…'), 'unzip'],
      [write('strange.json', '[{"colour":"red"}]'), 'name it with --format'],
      [write('words.txt', 'hello'), 'In words.txt: The file is not valid JSON'],
      [join(folder, 'no-json'), 'no .json, .jsonl, .ndjson, .af, .md or .txt file'],
    ] as const) {
      for (const words of [[], ['--dry-run']]) {
        const { code, stdout, stderr } = await run(['import', path, ...words]);
        expect([path, code, stdout, stderr]).toEqual([path, 2, '', expect.stringContaining(says)]);
      }
    }
    // A file that is named on the command line is read, whatever its name.
    const named = await run(['import', write('turns.txt', turn), '--json']);
    expect(JSON.parse(named.stdout)).toMatchObject({ format: 'transcripts', imported: { event: 1 } });
  });

  it('calibrates only an embedder that the configuration names', async () => {
    const { code, stderr } = await run(['calibrate', '--config', join(folder, 'nowhere.js')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('does not exist')]);
    writeFileSync(join(folder, 'without.js'), 'export default { embedder: null };');
    expect((await run(['calibrate', '--config', join(folder, 'without.js')])).stderr).toContain(
      'no embedder to measure',
    );
  });

  it('explains why it cannot listen', async () => {
    // This address is reserved for documentation (RFC 5737), so no machine has it.
    for (const command of [['serve'], []]) {
      const { code, stderr } = await run([...command, '--host', '192.0.2.1', '--port', '0']);
      expect([code, stderr]).toEqual([1, expect.stringContaining('no address 192.0.2.1')]);
    }
    // The error names an option that no command has, and a command may follow options of every command.
    expect((await run(['--prot', '8801'])).stderr).toContain('There is no option --prot. Did you mean --port?');
    expect((await run(['--user', 'ana', 'rememeber'])).stderr).toContain('Did you mean remember?');
  });
});
