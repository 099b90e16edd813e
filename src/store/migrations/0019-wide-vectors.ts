import type { Migration } from './migration.ts';

/**
 * Lets PostgreSQL move a vector that does not fit into a page of 8 kB (somewhat more than 2,000 dimensions) to the TOAST table. Smaller
 * vectors stay in their rows: with the storage `external` alone, the vectors of all rows over 2 kB would be moved, and the target raises
 * this limit to a whole page. The storage `main` would first try to compress each vector.
 */
export const wideVectors: Migration = {
  version: 19,
  name: 'wide-vectors',
  statements: () => [],
  postgres: [
    // Citus cannot change the storage of a distributed column, so a store that is distributed already keeps its limit.
    `do $$ declare is_distributed boolean := false; begin
      if to_regclass('pg_catalog.pg_dist_partition') is not null then
        execute 'select exists (select from pg_dist_partition where logicalrelid = ''embeddings''::regclass)'
          into is_distributed;
      end if;
      if not is_distributed then
        alter table embeddings alter column vector set storage external, set (toast_tuple_target = 8160);
      end if;
    end $$`,
  ],
  tenantTables: [],
};
