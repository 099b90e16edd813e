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
import { LOCAL_EMBEDDER_ID } from '../src/models/local-embedder/local-embedder.ts';
import { shown, shownWithInterval } from '../src/evaluate/figures.ts';
import { signed } from '../src/evaluate/report.ts';
import { MISSED, type BenchTable } from './measure.ts';

const ROOT = join(import.meta.dirname, '..');
const RESULTS = join(ROOT, 'bench/results');
const PAGE = join(ROOT, 'docs/benchmarks.md');
/** The part of the page that is written by hand. */
const SUMMARY = join(import.meta.dirname, 'summary.md');
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
    command: ['npx node', `bench/${name}.ts`, ...words].join(' '),
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
    `${header.conversations.length} conversations, ${readerName(header.model)}, embedder ${embedderName(header.embedder)}. ${header.faults.join(' ')}`.trim(),
    '',
    '| measure | metric | mean (95 % interval) | items |',
    '| --- | --- | --- | --- |',
    ...rows,
    ...(abstention === null
      ? []
      : ['', `Area under the abstention curve: ${shown('mrr', abstention)} (.500 is chance).`]),
  ].join('\n');
}

function readerName(model: string): string {
  if (model === 'local') return 'without a language model';
  return model.startsWith('recorded:') ? 'with answers that people wrote in place of a model' : model;
}

function embedderName(id: string): string {
  return id === LOCAL_EMBEDDER_ID ? id : `${id} (an earlier version)`;
}

function provenance(commit: string, date: string, machine: string): string {
  return `${date.slice(0, 10)}, ${machine}${commit === '' ? '' : `, commit ${commit}`}.`;
}

function ablationSection({ header, compared, commit }: RunResult): string {
  const shownMetrics = TELLING.filter((metric) => compared.some((each) => each.metric === metric));
  const differs = (arm: string): boolean =>
    compared.some((each) => each.arm === arm && each.verdict !== 'same' && shownMetrics.includes(each.metric));
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
    `${provenance(commit, header.startedAt, header.machine)} Differences from the whole product; bold if the difference is significant (p < .05).`,
    '',
    `| variant | ${shownMetrics.map((metric) => METRICS[metric]?.title).join(' | ')} |`,
    `| --- | ${shownMetrics.map(() => '---').join(' | ')} |`,
    ...arms.map(
      (arm) => `| ${ARMS[arm]?.about ?? arm} | ${shownMetrics.map((metric) => cell(arm, metric)).join(' | ')} |`,
    ),
    ...(same.length === 0 ? [] : ['', `No significant difference: ${listed(same).join('; ')}.`]),
  ].join('\n');
}

/** Names the arms, and counts those that leave out one signal or one search. */
function listed(arms: readonly string[]): string[] {
  const named = arms.flatMap((arm) => ARMS[arm]?.about ?? []);
  const others = arms.length - named.length;
  return others === 0 ? named : [...named, `${others} variants, each without one signal or one search of recall`];
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
    `${provenance(commit, date, machine)} ${dataset}, ${conversations} conversations, ${questions} questions, by turns${ballast === 0 ? '' : ` among ${ballast.toLocaleString('en')} others`}, embedder ${embedderName(embedder)} for all.`,
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
  const weak = new Map<string, string[]>();
  for (const { figures, header } of runs) {
    for (const { metric, mean, arm } of figures) {
      const isWeak =
        (metric === 'overhead' && mean > 1) ||
        (metric === 'stale' && mean > 0.3) ||
        (metric === 'silentOnUnanswerable' && mean < 0.3);
      if (!isWeak || arm !== header.arms[0]) continue;
      const said = `${shown(metric, mean)} on ${header.conversations.length} ${header.dataset}`;
      weak.set(metric, [...(weak.get(metric) ?? []), said]);
    }
  }
  const weakest = [...weak].map(
    ([metric, said]) => `${METRICS[metric]?.title}: ${said.join(', ')}. ${METRICS[metric]?.definition}`,
  );
  const slow = speeds.flatMap(({ tables }) =>
    tables.flatMap(({ title, rows }) => {
      const missed = rows.filter((row) => row.some((cell) => cell.endsWith(MISSED))).map(([name]) => name);
      return missed.length === 0 ? [] : [`${title}, goals that were missed: ${missed.join('; ')}.`];
    }),
  );
  return [...new Set([...better, ...beaten, ...weakest, ...slow])];
}

const written = [
  '# Benchmarks',
  '',
  'This page has all figures of quality and speed. First comes a summary; the tables behind it follow, each with its command, machine and',
  'day. Intervals are 95 %, by bootstrap over conversations. [Evaluate](evaluate.md) explains the numbers and how to measure your own.',
  '',
  readFileSync(SUMMARY, 'utf8'),
  '## Quality',
  '',
  'The local reader and the ranking were trained on lives, among other data, so their figures on lives in this chapter are too good. The',
  'summary leaves each conversation out of the training unless it says otherwise. `npm run benchmarks` writes this page.',
  '',
  [
    // Of a run that compares variants, only the differences are shown.
    ...runs.filter(({ header }) => header.arms.length === 1).map(runSection),
    ...runs.filter(({ header }) => header.arms.length > 1).map(ablationSection),
    ...peers.map(peersSection),
  ].join('\n\n'),
  '',
  '## Speed',
  '',
  'The machine has two cores, which other programs share. The load with each table is the number of running programs; at 2, both cores are',
  'busy. Ratios within a table depend less on the load. Intervals are those of the median.',
  '',
  speeds.map(speedSection).join('\n\n'),
  '',
  '## Where we lose',
  '',
  ...losses().map((line) => `- ${line}`),
  '',
].join('\n');
// Intervals are shorter with a dash, but a dash beside a minus sign is hard to read.
writeFileSync(PAGE, written.replaceAll(/\(([\d.,]+)(?: (ms|µs))? to ([\d.,]+(?: \2)?)\)/g, '($1–$3)'));
execFileSync(join(ROOT, 'node_modules/.bin/oxfmt'), [RESULTS], { stdio: 'ignore' });
console.log(
  `${PAGE}: ${runs.length} runs, ${peers.length} comparisons with peers, ${speeds.length} benchmarks of speed`,
);
