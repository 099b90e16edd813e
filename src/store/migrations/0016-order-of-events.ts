import type { Migration } from './migration.ts';

/**
 * Events are read in the order of their owner's versions. Row numbers cannot order them, because on a cluster each server has a sequence of
 * its own. Older events keep the order of their rows, so that cursors with a row number stay valid.
 */
export const orderOfEvents: Migration = {
  version: 16,
  name: 'order-of-events',
  statements: ({ integer }) => [
    `alter table events add column sequence ${integer} not null default 0`,
    `update events set sequence = row_id`,
    `drop index events_owner`,
    `create unique index events_owner on events (tenant_id, owner_key, sequence)`,
    // For exports and the stream of changes, which read all owners of a tenant together.
    `create index events_sequence on events (tenant_id, sequence, row_id)`,
    `drop index events_waiting`,
    `create index events_waiting on events (tenant_id, owner_key, sequence) where processed_at is null`,
  ],
  tenantTables: [],
};
