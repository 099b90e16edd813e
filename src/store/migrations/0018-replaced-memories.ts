import type { Migration } from './migration.ts';

/** Finds the memories that name an erased memory as the one that they replaced. */
export const replacedMemories: Migration = {
  version: 18,
  name: 'replaced-memories',
  statements: () => [
    `create index memories_contradicts on memories (tenant_id, contradicts) where contradicts is not null`,
  ],
  tenantTables: [],
};
