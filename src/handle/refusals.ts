import { z } from 'zod';
import { limitSchema, parse, textSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Page } from '../store/rows.ts';
import type { Parts } from '../store/database.ts';
import { listRefusals, type RefusalFilter, type RefusalRecord } from '../store/history-store.ts';

/** Statements that were read from events and refused. */
export interface RefusalHandle {
  /** A page of the refused statements of the handle's scope, with the reasons, newest first. */
  list(filter?: RefusalFilter): Promise<Page<RefusalRecord>>;
}

const refusalFilterSchema: z.ZodType<RefusalFilter, RefusalFilter> = z.strictObject({
  limit: limitSchema.optional(),
  cursor: textSchema(500).optional(),
  session: textSchema(200).optional(),
});

export function refusalHandle({ database }: Parts, scope: Scope): RefusalHandle {
  return {
    async list(filter = {}) {
      const checked = parse(refusalFilterSchema, filter, 'The filter');
      return database.read(scope.tenant, (reader) => listRefusals(reader, scope, checked));
    },
  };
}
