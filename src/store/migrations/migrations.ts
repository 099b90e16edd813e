import { VarveError } from '../../errors.ts';
import { ground } from './0001-ground.ts';
import { ledger } from './0002-ledger.ts';
import { consolidate } from './0004-consolidate.ts';
import { assemble } from './0005-assemble.ts';
import { doors } from './0006-doors.ts';
import { forgotten } from './0007-forgotten.ts';
import { statements } from './0008-statements.ts';
import { walls } from './0009-walls.ts';
import { spokenTurns } from './0010-spoken-turns.ts';
import { passages } from './0011-passages.ts';
import { documents } from './0012-documents.ts';
import { forgottenRecords } from './0013-forgotten-records.ts';
import { webhooks } from './0014-webhooks.ts';
import { forgottenDigests } from './0015-forgotten-digests.ts';
import { orderOfEvents } from './0016-order-of-events.ts';
import { reflectedSequence } from './0017-reflected-sequence.ts';
import { replacedMemories } from './0018-replaced-memories.ts';
import { wideVectors } from './0019-wide-vectors.ts';
import type { Migration } from './migration.ts';

/** All steps, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  ground,
  ledger,
  consolidate,
  assemble,
  doors,
  forgotten,
  statements,
  walls,
  spokenTurns,
  passages,
  documents,
  forgottenRecords,
  webhooks,
  forgottenDigests,
  orderOfEvents,
  reflectedSequence,
  replacedMemories,
  wideVectors,
];

/** The schema version of this package. */
export const SCHEMA_VERSION: number = MIGRATIONS.at(-1)?.version ?? 0;

/** The steps that a database at `version` still needs. Throws `store_too_new` for a database of a newer Varve. */
export function pendingMigrations(version: number): readonly Migration[] {
  if (version > SCHEMA_VERSION) {
    throw new VarveError(
      `This database was written by a newer Varve: it is at schema ${version}, and this version knows ${SCHEMA_VERSION}. ` +
        'Upgrade the package, or open another database.',
      { code: 'store_too_new', details: { found: version, known: SCHEMA_VERSION } },
    );
  }
  return MIGRATIONS.filter((migration) => migration.version > version);
}
