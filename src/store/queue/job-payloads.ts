import type { Json } from './job.ts';

/** Payloads of jobs of an owner or a session. `ownerJob` adds the scope to each. */
export interface OwnerPayloads {
  form: { cause?: 'schedule'; whole?: boolean };
  summarise: Empty;
  'read-exchange': { events: string[] };
  'read-inline': { events: string[] };
  'take-effect': { memory: string };
  consolidate: Empty;
  reflect: Empty;
  'merge-doubles': Empty;
  'boost-outcomes': { outcome: string };
}

export interface TenantPayloads {
  'maintain-tenant': { pass?: { [field: string]: Json } };
  embed: Empty;
  'change-embedder': Empty;
  scrub: Empty;
  'deliver-webhook': { delivery: string };
}

interface ScheduledPayloads {
  'feed-embeddings': Due;
  'feed-webhooks': Due;
  'flush-idle-sessions': Due;
  'form-cold-sessions': Due;
  'queue-consolidation': Due;
  nightly: Due;
  maintain: Due;
  'check-extraction': Due;
}

type Empty = Record<never, never>;

interface Due {
  dueAt: string;
}

export interface JobPayloads extends OwnerPayloads, TenantPayloads, ScheduledPayloads {}
