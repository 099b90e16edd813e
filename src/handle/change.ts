import { z } from 'zod';
import type { Formation } from '../form/formation.ts';
import type { EraseOptions } from '../maintain/erase.ts';
import type { Event } from '../record/event.ts';
import { parse, textSchema } from '../record/parse.ts';
import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import type { Database, Writer } from '../store/database.ts';

export const changeSchema: z.ZodType<Partial<Change>, Partial<Change>> = z.strictObject({
  reason: textSchema(500).optional(),
  actor: textSchema(100).optional(),
  run: textSchema(100).nullish(),
});

/** Checks why something changes, and fills in what was left out. */
export function parseChange(change: Partial<Change> | undefined, reason: string): Change {
  return { reason, ...parse(changeSchema, change ?? {}, 'The reason for the change') };
}

/** What appending events works with. */
export interface AppendDeps {
  database: Database;
  formation: Formation;
}

/**
 * Appends events, and queues in the same transaction what follows from them. Once they are committed, rules read them;
 * that happens later, in this process, and can neither delay the caller nor fail it.
 */
export async function append<Result>(
  { database, formation }: AppendDeps,
  scope: Scope,
  work: (writer: Writer) => Promise<Result>,
  eventsOf: (result: Result) => readonly Event[],
): Promise<Result> {
  const result = await database.write(scope.tenant, async (writer) => {
    const written = await work(writer);
    await formation.afterAppend(writer, scope, eventsOf(written));
    return written;
  });
  formation.noticed(scope, eventsOf(result));
  return result;
}

/** How background work is done by hand. */
export interface RunOptions {
  /** Does everything and takes it back: the report is that of the real run. A language model is asked, and costs. */
  dryRun?: boolean;
  signal?: AbortSignal;
}

const runOptionsSchema = z.strictObject({
  dryRun: z.boolean().optional(),
  signal: z.instanceof(AbortSignal).optional(),
});

/** Checks how work is to be done. Unknown fields are refused: a misspelt `dryrun` must not be the real run. */
export function parseRunOptions(options: RunOptions | undefined): RunOptions {
  return parse(runOptionsSchema, options ?? {}, 'The options');
}

const eraseOptionsSchema = z.strictObject({
  actor: textSchema(100).optional(),
  reason: textSchema(500).optional(),
});

/** Checks who erases and why. Unknown fields are refused: they may have been meant to erase less. */
export function parseEraseOptions(options: EraseOptions | undefined): EraseOptions {
  return parse(eraseOptionsSchema, options ?? {}, 'The options');
}
