import type { Migration } from './migration.ts';

// Amounts are whole micro-dollars. A day is a text such as '2026-11-15', in UTC, so that its first seven characters are the month.

export const ledger: Migration = {
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
};
