import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEASURES, METRICS, readRun } from '../src/evaluate/evaluate.ts';
import { runCli, type CliRun } from './run-cli.ts';

// Tests `varve eval` as a user runs it: processes, files, exit codes. evaluate.test.ts tests the figures.

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const LIVES = join(import.meta.dirname, '../bench/gate/lives');

describe('varve eval', { timeout: 180_000 }, () => {
  let folder: string;
  const path = (name: string): string => join(folder, name);
  const environment = { VARVE_EMBEDDER: 'none' };
  const run = (words: readonly string[], terminal = false): Promise<CliRun> =>
    runCli(['eval', ...words], { environment: { ...environment, VARVE_DATA: path('store') }, terminal, cwd: folder });
  // Tests read answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  const json = async (...words: string[]): Promise<any> => {
    const { stdout, stderr, code } = await run([...words, '--json']);
    expect([words.join(' '), code, stderr]).toEqual([words.join(' '), 0, '']);
    return JSON.parse(stdout);
  };
  const oneLife = ['--path', LIVES, '--only', 'forget-tools'];
  /** Eight transcripts, each a separate conversation, which are enough for a significant difference. */
  const transcripts = ['--dataset', 'expectations', '--path', 'transcripts.json'];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'varve-eval-'));
    const cities = ['Ghent', 'Graz', 'Porto', 'Turku', 'Lyon', 'Brno', 'Split', 'Cork'];
    writeFileSync(
      path('transcripts.json'),
      JSON.stringify(
        cities.map((city) => ({
          transcript: `User: I live in ${city}.\nAgent: A fine place.`,
          expected_contains: [city],
        })),
      ),
    );
    writeFileSync(
      path('nothing-formed.js'),
      'export default { embedder: null, formation: { facts: false, reflections: false, summaries: false } };\n',
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  for (const measure of MEASURES) {
    it(`${measure} prints its figures and no others`, async () => {
      const { figures, header, report } = await json(measure, ...oneLife, '--out', measure);
      const metrics: string[] = figures.map((figure: { metric: string }) => figure.metric);
      expect(metrics.length).toBeGreaterThan(1);
      expect(new Set(metrics.map((metric) => METRICS[metric]?.measure))).toEqual(new Set([measure]));
      expect(header).toMatchObject({ conversations: ['forget-tools'], embedder: 'none', model: 'local', seed: 1 });
      expect(header.command).toBe(`varve eval ${measure} --path ${LIVES} --only forget-tools`);
      expect(existsSync(report)).toBe(true);
    });
  }

  it('prints figures with intervals, its progress, and the paths of rows and report', async () => {
    const { stdout, stderr, code } = await run(['--path', LIVES, '--out', 'all']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/retrieval +recall@10 +[.\d]+ \([.\d]+ to [.\d]+\) +\d+/);
    expect(stdout).toMatch(/end-to-end +evidence in 4,000 tokens +[.\d]+ \(/);
    expect(stderr).toMatch(/^1 of 3: forget-de$/m);
    expect(stderr).toMatch(/^3 of 3: forget-tools about \d+ (?:s|min) left$/m);
    const { rows, done } = readRun(path('all/lives-all.jsonl'));
    expect(done).toHaveLength(3);
    expect(new Set(rows.map(({ measure }) => measure))).toEqual(new Set(MEASURES));
    const html = readFileSync(path('all/lives-all.html'), 'utf8');
    expect(html).toContain('<h1>lives</h1>');
    expect(html).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
  });

  it('shows a progress bar with the remaining time on a terminal', async () => {
    const { stdout } = await run(['extraction', ...transcripts, '--out', 'terminal'], true);
    expect(stdout).toMatch(/conversations █*░+ \d+ {2}of 8 {2}t\d+ {2}about \d+ s left/);
    expect(stdout).toContain('kept (recall)');
  });

  it('compares two runs and says which differences are significant', async () => {
    await json('extraction', ...transcripts, '--out', 'before');
    await json('extraction', ...transcripts, '--out', 'after', '--config', 'nothing-formed.js');
    const files = ['before/expectations-extraction.jsonl', 'after/expectations-extraction.jsonl'];
    const { compared } = await json('compare', ...files);
    const kept = compared.find(({ metric }: { metric: string }) => metric === 'kept');
    expect(kept).toMatchObject({ verdict: 'worse', before: { mean: 1 }, after: { mean: 0 }, difference: { items: 8 } });
    expect(kept.difference.p).toBeLessThan(0.02);
    const { stdout } = await run(['compare', ...files]);
    expect(stdout).toMatch(/kept \(recall\) +1\.000 +\.000 +−1\.000 \(−1\.000 to −1\.000\) +0\.0\d\d +worse/);
    expect((await run(['compare', files[0] ?? ''])).code).toBe(2);
    const other = await run(['compare', files[0] ?? '', join(folder, 'extraction/lives-extraction.jsonl')]);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('different data sets')]);
  });

  it('continues where it was killed, with the same figures', async () => {
    const words = ['extraction', ...transcripts, '--out', 'killed'];
    const child = spawn(process.execPath, [MAIN, 'eval', ...words], {
      env: { ...process.env, ...environment, VARVE_DATA: path('store') },
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    for await (const line of createInterface(child.stderr)) {
      if (line.startsWith('4 of 8')) break;
    }
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const file = path('killed/expectations-extraction.jsonl');
    const before = readRun(file).done.length;
    expect(before).toBeGreaterThanOrEqual(3);
    expect(before).toBeLessThan(8);
    const again = await run(words);
    expect(again.stderr).toMatch(new RegExp(`^${before + 1} of 8`));
    const whole = readRun(path('before/expectations-extraction.jsonl'));
    expect(readRun(file).rows).toEqual(whole.rows);
    expect((await run([...words, '--seed', '7'])).stderr).toContain('a run with other settings');
    expect((await run([...words, '--seed', '7', '--afresh'])).code).toBe(0);
  });

  it('ends with exit code 1 when a figure is worse than its floor, and says which', async () => {
    writeFileSync(path('floors.json'), JSON.stringify({ kept: 1, useful: 1.01 }));
    const { code, stdout } = await run(['extraction', ...transcripts, '--out', 'floors', '--floors', 'floors.json']);
    expect(code).toBe(1);
    expect(stdout).toContain('useful (precision) is 1.000: under its floor of 1.010.');
    expect(stdout).not.toContain('kept (recall) is');
  });

  it('compares arms in one command, with each signal of recall left out in turn', async () => {
    const { compared, header } = await json('ablations', ...oneLife, '--arms', 'all,no-memory', '--out', 'arms');
    expect(header.arms).toEqual(['all', 'no-memory']);
    const arms = new Set(compared.map(({ arm }: { arm: string }) => arm));
    expect(arms).toContain('no-memory');
    expect([...arms].some((arm) => String(arm).startsWith('without signal '))).toBe(true);
  });

  it('writes a report again from the rows alone, and lists the data sets', async () => {
    rmSync(path('extraction/lives-extraction.html'));
    const { stdout } = await run(['report', 'extraction/lives-extraction.jsonl']);
    expect(readFileSync(stdout.trim(), 'utf8')).toContain('What is kept');
    const { datasets } = await json('datasets');
    expect(datasets.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['lives', 'locomo', 'longmemeval', 'realtalk', 'beam', 'halumem', 'persona-chat']),
    );
  });

  it('explains what is wrong and what is expected', async () => {
    expect(await run(['recal'])).toMatchObject({ code: 2, stderr: expect.stringContaining('extraction, retrieval') });
    expect(await run(['--dataset', 'locomo'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The path of the data set locomo is missing. Give the path of your copy.'),
    });
    expect(await run([...oneLife, '--arms', 'local-reader'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs a language model'),
    });
  });
});

describe('comparing memory products', { timeout: 180_000 }, () => {
  const run = promisify(execFile);
  const script = join(import.meta.dirname, '../bench/peers/run.ts');

  it('runs each product on the same turns and questions, and finds each by its file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'varve-peers-'));
    const out = join(folder, 'peers.json');
    const words = ['--path', LIVES, '--peers', 'varve,plain', '--ballast', '20', '--out', out];
    const { stdout } = await run(process.execPath, [script, ...words]);
    expect(stdout).toMatch(/varve − plain, recall@10: -?[.\d]+ \(-?[.\d]+ to -?[.\d]+\), p /);
    const { peers, questions, ballast } = JSON.parse(readFileSync(out, 'utf8'));
    rmSync(folder, { recursive: true, force: true });
    expect([questions, ballast]).toEqual([10, 20]);
    for (const { name, figures, search } of peers)
      expect([name, figures['recall@10'].items, search.p50 > 0]).toEqual([name, 10, true]);
    const unknown = run(process.execPath, [script, '--peers', 'nobody']);
    await expect(unknown).rejects.toThrow('There is no peer nobody. Known peers: mem0, plain, varve.');
  });
});
