import type { Migration } from './migration.ts';

export const forgottenDigests: Migration = {
  version: 15,
  name: 'forgotten-digests',
  // Of what was forgotten in another store only digests have come along: a salt, and what the statement is recognised by.
  statements: () => [`alter table forgotten add column digests text`],
  tenantTables: [],
};
