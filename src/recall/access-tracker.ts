import type { Database } from '../store/database.ts';
import { countAccess } from '../store/read-memories.ts';
import type { Clock } from '../record/clock.ts';
import type { RecallResult } from './recall-options.ts';

/** Counts what is read, behind the reader's back: gathered for a moment and written in one go. */
export interface AccessTracker {
  note(tenant: string, results: readonly Pick<RecallResult, 'kind' | 'id'>[]): void;
  /** Resolves when everything noted so far is written. */
  settle(): Promise<void>;
}

const GATHER = 50;

/** Makes a tracker. A write that fails costs a count, never an answer. */
export function createAccessTracker(database: Database, clock: Clock): AccessTracker {
  let noted = new Map<string, string[][]>();
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    timer = null;
    const batch = noted;
    noted = new Map();
    for (const [tenant, recalls] of batch) {
      try {
        await database.write(tenant, async (writer) => {
          for (const ids of recalls) await countAccess(writer, tenant, ids, clock.now());
        });
      } catch (error) {
        process.emitWarning(`Reading could not be counted: ${String(error)}`, 'VarveAccessWarning');
      }
    }
  };

  return {
    note(tenant, results) {
      const ids = results.filter(({ kind }) => kind === 'memory').map(({ id }) => id);
      if (ids.length === 0) return;
      noted.set(tenant, [...(noted.get(tenant) ?? []), ids]);
      timer ??= setTimeout(() => {
        writing = writing.then(write);
      }, GATHER).unref();
    },
    async settle() {
      if (timer !== null) {
        clearTimeout(timer);
        writing = writing.then(write);
      }
      await writing;
    },
  };
}
