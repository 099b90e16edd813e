import type { Migration } from './migration.ts';

export const forgotten: Migration = {
  version: 7,
  name: 'forgotten',
  statements: () => [
    // Every recall asks what was forgotten, which is nothing for most owners.
    `create index memories_forgotten on memories (tenant_id, owner_key) where archive_reason = 'forgotten'`,
  ],
  tenantTables: [],
};
