import type { Migration } from './migration.ts';

/**
 * Stores how far the last reflection got among messages with the same recording time, such as those of one import. Reuses a column that is
 * no longer read.
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
