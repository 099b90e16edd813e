import type { PrivacyPolicy } from '../language/privacy-policy.ts';
import type { AttributeTable } from '../record/attributes.ts';
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
  attributes: AttributeTable;
  /** What no memory may say: the place is redacted before it is written. Default: nothing is looked for. */
  privacy?: PrivacyPolicy;
}
