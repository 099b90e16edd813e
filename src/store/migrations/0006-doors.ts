import type { Migration } from './migration.ts';

export const doors: Migration = {
  version: 6,
  name: 'doors',
  statements: ({ time, integer, real, json }) => [
    // This table has no row-level security, because a key is looked up before its tenant is known.
    `create table api_keys (
      id text primary key, tenant_id text not null, name text not null, hash text not null, access text not null,
      agents ${json}, users ${json}, rate ${real}, created_at ${time} not null, created_by text not null,
      expires_at ${time}, revoked_at ${time})`,
    `create index api_keys_tenant on api_keys (tenant_id, created_at)`,

    `create table admin_acts (
      tenant_id text not null, id text not null, at ${time} not null, actor text not null, act text not null,
      subject text, details ${json} not null,
      primary key (tenant_id, id))`,

    // The scope is stored so that erasing a scope finds its answers.
    `create table request_answers (
      tenant_id text not null, caller text not null, request_key text not null, fingerprint text not null,
      agent_id text, user_id text, session_id text, status ${integer}, answer text, at ${time} not null,
      primary key (tenant_id, caller, request_key))`,
    `create index request_answers_at on request_answers (at)`,

    // For followers of changes, who read the latest revisions of a whole tenant.
    `create index revisions_at on revisions (tenant_id, at)`,
  ],
  tenantTables: ['admin_acts', 'request_answers'],
};
