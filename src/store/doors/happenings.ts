import { sql } from 'kysely';
import type { Scope } from '../../record/scope.ts';
import type { Database, Reader } from '../database.ts';
import { rowsWhere } from '../rows.ts';
import type { RevisionTable } from '../schema.ts';

export const WEBHOOK_EVENTS = {
  'memory.created': 'A memory was formed or stored.',
  'memory.changed': 'A memory has a new version.',
  'memory.archived': 'A memory was replaced, contradicted, merged or faded, and recall no longer finds it.',
  'memory.forgotten': 'A memory was forgotten on request.',
  'block.changed': 'A block such as the profile or working memory has a new version.',
  'intention.due': 'An intention has become due.',
  'refusal.recorded': 'A proposed statement was refused.',
  'alert.raised': 'A check of formed memories failed.',
  'scope.erased': 'A person, a session, an agent or a memory was erased; the certificate has the counts.',
  'job.dead': 'Background work failed for good.',
  'webhook.ping': 'A test message was requested.',
} as const;

export type WebhookEvent = keyof typeof WEBHOOK_EVENTS;

type Place = Pick<Scope, 'agent' | 'user' | 'session'>;

export const TENANT: Place = { agent: null, user: null, session: null };

/** An event for webhooks. Its `subject` is the same at every reading, so that the event is delivered only once. */
export interface Happening {
  type: WebhookEvent;
  subject: string;
  at: number;
  place: Place;
  /** Ids, names and codes, never content. */
  data: Record<string, string | number | null>;
}

/** `from` is exclusive, `to` inclusive. */
export interface Stretch {
  from: number;
  to: number;
}

// A feed that was stopped for a long time catches up in batches of about this size.
const CHANGES_AT_ONCE = 2000;

export async function endOfStretch(reader: Reader, tenant: string, { from, to }: Stretch): Promise<number> {
  const within = sql`tenant_id = ${tenant} and at > ${from} and at <= ${to} order by at limit 1 offset ${CHANGES_AT_ONCE}`;
  const [row] = await rowsWhere(reader, 'revisions', within, ['at']);
  return row?.at ?? to;
}

/** There is no outbox: webhook events are read from the store's records and logs. */
export async function readHappenings(
  reader: Reader,
  database: Pick<Database, 'syntax'>,
  tenant: string,
  stretch: Stretch,
): Promise<Happening[]> {
  return [
    ...(await changesOfMemories(reader, database, tenant, stretch)),
    ...(await changesOfBlocks(reader, tenant, stretch)),
    ...(await dueIntentions(reader, tenant, stretch)),
    ...(await refusals(reader, tenant, stretch)),
    ...(await alerts(reader, tenant, stretch)),
    ...(await erasures(reader, tenant, stretch)),
    ...(await deadJobs(reader, tenant, stretch)),
  ];
}

interface Revised extends Place, Pick<RevisionTable, 'version' | 'at' | 'reason' | 'actor'> {
  id: string;
}

interface RevisedMemory extends Revised {
  type: string;
  isNew: number;
  archivedBefore: string | null;
  archivedAs: string | null;
}

/**
 * A revision contains the state before its change. The state after it is in the next revision or, for the last one, in the memory itself.
 */
async function changesOfMemories(
  reader: Reader,
  { syntax }: Pick<Database, 'syntax'>,
  tenant: string,
  { from, to }: Stretch,
): Promise<Happening[]> {
  const { rows } = await sql<RevisedMemory>`
    select r.record_id as id, r.version, r.at, r.reason, r.actor, m.agent_id as agent, m.user_id as "user",
      nullif(m.session_id, '') as session, m.type, case when r.before is null then 1 else 0 end as "isNew",
      ${syntax.jsonText('r.before', ['archiveReason'])} as "archivedBefore",
      case when n.record_id is null then m.archive_reason else ${syntax.jsonText('n.before', ['archiveReason'])} end
        as "archivedAs"
    from revisions r
    join memories m on m.tenant_id = r.tenant_id and m.id = r.record_id
    left join revisions n on n.tenant_id = r.tenant_id and n.record_id = r.record_id and n.version = r.version + 1
    where r.tenant_id = ${tenant} and r.at > ${from} and r.at <= ${to}
    order by r.at, r.record_id, r.version`.execute(reader);
  return rows.map(({ type, isNew, archivedBefore, archivedAs, ...revised }) => {
    const isArchived = archivedAs !== null && archivedAs !== archivedBefore;
    const ending = archivedAs === 'forgotten' ? 'memory.forgotten' : 'memory.archived';
    const event = isNew === 1 ? 'memory.created' : isArchived ? ending : 'memory.changed';
    return changed(event, revised, { type, ...(isArchived ? { archivedAs } : {}) });
  });
}

async function changesOfBlocks(reader: Reader, tenant: string, { from, to }: Stretch): Promise<Happening[]> {
  const { rows } = await sql<Revised & { block: string }>`
    select r.record_id as id, r.version, r.at, r.reason, r.actor, b.agent_id as agent, b.user_id as "user",
      nullif(b.session_id, '') as session, b.kind as block
    from revisions r join blocks b on b.tenant_id = r.tenant_id and b.id = r.record_id
    where r.tenant_id = ${tenant} and r.at > ${from} and r.at <= ${to}
    order by r.at, r.record_id, r.version`.execute(reader);
  return rows.map(({ block, ...revised }) => changed('block.changed', revised, { block }));
}

function happening(
  type: WebhookEvent,
  subject: string,
  at: number,
  data: Happening['data'],
  place: Place = TENANT,
): Happening {
  return { type, subject, at, place, data };
}

function changed(type: WebhookEvent, revised: Revised, more: Happening['data']): Happening {
  const { id, version, at, reason, actor, agent, user, session } = revised;
  const data = { id, version, reason, actor, ...more };
  return happening(type, `${id}/${version}`, at, data, { agent, user, session });
}

/** A postponed intention becomes due again at its new time. */
async function dueIntentions(reader: Reader, tenant: string, { from, to }: Stretch): Promise<Happening[]> {
  const { rows } = await sql<Place & { id: string; at: number }>`
    select id, due_at as at, agent_id as agent, user_id as "user", nullif(session_id, '') as session from memories
    where tenant_id = ${tenant} and type = 'intention' and state in ('open', 'snoozed') and archived_at is null
      and due_at > ${from} and due_at <= ${to}
    order by due_at, id`.execute(reader);
  return rows.map(({ id, at, ...place }) =>
    happening('intention.due', `${id}@${at}`, at, { id, dueAt: new Date(at).toISOString() }, place),
  );
}

async function refusals(reader: Reader, tenant: string, { from, to }: Stretch): Promise<Happening[]> {
  const { rows } = await sql<Place & { id: string; at: number; reason: string; what: string }>`
    select id, at, reason, what, agent_id as agent, user_id as "user", session_id as session from refusals
    where tenant_id = ${tenant} and at > ${from} and at <= ${to} order by at, id`.execute(reader);
  return rows.map(({ id, at, reason, what, ...place }) =>
    happening('refusal.recorded', id, at, { id, reason, what }, place),
  );
}

async function alerts(reader: Reader, tenant: string, { from, to }: Stretch): Promise<Happening[]> {
  const { rows } = await sql<{ id: string; at: number; act: string }>`
    select id, at, act from admin_acts
    where tenant_id = ${tenant} and act like '%.alert' and at > ${from} and at <= ${to} order by id`.execute(reader);
  return rows.map(({ id, at, act }) => happening('alert.raised', id, at, { id, alert: act }));
}

async function erasures(reader: Reader, tenant: string, { from, to }: Stretch): Promise<Happening[]> {
  const { rows } = await sql<{ id: string; at: number; subject: string }>`
    select id, at, subject from erasures where tenant_id = ${tenant} and at > ${from} and at <= ${to} order by id`.execute(
    reader,
  );
  return rows.map(({ id, at, subject }) => happening('scope.erased', id, at, { certificate: id, subject }));
}

/**
 * Leaves out failed deliveries: the webhook's own log records them, and a delivery about a failed delivery could fail as well, without end.
 */
async function deadJobs(reader: Reader, tenant: string, { from, to }: Stretch): Promise<Happening[]> {
  const { rows } = await sql<{ id: string; kind: string; at: number; attempts: number }>`
    select id, kind, finished_at as at, attempts from jobs
    where tenant_id = ${tenant} and state = 'dead' and kind <> 'deliver-webhook' and finished_at > ${from}
      and finished_at <= ${to} order by id`.execute(reader);
  return rows.map(({ id, kind, at, attempts }) => happening('job.dead', `${id}@${at}`, at, { id, kind, attempts }));
}
