import type { Clock } from '../record/clock.ts';
import type { IdSource } from '../record/id.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import type { Database } from './database.ts';

/** What every verb works with: opened once by createVarve() and handed on. */
export interface Parts {
  database: Database;
  clock: Clock;
  ids: IdSource;
  memoryTypes: MemoryTypeTable;
}
