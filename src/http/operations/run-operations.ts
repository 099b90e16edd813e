import { z } from 'zod';
import { textSchema } from '../../record/parse.ts';
import { found, idOf, items, limitSchema, loose, operation, type Operation } from '../operation.ts';
import * as records from '../record-schemas.ts';

/** Runs of background work, and what they hold for review. */
export const RUN_OPERATIONS: readonly Operation[] = [
  operation({
    id: 'listRuns',
    method: 'get',
    path: '/v1/runs',
    tag: 'work',
    summary: 'Runs of background work within the scope, newest first.',
    query: z.strictObject({ kinds: z.array(textSchema(100)).max(20).optional(), limit: limitSchema(1000) }),
    answer: items(loose),
    run: async ({ handle, query }) => ({ items: await handle.consolidation.runs(query) }),
  }),
  operation({
    id: 'listRefusals',
    method: 'get',
    path: '/v1/refusals',
    tag: 'work',
    summary: 'What was read from events within the scope and not stored, with the reasons, newest first.',
    query: z.strictObject({ limit: limitSchema(1000), cursor: z.string().max(500).optional() }),
    answer: records.page(records.refusal),
    run: ({ handle, query }) => handle.refusals.list(query),
  }),
  operation({
    id: 'listHeldChanges',
    method: 'get',
    path: '/v1/held-changes',
    tag: 'work',
    summary: 'Answers of models that were not applied because they would have removed too much.',
    answer: items(loose),
    run: async ({ handle }) => ({ items: await handle.consolidation.held() }),
  }),
  operation({
    id: 'acceptHeldChange',
    method: 'post',
    path: '/v1/held-changes/{id}/accept',
    idPrefix: 'run',
    tag: 'work',
    summary: 'Applies a held answer after all.',
    answer: null,
    async run({ handle, key, params }) {
      await handle.consolidation.accept(idOf(params), key.id);
    },
  }),
  operation({
    id: 'rejectHeldChange',
    method: 'post',
    path: '/v1/held-changes/{id}/reject',
    idPrefix: 'run',
    tag: 'work',
    summary: 'Discards a held answer. The next run reads its observations again.',
    answer: null,
    async run({ handle, params }) {
      await handle.consolidation.reject(idOf(params));
    },
  }),
  operation({
    id: 'listSetAside',
    method: 'get',
    path: '/v1/set-aside',
    tag: 'work',
    summary: 'Observations that were set aside because every attempt to read them failed.',
    answer: items(z.object({ event: records.event, attempts: z.int(), error: z.string() })),
    run: async ({ handle }) => ({ items: await handle.consolidation.setAside() }),
  }),
  operation({
    id: 'retrySetAside',
    method: 'post',
    path: '/v1/set-aside/{id}/retry',
    idPrefix: 'evt',
    tag: 'work',
    summary: 'Retries an observation that was set aside.',
    answer: null,
    async run({ handle, params }) {
      await handle.consolidation.retry(idOf(params));
    },
  }),
  operation({
    id: 'suggestTools',
    method: 'get',
    path: '/v1/tool-suggestions',
    tag: 'work',
    summary: 'Tools that the learned patterns suggest.',
    query: z.strictObject({ message: textSchema(20_000).optional(), limit: limitSchema(50) }),
    answer: items(loose),
    run: async ({ handle, query }) => ({ items: await handle.consolidation.suggestTools(query) }),
  }),
  operation({
    id: 'memoryUse',
    method: 'get',
    path: '/v1/memories/{id}/use',
    tag: 'memories',
    summary: 'How often a memory was given to the model, used, confirmed and corrected.',
    answer: loose,
    async run({ handle, params }) {
      found(await handle.memories.get(idOf(params)), 'memory', idOf(params));
      return found(await handle.consolidation.use(idOf(params)), 'use of', idOf(params));
    },
  }),
  operation({
    id: 'noteGiven',
    method: 'post',
    path: '/v1/given',
    tag: 'memories',
    summary: 'Records which memories the model was given for this turn, so that their use can be judged.',
    body: z.strictObject({ memories: z.array(textSchema(200)).min(1).max(1000) }),
    example: { memories: ['mem_01jd00000000000000000000aa'] },
    answer: null,
    async run({ handle, body }) {
      await handle.noteGiven(body.memories);
    },
  }),
  operation({
    id: 'configureReflection',
    method: 'put',
    path: '/v1/reflection-settings',
    tag: 'work',
    summary: 'Sets the user’s time zone and the local hour of the nightly reflection. `null` goes back to the default.',
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
