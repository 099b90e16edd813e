import { conflict, notFound } from '../errors.ts';
import type { Forgotten } from '../record/forgotten.ts';
import { limitSchema, parse } from '../record/parse.ts';
import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts } from '../store/database.ts';
import { unforget } from '../store/forget/forget.ts';
import { listForgotten } from '../store/forget/forgotten-store.ts';
import { findChangeable } from '../store/read-memories.ts';
import { restoreMemory } from '../store/write-memory.ts';
import { parseChange } from './change.ts';

/** Lists and restores forgotten records, which are hidden everywhere else until they are erased. No model may see them. */
export interface ForgottenHandle {
  /** The forgotten records, newest first, each with its text, who asked to forget it, and when. Default 100. */
  list(options?: { limit?: number }): Promise<Forgotten[]>;
  /**
   * Restores a forgotten record: the memory is live again, and the words that state it are back in the log. Throws `conflict` for a record
   * that was imported without its words.
   */
  restore(id: string, why?: Partial<Change>): Promise<void>;
}

export function forgottenHandle(parts: Parts, scope: Scope): ForgottenHandle {
  const { database } = parts;
  return {
    async list({ limit = 100 } = {}) {
      const most = parse(limitSchema, limit, 'The limit');
      return database.read(scope.tenant, (reader) => listForgotten(reader, scope, { limit: most }));
    },
    async restore(id, why) {
      const reason = parseChange(why, 'restored by the application');
      await database.write(scope.tenant, async (writer) => {
        const [record] = await listForgotten(writer, scope, { id });
        if (record === undefined || (record.scope.user !== null && record.scope.user !== scope.user)) {
          throw notFound(`There is no forgotten record ${id} that this handle can see.`, id);
        }
        if (record.text === '') {
          const problem = `The record ${id} was imported without its words, so it cannot be restored here. Restore it in the store that it came from.`;
          throw conflict(problem, { details: { id } });
        }
        const memory = record.memory === null ? null : await findChangeable(writer, scope, record.memory);
        if (memory !== null) await restoreMemory(writer, parts, memory, reason);
        await unforget(writer, parts, record);
      });
    },
  };
}
