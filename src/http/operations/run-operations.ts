import { z } from 'zod';
import { textSchema } from '../../record/parse.ts';
import { found, idOf, items, limitSchema, loose, operationsOf, type Operation } from '../operation.ts';
import * as records from '../record-schemas.ts';

const work = operationsOf('work');
const memories = operationsOf('memories');

/** Runs of background work, and the changes that they hold for review. */
export const RUN_OPERATIONS: readonly Operation[] = [
  work('listRuns', 'GET /v1/runs', {
    summary: 'Runs of background work within the scope, newest first.',
    query: z.strictObject({ kinds: z.array(textSchema(100)).max(20).optional(), limit: limitSchema(1000) }),
    answer: items(loose),
    run: async ({ handle, query }) => ({ items: await handle.consolidation.runs(query) }),
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
    run: async ({ handle }) => ({ items: await handle.consolidation.held() }),
  }),
  work('acceptHeldChange', 'POST /v1/held-changes/{id}/accept', {
    idPrefix: 'run',
    summary: 'Applies a held answer after all.',
    answer: null,
    async run({ handle, key, params }) {
      await handle.consolidation.accept(idOf(params), key.id);
    },
  }),
  work('rejectHeldChange', 'POST /v1/held-changes/{id}/reject', {
    idPrefix: 'run',
    summary: 'Discards a held answer. The next run reads its observations again.',
    answer: null,
    async run({ handle, params }) {
      await handle.consolidation.reject(idOf(params));
    },
  }),
  work('listSetAside', 'GET /v1/set-aside', {
    summary: 'Observations that were set aside because every attempt to read them failed.',
    answer: items(z.object({ event: records.event, attempts: z.int(), error: z.string() })),
    run: async ({ handle }) => ({ items: await handle.consolidation.setAside() }),
  }),
  work('retrySetAside', 'POST /v1/set-aside/{id}/retry', {
    idPrefix: 'evt',
    summary: 'Retries an observation that was set aside.',
    answer: null,
    async run({ handle, params }) {
      await handle.consolidation.retry(idOf(params));
    },
  }),
  work('suggestTools', 'GET /v1/tool-suggestions', {
    summary: 'Tools that the learned patterns suggest.',
    query: z.strictObject({ message: textSchema(20_000).optional(), limit: limitSchema(50) }),
    answer: items(loose),
    run: async ({ handle, query }) => ({ items: await handle.consolidation.suggestTools(query) }),
  }),
  memories('memoryUse', 'GET /v1/memories/{id}/use', {
    summary: 'How often a memory was included in a prompt, used, confirmed and corrected.',
    answer: loose,
    async run({ handle, params }) {
      found(await handle.memories.get(idOf(params)), 'memory', idOf(params));
      return found(await handle.consolidation.use(idOf(params)), 'use of', idOf(params));
    },
  }),
  memories('noteGiven', 'POST /v1/given', {
    summary: 'Records which memories the model was given for this turn, so that their use can be judged.',
    body: z.strictObject({ memories: z.array(textSchema(200)).min(1).max(1000) }),
    example: { memories: ['mem_01jd00000000000000000000aa'] },
    answer: null,
    async run({ handle, body }) {
      await handle.noteGiven(body.memories);
    },
  }),
  work('configureReflection', 'PUT /v1/reflection-settings', {
    summary: 'Sets the user’s time zone and the local hour of the nightly reflection. `null` restores the default.',
    body: z.strictObject({
      timeZone: textSchema(100).nullable().optional(),
      reflectionHour: z.int().min(0).max(23).nullable().optional(),
    }),
    example: { timeZone: 'Europe/Oslo', reflectionHour: 3 },
    answer: null,
    async run({ handle, body }) {
      await handle.consolidation.configure(body);
    },
  }),
];
