import type { Migration } from './migration.ts';

// Primary keys begin with tenant_id, so that PostgreSQL can distribute the tables by it. The exceptions are meta, the queue and its
// schedules, which are read across tenants.

export const ground: Migration = {
  version: 1,
  name: 'ground',
  statements: ({ time, integer, real, json, blob, rowId }) => [
    `create table owners (
      tenant_id text not null, owner_key text not null, agent_id text, user_id text,
      version ${integer} not null, epoch ${integer} not null, created_at ${time} not null,
      primary key (tenant_id, owner_key))`,

    `create table events (
      ${rowId},
      tenant_id text not null, owner_key text not null, id text not null,
      agent_id text, user_id text, session_id text, connection_id text, position ${integer},
      kind text not null, origin text not null, speaker text, content text not null, category text,
      refers_to text, interaction text, channel text, context_type text, context ${json}, metadata ${json} not null,
      idempotency_key text, occurred_at ${time} not null, recorded_at ${time} not null,
      processed_at ${time}, attempts ${integer} not null, last_error text)`,
    `create unique index events_id on events (tenant_id, id)`,
    `create unique index events_idempotency on events (tenant_id, owner_key, idempotency_key)
      where idempotency_key is not null`,
    `create unique index events_session on events (tenant_id, owner_key, session_id, position)
      where session_id is not null`,
    `create index events_owner on events (tenant_id, owner_key, row_id)`,
    `create index events_time on events (tenant_id, owner_key, occurred_at)`,
    `create index events_waiting on events (tenant_id, owner_key, row_id) where processed_at is null`,
    `create index events_refers_to on events (tenant_id, refers_to) where refers_to is not null`,
    `create index events_interaction on events (tenant_id, owner_key, interaction) where interaction is not null`,

    `create table memories (
      ${rowId},
      tenant_id text not null, owner_key text not null, id text not null,
      agent_id text, user_id text, session_id text not null, connection_id text not null,
      type text not null, content text not null, title text, url text, key text, value text, category text,
      importance ${real} not null, confidence text not null, trust text not null,
      source_type text not null, source_session text, source_events ${json} not null,
      tags ${json} not null, entities ${json} not null, contradicts text, contradicted_by text, state text,
      due_at ${time}, valid_from ${time}, valid_to ${time},
      created_at ${time} not null, updated_at ${time} not null, archived_at ${time}, archive_reason text,
      expires_at ${time}, access_count ${integer} not null, last_accessed_at ${time}, version ${integer} not null,
      context_type text, context ${json}, metadata ${json} not null, unique_key text, sequence ${integer} not null)`,
    `create unique index memories_id on memories (tenant_id, id)`,
    `create unique index memories_unique on memories (tenant_id, owner_key, session_id, connection_id, unique_key)
      where archived_at is null and unique_key is not null`,
    `create index memories_live on memories (tenant_id, owner_key, importance desc, last_accessed_at desc)
      where archived_at is null`,
    `create index memories_sequence on memories (tenant_id, owner_key, sequence)`,
    `create index memories_type on memories (tenant_id, owner_key, type, row_id)`,
    `create index memories_due on memories (tenant_id, due_at) where due_at is not null and archived_at is null`,
    `create index memories_contradicted_by on memories (tenant_id, contradicted_by) where contradicted_by is not null`,

    `create table memory_tags (
      tenant_id text not null, owner_key text not null, tag text not null, memory_id text not null,
      primary key (tenant_id, owner_key, tag, memory_id))`,
    `create index memory_tags_memory on memory_tags (tenant_id, memory_id)`,
    `create table memory_sources (
      tenant_id text not null, event_id text not null, memory_id text not null,
      primary key (tenant_id, event_id, memory_id))`,
    `create index memory_sources_memory on memory_sources (tenant_id, memory_id)`,
    `create table memory_entities (
      tenant_id text not null, entity_id text not null, memory_id text not null,
      primary key (tenant_id, entity_id, memory_id))`,
    `create index memory_entities_memory on memory_entities (tenant_id, memory_id)`,

    `create table revisions (
      tenant_id text not null, owner_key text not null, record_id text not null, version ${integer} not null,
      at ${time} not null, reason text not null, actor text not null, run text, before ${json},
      primary key (tenant_id, record_id, version))`,
    `create index revisions_owner on revisions (tenant_id, owner_key, at)`,

    `create table blocks (
      tenant_id text not null, owner_key text not null, id text not null, agent_id text, user_id text,
      session_id text not null, connection_id text not null, kind text not null, content text not null,
      version ${integer} not null, created_at ${time} not null, updated_at ${time} not null,
      primary key (tenant_id, owner_key, session_id, connection_id, kind))`,
    `create unique index blocks_id on blocks (tenant_id, id)`,

    `create table sessions (
      tenant_id text not null, owner_key text not null, agent_id text, user_id text, session_id text not null,
      status text not null, started_at ${time} not null, last_event_at ${time} not null,
      event_count ${integer} not null, formed_position ${integer} not null, messages_since ${integer} not null,
      weighted_tokens_since ${real} not null, state ${json} not null,
      primary key (tenant_id, owner_key, session_id))`,
    `create index sessions_open on sessions (last_event_at) where status = 'open'`,
    `create index sessions_recent on sessions (tenant_id, owner_key, last_event_at desc)`,

    `create table tool_schemas (
      tenant_id text not null, owner_key text not null, agent_id text, user_id text, connection_id text not null,
      schema ${json} not null, fetched_at ${time} not null, expires_at ${time} not null,
      primary key (tenant_id, owner_key, connection_id))`,

    `create table entities (
      tenant_id text not null, owner_key text not null, id text not null, agent_id text, user_id text,
      type text not null, name text not null, slug text not null, aliases ${json} not null,
      metadata ${json} not null, created_at ${time} not null, updated_at ${time} not null,
      primary key (tenant_id, id))`,
    `create unique index entities_slug on entities (tenant_id, owner_key, type, slug)`,
    `create table entity_names (
      tenant_id text not null, owner_key text not null, slug text not null, entity_id text not null,
      primary key (tenant_id, owner_key, slug, entity_id))`,
    `create index entity_names_entity on entity_names (tenant_id, entity_id)`,

    `create table embeddings (
      tenant_id text not null, owner_key text not null, record_kind text not null, record_row ${integer} not null,
      model_id text not null, sequence ${integer} not null, vector ${blob} not null,
      primary key (tenant_id, record_kind, record_row, model_id))`,
    `create index embeddings_owner on embeddings (tenant_id, owner_key, model_id, sequence)`,

    // Records without a vector or with an outdated one. `version` is the record's version when it was queued.
    `create table embedding_queue (
      tenant_id text not null, owner_key text not null, record_kind text not null, record_row ${integer} not null,
      version ${integer} not null,
      primary key (tenant_id, record_kind, record_row))`,
    `create index embedding_queue_owner on embedding_queue (tenant_id, owner_key)`,

    `create table jobs (
      id text primary key, tenant_id text not null, owner_key text not null, kind text not null,
      payload ${json} not null, unique_key text, state text not null, priority ${integer} not null,
      run_at ${time} not null, attempts ${integer} not null, max_attempts ${integer} not null,
      lease_id text, lease_until ${time}, last_error text, created_at ${time} not null, finished_at ${time})`,
    // For each unique key, one job may wait and one may run.
    `create unique index jobs_waiting_key on jobs (tenant_id, kind, unique_key)
      where unique_key is not null and state = 'waiting'`,
    `create unique index jobs_running_key on jobs (tenant_id, kind, unique_key)
      where unique_key is not null and state = 'running'`,
    `create index jobs_due on jobs (run_at, id) where state = 'waiting'`,
    `create index jobs_turn on jobs (tenant_id, priority, run_at, id) where state = 'waiting'`,
    `create index jobs_leased on jobs (lease_until) where state = 'running'`,
    // Partial, because SQLite would prefer an index on (state, id) to the ones above.
    `create index jobs_dead on jobs (id) where state = 'dead'`,
    `create index jobs_ended on jobs (state, finished_at) where finished_at is not null`,
    `create index jobs_owner on jobs (tenant_id, owner_key)`,

    `create table schedules (
      name text primary key, kind text not null, payload ${json} not null, cron text not null,
      time_zone text not null, next_due ${time} not null, last_due ${time})`,
    `create index schedules_due on schedules (next_due)`,
  ],
  sqlite: [
    `create table meta (key text primary key, value text not null)`,
    // Varve segments and folds the words, so the tokenizer only has to split at white space. Contentless, because the text is already in
    // the table of the records.
    ...(['memory', 'event'] as const).flatMap((kind) => [
      `create virtual table ${kind}_text using fts5 (
        words, content = '', contentless_delete = 1, detail = full,
        tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* P* S* Co Cf'")`,
      `create virtual table ${kind}_vocabulary using fts5vocab (${kind}_text, row)`,
    ]),
  ],
  postgres: [
    `alter table events add primary key (tenant_id, row_id)`,
    `alter table memories add primary key (tenant_id, row_id)`,
    ...['memory', 'event'].flatMap((kind) => [
      `create table ${kind}_text (
        tenant_id text not null, owner_key text not null, row_id bigint not null, words tsvector not null,
        primary key (tenant_id, row_id))`,
      `create index ${kind}_text_words on ${kind}_text using gin (words)`,
      `create index ${kind}_text_owner on ${kind}_text (tenant_id, owner_key)`,
    ]),
    // In the rows, because a vector in a TOAST table would cost a second read. Step 19 makes an exception for vectors that do not fit into
    // a page of 8 kB.
    `alter table embeddings alter column vector set storage plain`,
  ],
  tenantTables: [
    'owners',
    'events',
    'memories',
    'memory_tags',
    'memory_sources',
    'memory_entities',
    'revisions',
    'blocks',
    'sessions',
    'tool_schemas',
    'entities',
    'entity_names',
    'embeddings',
    'embedding_queue',
    'jobs',
    'memory_text',
    'event_text',
  ],
};
