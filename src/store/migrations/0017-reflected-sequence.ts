import type { Migration } from './migration.ts';

/**
 * The position of the last reflection among messages with the same recording time, such as those of one import. It reuses a column that
 * nothing reads any more.
 */
export const reflectedSequence: Migration = {
  version: 17,
  name: 'reflected-sequence',
  statements: () => [
    `alter table owner_progress rename column memory_row to reflected_sequence`,
    `update owner_progress set reflected_sequence = 0`,
  ],
  tenantTables: [],
};
