import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Copy, DockerfileParser, type Instruction } from 'dockerfile-ast';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const IGNORED = new Set(readFileSync(join(REPOSITORY, '.dockerignore'), 'utf8').split('\n'));
// Without root, files cannot be given to the image’s user "node", whose id is 1000.
const IS_ROOT = process.getuid?.() === 0;
const IDS = IS_ROOT ? { uid: 1000, gid: 1000 } : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

interface Stage {
  root: string;
  folder: string;
  environment: Record<string, string>;
  instructions: readonly Instruction[];
}

/** A path of the image in the folder that represents it. */
const inside = (root: string, text: string): string =>
  text.replaceAll(/(?<![\w.])\/(?=(?:app|data|usr)\b)/g, `${root}/`);

/** Runs the steps of the Dockerfile one by one, in a folder for each stage, with only Node and npm, as in the base image. */
class Image {
  readonly place = mkdtempSync(join(tmpdir(), 'varve-image-'));
  readonly stages = new Map<string, Stage>();

  constructor() {
    chmodSync(this.place, 0o755);
    let stage: Stage | undefined;
    const file = DockerfileParser.parse(readFileSync(join(REPOSITORY, 'Dockerfile'), 'utf8'));
    for (const from of file.getFROMs()) this.begin(from.getBuildStage() ?? 'last', from.getImage() ?? '');
    for (const instruction of file.getInstructions()) {
      if (instruction.getKeyword() === 'FROM') stage = [...this.stages.values()].find(({ folder }) => folder === '');
      if (stage !== undefined) this.step(stage, instruction);
    }
  }

  private begin(name: string, image: string): void {
    if (!image.startsWith('node:24-')) throw new Error(`${image} is not the Node that these steps run on.`);
    const root = join(this.place, name);
    mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
    cpSync(process.execPath, join(root, 'usr/local/bin/node'));
    const environment = {
      PATH: `${root}/usr/local/bin:/usr/local/bin:/usr/bin:/bin`,
      npm_config_prefer_offline: 'true',
    };
    this.stages.set(name, { root, folder: '', environment, instructions: [] });
  }

  private step(stage: Stage, instruction: Instruction): void {
    const given = instruction.getArguments().map((argument) => argument.getValue());
    const text = instruction.getRawArgumentsContent() ?? '';
    stage.instructions = [...stage.instructions, instruction];
    switch (instruction.getKeyword()) {
      case 'WORKDIR':
        stage.folder = inside(stage.root, text);
        mkdirSync(stage.folder, { recursive: true });
        break;
      case 'ENV':
        for (const pair of given)
          stage.environment[pair.split('=')[0] ?? ''] = inside(stage.root, pair.replace(/^\w+=/, ''));
        break;
      case 'COPY':
        this.copy(stage, instruction as Copy, given);
        break;
      case 'RUN': {
        const command = inside(stage.root, text).replaceAll('node:node', `${IDS.uid}:${IDS.gid}`);
        const env = { ...withoutOurs(), ...stage.environment };
        const ran = spawnSync('/bin/sh', ['-c', command], { cwd: stage.folder, env, encoding: 'utf8' });
        if (ran.status !== 0) throw new Error(`RUN ${text}\n${ran.stdout}\n${ran.stderr}`);
        break;
      }
    }
  }

  private copy(stage: Stage, instruction: Copy, given: string[]): void {
    const from = instruction.getFromFlag()?.getValue() ?? null;
    const source = from === null ? null : this.stages.get(from);
    const to = given.at(-1) ?? '';
    for (const path of given.slice(0, -1)) {
      if (source === null && IGNORED.has(path.split('/')[0] ?? '')) throw new Error(`.dockerignore leaves out ${path}`);
      const origin = source == null ? join(REPOSITORY, path) : inside(source.root, path);
      const target = join(stage.folder, to.endsWith('/') ? join(to, path.split('/').at(-1) ?? '') : to);
      const filter = (file: string): boolean => source != null || !/[\\/](?:node_modules|\.git)$/.test(file);
      cpSync(origin, target, { recursive: true, filter, verbatimSymlinks: true });
    }
  }

  /** The words of an instruction in its list form. */
  words({ root, instructions }: Stage, keyword: string): string[] {
    const text = instructions.findLast((one) => one.getKeyword() === keyword)?.getRawArgumentsContent() ?? '[]';
    return (JSON.parse(text.slice(text.indexOf('['))) as string[]).map((word) => inside(root, word));
  }
}

/** The environment without the variables that a test or npm has set. */
function withoutOurs(): NodeJS.ProcessEnv {
  const isTheirs = ([name]: [string, unknown]): boolean =>
    !/^(?:npm_(?!config)|NODE_ENV|VITEST|VARVE|DATABASE_URL|INIT_CWD)/i.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(isTheirs));
}

/** A port that no server gets when it asks for any free one; otherwise a server of another suite could answer instead of the image. */
async function freePort(): Promise<number> {
  for (let port = 12_000 + (process.pid % 1_000) * 8; ; port += 1) {
    const server = createServer();
    const isFree = once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!(await isFree)) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

describe('the image, step by step', () => {
  let image: Image;
  let last: Stage;
  beforeAll(() => {
    image = new Image();
    last = image.stages.get('last') as Stage;
  }, 600_000);
  afterAll(() => rmSync(image.place, { recursive: true, force: true }));

  it('has the files that the server needs, and no build tools', () => {
    const packages = join(last.folder, 'node_modules');
    expect([existsSync(join(packages, 'hono')), existsSync(join(packages, 'vitest'))]).toEqual([true, false]);
    expect([existsSync(join(last.folder, 'src')), existsSync(join(last.folder, 'dist/cli/main.js'))]).toEqual([
      false,
      true,
    ]);
  });

  it('runs as its own user, is healthy, remembers, and stops on a signal', async () => {
    const port = String(await freePort());
    const env = { ...withoutOurs(), ...last.environment, HOME: '/nonexistent', PORT: port, HOST: '127.0.0.1' };
    const [command = '', ...parameters] = [...image.words(last, 'ENTRYPOINT'), ...image.words(last, 'CMD')];
    const server = spawn(command, parameters, { env, cwd: last.folder, ...IDS });
    let said = '';
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
    const check = image.words(last, 'HEALTHCHECK');
    const isHealthy = (): boolean => spawnSync(check[0] ?? '', check.slice(1), { env, ...IDS }).status === 0;
    try {
      await expect.poll(isHealthy, { timeout: 60_000, interval: 500 }).toBe(true);
      // The output of the server arrives later than the end of the check, which blocks this process.
      const printed = (): string | undefined => /varve_[\w-]+(?=\s)/.exec(said)?.[0];
      await expect.poll(printed).toBeDefined();
      const key = printed();
      const ask = async (path: string, body: unknown): Promise<unknown> => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const url = `http://127.0.0.1:${port}${path}?user=ana&session=s`;
        return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
      };
      await ask('/v1/events', { content: 'My canary is called Pip.' });
      // Recall by meaning works as soon as the turn is embedded.
      const recalled = async (): Promise<string> =>
        JSON.stringify(await ask('/v1/recall', { query: 'What is the bird called?' }));
      await expect.poll(recalled, { timeout: 60_000, interval: 2_000 }).toContain('Pip');
      expect(
        spawnSync(join(last.root, 'usr/local/bin/varve'), ['--version'], { env, ...IDS, encoding: 'utf8' }).stdout,
      ).toMatch(/^\d+\.\d+\.\d+/);
      const stop = last.instructions.find((instruction) => instruction.getKeyword() === 'STOPSIGNAL');
      server.kill(stop?.getRawArgumentsContent() as NodeJS.Signals);
      expect((await once(server, 'exit'))[0]).toBe(0);
    } finally {
      server.kill('SIGKILL');
    }
  }, 120_000);
});
