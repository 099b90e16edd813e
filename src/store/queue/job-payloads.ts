import type { Json } from './job.ts';

/** Payloads for jobs of an owner or a session, by kind. `ownerJob` adds the scope to each (see `scopeOfJob`). */
export interface OwnerPayloads {
  form: { cause?: 'schedule'; whole?: boolean };
  summarise: Empty;
  /** The ids of the events to read. */
  'read-exchange': { events: string[] };
  'read-inline': { events: string[] };
  /** The id of the plan. */
  'take-effect': { memory: string };
  consolidate: Empty;
  reflect: Empty;
  'merge-doubles': Empty;
  /** The id of the outcome. */
  'boost-outcomes': { outcome: string };
}

/** Payloads for jobs of a tenant or of the whole store, by kind. */
export interface TenantPayloads {
  /** How far an earlier attempt at this pass has come. */
  'maintain-tenant': { pass?: { [field: string]: Json } };
  embed: Empty;
  'change-embedder': Empty;
  scrub: Empty;
  /** The id of the delivery. */
  'deliver-webhook': { delivery: string };
}

/** Payloads for jobs that schedules enqueue, by kind. */
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
  /** When the schedule was due, as an ISO date. */
  dueAt: string;
}

/** Payloads of all jobs, keyed by kind. */
export interface JobPayloads extends OwnerPayloads, TenantPayloads, ScheduledPayloads {}
