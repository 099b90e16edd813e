/**
 * Measures the speed of the command line: `npm run bench:cli`. Packs the package, installs it in its own folder, as a user would, and runs
 * each command on 1,000 memories. The commands alternate with a bare `node -e 0`, so that the load of the machine affects all alike.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report, summary, timeCells, timeGoal } from './measure.ts';

const MEMORIES = 1000;
const ROUNDS = Number(process.argv[2] ?? 15);
const WARM_UP = 2;
const GOAL = 150;

const folder = mkdtempSync(join(tmpdir(), 'varve-bench-cli-'));
const root = join(import.meta.dirname, '..');
const environment = { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` };
const shared = {
  cwd: folder,
  env: { ...environment, VARVE_DATA: join(folder, 'data'), XDG_CACHE_HOME: join(folder, 'cache') },
};

interface Row {
  name: string;
  milliseconds: number[];
}

function install(): string {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: root,
    env: environment,
    stdio: 'ignore',
  });
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', `./${packed}`], {
    ...shared,
    stdio: 'ignore',
  });
  return join(folder, 'node_modules/.bin/varve');
}

/** Fills the store of one user, and returns the id of a memory. */
function remember(varve: string): string {
  const memories = Array.from({ length: MEMORIES }, (_, i) => ({
    id: `friend-${i}`,
    user_id: 'me',
    memory: `Friend ${i} found ${i % 7} tabby cats and an old piano in ${1990 + (i % 30)}.`,
  }));
  const file = join(folder, 'memories.json');
  writeFileSync(file, JSON.stringify({ results: memories }));
  execFileSync(varve, ['import', file, '--format', 'mem0'], { ...shared, stdio: 'ignore' });
  execFileSync(varve, ['worker', '--once'], { ...shared, stdio: 'ignore' });
  const { items } = JSON.parse(execFileSync(varve, ['list', '--json'], { ...shared, encoding: 'utf8' })) as {
    items: { id: string }[];
  };
  return items[0]?.id ?? '';
}

function time(command: string, words: readonly string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(command, words, { ...shared, encoding: 'utf8' });
  const passed = performance.now() - started;
  // Exit code 3 means that nothing was found, which is a valid answer.
  if (status !== 0 && status !== 3) throw new Error(`${words.join(' ')}: ${stderr}`);
  return passed;
}

function measure(varve: string, id: string): Row[] {
  const commands = [
    '--version',
    '--help',
    'recall --help',
    'list',
    `show ${id}`,
    `history ${id}`,
    'stats',
    'jobs',
    'costs',
    'keys',
    'forget no_such_key',
    'observe it_rains',
    'remember tea_is_good',
    'recall cats --mode text',
    'recall cats',
    'context cats',
  ];
  const rows: Row[] = ['node -e 0', ...commands].map((name) => ({ name, milliseconds: [] }));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const { name, milliseconds } of rows) {
      const words = name.split(' ');
      const passed = name === 'node -e 0' ? time(process.execPath, ['-e', '0']) : time(varve, words);
      if (round >= 0) milliseconds.push(passed);
    }
  }
  return rows;
}

function show(rows: readonly Row[]): void {
  const bare = summary(rows[0]?.milliseconds ?? []).p50;
  report('Command line', {
    note: `The package as npm installs it, ${MEMORIES.toLocaleString('en')} memories of one user, ${ROUNDS} rounds.`,
    header: ['', 'p50 (95 % interval)', 'p95', '× node', 'goal'],
    rows: rows.map(({ name, milliseconds }) => {
      const times = summary(milliseconds);
      return [
        name.replace(/mem_\w+/, 'ID'),
        ...timeCells(times),
        (times.p50 / bare).toFixed(1),
        timeGoal(times, { p50: GOAL }),
      ];
    }),
  });
}

try {
  const varve = install();
  show(measure(varve, remember(varve)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
