import { z } from 'zod';
import { conflict, invalidInput, notFound } from '../errors.ts';
import { enqueueJobs } from '../store/queue/enqueue.ts';
import { DAY } from '../record/clock.ts';
import { parse, textSchema } from '../record/parse.ts';
import { type Page, pageOf, rowsBy, setColumns } from '../store/rows.ts';
import type { Writer } from '../store/database.ts';
import { TENANT, WEBHOOK_EVENTS, type WebhookEvent } from '../store/doors/happenings.ts';
import { type DeliveryRow, insertWebhook, listDeliveries, listWebhooks } from '../store/doors/webhook-store.ts';
import { removeWebhook, updateWebhook, type WebhookRow } from '../store/doors/webhook-store.ts';
import { recordAct } from '../store/doors/admin-acts.ts';
import { deliveryJob, queueDeliveries, type WebhookDeps } from './webhook-delivery.ts';
import { checkReceiver, newWebhookSecret } from './webhook-request.ts';

/** A receiver of messages about a tenant's events, without its secret. */
export interface Webhook {
  id: string;
  url: string;
  events: WebhookEvent[];
  description: string | null;
  enabled: boolean;
  /** Why Varve turned the webhook off. Null if it is on or a person turned it off. */
  disabledReason: string | null;
  createdAt: Date;
  createdBy: string;
}

/** The options of a new webhook. */
export interface NewWebhook {
  /** An `https://…` URL on the public internet, unless the operator allows others. */
  url: string;
  /** Default: all events. `webhook.ping` is always sent. */
  events?: WebhookEvent[];
  description?: string;
}

/** The fields of a webhook that can be changed. */
export interface WebhookChange extends Partial<NewWebhook> {
  /** False turns the webhook off. Events during that time are never sent. */
  enabled?: boolean;
}

/** A webhook with its secret, which is shown only after creation and rotation. */
export interface MadeWebhook {
  webhook: Webhook;
  secret: string;
}

/** One message to a receiver, and the state of its delivery. Kept for a week. */
export interface WebhookDelivery {
  id: string;
  type: WebhookEvent;
  /** `failed` messages are not retried. A message is `dropped` if the webhook was turned off before it was sent. */
  state: 'waiting' | 'delivered' | 'failed' | 'dropped';
  attempts: number;
  /** The status of the receiver's last response, or null if it did not respond. */
  status: number | null;
  error: string | null;
  createdAt: Date;
  endedAt: Date | null;
  /** Contains ids and names, but never text of records. */
  body: unknown;
}

/** Manages the webhooks of tenants. */
export interface Webhooks {
  /** Throws `invalid_input` if the URL must not be called. `by` is the id of a key, or `cli`. */
  create(tenant: string, webhook: NewWebhook, by: string): Promise<MadeWebhook>;
  /** Newest first, without secrets. */
  list(tenant: string): Promise<Webhook[]>;
  change(tenant: string, id: string, change: WebhookChange, by: string): Promise<Webhook>;
  /** Makes a new secret. For a day, messages are also signed with the old one. */
  rotate(tenant: string, id: string, by: string): Promise<MadeWebhook>;
  /** Also removes the log. Queued messages are not sent. */
  remove(tenant: string, id: string, by: string): Promise<void>;
  /** Queues a test message. */
  ping(tenant: string, id: string): Promise<WebhookDelivery>;
  /** Newest first. */
  deliveries(tenant: string, id: string, options?: { limit?: number; cursor?: string }): Promise<Page<WebhookDelivery>>;
  /** Sends a failed or dropped message again. Throws `conflict` for any other message. */
  redeliver(tenant: string, id: string): Promise<WebhookDelivery>;
}

// Each change of a tenant is processed once for each of its webhooks.
const MOST_WEBHOOKS = 100;
const SECRET_OVERLAP = DAY;

const eventSchema = z.enum(Object.keys(WEBHOOK_EVENTS) as [WebhookEvent, ...WebhookEvent[]]);
const ALL: readonly WebhookEvent[] = eventSchema.options.filter((type) => type !== 'webhook.ping');
const fields = {
  url: z.url('is not a URL').max(2000),
  events: z.array(eventSchema).min(1).max(50).optional(),
  description: textSchema(200).optional(),
};
export const newWebhookSchema: z.ZodType<NewWebhook, NewWebhook> = z.strictObject(fields);
export const webhookChangeSchema: z.ZodType<WebhookChange, WebhookChange> = z.strictObject({
  ...fields,
  url: fields.url.optional(),
  enabled: z.boolean().optional(),
});
const pageSchema = z.strictObject({
  limit: z.int().min(1).max(500).default(50),
  cursor: z
    .string()
    .regex(/^\d{1,15}-whd_[0-9a-z]{26}$/, 'is not a cursor that a list returned')
    .optional(),
});

export function createWebhooks(deps: WebhookDeps): Webhooks {
  const { database, clock } = deps;
  const change = (
    { tenant, id, by, act }: { tenant: string; id: string; by: string; act: string },
    work: (writer: Writer) => Promise<Partial<WebhookRow>>,
  ): Promise<WebhookRow> =>
    database.write(tenant, async (writer) => {
      const row = await updateWebhook(writer, tenant, id, await work(writer));
      if (row === undefined) throw notFound(`There is no webhook ${id}.`, id);
      await recordAct(writer, deps, { tenant, actor: by, act, subject: id });
      return row;
    });

  return {
    async create(tenant, input, by) {
      const row = newRow(deps, { tenant, by }, parse(newWebhookSchema, input, 'The webhook'));
      await database.write(tenant, async (writer) => {
        if ((await listWebhooks(writer, tenant)).length >= MOST_WEBHOOKS) {
          throw conflict(`A tenant has at most ${MOST_WEBHOOKS} webhooks. Remove one first.`);
        }
        await insertWebhook(writer, row);
        // Only the host is audited, because the path may contain a secret of the receiver.
        const details = { host: new URL(row.url).host };
        await recordAct(writer, deps, { tenant, actor: by, act: 'webhook.create', subject: row.id, details });
      });
      return { webhook: toWebhook(row), secret: row.secret };
    },
    list: async (tenant) => (await database.read(tenant, (reader) => listWebhooks(reader, tenant))).map(toWebhook),
    async change(tenant, id, input, by) {
      const set = changedFields(parse(webhookChangeSchema, input, 'The change'), deps);
      if (Object.keys(set).length === 0)
        throw invalidInput('The change is empty. Give at least one of url, events, description and enabled.');
      return toWebhook(await change({ tenant, id, by, act: 'webhook.change' }, async () => set));
    },
    async rotate(tenant, id, by) {
      const secret = newWebhookSecret();
      const row = await change({ tenant, id, by, act: 'webhook.rotate' }, async (writer) => {
        const [before] = await rowsBy(writer, tenant, 'webhooks', { id: [id] });
        return { secret, previous_secret: before?.secret ?? null, previous_until: clock.now() + SECRET_OVERLAP };
      });
      return { webhook: toWebhook(row), secret };
    },
    remove: (tenant, id, by) =>
      database.write(tenant, async (writer) => {
        if (!(await removeWebhook(writer, tenant, id))) throw notFound(`There is no webhook ${id}.`, id);
        await recordAct(writer, deps, { tenant, actor: by, act: 'webhook.remove', subject: id });
      }),
    ...webhookLog(deps),
  };
}

function webhookLog(deps: WebhookDeps): Pick<Webhooks, 'ping' | 'deliveries' | 'redeliver'> {
  const { database, clock, ids } = deps;
  return {
    ping: (tenant, id) =>
      database.write(tenant, async (writer) => {
        const [webhook] = await rowsBy(writer, tenant, 'webhooks', { id: [id] });
        if (webhook === undefined) throw notFound(`There is no webhook ${id}.`, id);
        const about = { subject: ids.next('whd'), at: clock.now(), place: TENANT, data: { webhook: id } };
        const happening = { type: 'webhook.ping' as const, ...about };
        const [delivery] = await queueDeliveries(writer, deps, { tenant, webhook, happenings: [happening] });
        return toDelivery(delivery as DeliveryRow);
      }),
    async deliveries(tenant, id, options = {}) {
      const { limit, cursor } = parse(pageSchema, options, 'The page of deliveries');
      const [at = '', last = ''] = cursor?.split('-') ?? [];
      const before = cursor === undefined ? undefined : { at: Number(at), id: last };
      const filter = { webhook: id, limit: limit + 1, before };
      const rows = await database.read(tenant, (reader) => listDeliveries(reader, tenant, filter));
      return pageOf(rows, limit, toDelivery, (row) => `${row.created_at}-${row.id}`);
    },
    redeliver: (tenant, id) =>
      database.write(tenant, async (writer) => {
        const [row] = await rowsBy(writer, tenant, 'webhook_deliveries', { id: [id] });
        if (row === undefined) throw notFound(`There is no delivery ${id}.`, id);
        if (row.state !== 'failed' && row.state !== 'dropped') {
          throw conflict(`The delivery ${id} is ${row.state}: only a failed or dropped delivery can be sent again.`);
        }
        const again = { state: 'waiting', ended_at: null };
        await setColumns(writer, 'webhook_deliveries', { tenant, id }, again);
        await enqueueJobs(writer, [deliveryJob(row)], deps);
        return toDelivery({ ...row, ...again });
      }),
  };
}

function newRow(
  { webhooks, clock, ids }: WebhookDeps,
  { tenant, by }: { tenant: string; by: string },
  { url, events = [...ALL], description }: NewWebhook,
): WebhookRow {
  const now = clock.now();
  return {
    tenant_id: tenant,
    id: ids.next('whk'),
    url: checkReceiver(url, webhooks).href,
    events: JSON.stringify(events),
    description: description ?? null,
    secret: newWebhookSecret(),
    previous_secret: null,
    previous_until: null,
    enabled: 1,
    disabled_reason: null,
    active_from: now,
    read_until: now,
    created_at: now,
    created_by: by,
  };
}

function changedFields(
  { url, events, description, enabled }: WebhookChange,
  { webhooks, clock }: Pick<WebhookDeps, 'webhooks' | 'clock'>,
): Partial<WebhookRow> {
  return {
    ...(url === undefined ? {} : { url: checkReceiver(url, webhooks).href }),
    ...(events === undefined ? {} : { events: JSON.stringify(events) }),
    ...(description === undefined ? {} : { description }),
    ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0, disabled_reason: null }),
    ...(enabled === true ? { active_from: clock.now(), read_until: clock.now() } : {}),
  };
}

function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as WebhookEvent[],
    description: row.description,
    enabled: row.enabled === 1,
    disabledReason: row.disabled_reason,
    createdAt: new Date(row.created_at),
    createdBy: row.created_by,
  };
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    type: row.type as WebhookEvent,
    state: row.state as WebhookDelivery['state'],
    attempts: row.attempts,
    status: row.status,
    error: row.error,
    createdAt: new Date(row.created_at),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at),
    body: JSON.parse(row.body) as unknown,
  };
}
