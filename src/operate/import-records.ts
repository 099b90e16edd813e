import { invalidInput, messageOf, VarveError } from '../errors.ts';
import type { FormDeps } from '../form/formation-settings.ts';
import { formImported } from '../form/formation-jobs.ts';
import { parse, withoutUndefined } from '../record/parse.ts';
import { ownerKey, type Scope, type ScopeInput } from '../record/scope.ts';
import { rolledBack, type Writer } from '../store/database.ts';
import { upgradeExported } from '../store/migrations/older-memory.ts';
import { importLine, type LineOutcome, type ImportContext } from './import-record.ts';
import { type ParsedLine, recordLineSchema } from './record-line.ts';

export interface ImportOptions {
  /** Replaces these parts of the scope in every line. The tenant is always replaced. */
  into: ScopeInput & { tenant: string };
  /** Only reports what would be imported. */
  dryRun?: boolean;
  /** Throws `outside_scope` if the caller may not write to the scope of a line. */
  check?(scope: Scope): void;
  /** Called after each batch. */
  onProgress?(report: ImportReport): void;
  signal?: AbortSignal;
}

/** The result of an import. */
export interface ImportReport {
  read: number;
  imported: Record<string, number>;
  /** The number of lines whose records were already stored, by kind. */
  known: Record<string, number>;
  rejected: number;
  /** The first hundred rejected lines, with the reasons. */
  problems: { line: number; problem: string }[];
  /** The number of imported conversations that wait for the formation of memories, by a worker, `drain()` or `varve consolidate`. */
  forming: number;
  dryRun: boolean;
}

/** A line, or a text with the reason why a part of the input could not be read. */
export type ImportItem = unknown;

const BATCH = 200;
const MOST_PROBLEMS = 100;

/** Imports one batch per transaction. A bad line is reported, and the others are imported. Idempotent. */
export async function importRecords(
  parts: FormDeps,
  lines: AsyncIterable<ImportItem> | Iterable<ImportItem>,
  options: ImportOptions,
): Promise<ImportReport> {
  const { dryRun = false } = options;
  const report: ImportReport = { read: 0, imported: {}, known: {}, rejected: 0, problems: [], forming: 0, dryRun };
  const unread = new Map<string, { scope: Scope; events: string[] }>();
  const context: ImportContext = { entities: new Map(), check: options.check ?? (() => {}) };
  let batch: { line: ParsedLine; number: number }[] = [];
  const flush = async (): Promise<void> => {
    const outcomes = await writeBatch(parts, batch, { context, options });
    for (const [index, outcome] of outcomes.entries()) {
      const { line, number } = batch[index] as (typeof batch)[number];
      if (typeof outcome !== 'string') reject(report, number, outcome);
      else report[outcome][line.record] = (report[outcome][line.record] ?? 0) + 1;
      if (outcome === 'imported') noteUnread(unread, line);
    }
    batch = [];
    options.onProgress?.(report);
  };
  for await (const item of lines) {
    options.signal?.throwIfAborted();
    report.read += 1;
    try {
      // A text is the reason why the reader could not read a part of the input.
      if (typeof item === 'string') throw invalidInput(item);
      const line = parse(recordLineSchema, upgradeExported(item), `Line ${report.read}`);
      if (line.record === 'header') continue;
      line.scope = { ...line.scope, ...withoutUndefined(options.into) };
      context.check(line.scope);
      batch.push({ line, number: report.read });
    } catch (error) {
      reject(report, report.read, error);
    }
    if (batch.length >= BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  report.forming = unread.size;
  // After the last batch, because a conversation may span several. The schedule for quiet sessions covers an interrupted import.
  if (parts.settings.facts && !report.dryRun) await formImported(parts, [...unread.values()]);
  return report;
}

function noteUnread(unread: Map<string, { scope: Scope; events: string[] }>, line: ParsedLine): void {
  if (line.record !== 'event' || line.processedAt || line.data.kind !== 'message') return;
  // `recordedAt` marks an export of Varve. Its messages without a session were read when they were logged, although `processedAt` is empty.
  if (line.scope.session === null && line.recordedAt !== undefined) return;
  const key = JSON.stringify([ownerKey(line.scope), line.scope.session]);
  const known = unread.get(key) ?? { scope: line.scope, events: [] };
  known.events.push(line.id);
  unread.set(key, known);
}

type Outcome = LineOutcome | VarveError;

async function writeBatch(
  parts: FormDeps,
  batch: readonly { line: ParsedLine }[],
  { context, options }: { context: ImportContext; options: ImportOptions },
): Promise<Outcome[]> {
  const { into, dryRun } = options;
  const work = async (writer: Writer): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const { line } of batch) outcomes.push(await importLine(writer, parts, line, context).catch(refusalOf));
    return outcomes;
  };
  return dryRun ? rolledBack(parts.database, into.tenant, work) : parts.database.write(into.tenant, work);
}

/** Throws errors that are not caused by bad input. Bad input has changed nothing, so the transaction can continue without the line. */
function refusalOf(error: unknown): VarveError {
  if (VarveError.isInstance(error, 'invalid_input') || VarveError.isInstance(error, 'outside_scope')) return error;
  throw error;
}

function reject(report: ImportReport, line: number, error: unknown): void {
  report.rejected += 1;
  if (report.problems.length < MOST_PROBLEMS) report.problems.push({ line, problem: messageOf(error) });
}
