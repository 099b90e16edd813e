import type { Migration } from './migration.ts';

/** A long event has a vector for each of its passages. Events that may be long are embedded again. */
export const passages: Migration = {
  version: 11,
  name: 'passages',
  tenantTables: [],
  statements: () => [
    `insert into embedding_queue (tenant_id, owner_key, record_kind, record_row, version)
      select tenant_id, owner_key, 'event', row_id, 0 from events where length(content) > 100
      on conflict do nothing`,
  ],
  // SQLite cannot change a primary key.
  sqlite: [
    `create table embeddings_next (
      tenant_id text not null, owner_key text not null, record_kind text not null, record_row integer not null,
      model_id text not null, passage integer not null default 0, sequence integer not null, vector blob not null,
      primary key (tenant_id, record_kind, record_row, model_id, passage))`,
    `insert into embeddings_next (tenant_id, owner_key, record_kind, record_row, model_id, sequence, vector)
      select tenant_id, owner_key, record_kind, record_row, model_id, sequence, vector from embeddings`,
    'drop table embeddings',
    'alter table embeddings_next rename to embeddings',
    'create index embeddings_owner on embeddings (tenant_id, owner_key, model_id, sequence)',
  ],
  postgres: [
    'alter table embeddings add column passage bigint not null default 0',
    'alter table embeddings drop constraint embeddings_pkey',
    'alter table embeddings add primary key (tenant_id, record_kind, record_row, model_id, passage)',
  ],
};
