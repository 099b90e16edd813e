import type { Migration } from './migration.ts';

// The log of assembled contexts has ids and numbers, never text. A part of the scope that is not set is NULL.

export const assemble: Migration = {
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
};
