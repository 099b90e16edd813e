import { cpus } from 'node:os';
import { invalidInput } from '../errors.ts';
import { asLanguageModel } from '../models/create-language-model.ts';
import type { LanguageModel } from '../models/language-model.ts';
import { LOCAL_EMBEDDER_ID } from '../models/local-embedder/local-embedder.ts';
import type { VarveOptions } from '../varve.ts';
import { type Arm, ARMS, groupArms, whyNot } from './arms.ts';
import type { Conversation, Dataset } from './conversation.ts';
import { measureConsolidation, measureEndToEnd } from './judge.ts';
import { measureCost, measureExtraction, measureScaffold } from './measure-extraction.ts';
import { type AskOptions, measureRetrieval, measureSignals, watchColdStart } from './measure-questions.ts';
import { replay, type Replay } from './replay.ts';
import { type Found, MEASURES, type Measure, type Row } from './row.ts';
import { openRun, readRun, type Run, type RunHeader } from './run-file.ts';
export type { AskOptions };

/** The options of {@link evaluate}. */
export interface EvaluateOptions {
  dataset: Dataset;
  /** The measures to run. Default: all. */
  measures?: readonly Measure[];
  /** Names of {@link ARMS}. Default: `all` alone. */
  arms?: readonly string[];
  /** Also runs an ablation for each signal and each arm of recall. Default false. */
  signals?: boolean;
  /** The options of createVarve() for every replay. The harness sets the clock, and the store unless you pass one. */
  varve?: VarveOptions;
  /** The model that answers questions and judges answers; null for none. Default: the language model of `varve`. */
  judge?: LanguageModel | null;
  /** The file for the rows. A stopped run resumes from its file. */
  file?: string;
  /** Starts over even if the file already contains a run. */
  afresh?: boolean;
  seed?: number;
  /** The command that repeats the run, shown in the report. */
  command?: string;
  version?: string;
  onProgress?(progress: Progress): void;
  signal?: AbortSignal;
}

/** The progress of a run. */
export interface Progress {
  done: number;
  of: number;
  conversation: string;
  /** The estimated remaining time in milliseconds; null at the beginning. */
  left: number | null;
}

/** Replays and measures every conversation. The same data, settings and seed give the same rows. */
export async function evaluate(options: EvaluateOptions): Promise<Run> {
  const { dataset, file, signal, onProgress } = options;
  const header = headerOf(options);
  const writer = file === undefined ? null : openRun(file, header, { afresh: options.afresh });
  const rows: Row[] = [...(writer?.earlier?.rows ?? [])];
  const done = new Set(writer?.earlier?.done ?? []);
  const total = dataset.conversations.length;
  const open = dataset.conversations.filter(({ id }) => !done.has(id));
  const sizes = open.map(sizeOf);
  const started = performance.now();
  let finished = 0;
  for (const [index, conversation] of open.entries()) {
    signal?.throwIfAborted();
    const rest = sizes.slice(index).reduce((sum, size) => sum + size, 0);
    const left = finished === 0 ? null : ((performance.now() - started) / finished) * rest;
    onProgress?.({ done: done.size, of: total, conversation: conversation.id, left });
    const found = await evaluateConversation(conversation, { ...options, header });
    writer?.append(conversation.id, found);
    rows.push(...found);
    done.add(conversation.id);
    finished += sizes[index] ?? 0;
  }
  onProgress?.({ done: total, of: total, conversation: '', left: 0 });
  return file === undefined ? { header, rows, done: [...done] } : readRun(file);
}

function sizeOf({ sessions, questions, facts }: Conversation): number {
  return sessions.reduce((sum, { turns }) => sum + turns.length, 0) + questions.length + facts.length + 1;
}

function headerOf(options: EvaluateOptions): RunHeader {
  const { dataset, measures = MEASURES, arms = ['all'], varve = {}, seed = 1, command = '', version = '' } = options;
  const unknown = arms.find((name) => !Object.hasOwn(ARMS, name));
  if (unknown !== undefined)
    throw invalidInput(`There is no arm ${JSON.stringify(unknown)}. Give one of: ${Object.keys(ARMS).join(', ')}.`);
  const model = asLanguageModel(varve.languageModel) ?? options.judge ?? null;
  const reason = arms.map((name) => whyNot(name, model)).find((each) => each !== null);
  if (reason !== undefined) throw invalidInput(reason);
  return {
    kind: 'run',
    dataset: dataset.name,
    conversations: dataset.conversations.map(({ id }) => id),
    arms: [...arms],
    signals: options.signals ?? false,
    measures: [...measures],
    seed,
    model: model === null ? 'local' : [...new Set([model.modelOf('read'), model.modelOf('profile')])].join(', '),
    embedder: varve.embedder === null ? 'none' : (varve.embedder?.id ?? LOCAL_EMBEDDER_ID),
    faults: dataset.faults,
    varve: version,
    node: process.version,
    machine: `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}`,
    startedAt: new Date().toISOString(),
    command,
  };
}

/** Arms with the same store share a replay. */
async function evaluateConversation(
  conversation: Conversation,
  options: EvaluateOptions & { header: RunHeader },
): Promise<Row[]> {
  const { header, varve = {} } = options;
  const judge = options.judge === undefined ? asLanguageModel(varve.languageModel) : options.judge;
  const wanted = new Set(header.measures);
  const rows: Row[] = [];
  for (const group of groupArms(header.arms)) {
    const add = (arm: string, found: readonly Found[]): void => {
      for (const row of found) if (wanted.has(row.measure)) rows.push({ conversation: conversation.id, arm, ...row });
    };
    const [leading = 'all'] = group.names;
    const askOf = (name: string): AskOptions => ARMS[name]?.ask ?? {};
    const coldStart = wanted.has('cold-start') ? watchColdStart(askOf(leading)) : null;
    const askAll = async (state: Replay, after: string | null): Promise<void> => {
      for (const question of conversation.questions.filter((one) => one.after === after)) {
        if (options.signals && group.names.includes('all'))
          for (const { arm, ...row } of await measureSignals(state, question)) add(arm, [row]);
        for (const name of group.names) {
          // Without options for recall, an arm's results equal those of the first arm in its group.
          if (wanted.has('retrieval') && (name === leading || askOf(name).recall !== undefined))
            add(name, await measureRetrieval(state, question, askOf(name)));
          if (wanted.has('end-to-end')) add(name, await measureEndToEnd(state, question, askOf(name), judge));
        }
      }
    };
    await replay(conversation, optionsOf(varve, group), {
      ...(coldStart === null ? {} : { afterTurn: coldStart.afterTurn }),
      afterSession: (state, session) => askAll(state, session.id),
      async atEnd(state) {
        await askAll(state, null);
        if (wanted.has('extraction'))
          add(leading, [...(await measureExtraction(state)), ...(await measureCost(state))]);
        if (wanted.has('scaffold')) add(leading, await measureScaffold(state));
        if (wanted.has('consolidation')) add(leading, await measureConsolidation(state, judge));
        if (coldStart !== null) add(leading, coldStart.rows());
      },
    });
  }
  return rows;
}

function optionsOf(
  varve: VarveOptions,
  { varve: change, oneModelOf }: Pick<Arm, 'varve' | 'oneModelOf'>,
): VarveOptions {
  const languageModel =
    oneModelOf === undefined ? undefined : asLanguageModel(varve.languageModel)?.withOneModel?.(oneModelOf);
  return { ...merged(varve, change), ...(languageModel === undefined ? {} : { languageModel }) };
}

function merged(base: VarveOptions, change: VarveOptions): VarveOptions {
  const isPlain = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  const join = (one: unknown, other: unknown): unknown =>
    isPlain(one) && isPlain(other)
      ? { ...one, ...Object.fromEntries(Object.entries(other).map(([key, value]) => [key, join(one[key], value)])) }
      : other;
  return join({ ...base }, change) as VarveOptions;
}

export { ARMS, whyNot, type Arm };
export type { Conversation, Dataset };
export type { ExpectedMemory, Question, Session, Turn, Role, StoredFact } from './conversation.ts';
export { createBaselines, BASELINES, type Baseline, type BaselineDocument } from './baselines.ts';
export { DATASETS, loadDataset, type DatasetChoice, type DatasetName } from './datasets/load-dataset.ts';
export { abstentionOf, compareArms, compareRuns, figuresOf } from './figures.ts';
export type { Abstention, Compared, Figure } from './figures.ts';
export { checkFloors, type Floor, type MissedFloor } from './floors.ts';
export { abstentionArea, abstentionCurve, ndcgAt, precisionAt, recallAt, reciprocalRank } from './metrics.ts';
export type { AbstentionPoint } from './metrics.ts';
export { replay, type Replay };
export type { ReplayHooks } from './replay.ts';
export { htmlReport } from './report.ts';
export { MEASURES, METRICS, type Measure, type Metric, type Row } from './row.ts';
export { readRun, type Run, type RunHeader };
export { difference, estimate } from './statistics.ts';
export type { Difference, Estimate, Observation, ResamplingOptions } from './statistics.ts';
