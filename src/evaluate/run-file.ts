import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { invalidInput, messageOf } from '../errors.ts';
import { MEASURES, type Row } from './row.ts';

/** The first line of a run's file. Runs on the same data set can be compared. */
export interface RunHeader {
  kind: 'run';
  dataset: string;
  /** The conversations, in the order in which they are replayed. */
  conversations: string[];
  arms: string[];
  /** Whether the run also measured recall without each of its signals. */
  signals: boolean;
  measures: string[];
  seed: number;
  /** The language models that read and write documents, or `local`. */
  model: string;
  embedder: string;
  /** What the loader corrected, as sentences. */
  faults: string[];
  varve: string;
  node: string;
  machine: string;
  startedAt: string;
  /** The command that reproduces the figures. */
  command: string;
}

/** A run as it is stored in its file. */
export interface Run {
  header: RunHeader;
  rows: Row[];
  /** The conversations whose rows are complete. */
  done: string[];
}

const rowSchema = z.object({
  conversation: z.string(),
  arm: z.string(),
  measure: z.enum(MEASURES),
  item: z.string(),
  kind: z.string(),
  values: z.record(z.string(), z.number()),
  detail: z.record(z.string(), z.unknown()).optional(),
});

const headerSchema: z.ZodType<RunHeader> = z.object({
  kind: z.literal('run'),
  dataset: z.string(),
  conversations: z.array(z.string()),
  arms: z.array(z.string()),
  signals: z.boolean().default(false),
  measures: z.array(z.string()),
  seed: z.number(),
  model: z.string(),
  embedder: z.string(),
  faults: z.array(z.string()),
  varve: z.string(),
  node: z.string(),
  machine: z.string(),
  startedAt: z.string(),
  command: z.string(),
});

/** Reads the file of a run, without the rows of an unfinished conversation. */
export function readRun(file: string): Run {
  if (!existsSync(file))
    throw invalidInput(`There is no run at ${file}. Give the .jsonl file that varve eval has written.`);
  const lines = readFileSync(file, 'utf8').split('\n');
  // A run that was killed may end in the middle of a line.
  const whole = lines.slice(0, -1).filter((line) => line !== '');
  try {
    const [first = '', ...others] = whole;
    const header = headerSchema.parse(JSON.parse(first));
    const parsed = others.map((line) => JSON.parse(line) as { done?: string });
    const done = parsed.flatMap((line) => line.done ?? []);
    const rows = parsed
      .filter((line) => line.done === undefined)
      .map((line) => rowSchema.parse(line) as Row)
      .filter(({ conversation }) => done.includes(conversation));
    return { header, rows, done };
  } catch (cause) {
    throw invalidInput(`${file} is not the file of a run: ${messageOf(cause)}`);
  }
}

function settingsOf(header: RunHeader): string {
  const { startedAt: _startedAt, machine: _machine, node: _node, command: _command, ...settings } = header;
  return JSON.stringify(settings);
}

interface RunWriter {
  readonly earlier: Run | null;
  append(conversation: string, rows: readonly Row[]): void;
}

/** Resumes an unfinished run with the same settings. With other settings, throws `invalid_input`, unless `afresh` is set. */
export function openRun(file: string, header: RunHeader, { afresh = false }: { afresh?: boolean } = {}): RunWriter {
  mkdirSync(dirname(file), { recursive: true });
  const earlier = !afresh && existsSync(file) ? readRun(file) : null;
  if (earlier !== null && settingsOf(earlier.header) !== settingsOf(header)) {
    throw invalidInput(`${file} has a run with other settings. Start over with --afresh, or name another folder.`);
  }
  // Rewritten without the rows of an unfinished conversation, which would otherwise be in the file twice.
  const linesOf = (conversation: string, rows: readonly Row[]): string =>
    [...rows, { done: conversation }].map((row) => `${JSON.stringify(row)}\n`).join('');
  const kept = (earlier?.done ?? []).map((conversation) =>
    linesOf(conversation, earlier?.rows.filter((row) => row.conversation === conversation) ?? []),
  );
  writeFileSync(`${file}.part`, `${JSON.stringify(earlier?.header ?? header)}\n${kept.join('')}`);
  renameSync(`${file}.part`, file);
  return { earlier, append: (conversation, rows) => appendFileSync(file, linesOf(conversation, rows)) };
}
