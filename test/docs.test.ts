import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../src/http/settings.ts';
import { startDocsModels, type DocsModels } from './docs-models.ts';
import { serverPlace, type ServerPlace, type ServerProcess, startServer } from './server-process.ts';

const ROOT = resolve(import.meta.dirname, '..');
const pages = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
/** The pages for users of Varve. Every snippet in them runs. */
const GUIDES = ['README.md', ...pages('docs')];
const ALL = [
  ...GUIDES,
  ...pages('docs/decisions'),
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'clients/python/README.md',
];
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

describe('links of the docs', () => {
  /** The anchors that GitHub and the docs site generate for headings. */
  const anchorsOf = (page: string): Set<string> => {
    const headings = [...withoutCode(textOf(page)).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
    return new Set(
      headings.map((heading) =>
        heading
          .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .trim()
          .replaceAll(/\s/g, '-'),
      ),
    );
  };

  it.each(ALL)('%s leads to files and headings that exist', (page) => {
    const links = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const dead = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('the table of contents has every page of docs/ once', () => {
    const listed = [...textOf('docs/index.md').matchAll(/^- \[[^\]]+\]\(([^)]+\.md)\)/gm)].map(([, file = '']) =>
      join('docs', file),
    );
    const written = [...pages('docs'), ...pages('docs/decisions')].filter((page) => page !== 'docs/index.md');
    expect(listed.toSorted()).toEqual(written.toSorted());
  });
});

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));
}

// `varve` resolves to the sources of the package.
const NODE_OPTIONS = '--conditions=varve-source';

interface Program {
  name: string;
  source: string;
  /** The output that the comments of a program promise. */
  promised: string[];
}

/** The programs of a page. A block that begins with an import begins a program, and the blocks after it continue it. */
function programsOf(page: string): Program[] {
  const blocks = [...textOf(page).matchAll(/^```(ts[^\n]*)\n([\s\S]*?)^```$/gm)];
  const sources: string[] = [];
  for (const [, language, block = ''] of blocks) {
    expect([page, language]).toEqual([page, 'ts']);
    if (block.startsWith('import ') || sources.length === 0) sources.push(block);
    else sources[sources.length - 1] += block;
  }
  return sources.map((source, index) => ({
    name: `${page.replaceAll(/[/.]/g, '-')}-${index + 1}.ts`,
    source,
    promised: [...source.matchAll(/^.*\bconsole\.log\(.*\/\/ → (.*)$/gm)].map(([, line = '']) => line),
  }));
}

describe('snippets of the docs', () => {
  const programs = GUIDES.flatMap(programsOf);
  let folder: string;
  /** The folder of the programs’ stores, with the temporary files of other tests. */
  let stores: string;
  let models: DocsModels;
  let place: ServerPlace;
  let server: ServerProcess;
  let environment: NodeJS.ProcessEnv;
  beforeAll(async () => {
    // The programs are within the repository, so that `varve` resolves to the sources of the package.
    folder = mkdtempSync(join(ROOT, 'test/.docs-'));
    for (const { name, source } of programs) writeFileSync(join(folder, name), `${source}\nexport {};\n`);
    stores = mkdtempSync(join(tmpdir(), 'varve-docs-'));
    models = await startDocsModels();
    place = await serverPlace();
    server = await startServer(place);
    environment = {
      ...process.env,
      ...models.environment,
      NODE_OPTIONS,
      VARVE_URL: server.url,
      VARVE_KEY: server.key ?? '',
    };
  });
  afterAll(async () => {
    await server.stop();
    await place.remove();
    await models.close();
    for (const made of [folder, stores]) rmSync(made, { recursive: true, force: true });
  });

  it('exist, and each program imports varve', () => {
    expect(programs.length).toBeGreaterThan(15);
    expect(programs.filter(({ source }) => !/from 'varve[/']/.test(source)).map(({ name }) => name)).toEqual([]);
    expect(programs.filter(({ promised }) => promised.length === 0).map(({ name }) => name)).toEqual([]);
  });

  it('have no type errors', { timeout: 120_000 }, () => {
    const tsc = (config: object): [number | null, string] => {
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
      return [status, stdout];
    };
    // `npm run check` checks the sources, so their declarations are enough here, and these need no check.
    const outDir = join(folder, 'types');
    const emitted = { noCheck: true, noEmit: false, emitDeclarationOnly: true, rootDir: join(ROOT, 'src'), outDir };
    expect(tsc({ extends: '../../tsconfig.build.json', compilerOptions: emitted, include: ['../../src'] })).toEqual([
      0,
      '',
    ]);
    const { exports } = JSON.parse(textOf('package.json')) as { exports: Record<string, { types?: string }> };
    const paths = Object.entries(exports).flatMap(([name, { types }]) =>
      types === undefined ? [] : [[join('varve', name), [types.replace('./dist', outDir)]]],
    );
    const checked = { isolatedDeclarations: false, declaration: false, paths: Object.fromEntries(paths) };
    expect(tsc({ extends: '../../tsconfig.json', compilerOptions: checked, include: ['*.ts'] })).toEqual([0, '']);
  });

  it('print what their comments say, and the process ends', { timeout: 150_000 }, async () => {
    const files = programs.map(({ name }) => join(folder, name));
    // One process runs all of them, because loading the library takes most of the time of a program.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, 'docs-runner.ts'), stores, ...files],
      {
        env: environment,
        timeout: 120_000,
      },
    );
    const printed = stdout.split(/^@@ (.+)\n/m).slice(1);
    const lines = programs.map(({ name }, index) => [name, printed[2 * index + 1]?.trim().split('\n')]);
    expect(lines).toEqual(programs.map(({ name, promised }) => [name, promised]));
  });

  it('requests with curl are answered', async () => {
    const blocks = GUIDES.flatMap((page) => [...textOf(page).matchAll(/^```sh\n(curl [\s\S]*?|auth=[\s\S]*?)^```$/gm)]);
    expect(blocks.length).toBeGreaterThan(3);
    for (const [, block = ''] of blocks) {
      const script = `set -euo pipefail\n${block.replaceAll('curl ', 'curl -sS --fail-with-body ')}`;
      const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: environment });
      expect(stdout).toContain('"');
      for (const [, promised = ''] of block.matchAll(/# → (.+)$/gm)) expect(stdout).toContain(promised);
    }
  });

  it.each(['the configuration file of the operations page', 'VARVE_MODEL'])(
    '%s makes a server use its model',
    { timeout: 120_000 },
    async (how) => {
      const [, config = ''] = /^```js\n([\s\S]*?)^```$/m.exec(textOf('docs/operations.md')) ?? [];
      const own = await serverPlace();
      // A folder without packages, like ~/.varve.
      const file = join(own.folder, 'named.config.js');
      writeFileSync(file, config);
      const setting: Record<string, string> =
        how === 'VARVE_MODEL' ? { VARVE_MODEL: 'gpt-5-mini' } : { VARVE_CONFIG: file };
      const configured = await startServer(own, { environment: { ...models.environment, ...setting } });
      try {
        const said = await configured.call('POST', '/v1/events?user=ana&session=s1', {
          body: { content: 'I moved to Munich.' },
        });
        const formed = await configured.call('POST', '/v1/form?user=ana&session=s1');
        expect([said.status, formed.status]).toEqual([201, 200]);
        const costs = await configured.call('GET', '/v1/costs?by=model');
        expect(costs.text).toContain('gpt-5-mini');
        const { body } = await configured.call('GET', '/v1/memories?user=ana');
        expect(body.items).toMatchObject([{ value: 'Munich', content: 'Lives in Munich' }]);
      } finally {
        await configured.stop();
        await own.remove();
      }
    },
  );
});

describe('the settings in the docs', () => {
  it('the table of the server has the defaults of the code', () => {
    const names: Record<string, keyof typeof DEFAULT_SETTINGS> = {
      VARVE_BODY_LIMIT: 'bodyLimit',
      VARVE_TIMEOUT: 'timeout',
      VARVE_RATE_LIMIT: 'rateLimit',
      VARVE_FAILURE_LIMIT: 'failureLimit',
      VARVE_FOLLOWER_LIMIT: 'followerLimit',
    };
    const rows = [...textOf('docs/operations.md').matchAll(/^\| `(VARVE_\w+)` \| `?([^|`]+)`? \|/gm)];
    const said = Object.fromEntries(rows.map(([, name = '', value = '']) => [name, value.trim()]));
    for (const [name, setting] of Object.entries(names)) {
      expect([name, said[name]]).toEqual([name, String(DEFAULT_SETTINGS[setting])]);
    }
  });

  it('images exist and are images', () => {
    for (const name of readdirSync(join(ROOT, 'docs/images'))) {
      expect(statSync(join(ROOT, 'docs/images', name)).size).toBeGreaterThan(500);
    }
  });
});
