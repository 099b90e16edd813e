import { z } from 'zod';
import type { EraseOptions } from '../maintain/erase.ts';
import { parse, textSchema } from '../record/parse.ts';

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
