import { z } from 'zod';
import { invalidInput } from '../../errors.ts';
import { type NewApiKey, newApiKeySchema } from '../../operate/api-keys.ts';
import { type NewWebhook, newWebhookSchema, type WebhookChange, webhookChangeSchema } from '../../operate/webhooks.ts';
import { textSchema } from '../../record/parse.ts';
import { WEBHOOK_EVENTS } from '../../store/doors/happenings.ts';
import { REPORT_BY } from '../../store/doors/usage-store.ts';
import { found, items, limitSchema, loose, operationsOf, type Operation } from '../operation.ts';
import * as records from '../record-schemas.ts';

const admin = { access: 'admin', scoped: false, tenantWide: true } as const;
const keys = operationsOf('keys', { ...admin });
const jobs = operationsOf('jobs', { ...admin });
const webhooks = operationsOf('webhooks', admin);
const operations = operationsOf('operations');
const tenantWide = operationsOf('operations', admin);
const madeKey = z.object({ key: records.apiKey, secret: z.string() });
const dayOrMonth = z
  .string()
  .regex(/^\d{4}-\d{2}(-\d{2})?$/)
  .optional();

const KEYS: readonly Operation[] = [
  keys('createKey', 'POST /v1/keys', {
    summary: 'Creates a key. No later response shows its secret.',
    body: newApiKeySchema,
    // The response holds a secret, so it is not stored for repeated requests.
    once: false,
    example: { name: 'my app', access: 'write' },
    answer: { status: 201, schema: madeKey },
    run: ({ varve, key, body }) => varve.operator.keys.create(key.tenant, body as NewApiKey, key.id),
  }),
  keys('listKeys', 'GET /v1/keys', {
    summary: 'The keys of the tenant, newest first, without their secrets.',
    answer: items(records.apiKey),
    run: ({ varve, key }) => varve.operator.keys.list(key.tenant),
  }),
  keys('rotateKey', 'POST /v1/keys/{id}/rotate', {
    summary: 'Gives a key a new secret. The old secret stops working within seconds.',
    once: false,
    answer: madeKey,
    run: ({ varve, key, id }) => varve.operator.keys.rotate(key.tenant, id, key.id),
  }),
  keys('revokeKey', 'DELETE /v1/keys/{id}', {
    summary: 'Revokes a key for good.',
    answer: records.apiKey,
    run: ({ varve, key, id }) => varve.operator.keys.revoke(key.tenant, id, key.id),
  }),
  keys('listActs', 'GET /v1/acts', {
    summary: 'The administrative actions, newest first.',
    query: z.strictObject({ limit: limitSchema(1000), cursor: z.string().max(100).optional() }),
    answer: records.page(records.act),
    run: ({ varve, key, query }) => varve.operator.acts.list(key.tenant, query),
  }),
];

const JOBS: readonly Operation[] = [
  jobs('listJobs', 'GET /v1/jobs', {
    summary: 'Background work of the tenant, newest first.',
    query: z.strictObject({
      state: z.enum(['waiting', 'running', 'done', 'dead']).optional(),
      kind: textSchema(100).optional(),
      limit: limitSchema(500),
      cursor: z.string().regex(/^job_/).max(100).optional(),
    }),
    answer: records.page(records.job),
    run: ({ varve, key, query }) => varve.operator.jobs.list({ ...query, tenant: key.tenant }),
  }),
  jobs('countJobs', 'GET /v1/job-counts', {
    summary: 'How many jobs there are of each kind and state.',
    answer: items(z.object({ kind: z.string(), state: z.string(), count: z.int() })),
    run: ({ varve, key }) => varve.operator.jobs.count({ tenant: key.tenant }),
  }),
  jobs('getJob', 'GET /v1/jobs/{id}', {
    summary: 'A job by its id.',
    answer: records.job,
    run: async ({ varve, key, id }) => found(await varve.operator.jobs.get(id, { tenant: key.tenant }), 'job', id),
  }),
  jobs('retryJob', 'POST /v1/jobs/{id}/retry', {
    summary: 'Queues a dead job to run again now, with its attempts reset.',
    act: 'job.retry',
    answer: records.job,
    run: async ({ varve, key, id }) => found(await varve.operator.jobs.retry(id, { tenant: key.tenant }), 'job', id),
  }),
];

const money = z.object({ balance: z.number() });
const accountSchema = z.strictObject({ user: textSchema(200).optional() });

const COUNTS: readonly Operation[] = [
  operations('stats', 'GET /v1/stats', {
    summary: 'Counts the records within the scope.',
    answer: records.recordCounts,
    run: ({ varve, scope }) => varve.operator.count(scope),
  }),
  operations('onlineMetrics', 'GET /v1/online-metrics', {
    summary: 'Quality of memory in use within the scope: utilisation, observations, corrections, repeated questions.',
    answer: records.onlineMetrics,
    run: ({ varve, scope }) => varve.operator.metrics(scope),
  }),
  tenantWide('extractionChecks', 'GET /v1/extraction-checks', {
    summary: 'Checks the memories that were formed from the first 100 conversations of the tenant.',
    answer: records.extractionReport,
    run: ({ varve, scope }) => varve.operator.checkExtraction({ tenant: scope.tenant }),
  }),
  tenantWide('costs', 'GET /v1/costs', {
    summary: 'The use and the cost of models, in micro-dollars.',
    query: z.strictObject({
      by: z.array(z.enum(REPORT_BY)).max(4).optional(),
      user: textSchema(200).optional(),
      run: textSchema(200).optional(),
      from: dayOrMonth,
      to: dayOrMonth,
    }),
    answer: items(records.costLine),
    run: ({ varve, key: { tenant }, query: { by = ['month', 'operation'] as const, ...query } }) =>
      varve.ledger.report({ ...query, tenant, by }),
  }),
  tenantWide('getCredit', 'GET /v1/credit', {
    summary: 'The balance of an account of a user or of the tenant, in micro-dollars.',
    query: accountSchema,
    answer: money,
    async run({ varve, key: { tenant }, query: { user = null } }) {
      return { balance: await varve.ledger.credit.balance({ tenant, user }) };
    },
  }),
  tenantWide('grantCredit', 'POST /v1/credit', {
    summary: 'Adds credit to an account. Repeating a `key` adds nothing.',
    act: 'credit.grant',
    body: z.strictObject({
      user: textSchema(200).nullish(),
      amount: z.int().positive().max(1e15),
      reason: textSchema(200),
      key: textSchema(200).optional(),
    }),
    example: { amount: 5_000_000, reason: 'monthly' },
    answer: money,
    async run({ varve, key: { tenant }, body: { user = null, ...move } }) {
      return { balance: await varve.ledger.credit.grant({ ...move, user, tenant }) };
    },
  }),
  tenantWide('creditStatement', 'GET /v1/credit/statement', {
    summary: 'The latest entries of an account.',
    query: accountSchema,
    answer: items(loose),
    run: ({ varve, key: { tenant }, query: { user = null } }) => varve.ledger.credit.statement({ tenant, user }),
  }),
];

const ERASE: readonly Operation[] = [
  operations('erase', 'POST /v1/erase', {
    summary: 'Removes everything within the scope for good. `confirm` repeats the innermost part of the scope.',
    access: 'admin',
    body: z.strictObject({ confirm: textSchema(200), reason: textSchema(500).optional() }),
    // A stored response would outlive the records that it describes.
    once: false,
    act: 'erase',
    example: { confirm: 'ana' },
    answer: loose,
    unhurried: true,
    async run({ handle, scope, key, body }) {
      const level = (['session', 'user', 'agent', 'tenant'] as const).find((part) => scope[part] !== null) ?? 'tenant';
      const name = scope[level];
      if (body.confirm !== name) {
        const wider = level === 'user' || level === 'session' ? '' : ' To erase one user only, name the user: ?user=….';
        throw invalidInput(
          `This request erases everything of the ${level} ${JSON.stringify(name)}. To confirm, send {"confirm":${JSON.stringify(name)}}.${wider}`,
        );
      }
      return await handle.erase({ actor: key.id, reason: body.reason });
    },
  }),
  operations('eraseMemory', 'POST /v1/memories/{id}/erase', {
    summary: 'Removes one memory for good, with everything that was derived from it alone.',
    access: 'admin',
    once: false,
    act: 'erase.memory',
    body: z.strictObject({ reason: textSchema(500).optional() }),
    bodyOptional: true,
    example: { reason: 'the user asked for it' },
    answer: loose,
    run: ({ handle, key, id, body }) => handle.eraseMemory(id, { actor: key.id, reason: body?.reason }),
  }),
  tenantWide('listErasures', 'GET /v1/erasures', {
    summary: 'Certificates of what was erased in this tenant, newest first, without any content.',
    answer: items(loose),
    run: ({ varve, key }) => varve.for({ tenant: key.tenant, user: null }).erasures(),
  }),
];

const madeWebhook = z.object({ webhook: records.webhook, secret: z.string() });

const WEBHOOKS: readonly Operation[] = [
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
    run: ({ varve, key }) => varve.operator.webhooks.list(key.tenant),
  }),
  webhooks('listWebhookEvents', 'GET /v1/webhook-events', {
    summary: 'The events that a receiver can subscribe to.',
    answer: items(z.object({ type: z.string(), description: z.string() })),
    run: async () => Object.entries(WEBHOOK_EVENTS).map(([type, description]) => ({ type, description })),
  }),
  webhooks('changeWebhook', 'PATCH /v1/webhooks/{id}', {
    summary: 'Changes the URL, the events or the description of a receiver, or turns it off and on.',
    body: webhookChangeSchema,
    example: { enabled: false },
    answer: records.webhook,
    run: ({ varve, key, id, body }) => varve.operator.webhooks.change(key.tenant, id, body as WebhookChange, key.id),
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

export const ADMIN_OPERATIONS: readonly Operation[] = [...KEYS, ...JOBS, ...COUNTS, ...ERASE, ...WEBHOOKS];
