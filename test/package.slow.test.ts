import { execFile } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Plugin, rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** A program that remembers, recalls by meaning, and prints what recall could not use. */
const USE = `
  const varve = await createVarve({ store: ':memory:', background: false });
  const ana = varve.for({ user: 'ana' });
  await ana.memories.create({ type: 'fact', content: 'Ana keeps a greyhound.' });
  await ana.memories.create({ type: 'fact', content: 'Ana repairs clocks.' });
  await varve.drain();
  const { results, degraded } = await ana.recall('Which pet does she have?', { mode: 'semantic' });
  const talk = varve.for({ user: 'ben', session: 's' });
  for (const content of ['My phone number is 0664 1234567.', 'I keep bees.', 'Please delete my phone number.'])
    await talk.observe({ content });
  await talk.form();
  const left = (await talk.events.list()).items.map(({ content }) => content).join(' ');
  const isForgotten = !left.includes('0664') && left.includes('bees');
  console.log(JSON.stringify({ first: results[0]?.text ?? null, degraded, isForgotten }));
  await varve.close();
`;

interface Used {
  first: string | null;
  degraded: string[];
  isForgotten: boolean;
}

describe('the package as npm packs it', () => {
  let folder: string;
  let installed: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'varve-package-'));
    // `npm pack` builds first (prepack).
    await run('npm', ['pack', '--pack-destination', folder], { cwd: ROOT, maxBuffer: 2 ** 26 });
    const [tarball = ''] = globSync('*.tgz', { cwd: folder });
    await run('tar', ['-xzf', tarball], { cwd: folder });
    installed = join(folder, 'app/node_modules/varve');
    mkdirSync(dirname(installed), { recursive: true });
    symlinkSync(join(folder, 'package'), installed);
    // The application’s own dependencies are those that npm would have installed.
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) {
      const target = join(folder, 'package/node_modules', name);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), target);
    }
    writeFileSync(join(folder, 'app/package.json'), '{ "name": "app", "private": true }');
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a program of the application, and returns its output and warnings. */
  const execute = async (file: string): Promise<Used & { warned: string }> => {
    const { stdout, stderr } = await run(process.execPath, [file], { cwd: dirname(file) });
    return { ...(JSON.parse(stdout) as Used), warned: stderr };
  };
  const found = { first: 'Ana keeps a greyhound.', degraded: [], isForgotten: true, warned: '' };

  it('has every file that its documents link to, and no source map without its source', () => {
    const files = globSync('**/*', { cwd: join(folder, 'package'), exclude: ['node_modules/**'] });
    const dead = files
      // `dist/` is skipped: it contains the docs site, whose links have their own test.
      .filter((file) => file.endsWith('.md') && !file.startsWith('dist/'))
      .flatMap((file) => {
        const text = readFileSync(join(folder, 'package', file), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
        return [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)]
          .filter(([, link = '']) => !existsSync(join(folder, 'package', dirname(file), link)))
          .map(([, link]) => `${file}: ${link}`);
      });
    expect(dead).toEqual([]);
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
    expect(files.filter((file) => /\.test\.|^src\//.test(file))).toEqual([]);
    // A name without a slash in `files` of package.json would match in every folder.
    const documents = files.filter(
      (file) => file.endsWith('.md') && !/^(?:dist|docs)\//.test(file) && file.includes('/'),
    );
    expect(documents.toSorted()).toEqual([
      'clients/python/README.md',
      'train/lives/FORMAT.md',
      'train/ranking/report.md',
    ]);
  });

  it('is loaded by import and by require', { timeout: 60_000 }, async () => {
    writeFileSync(join(folder, 'app/module.mjs'), `import { createVarve } from 'varve';${USE}`);
    writeFileSync(
      join(folder, 'app/script.cjs'),
      `const { createVarve } = require('varve'); void (async () => {${USE}})();`,
    );
    for (const file of ['module.mjs', 'script.cjs'])
      expect([file, await execute(join(folder, 'app', file))]).toEqual([file, found]);
  });

  it('has a command line that works from the bundle, with every group of commands', { timeout: 120_000 }, async () => {
    const data = join(folder, 'memory');
    const varve = async (...words: string[]): Promise<string> => {
      const command = [join(installed, 'dist/cli/main.js'), ...words, '--data', data];
      const { stdout } = await run(process.execPath, command, { cwd: folder, env: { ...process.env, HOME: folder } });
      return stdout;
    };
    await varve('remember', 'Priya prefers trains to planes', '--user', 'priya');
    expect(await varve('recall', 'How does she travel?', '--user', 'priya')).toContain('trains');
    expect(await varve('setup', 'cursor', '--dry-run')).toContain('mcpServers');
    expect(await varve('mcp', '--print-config')).toContain('varve');
    expect(await varve('doctor')).toContain('ok');
    expect(await varve('export', '--user', 'priya')).toContain('trains');
    const client = new Client({ name: 'package-test', version: '1' });
    const parameters = ['mcp', '--data', data, '--user', 'priya'];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(installed, 'dist/cli/main.js'), ...parameters],
      }),
    );
    expect((await client.listTools()).tools.length).toBeGreaterThan(4);
    await client.close();
  });

  it(
    'has types that a strict application compiles against, with results that narrow',
    { timeout: 60_000 },
    async () => {
      const source = `
      import { createVarve, type RecallResult } from 'varve';
      import { createClient } from 'varve/client';
      const varve = await createVarve({ store: ':memory:' });
      const { results } = await varve.for({ user: 'ana' }).recall('tea');
      export const said = (result: RecallResult): string =>
        result.kind === 'memory' ? result.memory.type : result.event.origin;
      export const all: string[] = results.map(said);
      // @ts-expect-error An event is not a memory.
      export const wrong = results.map((result) => (result.kind === 'event' ? result.memory.type : ''));
      export const client = createClient({ url: 'http://localhost', key: '' });
    `;
      writeFileSync(join(folder, 'app/use.mts'), source);
      const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
      const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--skipLibCheck'];
      const compiled = await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...types, 'use.mts'], {
        cwd: join(folder, 'app'),
      }).catch((error: unknown) => error as { stdout: string });
      expect(compiled.stdout).toBe('');
    },
  );

  for (const format of ['esm', 'cjs'] as const) {
    it(
      `embeds in a bundle (${format}) if the package is installed too, and otherwise explains what to do`,
      { timeout: 120_000 },
      async () => {
        const entry = join(folder, 'app', `server-${format}.mjs`);
        writeFileSync(entry, `import { createVarve } from 'varve'; void (async () => {${USE}})();`);
        const bundle = await rolldown({
          input: entry,
          platform: 'node',
          external: ['pg-native'],
          logLevel: 'silent',
          plugins: format === 'cjs' ? [missingAsInWebpack('@opentelemetry/api')] : [],
        });
        const name = format === 'esm' ? 'server.mjs' : 'server.cjs';
        const write = (dir: string): Promise<unknown> =>
          bundle.write({ dir, format, entryFileNames: name, chunkFileNames: `[name]-[hash].${name.slice(-3)}` });
        await write(join(folder, 'app/out'));
        expect(await execute(join(folder, 'app/out', name))).toEqual(found);
        await write(join(folder, 'deployed', format));
        await bundle.close();
        const alone = await execute(join(folder, 'deployed', format, name));
        expect(alone.first).toBeNull();
        // A plain request to forget needs no weights.
        expect(alone.isForgotten).toBe(true);
        for (const text of [alone.degraded.join(), alone.warned])
          expect(text).toMatch(/bundle.*Keep varve out of the bundle \(esbuild: --external:varve; Next\.js:/s);
      },
    );
  }
});

/** Replaces a package that is not installed by a module that throws when it is loaded, as webpack and Next.js with webpack do. */
function missingAsInWebpack(name: string): Plugin {
  const code = `throw Object.assign(new Error("Cannot find module '${name}'"), { code: 'MODULE_NOT_FOUND' });`;
  return {
    name: 'missing-as-in-webpack',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? `${code} export {};` : null),
  };
}
