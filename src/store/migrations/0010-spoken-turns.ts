import type { Migration } from './migration.ts';

/** Turns are embedded with their speaker ("Ana: I moved to Linz."). Vectors without the speaker are computed again. */
export const spokenTurns: Migration = {
  version: 10,
  name: 'spoken-turns',
  tenantTables: [],
  statements: () => [
    `insert into embedding_queue (tenant_id, owner_key, record_kind, record_row, version)
      select tenant_id, owner_key, 'event', row_id, 0 from events where speaker is not null or kind = 'message'
      on conflict do nothing`,
  ],
};
