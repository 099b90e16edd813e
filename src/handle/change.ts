import { z } from 'zod';
import type { EraseOptions } from '../maintain/erase.ts';
import { parse, textSchema } from '../record/parse.ts';
import type { Change } from '../record/revision.ts';

export const changeSchema: z.ZodType<Partial<Change>, Partial<Change>> = z.strictObject({
  reason: textSchema(500).optional(),
  actor: textSchema(100).optional(),
  run: textSchema(100).nullish(),
});

export function parseChange(change: Partial<Change> | undefined, reason: string): Change {
  return { reason, ...parse(changeSchema, change ?? {}, 'The reason for the change') };
}

/** Options of background work that an application starts itself. */
export interface RunOptions {
  /** Rolls all changes back and only reports them. Language models are still called and cost money. */
  dryRun?: boolean;
  signal?: AbortSignal;
}

const runOptionsSchema = z.strictObject({
  dryRun: z.boolean().optional(),
  signal: z.instanceof(AbortSignal).optional(),
});

/** Unknown fields throw, because a misspelt `dryrun` would start a real run. */
export function parseRunOptions(options: RunOptions | undefined): RunOptions {
  return parse(runOptionsSchema, options ?? {}, 'The options');
}

const eraseOptionsSchema = z.strictObject({
  actor: textSchema(100).optional(),
  reason: textSchema(500).optional(),
});

/** Unknown fields throw, because a misspelt field may have been meant to limit the erasure. */
export function parseEraseOptions(options: EraseOptions | undefined): EraseOptions {
  return parse(eraseOptionsSchema, options ?? {}, 'The options');
}
