import type { Migration } from './migration.ts';

/**
 * Events are read in the order of their owner's versions. Row numbers come from a sequence of the server that a process writes through,
 * and on a cluster there are several. What was written before keeps the order of its rows, and cursors that name a row name its place.
 */
export const orderOfEvents: Migration = {
  version: 16,
  name: 'order-of-events',
  statements: ({ integer }) => [
    `alter table events add column sequence ${integer} not null default 0`,
    `update events set sequence = row_id`,
    `drop index events_owner`,
    `create unique index events_owner on events (tenant_id, owner_key, sequence)`,
    // For what reads the owners of a tenant together: exports and those who follow changes.
    `create index events_sequence on events (tenant_id, sequence, row_id)`,
    `drop index events_waiting`,
    `create index events_waiting on events (tenant_id, owner_key, sequence) where processed_at is null`,
  ],
  tenantTables: [],
};
