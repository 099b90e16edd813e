import { messageOf, VarveError } from '../errors.ts';
import { enqueueJobs, tenantJob } from '../store/queue/enqueue.ts';
import type { NewJob } from '../store/queue/job.ts';
import type { JobContext, JobKinds, JobOf } from '../jobs/job-kinds.ts';
import { DAY, SECOND } from '../record/clock.ts';
import { derivedId } from '../record/id.ts';
import { ownerKey } from '../record/scope.ts';
import { EVERY_TENANT, type Parts, type Writer } from '../store/database.ts';
import { endOfStretch, type Happening, readHappenings } from '../store/doors/happenings.ts';
import { type DeliveryRow, insertDeliveries, listWebhooks, removeOldDeliveries } from '../store/doors/webhook-store.ts';
import { tenantsWithWebhooks, updateWebhook, type WebhookRow } from '../store/doors/webhook-store.ts';
import { rowsBy, setColumns } from '../store/rows.ts';
import { sendWebhook, type WebhookOptions } from './webhook-request.ts';

export type WebhookDeps = Parts & { webhooks: WebhookOptions };

// The last seconds are read again and deduplicated, because a transaction may commit after one that began later.
const OVERLAP = 30 * SECOND;
// Much longer than the overlap, so that a receiver can look up what it missed over a weekend.
const KEPT_FOR = 7 * DAY;
const ANSWER_WITHIN = 10 * SECOND;
// With a backoff from 15 seconds to an hour, this takes about half a day.
const ATTEMPTS = 24;
const GONE = 410;

export function webhookJobs(deps: WebhookDeps): JobKinds {
  return {
    'feed-webhooks': { isPaid: false, cron: '*/5 * * * * *', run: () => feedWebhooks(deps) },
    'deliver-webhook': { isPaid: false, run: (job, context) => deliver(deps, job, context) },
  };
}

// Events are read from the revisions and logs, which exist anyway, so that a store without webhooks does no extra work.
async function feedWebhooks(deps: WebhookDeps): Promise<void> {
  const { database, clock } = deps;
  const tenants = await database.read(EVERY_TENANT, (reader) => tenantsWithWebhooks(reader));
  for (const tenant of tenants) {
    const now = clock.now();
    for (let isBehind = true; isBehind;) isBehind = (await feedTenant(deps, tenant, now)) < now;
  }
}

async function feedTenant(deps: WebhookDeps, tenant: string, now: number): Promise<number> {
  return deps.database.write(tenant, async (writer) => {
    const webhooks = (await listWebhooks(writer, tenant)).filter(({ enabled }) => enabled === 1);
    if (webhooks.length === 0) return now;
    const readUntil = Math.min(now, ...webhooks.map((webhook) => webhook.read_until));
    const to = await endOfStretch(writer, tenant, { from: readUntil, to: now });
    const happenings = await readHappenings(writer, deps.database, tenant, { from: readUntil - OVERLAP, to });
    for (const webhook of webhooks) {
      const wanted = new Set(JSON.parse(webhook.events) as string[]);
      const told = happenings.filter(({ type, at }) => wanted.has(type) && at >= webhook.active_from);
      await queueDeliveries(writer, deps, { tenant, webhook, happenings: told });
      await updateWebhook(writer, tenant, webhook.id, { read_until: to });
    }
    await removeOldDeliveries(writer, tenant, now - KEPT_FOR);
    return to;
  });
}

export async function queueDeliveries(
  writer: Writer,
  { clock, ids }: Pick<Parts, 'clock' | 'ids'>,
  { tenant, webhook, happenings }: { tenant: string; webhook: WebhookRow; happenings: readonly Happening[] },
): Promise<DeliveryRow[]> {
  const deliveries = happenings.map((happening) => toDelivery(happening, { tenant, webhook, now: clock.now() }));
  const added = await insertDeliveries(writer, deliveries);
  const fresh = deliveries.filter(({ id }) => added.has(id));
  await enqueueJobs(writer, fresh.map(deliveryJob), { clock, ids });
  return fresh;
}

/** If the owner that the message is about is erased, the job is removed too. */
export function deliveryJob(delivery: DeliveryRow): NewJob {
  const { tenant_id: tenant, agent_id: agent, user_id: user, id } = delivery;
  const isOwned = agent !== null || user !== null;
  return {
    ...tenantJob('deliver-webhook', tenant, { delivery: id }),
    ownerKey: isOwned ? ownerKey({ tenant, agent, user }) : '',
    uniqueKey: id,
    maxAttempts: ATTEMPTS,
  };
}

function toDelivery(
  { type, subject, at, place, data }: Happening,
  { tenant, webhook, now }: { tenant: string; webhook: WebhookRow; now: number },
): DeliveryRow {
  const scope = Object.fromEntries(Object.entries(place).filter(([, name]) => name !== null));
  return {
    tenant_id: tenant,
    id: derivedId('whd', [tenant, webhook.id, type, subject]),
    webhook_id: webhook.id,
    type,
    body: JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: { ...data, scope } }),
    agent_id: place.agent,
    user_id: place.user,
    session_id: place.session,
    state: 'waiting',
    attempts: 0,
    status: null,
    error: null,
    created_at: now,
    ended_at: null,
  };
}

/** Any status except 2xx is a failure, which the queue retries. Only 410 is final, and turns the webhook off. */
async function deliver(deps: WebhookDeps, job: JobOf<'deliver-webhook'>, context: JobContext): Promise<void> {
  const { database, clock } = deps;
  const { delivery: id } = job.payload;
  const { tenant } = job;
  const found = await database.read(tenant, async (reader) => {
    const [delivery] = await rowsBy(reader, tenant, 'webhook_deliveries', { id: [id] });
    if (delivery === undefined) return null;
    const [webhook] = await rowsBy(reader, tenant, 'webhooks', { id: [delivery.webhook_id] });
    return webhook === undefined ? null : { delivery, webhook };
  });
  // The message was erased, or its webhook was removed.
  if (found === null) return;
  const { delivery, webhook } = found;
  const end = (fields: Partial<DeliveryRow>): Promise<void> =>
    database.write(tenant, async (writer) => {
      await setColumns(writer, 'webhook_deliveries', { tenant, id }, { ended_at: clock.now(), ...fields });
      await context.complete(writer);
    });
  if (webhook.enabled !== 1) return end({ state: 'dropped', error: 'The webhook is turned off.' });
  const attempts = delivery.attempts + 1;
  const sent = await attempt(deps, { delivery, webhook, signal: context.signal });
  if (sent.error === null) return end({ state: 'delivered', attempts, status: sent.status, error: null });
  const isLast = job.attempts >= job.maxAttempts || !sent.retryable;
  await database.write(tenant, async (writer) => {
    const state = isLast ? { state: 'failed', ended_at: clock.now() } : {};
    const outcome = { ...state, attempts, status: sent.status, error: sent.error };
    await setColumns(writer, 'webhook_deliveries', { tenant, id }, outcome);
    if (sent.status === GONE) {
      const disabled_reason = 'The receiver answered 410 Gone.';
      await updateWebhook(writer, tenant, webhook.id, { enabled: 0, disabled_reason });
    }
  });
  throw new VarveError(`The webhook was not delivered: ${sent.error}`, {
    code: 'receiver_unavailable',
    retryable: sent.retryable,
  });
}

interface Sent {
  status: number | null;
  error: string | null;
  retryable: boolean;
}

async function attempt(
  { clock, webhooks }: WebhookDeps,
  { delivery, webhook, signal }: { delivery: DeliveryRow; webhook: WebhookRow; signal: AbortSignal },
): Promise<Sent> {
  const now = clock.now();
  const isRotating = webhook.previous_secret !== null && (webhook.previous_until ?? 0) > now;
  const secrets = isRotating ? [webhook.secret, webhook.previous_secret as string] : [webhook.secret];
  const { id, body } = delivery;
  const timed = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN)]);
  try {
    const status = await sendWebhook({ url: webhook.url, id, body, secrets, now, signal: timed }, webhooks);
    if (status >= 200 && status < 300) return { status, error: null, retryable: false };
    return { status, error: `The receiver answered ${status}.`, retryable: status !== GONE };
  } catch (error) {
    // The worker is stopping. It releases the job, and this attempt does not count.
    if (signal.aborted) throw error;
    const retryable = !(VarveError.isInstance(error) && !error.retryable);
    const isLate = error instanceof Error && error.name === 'AbortError';
    const problem = isLate ? 'The receiver did not answer within 10 seconds.' : messageOf(error).slice(0, 300);
    return { status: null, error: problem, retryable };
  }
}
