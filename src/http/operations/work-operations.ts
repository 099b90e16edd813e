import { z } from 'zod';
import { reflectionSettingsSchema } from '../../handle/consolidation.ts';
import { textSchema } from '../../record/parse.ts';
import { found, items, limitSchema, loose, operationsOf, type Operation } from '../operation.ts';
import * as records from '../record-schemas.ts';

const work = operationsOf('work');
const memories = operationsOf('memories');
// Without a time limit, because the response contains the counts of the finished work.
const start = operationsOf('work', { access: 'admin', once: false, unhurried: true });
const dryRun = z.strictObject({ dryRun: z.boolean().optional() });

export const WORK_OPERATIONS: readonly Operation[] = [
  start('reflect', 'POST /v1/reflect', {
    summary:
      'Runs the nightly reflection now, on the user’s turns since the last reflection. Without a user, it runs for every user of the tenant with new turns.',
    secret: true,
    act: 'reflect',
    query: dryRun,
    answer: z.object({
      users: z.int(),
      facts_added: z.int(),
      facts_updated: z.int(),
      intentions_added: z.int(),
      intentions_closed: z.int(),
      learnings_added: z.int(),
      skipped: z.boolean(),
      profile_held: z.boolean(),
      warnings: z.array(z.string()),
    }),
    run: ({ handle, query, goneOrStopping }) => handle.reflect({ dryRun: query.dryRun, signal: goneOrStopping() }),
  }),
  start('backfill', 'POST /v1/backfill', {
    summary:
      'Embeds the records that have no vector, by default ten a second, and returns how many there were of each kind.',
    scoped: false,
    tenantWide: true,
    secret: true,
    act: 'backfill',
    query: z.strictObject({ rate: z.number().positive().max(100_000).optional() }),
    answer: records.counts,
    run: ({ varve, key, query, goneOrStopping }) =>
      varve.backfill({ tenant: key.tenant, rate: query.rate, signal: goneOrStopping() }),
  }),
  start('form', 'POST /v1/form', {
    summary:
      'Forms memories now from the turns of the session since the last formation. `added` lists what this call stored, and `formed` all live memories of the session.',
    access: 'write',
    answer: loose,
    run: ({ handle }) => handle.form(),
  }),
  start('consolidate', 'POST /v1/consolidate', {
    summary: 'Consolidates the scope now instead of at its scheduled time.',
    act: 'consolidate',
    query: dryRun,
    answer: loose,
    run: ({ handle, query, goneOrStopping }) =>
      handle.consolidation.run({ dryRun: query.dryRun, signal: goneOrStopping() }),
  }),
  start('maintain', 'POST /v1/maintain', {
    summary: 'Runs the maintenance of the tenant now: decay, archiving, retention.',
    scoped: false,
    tenantWide: true,
    act: 'maintain',
    query: dryRun,
    answer: loose,
    run: ({ varve, key, query, goneOrStopping }) =>
      varve.maintain({ tenant: key.tenant, dryRun: query.dryRun, signal: goneOrStopping() }),
  }),
  work('listRuns', 'GET /v1/runs', {
    summary: 'Runs of background work within the scope, newest first.',
    query: z.strictObject({
      kinds: z.array(textSchema(100)).max(20).optional(),
      statuses: z.array(z.enum(['done', 'failed', 'held', 'skipped'])).optional(),
      limit: limitSchema(1000),
    }),
    answer: items(loose),
    run: ({ handle, query }) => handle.consolidation.runs(query),
  }),
  work('listRefusals', 'GET /v1/refusals', {
    summary: 'Statements that were read from events within the scope and refused, with the reasons, newest first.',
    query: z.strictObject({ limit: limitSchema(1000), cursor: z.string().max(500).optional() }),
    answer: records.page(records.refusal),
    run: ({ handle, query }) => handle.refusals.list(query),
  }),
  work('listHeldChanges', 'GET /v1/held-changes', {
    summary: 'Answers of models that were not applied because they would have removed too much.',
    answer: items(loose),
    run: ({ handle }) => handle.consolidation.held(),
  }),
  work('acceptHeldChange', 'POST /v1/held-changes/{id}/accept', {
    summary: 'Applies a held answer after all.',
    answer: null,
    run: ({ handle, key, id }) => handle.consolidation.accept(id, key.id),
  }),
  work('rejectHeldChange', 'POST /v1/held-changes/{id}/reject', {
    summary: 'Discards a held answer. The next run reads its observations again.',
    answer: null,
    run: ({ handle, id }) => handle.consolidation.reject(id),
  }),
  work('listSetAside', 'GET /v1/set-aside', {
    summary: 'Observations that were set aside because every attempt to read them failed.',
    answer: items(z.object({ event: records.event, attempts: z.int(), error: z.string() })),
    run: ({ handle }) => handle.consolidation.setAside(),
  }),
  work('retrySetAside', 'POST /v1/set-aside/{id}/retry', {
    summary: 'Retries an observation that was set aside.',
    answer: null,
    run: ({ handle, id }) => handle.consolidation.retry(id),
  }),
  work('suggestTools', 'GET /v1/tool-suggestions', {
    summary: 'Tools that the learned patterns suggest.',
    query: z.strictObject({ message: textSchema(20_000).optional(), limit: limitSchema(50) }),
    answer: items(loose),
    run: ({ handle, query }) => handle.consolidation.suggestTools(query),
  }),
  memories('memoryUse', 'GET /v1/memories/{id}/use', {
    summary: 'How often a memory was included in a prompt, used, confirmed and corrected.',
    answer: records.memoryUse,
    async run({ handle, id }) {
      found(await handle.memories.get(id), 'memory', id);
      return found(await handle.consolidation.use(id), 'use of', id);
    },
  }),
  memories('noteGiven', 'POST /v1/given', {
    summary: 'Records which memories the model was given for this turn, so that their use can be judged.',
    body: z.strictObject({ memories: z.array(textSchema(200)).min(1).max(1000) }),
    example: { memories: ['mem_01jd00000000000000000000aa'] },
    answer: null,
    run: ({ handle, body }) => handle.noteGiven(body.memories),
  }),
  work('configureReflection', 'PUT /v1/reflection-settings', {
    summary: 'Sets the user’s time zone and the local hour of the nightly reflection. `null` restores the default.',
    body: reflectionSettingsSchema,
    example: { timeZone: 'Europe/Oslo', reflectionHour: 3 },
    answer: null,
    run: ({ handle, body }) => handle.consolidation.configure(body),
  }),
];
