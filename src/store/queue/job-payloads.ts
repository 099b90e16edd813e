import type { Json } from './job.ts';

/** The payloads of the jobs of an owner or a session, by kind. Each payload also has the scope of the job (`scopeOfJob`). */
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

/** The payloads of the jobs of a tenant or of the whole store, by kind. */
export interface TenantPayloads {
  /** The progress of a pass that an earlier attempt began. */
  'maintain-tenant': { pass?: { [field: string]: Json } };
  embed: Empty;
  'change-embedder': Empty;
  scrub: Empty;
  /** The id of the delivery. */
  'deliver-webhook': { delivery: string };
}

/** The payloads of the jobs that schedules enqueue, by kind. */
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
  /** The time of the schedule, as an ISO date. */
  dueAt: string;
}

/** The payloads of all kinds of jobs. The names of the properties are the kinds. */
export interface JobPayloads extends OwnerPayloads, TenantPayloads, ScheduledPayloads {}
