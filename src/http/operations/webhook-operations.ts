import { z } from 'zod';
import { type NewWebhook, newWebhookSchema, type WebhookChange, webhookChangeSchema } from '../../operate/webhooks.ts';
import { WEBHOOK_EVENTS } from '../../store/doors/happenings.ts';
import { items, limitSchema, operationsOf, type Operation } from '../operation.ts';
import * as records from '../record-schemas.ts';

const webhooks = operationsOf('webhooks', { access: 'admin', scoped: false, tenantWide: true });
const madeWebhook = z.object({ webhook: records.webhook, secret: z.string() });

export const WEBHOOK_OPERATIONS: readonly Operation[] = [
  webhooks('createWebhook', 'POST /v1/webhooks', {
    summary: 'Registers a receiver. No later response shows the secret that signs its messages.',
    body: newWebhookSchema,
    // The response holds a secret, so it is not stored for repeated requests.
    once: false,
    example: { url: 'https://example.org/hooks/varve', events: ['memory.created', 'memory.forgotten'] },
    answer: { status: 201, schema: madeWebhook },
    run: ({ varve, key, body }) => varve.operator.webhooks.create(key.tenant, body as NewWebhook, key.id),
  }),
  webhooks('listWebhooks', 'GET /v1/webhooks', {
    summary: 'The receivers of the tenant, newest first, without their secrets.',
    answer: items(records.webhook),
    run: async ({ varve, key }) => ({ items: await varve.operator.webhooks.list(key.tenant) }),
  }),
  webhooks('listWebhookEvents', 'GET /v1/webhook-events', {
    summary: 'The events that a receiver can subscribe to.',
    answer: items(z.object({ type: z.string(), description: z.string() })),
    async run() {
      const types = Object.entries(WEBHOOK_EVENTS).map(([type, description]) => ({ type, description }));
      return { items: types };
    },
  }),
  webhooks('changeWebhook', 'PATCH /v1/webhooks/{id}', {
    summary: 'Changes the URL, the events or the description of a receiver, or turns it off and on.',
    body: webhookChangeSchema,
    example: { enabled: false },
    answer: records.webhook,
    async run({ varve, key, id, body }) {
      const { webhooks } = varve.operator;
      return await webhooks.change(key.tenant, id, body as WebhookChange, key.id);
    },
  }),
  webhooks('rotateWebhook', 'POST /v1/webhooks/{id}/rotate', {
    summary: 'Gives a receiver a new secret. For a day, messages are also signed with the old secret.',
    once: false,
    answer: madeWebhook,
    run: ({ varve, key, id }) => varve.operator.webhooks.rotate(key.tenant, id, key.id),
  }),
  webhooks('removeWebhook', 'DELETE /v1/webhooks/{id}', {
    summary: 'Removes a receiver with the log of its messages.',
    answer: null,
    run: ({ varve, key, id }) => varve.operator.webhooks.remove(key.tenant, id, key.id),
  }),
  webhooks('pingWebhook', 'POST /v1/webhooks/{id}/ping', {
    summary: 'Queues a test message for a receiver.',
    answer: { status: 202, schema: records.webhookDelivery },
    run: ({ varve, key, id }) => varve.operator.webhooks.ping(key.tenant, id),
  }),
  webhooks('listWebhookDeliveries', 'GET /v1/webhooks/{id}/deliveries', {
    summary: 'The messages to a receiver in the last week and its answers, newest first.',
    query: z.strictObject({ limit: limitSchema(500), cursor: z.string().max(100).optional() }),
    answer: records.page(records.webhookDelivery),
    run: ({ varve, key, id, query }) => varve.operator.webhooks.deliveries(key.tenant, id, query),
  }),
  webhooks('redeliverWebhook', 'POST /v1/webhook-deliveries/{id}/retry', {
    summary: 'Resends a message that failed or was dropped.',
    answer: { status: 202, schema: records.webhookDelivery },
    run: ({ varve, key, id }) => varve.operator.webhooks.redeliver(key.tenant, id),
  }),
];
