// npm run benchmarks -- [--commit HASH] [--measure 'speed --owners 45'] … [RUN.jsonl | PEERS.json …]
// Stores the results of runs of `varve eval`, of bench:peers, and of the scripts of this folder that --measure runs, in bench/results
// (figures, command, machine, date; no sentence of any data set). Then writes docs/benchmarks.md from all results in that folder.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  abstentionOf,
  compareArms,
  figuresOf,
  METRICS,
  readRun,
  type Compared,
  type Estimate,
  type Figure,
  type RunHeader,
} from '../src/evaluate/evaluate.ts';
import { ARMS } from '../src/evaluate/arms.ts';
import { shown, shownWithInterval } from '../src/evaluate/figures.ts';
import { signed } from '../src/evaluate/report.ts';
import { MISSED, type BenchTable } from './measure.ts';

const ROOT = join(import.meta.dirname, '..');
const RESULTS = join(ROOT, 'bench/results');
const PAGE = join(ROOT, 'docs/benchmarks.md');
/** The metrics by which arms are compared on the page. */
const TELLING = ['evidence@500', 'evidence@2000', 'recall@10', 'kept', 'calls', 'sentTokens', 'models'];

interface RunResult {
  kind: 'run';
  commit: string;
  header: RunHeader;
  figures: Figure[];
  compared: Compared[];
  abstention: number | null;
}

interface PeersResult {
  kind: 'peers';
  commit: string;
  dataset: string;
  conversations: number;
  questions: number;
  /** The number of turns about other topics before each conversation. */
  ballast?: number;
  embedder: string;
  machine: string;
  date: string;
  command: string;
  peers: {
    name: string;
    figures: Record<string, Estimate>;
    add: { p50: number };
    search: { p50: number; p95: number };
    /** The times of the same questions, asked again when the process has run for a while. */
    again?: { p50: number; p95: number };
  }[];
}

/** The measurements of a script of this folder. */
interface SpeedResult {
  kind: 'speed';
  commit: string;
  command: string;
  machine: string;
  node: string;
  date: string;
  /** The load averages of the minute before the run and of its last minute. */
  load: [number, number];
  tables: BenchTable[];
}

const { values, positionals } = parseArgs({
  options: { commit: { type: 'string', default: '' }, measure: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
});
for (const line of values.measure) {
  const [name = '', ...words] = line.split(' ');
  writeFileSync(join(RESULTS, `speed-${name}.json`), `${JSON.stringify(measured(name, words), null, 1)}\n`);
}

/** Runs a benchmark of this folder, and returns the tables that it reports. */
function measured(name: string, words: readonly string[]): SpeedResult {
  const folder = mkdtempSync(join(tmpdir(), 'varve-benchmarks-'));
  const file = join(folder, 'tables.jsonl');
  writeFileSync(file, '');
  const before = loadavg()[0] ?? Number.NaN;
  execFileSync(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...words], {
    env: { ...process.env, BENCH_TABLES: file },
    stdio: 'inherit',
  });
  const tables = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BenchTable);
  rmSync(folder, { recursive: true, force: true });
  return {
    kind: 'speed',
    commit: values.commit,
    command: ['node', `bench/${name}.ts`, ...words].join(' '),
    machine: `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}`,
    node: process.version,
    date: new Date().toISOString(),
    load: [before, loadavg()[0] ?? Number.NaN],
    tables,
  };
}

for (const file of positionals) {
  const name = basename(file).replace(/\.jsonl?$/, '');
  writeFileSync(
    join(RESULTS, `${name}.json`),
    `${JSON.stringify({ ...resultOf(file), commit: values.commit }, withoutNaN, 1)}\n`,
  );
}

function resultOf(file: string): object {
  if (!file.endsWith('.jsonl')) return JSON.parse(readFileSync(file, 'utf8')) as object;
  const run = readRun(file);
  const [base = 'all'] = run.header.arms;
  return {
    kind: 'run',
    header: run.header,
    // The page shows the figures of the first arm, and the differences of the others in the most informative metrics.
    figures: figuresOf(run).filter(({ arm }) => arm === base),
    compared: compareArms(run).filter(({ metric }) => TELLING.includes(metric)),
    abstention: abstentionOf(run).find(({ arm }) => arm === base)?.area ?? null,
  };
}

/** Leaves out NaN, which JSON does not have, and rounds to five digits, because no figure here is more precise. */
function withoutNaN(_key: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  return Number.isNaN(value) ? undefined : Number(value.toPrecision(5));
}

const withNaN = <Known extends Partial<Estimate>>(known: Known): Known & Estimate => ({
  ...known,
  mean: known.mean ?? Number.NaN,
  low: known.low ?? Number.NaN,
  high: known.high ?? Number.NaN,
  items: known.items ?? 0,
  conversations: known.conversations ?? 0,
});

const results = readdirSync(RESULTS)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => JSON.parse(readFileSync(join(RESULTS, name), 'utf8')) as RunResult | PeersResult | SpeedResult);
const runs = results.filter((result) => result.kind === 'run');
const peers = results.filter((result) => result.kind === 'peers');
const speeds = results.filter((result) => result.kind === 'speed');

function runSection({ header, figures, abstention, commit }: RunResult): string {
  const [base = 'all'] = header.arms;
  const rows = figures
    .filter(({ arm, metric }) => arm === base && metric !== 'confidence')
    .map((figure) => {
      const { title = figure.metric, better = 'none', measure = '' } = METRICS[figure.metric] ?? {};
      const way = { higher: '↑', lower: '↓', none: '' }[better];
      return `| ${measure} | ${title} ${way} | ${shownWithInterval(figure.metric, withNaN(figure))} | ${figure.items} |`;
    });
  return [
    `### ${header.dataset}: \`${header.command}\``,
    '',
    provenance(commit, header.startedAt, header.machine),
    `${header.conversations.length} conversations, ${header.model === 'local' ? 'without a language model' : header.model}, embedder ${header.embedder}. ${header.faults.join(' ')}`.trim(),
    '',
    '| measure | metric | mean (95 % interval) | items |',
    '| --- | --- | --- | --- |',
    ...rows,
    ...(abstention === null
      ? []
      : ['', `Area under the abstention curve: ${shown('mrr', abstention)} (.500 is chance).`]),
  ].join('\n');
}

function provenance(commit: string, date: string, machine: string): string {
  return `${date.slice(0, 10)}, ${machine}${commit === '' ? '' : `, commit ${commit}`}.`;
}

function ablationSection({ header, compared, commit }: RunResult): string {
  const shownMetrics = TELLING.filter((metric) => compared.some((each) => each.metric === metric));
  const differs = (arm: string): boolean =>
    ARMS[arm] !== undefined ||
    compared.some(
      (each) => each.arm === arm && Math.abs(each.difference.mean) >= 0.0005 && shownMetrics.includes(each.metric),
    );
  const all = [...new Set(compared.map(({ arm }) => arm))];
  const arms = all.filter(differs);
  const same = all.filter((arm) => !differs(arm));
  const cell = (arm: string, metric: string): string => {
    const found = compared.find((each) => each.arm === arm && each.metric === metric);
    if (found === undefined) return '';
    const change = withNaN(found.difference);
    const sure = found.verdict === 'same' ? '' : '**';
    return `${sure}${signed(metric, change.mean)}${sure} (${signed(metric, change.low)} to ${signed(metric, change.high)})`;
  };
  return [
    `### Ablations on ${header.dataset}: \`${header.command}\``,
    '',
    `${provenance(commit, header.startedAt, header.machine)} Differences from the arm with all signals; bold if the difference is significant (p < .05).`,
    '',
    `| arm | ${shownMetrics.map((metric) => METRICS[metric]?.title).join(' | ')} |`,
    `| --- | ${shownMetrics.map(() => '---').join(' | ')} |`,
    ...arms.map(
      (arm) => `| ${ARMS[arm]?.about ?? arm} | ${shownMetrics.map((metric) => cell(arm, metric)).join(' | ')} |`,
    ),
    ...(same.length === 0 ? [] : ['', `No difference: ${same.join(', ')}.`]),
  ].join('\n');
}

function peersSection({
  dataset,
  conversations,
  questions,
  ballast = 0,
  embedder,
  machine,
  date,
  command,
  commit,
  peers: found,
}: PeersResult): string {
  const metrics = Object.keys(found[0]?.figures ?? {});
  return [
    `### Compared with others: \`${command}\``,
    '',
    `${provenance(commit, date, machine)} ${dataset}, ${conversations} conversations, ${questions} questions, by turns${ballast === 0 ? '' : ` among ${ballast.toLocaleString('en')} others`}, embedder ${embedder} for all.`,
    '',
    `| | ${metrics.map((metric) => METRICS[metric]?.title).join(' | ')} | add a turn, p50 | search p50 / p95 | asked again p50 / p95 |`,
    `| --- | ${metrics.map(() => '---').join(' | ')} | --- | --- | --- |`,
    ...found.map(
      ({ name, figures, add, search, again }) =>
        `| ${name} | ${metrics.map((metric) => shownWithInterval(metric, withNaN(figures[metric] ?? {}))).join(' | ')} | ${add.p50.toFixed(1)} ms | ${search.p50.toFixed(1)} / ${search.p95.toFixed(1)} ms | ${again === undefined ? '–' : `${again.p50.toFixed(1)} / ${again.p95.toFixed(1)} ms`} |`,
    ),
  ].join('\n');
}

function speedSection({ command, commit, date, machine, node, load, tables }: SpeedResult): string {
  const busy = `load ${load.map((each) => each.toFixed(1)).join(' before, ')} after`;
  return [
    `### \`${command}\``,
    '',
    `${provenance(commit, date, machine)} Node ${node.slice(1)}, ${busy}.`,
    ...tables.flatMap(({ title, header, rows, note }) => [
      '',
      `**${title}.** ${note}`.trim(),
      '',
      `| ${header.join(' | ')} |`,
      `| ${header.map(() => '---').join(' | ')} |`,
      ...rows.map((row) => `| ${header.map((_, column) => row[column] ?? '').join(' | ')} |`),
    ]),
  ].join('\n');
}

/** The unfavourable results: better arms, better peers, weak figures and missed goals of speed. */
function losses(): string[] {
  const better = runs.flatMap(({ compared }) =>
    compared
      .filter(({ metric, verdict, arm }) => verdict === 'better' && TELLING.includes(metric) && ARMS[arm] !== undefined)
      .map(
        ({ arm, metric, before, after }) =>
          `${METRICS[metric]?.title}: ${shown(metric, before.mean)}, but ${shown(metric, after.mean)} with ${ARMS[arm]?.about}.`,
      ),
  );
  const beaten = peers.flatMap(({ peers: found, dataset }) => {
    const [own, ...others] = found;
    return others.flatMap(({ name, figures }) =>
      Object.entries(figures)
        .filter(([metric, { mean }]) => mean > (own?.figures[metric]?.mean ?? 0))
        .map(
          ([metric, { mean }]) =>
            `${METRICS[metric]?.title} on ${dataset}: ${shown(metric, own?.figures[metric]?.mean ?? Number.NaN)}, ${name} ${shown(metric, mean)}.`,
        ),
    );
  });
  const weak = runs.flatMap(({ figures, header }) =>
    figures
      .filter(
        ({ metric, mean, arm }) =>
          arm === header.arms[0] &&
          ((metric === 'overhead' && mean > 1) ||
            (metric === 'stale' && mean > 0.3) ||
            (metric === 'silentOnUnanswerable' && mean < 0.3)),
      )
      .map(
        ({ metric, mean }) =>
          `${METRICS[metric]?.title} on ${header.dataset}: ${shown(metric, mean)}. ${METRICS[metric]?.definition}`,
      ),
  );
  const slow = speeds.flatMap(({ tables, load }) =>
    tables.flatMap(({ title, header, rows }) =>
      rows.flatMap((row) => {
        const place = row.findIndex((cell) => cell.endsWith(MISSED));
        return place < 0
          ? []
          : [
              `${title}, ${row[0]}: ${header[1]} ${row[1]}, wanted ${row[place]?.slice(0, -MISSED.length)} (at load ${Math.max(...load).toFixed(0)}).`,
            ];
      }),
    ),
  );
  return [...new Set([...better, ...beaten, ...weak, ...slow])];
}

const written = [
  '# Benchmarks',
  '',
  '`npm run benchmarks` writes this page from the figures in `bench/results`. Every figure has its interval, its command, the machine and',
  'the day. Intervals are 95 %, by bootstrap over conversations. `docs/evaluate.md` explains each number and how to measure your own. The',
  'local reader and the ranking were trained on lives of `train/lives`, among other data, so their figures on lives are too good:',
  '`train/selector/report.md` has the figures of held-out folds. Other data sets are not in the repository; their path is an argument.',
  '',
  '## Quality',
  '',
  [
    ...runs.filter(({ header }) => !header.signals).map(runSection),
    ...runs.filter(({ header }) => header.arms.length > 1).map(ablationSection),
    ...peers.map(peersSection),
  ].join('\n\n'),
  '',
  '## Speed',
  '',
  'The machine has two cores, which other programs share. The load with each table is the number of running programs: 2 means that both',
  'cores are busy, 20 that everything takes ten times as long. Ratios within a table depend less on the load. Intervals are those of the',
  'median.',
  '',
  speeds.map(speedSection).join('\n\n'),
  '',
  '## Where we lose',
  '',
  ...losses().map((line) => `- ${line}`),
  '',
].join('\n');
writeFileSync(PAGE, written);
execFileSync(join(ROOT, 'node_modules/.bin/oxfmt'), [RESULTS], { stdio: 'ignore' });
console.log(
  `${PAGE}: ${runs.length} runs, ${peers.length} comparisons with peers, ${speeds.length} benchmarks of speed`,
);
