import type { Migration } from './migration.ts';

/**
 * The place of a reflection among messages that were recorded at the same time, such as those of one import. The column that holds it
 * had the row of the last memory in the working memory, which nothing reads.
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
