import { VarveError } from '../../errors.ts';
import { TENANT_ROLE } from '../postgres/row-security.ts';
import { ground } from './0001-ground.ts';
import { consolidate } from './0004-consolidate.ts';
import { statements } from './0008-statements.ts';
import { forgottenRecords } from './0013-forgotten-records.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [
  ground,
  // Amounts are whole micro-dollars. A day is a UTC date such as '2026-11-15', so that its first seven characters are the month.
  {
    version: 2,
    name: 'ledger',
    statements: ({ time, integer }) => [
      `create table usage (
        tenant_id text not null, id text not null, at ${time} not null, day text not null,
        agent_id text, user_id text, run text, operation text not null, task text not null, model text not null,
        tokens_in ${integer} not null, tokens_out ${integer} not null, tokens_cached ${integer} not null,
        calls ${integer} not null, milliseconds ${integer} not null, estimated ${integer} not null,
        failed ${integer} not null, cost ${integer}, charged ${integer} not null,
        primary key (tenant_id, id))`,
      `create index usage_day on usage (tenant_id, day, cost)`,
      `create index usage_every_tenant on usage (day, cost)`,
      `create index usage_user on usage (tenant_id, user_id, day)`,

      // user_id is '' for the account of the tenant itself.
      `create table credit_accounts (
        tenant_id text not null, user_id text not null, balance ${integer} not null, updated_at ${time} not null,
        primary key (tenant_id, user_id))`,
      `create table credit_entries (
        tenant_id text not null, id text not null, user_id text not null, kind text not null,
        amount ${integer} not null, reason text not null, at ${time} not null,
        primary key (tenant_id, id))`,
      `create index credit_entries_account on credit_entries (tenant_id, user_id, at)`,
    ],
    tenantTables: ['usage', 'credit_accounts', 'credit_entries'],
  },
  consolidate,
  {
    version: 5,
    name: 'assemble',
    statements: ({ time, integer, json }) => [
      `create table context_log (
        tenant_id text not null, owner_key text not null, id text not null,
        agent_id text, user_id text, session_id text, at ${time} not null, layout text not null,
        tokens ${integer} not null, milliseconds ${integer} not null, parts ${json} not null,
        primary key (tenant_id, id))`,
      `create index context_log_session on context_log (tenant_id, owner_key, session_id, at)`,
      `create index context_log_time on context_log (tenant_id, owner_key, at)`,
    ],
    tenantTables: ['context_log'],
  },
  {
    version: 6,
    name: 'doors',
    statements: ({ time, integer, real, json }) => [
      // No row-level security, because a key is looked up before its tenant is known.
      `create table api_keys (
        id text primary key, tenant_id text not null, name text not null, hash text not null, access text not null,
        agents ${json}, users ${json}, rate ${real}, created_at ${time} not null, created_by text not null,
        expires_at ${time}, revoked_at ${time})`,
      `create index api_keys_tenant on api_keys (tenant_id, created_at)`,

      `create table admin_acts (
        tenant_id text not null, id text not null, at ${time} not null, actor text not null, act text not null,
        subject text, details ${json} not null,
        primary key (tenant_id, id))`,

      // The scope is stored so that erasing it finds its answers.
      `create table request_answers (
        tenant_id text not null, caller text not null, request_key text not null, fingerprint text not null,
        agent_id text, user_id text, session_id text, status ${integer}, answer text, at ${time} not null,
        primary key (tenant_id, caller, request_key))`,
      `create index request_answers_at on request_answers (at)`,

      // For clients that follow the changes of a whole tenant.
      `create index revisions_at on revisions (tenant_id, at)`,
    ],
    tenantTables: ['admin_acts', 'request_answers'],
  },
  {
    version: 7,
    name: 'forgotten',
    statements: () => [
      // For recall, which excludes forgotten memories. Most owners have none.
      `create index memories_forgotten on memories (tenant_id, owner_key) where archive_reason = 'forgotten'`,
    ],
  },
  statements,
  // Hides the key that encrypts cursors from the tenants' role, which reads other settings of the table. With the key, a tenant could read
  // from its cursors how much other tenants write.
  {
    version: 9,
    name: 'walls',
    postgres: [
      'alter table meta enable row level security',
      `create policy varve_settings on meta for select to ${TENANT_ROLE} using (key <> 'cursor_key')`,
    ],
  },
  // Turns are embedded with their speaker ("Ana: I moved to Linz."). Vectors without the speaker are computed again.
  {
    version: 10,
    name: 'spoken-turns',
    statements: () => [
      `insert into embedding_queue (tenant_id, owner_key, record_kind, record_row, version)
        select tenant_id, owner_key, 'event', row_id, 0 from events where speaker is not null or kind = 'message'
        on conflict do nothing`,
    ],
  },
  // A long event has one vector per passage. Events that may be long are embedded again.
  {
    version: 11,
    name: 'passages',
    statements: () => [
      `insert into embedding_queue (tenant_id, owner_key, record_kind, record_row, version)
        select tenant_id, owner_key, 'event', row_id, 0 from events where length(content) > 100
        on conflict do nothing`,
    ],
    // SQLite cannot change a primary key, so the table is copied.
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
  },
  // Older blocks have no sources for their sentences, so these stay until the blocks are written again.
  {
    version: 12,
    name: 'documents',
    statements: ({ integer }) => [
      `alter table blocks add column basis text not null default '{}'`,
      `alter table given_memories add column always ${integer} not null default 0`,
    ],
  },
  forgottenRecords,
  {
    version: 14,
    name: 'webhooks',
    statements: ({ time, integer, json }) => [
      // Stored in plain text, because the secret signs messages. After a rotation, the previous secret also signs messages for a while.
      `create table webhooks (
        tenant_id text not null, id text not null, url text not null, events ${json} not null, description text,
        secret text not null, previous_secret text, previous_until ${time}, enabled ${integer} not null,
        disabled_reason text, active_from ${time} not null, read_until ${time} not null, created_at ${time} not null,
        created_by text not null,
        primary key (tenant_id, id))`,

      // Messages name records without their content. The scope is stored so that erasing it finds its messages.
      `create table webhook_deliveries (
        tenant_id text not null, id text not null, webhook_id text not null, type text not null, body text not null,
        agent_id text, user_id text, session_id text, state text not null, attempts ${integer} not null,
        status ${integer}, error text, created_at ${time} not null, ended_at ${time},
        primary key (tenant_id, id))`,
      `create index webhook_deliveries_webhook on webhook_deliveries (tenant_id, webhook_id, created_at)`,

      // The feed of webhooks reads the entries of these tables since its last run.
      `create index admin_acts_at on admin_acts (tenant_id, at)`,
      `create index erasures_at on erasures (tenant_id, at)`,
    ],
    tenantTables: ['webhooks', 'webhook_deliveries'],
  },
  {
    version: 15,
    name: 'forgotten-digests',
    // A record from another store has no text, but a salt and the digests by which the forgotten statement is recognised.
    statements: () => [`alter table forgotten add column digests text`],
  },
  // Events are ordered by their owner's versions, because on a cluster each server numbers its rows separately. Older events keep the order
  // of their rows, so that cursors with a row number stay valid.
  {
    version: 16,
    name: 'order-of-events',
    statements: ({ integer }) => [
      `alter table events add column sequence ${integer} not null default 0`,
      `update events set sequence = row_id`,
      `drop index events_owner`,
      `create unique index events_owner on events (tenant_id, owner_key, sequence)`,
      // Exports and the stream of changes read all owners of a tenant together.
      `create index events_sequence on events (tenant_id, sequence, row_id)`,
      `drop index events_waiting`,
      `create index events_waiting on events (tenant_id, owner_key, sequence) where processed_at is null`,
    ],
  },
  // How far the last reflection got among messages with the same recording time, as after an import. Reuses a column that no code reads.
  {
    version: 17,
    name: 'reflected-sequence',
    statements: () => [
      `alter table owner_progress rename column memory_row to reflected_sequence`,
      `update owner_progress set reflected_sequence = 0`,
    ],
  },
  {
    version: 18,
    name: 'replaced-memories',
    statements: () => [
      `create index memories_contradicts on memories (tenant_id, contradicts) where contradicts is not null`,
    ],
  },
  // Moves vectors that do not fit into a page of 8 kB (somewhat more than 2,000 dimensions) to the TOAST table. Smaller vectors stay in
  // their rows: the storage `external` alone would move the vectors of all rows over 2 kB, so `toast_tuple_target` raises this limit to a
  // whole page. The storage `main` would first try to compress each vector.
  {
    version: 19,
    name: 'wide-vectors',
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
  },
];

export const SCHEMA_VERSION: number = MIGRATIONS.at(-1)?.version ?? 0;

export function pendingMigrations(version: number): readonly Migration[] {
  if (version > SCHEMA_VERSION) {
    throw new VarveError(
      `This database was written by a newer Varve: it is at schema ${version}, and this version knows ${SCHEMA_VERSION}. ` +
        'Upgrade the package, or open another database.',
      { code: 'store_too_new', details: { found: version, known: SCHEMA_VERSION } },
    );
  }
  return MIGRATIONS.filter((migration) => migration.version > version);
}
