import type { Migration } from './migration.ts';

export const webhooks: Migration = {
  version: 14,
  name: 'webhooks',
  statements: ({ time, integer, json }) => [
    // The secret signs messages, so it cannot be stored as a hash. After a rotation the previous secret signs as well for a while.
    `create table webhooks (
      tenant_id text not null, id text not null, url text not null, events ${json} not null, description text,
      secret text not null, previous_secret text, previous_until ${time}, enabled ${integer} not null,
      disabled_reason text, active_from ${time} not null, read_until ${time} not null, created_at ${time} not null,
      created_by text not null,
      primary key (tenant_id, id))`,

    // Messages name records without their content. The scope is stored so that erasing a scope finds its messages.
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
};
