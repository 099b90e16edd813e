import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, type CliRun } from '../run-cli.ts';
import { tally } from './tally.ts';

describe('code and memory of a foreign folder (S3)', () => {
  let root: string;
  let proof: string;
  const foreign = (): string => join(root, 'project');
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'varve-code-'));
    proof = join(root, 'ran');
    mkdirSync(join(root, 'home'));
    mkdirSync(join(foreign(), '.varve'), { recursive: true });
    plant('1');
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** Puts code into the foreign folder that creates a file when it runs. */
  function plant(version: string): void {
    writeFileSync(
      join(foreign(), '.varve', 'varve.config.js'),
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(proof)}, '${version}');\nexport default {};\n`,
    );
  }
  const varve = (words: readonly string[], environment: Record<string, string> = {}): Promise<CliRun> =>
    runCli(words, {
      isApart: true,
      cwd: foreign(),
      environment: {
        HOME: join(root, 'home'),
        VARVE_EMBEDDER: 'none',
        XDG_CACHE_HOME: join(root, 'cache'),
        ...environment,
      },
    });

  it(
    'no command runs the code or uses the memory without consent, and the error says how to allow it',
    { timeout: 300_000 },
    async () => {
      const counted = tally('foreign code');
      const lines: string[][] = [
        ['list'],
        ['doctor'],
        ['mcp'],
        ['mcp', '--print-config'],
        ['stats'],
        ['recall', 'tea'],
        ['context', 'tea'],
        ['show', 'mem_1'],
        ['history', 'mem_1'],
        ['remember', 'tea'],
        ['observe', 'tea', '--session', 's'],
        ['forget', 'mem_1'],
        ['reflect'],
        ['consolidate'],
        ['jobs'],
        ['costs'],
        ['export'],
        ['keys', 'list'],
        ['refusals'],
        ['calibrate'],
        ['worker', '--once'],
        ['serve', '--port', '0'],
        ['init'],
      ];
      for (const line of lines) {
        for (const data of [[], ['--data', join(foreign(), '.varve')]]) {
          // --data is consent to use the memory in that folder, but not to run its code.
          const { code, stdout, stderr } = await varve([...line, ...data]);
          const ran = existsSync(proof);
          const needsConfig = data.length === 0 || !['mcp --print-config'].includes(line.join(' '));
          const silent = needsConfig && !`${stdout}${stderr}`.includes(foreign());
          counted.note(
            `${line.join(' ')} ${data.length > 0 ? '--data' : ''}: exit ${code} ${stderr.slice(0, 200)}`,
            ran || silent,
          );
          rmSync(proof, { force: true });
        }
      }
      expect(existsSync(join(foreign(), '.varve', 'varve.db'))).toBe(false);
      counted.close();
    },
  );

  it(
    'is used once it is trusted, and must be trusted again when the code has changed',
    { timeout: 60_000 },
    async () => {
      expect((await varve(['remember', 'Likes tea', '--trust'])).code).toBe(0);
      expect(existsSync(proof)).toBe(true);
      rmSync(proof, { force: true });
      expect((await varve(['stats'])).code).toBe(0);
      expect(existsSync(proof)).toBe(true);
      rmSync(proof, { force: true });
      plant('2');
      expect((await varve(['stats'])).code).toBe(2);
      expect(existsSync(proof)).toBe(false);
      expect(
        (
          await varve([
            'remember',
            'Likes tea',
            '--config',
            join(foreign(), '.varve', 'varve.config.js'),
            '--data',
            join(root, 'home', '.varve'),
          ])
        ).code,
      ).toBe(0);
      expect(existsSync(proof)).toBe(true);
    },
  );

  it('a project’s own memory, created with init --here, needs no further consent', { timeout: 60_000 }, async () => {
    const project = join(root, 'mine');
    mkdirSync(project);
    const mine = (words: readonly string[]): Promise<CliRun> =>
      runCli(words, {
        isApart: true,
        cwd: project,
        environment: { HOME: join(root, 'home'), VARVE_EMBEDDER: 'none', XDG_CACHE_HOME: join(root, 'cache') },
      });
    expect((await mine(['init', '--here'])).code).toBe(0);
    expect((await mine(['remember', 'Likes tea'])).code).toBe(0);
    expect((await mine(['list'])).stdout).toContain('Likes tea');
  });
});
