import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The workspace `scripts/docs` has packages of its own. */
const OWN = { exclude: (path: string) => path.endsWith('node_modules') };

// The layers are: interfaces and integrations → varve.ts → handle → verbs → jobs, ledger → store → models → language → record. A folder may
// import from folders with a higher number, and from those that are listed for it.
const LAYERS: Record<string, number> = {
  cli: -2,
  mcp: -1,
  http: 0,
  integrations: 0,
  'index.ts': 0,
  tools: 1,
  'varve.ts': 1,
  // The options of createVarve(), which the command line reads before anything is loaded.
  'varve-options.ts': 1.5,
  // It opens its own stores, so it is above varve.ts.
  evaluate: 0.5,
  'background.ts': 2,
  handle: 2,
  import: 2,
  operate: 3,
  assemble: 3,
  consolidate: 4,
  maintain: 4,
  form: 5,
  recall: 5,
  observe: 6,
  embed: 6,
  ledger: 7,
  jobs: 7,
  store: 8,
  models: 9,
  language: 10,
  record: 11,
  'errors.ts': 12,
};
const ALSO: Record<string, readonly string[]> = {
  // The public API exports the plain functions of the integrations, which need no other package.
  'index.ts': ['integrations'],
  maintain: ['consolidate'],
};

const IMPORT = /^(?:import|export)\b[^;]*?\bfrom\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gms;

function targetsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map((match) =>
    normalize(join(dirname(file), match[1] ?? match[2] ?? '')),
  );
}

function imports(): Map<string, string[]> {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  return new Map(files.map((file) => [file, targetsOf(file)]));
}

const folderOf = (file: string): string => file.split('/')[1] ?? '';

describe('imports of source files', () => {
  const all = imports();

  it('follow the order of the folders', () => {
    const wrong: string[] = [];
    for (const [file, targets] of all) {
      const from = folderOf(file);
      for (const target of targets) {
        const to = folderOf(target);
        if (from === to || ALSO[from]?.includes(to)) continue;
        const [low, high] = [LAYERS[from], LAYERS[to]];
        if (low === undefined || high === undefined || low >= high) wrong.push(`${file} → ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('have no cycles', () => {
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      if (state.get(file) === 'open') cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (state.has(file)) return;
      state.set(file, 'open');
      for (const target of all.get(file) ?? []) visit(target, [...path, file]);
      state.set(file, 'done');
    };
    for (const file of all.keys()) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('SQL and the query builder are used only in store/', () => {
    // Kysely's own words, and tables by name: a query that is built outside of store/ is found by either.
    const query = /from 'kysely'|\bsql(?:<[^`]*>)?`|\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/;
    const outside = globSync('src/**/*.ts').filter(
      (file) => !file.startsWith('src/store/') && !file.endsWith('.test.ts') && query.test(readFileSync(file, 'utf8')),
    );
    expect(outside).toEqual([]);
  });

  it('come from more than one file, if the imported file has fewer than 40 lines', () => {
    const importers = new Map<string, Set<string>>();
    for (const file of globSync('{src,web/src,train,bench,scripts,test,examples}/**/*.{ts,tsx}', OWN)) {
      if (file.endsWith('.test.ts')) continue;
      for (const target of targetsOf(file)) importers.set(target, (importers.get(target) ?? new Set()).add(file));
    }
    const fragments = [...importers].filter(
      ([file, { size }]) =>
        size === 1 && /^src\/.*\.ts$/.test(file) && readFileSync(file, 'utf8').split('\n').length <= 40,
    );
    // The training of the selector writes this file.
    expect(fragments.map(([file]) => file)).toEqual(['src/form/read/local/selector-weights.ts']);
  });

  it('name files that exist', () => {
    const missing = [...all].flatMap(([file, targets]) =>
      targets.filter((target) => !all.has(target) && !existsSync(target)).map((target) => `${file} → ${target}`),
    );
    expect(missing).toEqual([]);
  });

  it('of a command load only its own code: the store is loaded when the command opens it', () => {
    const loaded = new Set<string>();
    const visit = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const [, target] of readFileSync(file, 'utf8').matchAll(/^import (?!type)[^;]*?from '(\.[^']+)'/gm))
        visit(normalize(join(dirname(file), target ?? '')));
    };
    for (const start of ['main', 'run-command', 'open-memory']) visit(`src/cli/${start}.ts`);
    const foreign = [...loaded].filter((file) => folderOf(file) !== 'cli');
    expect(foreign.toSorted()).toEqual(['src/errors.ts', 'src/varve-options.ts']);
  });
});

it('no folder has more than 25 files besides tests', () => {
  const folders = Map.groupBy(
    globSync('{src,web/src,scripts,bench}/**/*.{ts,tsx,mjs}', OWN).filter((file) => !file.endsWith('.test.ts')),
    (file) => dirname(file),
  );
  expect([...folders].filter(([, files]) => files.length > 25).map(([folder]) => folder)).toEqual([]);
});

it('no file except data has more than 500 lines', () => {
  // The packs are the data of their languages.
  const exclude = ['src/**/*.test.ts', 'src/language/packs/??.ts'];
  const long = globSync('src/**/*.ts', { exclude }).filter(
    (file) => readFileSync(file, 'utf8').split('\n').length > 501,
  );
  expect(long.toSorted()).toEqual([
    'src/form/apply/told-request.ts',
    'src/form/read/local/statements-of-turn.ts',
    'src/language/foreign-text.ts',
  ]);
});
