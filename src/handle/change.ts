import { z } from 'zod';
import { parse, textSchema } from '../record/parse.ts';
import type { Change } from '../record/revision.ts';

export const changeSchema: z.ZodType<Partial<Change>, Partial<Change>> = z.strictObject({
  reason: textSchema(500).optional(),
  actor: textSchema(100).optional(),
  run: textSchema(100).nullish(),
});

/** Checks why something changes, and fills in what was left out. */
export function parseChange(change: Partial<Change> | undefined, reason: string): Change {
  return { reason, ...parse(changeSchema, change ?? {}, 'The reason for the change') };
}
