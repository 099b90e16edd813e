import type { Migration } from './migration.ts';

export const consolidate: Migration = {
  version: 4,
  name: 'consolidate',
  statements: ({ time, integer, json }) => [
    `create table runs (
      tenant_id text not null, id text not null, owner_key text not null, agent_id text, user_id text, session_id text,
      kind text not null, cause text not null, status text not null, started_at ${time} not null,
      finished_at ${time} not null, read ${json} not null, changed ${json} not null, model text not null,
      cost ${integer}, error text,
      primary key (tenant_id, id))`,
    `create index runs_owner on runs (tenant_id, owner_key, started_at)`,
    `create index runs_time on runs (started_at)`,

    `create table held_changes (
      tenant_id text not null, id text not null, owner_key text not null, agent_id text, user_id text,
      run text not null, kind text not null, reason text not null, proposal ${json} not null, events ${json} not null,
      created_at ${time} not null, decided_at ${time}, decision text,
      primary key (tenant_id, id))`,
    `create index held_changes_open on held_changes (tenant_id, owner_key) where decided_at is null`,

    `create table owner_progress (
      tenant_id text not null, owner_key text not null, agent_id text, user_id text, time_zone text,
      reflection_hour ${integer}, next_reflection_at ${time}, reflected_until ${time},
      event_row ${integer} not null, memory_row ${integer} not null, consolidated_version ${integer} not null,
      primary key (tenant_id, owner_key))`,
    `create index owner_progress_due on owner_progress (next_reflection_at) where next_reflection_at is not null`,

    `create table memory_derivations (
      tenant_id text not null, memory_id text not null, from_id text not null,
      primary key (tenant_id, memory_id, from_id))`,
    `create index memory_derivations_from on memory_derivations (tenant_id, from_id)`,

    `create table given_memories (
      tenant_id text not null, id text not null, owner_key text not null, session_id text, memory_id text not null,
      given_at ${time} not null,
      primary key (tenant_id, id))`,
    `create index given_memories_owner on given_memories (tenant_id, owner_key, given_at)`,
    `create table memory_use (
      tenant_id text not null, owner_key text not null, memory_id text not null, given ${integer} not null,
      used ${integer} not null, confirmed ${integer} not null, corrected ${integer} not null,
      last_confirmed_at ${time},
      primary key (tenant_id, memory_id))`,
    `create index memory_use_owner on memory_use (tenant_id, owner_key)`,

    // Certificates reveal neither the content nor the owner.
    `create table erasures (
      tenant_id text not null, id text not null, at ${time} not null, actor text not null, reason text not null,
      subject text not null, counts ${json} not null, removed ${integer} not null, removed_hash text not null,
      primary key (tenant_id, id))`,
    // For passes over all live memories in the order of their rows.
    `create index memories_tenant_live on memories (tenant_id, row_id) where archived_at is null`,
  ],
  tenantTables: [
    'runs',
    'held_changes',
    'owner_progress',
    'memory_derivations',
    'given_memories',
    'memory_use',
    'erasures',
  ],
};
