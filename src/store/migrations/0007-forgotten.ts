import type { Migration } from './migration.ts';

export const forgotten: Migration = {
  version: 7,
  name: 'forgotten',
  statements: () => [
    // For every recall, which reads the forgotten memories. Most owners have none.
    `create index memories_forgotten on memories (tenant_id, owner_key) where archive_reason = 'forgotten'`,
  ],
  tenantTables: [],
};
