import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ARMS, DATASETS, evaluate, loadDataset, MEASURES, METRICS, readRun, whyNot } from '../../evaluate/evaluate.ts';
import type { DatasetName, Measure, Progress, Run } from '../../evaluate/evaluate.ts';
import { abstentionOf, compareArms, compareRuns, figuresOf, shown, shownWithInterval } from '../../evaluate/figures.ts';
import type { Compared, Figure } from '../../evaluate/figures.ts';
import { checkFloors, type MissedFloor, readFloors } from '../../evaluate/floors.ts';
import { htmlReport, signed } from '../../evaluate/report.ts';
import { asLanguageModel } from '../../models/create-language-model.ts';
import { EXIT, UsageError, version, type Command, type CommandInput } from '../command.ts';
import { flag, listOption, oneOf, textOption, valued, wholeOption } from '../command.ts';
import { readConfig } from '../open-memory.ts';
import { table } from '../output.ts';

const WHAT = ['all', ...MEASURES, 'ablations', 'compare', 'report', 'datasets'];

export const evalCommand: Command = {
  usage: `eval [${WHAT.join('|')}]`,
  help: 'Replays conversations in a temporary memory and measures, with confidence intervals, what is kept, what is found and what reaches the prompt. Without a language model nothing leaves this machine; a model in --config reads, answers and judges. A run that was stopped is resumed. `eval compare A B` shows the differences between two runs and whether they are significant.',
  options: {
    dataset: valued('name', `${Object.keys(DATASETS).join(', ')} (default lives)`),
    path: valued('path', 'the path of the data set; in a checkout of Varve, lives needs none'),
    only: valued('ids', 'only these conversations', { multiple: true }),
    limit: valued('number', 'the most conversations, chosen by the seed'),
    seed: valued('number', 'the random seed of the sample and the intervals (default 1)'),
    arms: valued('names', `the arms of ablations: ${Object.keys(ARMS).join(', ')}`, { multiple: true }),
    out: valued('folder', 'the folder for the rows and the report (default varve-eval)'),
    name: valued('name', 'the name of the files (default: the data set and the measure)'),
    floors: valued('file', 'exit with code 1 when a figure is worse than in this file'),
    afresh: flag('start over instead of resuming a run'),
  },
  examples: [
    'varve eval extraction --dataset expectations --path node_modules/varve/examples/transcripts.json',
    'varve eval --limit 5 --path ../varve/train/lives',
    'varve eval ablations --limit 10 --out ablations',
    'varve eval compare before/lives-all.jsonl after/lives-all.jsonl',
  ],
  async run(input) {
    const [what = 'all', ...words] = input.words;
    oneOf('measurement', WHAT, what);
    if (what === 'compare') return compare(input, words);
    if (what === 'report') return report(input, words);
    if (what === 'datasets') return datasets(input);
    return measure(input, what);
  },
};

async function measure(input: CommandInput, what: string): Promise<number> {
  const isAblation = what === 'ablations';
  const arms = listOption(input, 'arms') ?? (isAblation ? undefined : ['all']);
  const configured = await readConfig(input);
  const varve = process.env['VARVE_EMBEDDER'] === 'none' ? { ...configured, embedder: null } : configured;
  const seed = wholeOption(input, 'seed', 0, 2 ** 31) ?? 1;
  const dataset = loadDataset({
    name: (textOption(input, 'dataset') ?? 'lives') as DatasetName,
    path: textOption(input, 'path'),
    only: listOption(input, 'only'),
    limit: wholeOption(input, 'limit', 1, 1_000_000),
    seed,
  });
  const name = textOption(input, 'name') ?? `${dataset.name}-${what}`;
  const file = join(resolve(textOption(input, 'out') ?? 'varve-eval'), `${name}.jsonl`);
  const progress = watch(input);
  const run = await evaluate({
    dataset,
    measures: measuresOf(what),
    arms: arms ?? Object.keys(ARMS).filter((arm) => whyNot(arm, asLanguageModel(varve.languageModel)) === null),
    signals: isAblation,
    varve,
    file,
    afresh: input.options['afresh'] === true,
    seed,
    command: commandOf(input, what),
    version: version(),
    onProgress: progress.to,
  });
  progress.end();
  return answer(input, run, file);
}

function measuresOf(what: string): Measure[] {
  if (what === 'all') return [...MEASURES];
  return what === 'ablations' ? MEASURES.filter((measure) => measure !== 'cold-start') : [what as Measure];
}

function watch({ output }: CommandInput): { to(progress: Progress): void; end(): void } {
  const bar = output.progress('conversations');
  return {
    to({ done, of, conversation, left }) {
      const rest = left === null || conversation === '' ? '' : `about ${duration(left)} left`;
      bar.to(done, done / of, `of ${of}  ${conversation}  ${rest}`);
      if (!process.stderr.isTTY && conversation !== '')
        output.note(`${done + 1} of ${of}: ${conversation} ${rest}`.trim());
    },
    end: () => bar.end(),
  };
}

function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function commandOf({ options }: CommandInput, what: string): string {
  const said = ['dataset', 'path', 'only', 'limit', 'seed', 'arms', 'config'].flatMap((name) => {
    const value = options[name];
    if (value === undefined) return [];
    return [`--${name} ${Array.isArray(value) ? value.join(',') : String(value)}`];
  });
  return ['varve eval', what, ...said].join(' ');
}

async function answer(input: CommandInput, run: Run, file: string): Promise<number> {
  const page = file.replace(/\.jsonl$/, '.html');
  writeFileSync(page, htmlReport(run));
  const figures = figuresOf(run);
  const compared = compareArms(run);
  const abstention = abstentionOf(run);
  const floors = textOption(input, 'floors');
  const missed = floors === undefined ? [] : checkFloors(run, readFloors(floors));
  const isFirst = ({ arm }: { arm: string }): boolean => arm === run.header.arms[0];
  const telling = compared.filter(({ metric }) => TELLING.has(metric));
  await input.output.answer({ header: run.header, figures, abstention, compared, missed, report: page }, () =>
    [
      ...run.header.faults,
      figureTable(figures.filter(isFirst)),
      ...abstention
        .filter(isFirst)
        .map(
          ({ area }) =>
            `\nArea under the abstention curve: ${shown('mrr', area)} (.500 is chance); the curve is in the report.`,
        ),
      ...(compared.length === 0 ? [] : ['', comparedTable(telling, true)]),
      ...missed.map((each) => input.output.style('red', missedText(each))),
      `\nrows: ${file}\nreport: ${page}`,
    ].join('\n'),
  );
  return missed.length > 0 ? EXIT.failed : EXIT.ok;
}

function missedText({ metric, floor, value }: MissedFloor): string {
  const { title = metric, better } = METRICS[metric] ?? {};
  if (Number.isNaN(value)) return `${title} was not measured; its floor is ${shown(metric, floor)}.`;
  return `${title} is ${shown(metric, value)}: ${better === 'lower' ? 'over' : 'under'} its floor of ${shown(metric, floor)}.`;
}

const TELLING = new Set(
  'kept stale right recall@10 ndcg@5 evidence@500 evidence@2000 correct calls sentTokens cost'.split(' '),
);

function figureTable(figures: readonly Figure[]): string {
  return table([
    ['measure', 'metric', 'mean (95 % interval)', 'items'],
    ...figures.map((figure) => {
      const { measure = '', title = '', better = 'none' } = METRICS[figure.metric] ?? {};
      const named = `${title}${better === 'lower' ? ' ↓' : ''}`;
      return [measure, named, shownWithInterval(figure.metric, figure), String(figure.items)];
    }),
  ]);
}

function comparedTable(compared: readonly Compared[], withArm: boolean): string {
  return table([
    [...(withArm ? ['arm'] : []), 'metric', 'before', 'after', 'difference (95 % interval)', 'p', ''],
    ...compared.map(({ arm, metric, before, after, difference, verdict }) => [
      ...(withArm ? [arm] : []),
      METRICS[metric]?.title ?? metric,
      shown(metric, before.mean),
      shown(metric, after.mean),
      Number.isNaN(difference.low)
        ? signed(metric, difference.mean)
        : `${signed(metric, difference.mean)} (${signed(metric, difference.low)} to ${signed(metric, difference.high)})`,
      difference.p.toFixed(3),
      verdict === 'same' ? '' : verdict,
    ]),
  ]);
}

async function compare(input: CommandInput, [one, other]: readonly string[]): Promise<number> {
  if (one === undefined || other === undefined)
    throw new UsageError('Two runs are needed: varve eval compare BEFORE.jsonl AFTER.jsonl.');
  const [before, after] = [readRun(resolve(one)), readRun(resolve(other))];
  const compared = compareRuns(before, after);
  const withArm = new Set(compared.map(({ arm }) => arm)).size > 1;
  await input.output.answer({ before: before.header, after: after.header, compared }, () =>
    comparedTable(compared, withArm),
  );
  return EXIT.ok;
}

async function report(input: CommandInput, [file]: readonly string[]): Promise<number> {
  if (file === undefined) throw new UsageError('The file of the run is missing: varve eval report RUN.jsonl.');
  const page = resolve(file).replace(/\.jsonl$/, '.html');
  writeFileSync(page, htmlReport(readRun(resolve(file))));
  await input.output.answer({ report: page }, () => page);
  return EXIT.ok;
}

async function datasets(input: CommandInput): Promise<number> {
  const known = Object.entries(DATASETS).map(([name, { about }]) => ({ name, about }));
  await input.output.answer({ datasets: known }, () => table(known.map(({ name, about }) => [name, about])));
  return EXIT.ok;
}
