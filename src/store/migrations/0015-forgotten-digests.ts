import type { Migration } from './migration.ts';

export const forgottenDigests: Migration = {
  version: 15,
  name: 'forgotten-digests',
  // For a record from another store, which has no text: a salt, and the digests by which the forgotten statement is recognised.
  statements: () => [`alter table forgotten add column digests text`],
  tenantTables: [],
};
