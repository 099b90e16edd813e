import { z } from 'zod';
import { type ContextOptions, contextTextFields, sectionSwitchesSchema } from '../../assemble/context-options.ts';
import { layoutNameSchema } from '../../assemble/layouts.ts';
import type { Handle } from '../../handle/handle.ts';
import { recallOptionsSchema } from '../../recall/recall-options.ts';
import { textSchema, timeSchema, timeZoneSchema } from '../../record/parse.ts';
import { AGENT_TOOLS, agentTool } from '../../tools/agent-tools.ts';
import { assertAccess } from '../access.ts';
import { eachOf, failedItem, recallFields, recalledWith, shortResult, someOf } from '../answer-fields.ts';
import { asOfSchema, found, items, limitSchema, loose, operationsOf, type Operation, readerAt } from '../operation.ts';

const context = operationsOf('context');
const recall = operationsOf('recall');
const tools = operationsOf('tools');

const tokens = z.int().min(0).max(1_000_000).optional();

// Hooks, models and custom layouts are code, so they cannot be sent over HTTP.
const contextBody = z.strictObject({
  ...contextTextFields,
  tools: z.string().max(1_000_000).optional(),
  layout: layoutNameSchema.optional(),
  budget: z.int().min(1).max(1_000_000).optional(),
  reserve: tokens,
  sections: sectionSwitchesSchema.optional(),
  lookup: z.enum(['rules', 'always', 'never']).optional(),
  topMemories: z.int().min(0).max(1000).optional(),
  recallLimit: z.int().min(1).max(200).optional(),
  connections: z.array(textSchema(200)).max(200).optional(),
  timeZone: timeZoneSchema.optional(),
  now: timeSchema.optional(),
  refresh: z.boolean().optional(),
});

const recallBody = z.strictObject({
  query: textSchema(20_000),
  options: recallOptionsSchema.optional(),
  asOf: asOfSchema,
});

const recallView = z.strictObject({ fields: recallFields, explain: z.boolean().optional() });

// Shows the scope that was read, so that an empty answer for a misspelt user does not look as if nothing were known.
const reachFields = {
  scope: z.object({ agent: z.string().nullable(), user: z.string().nullable(), session: z.string().nullable() }),
  notice: z.string().nullable(),
};

const NO_USER =
  'The request names no user (?user=…). It reads only what all users share, and nothing that was learned from or about one user.';

function reachOf({ scope: { agent, user, session } }: Handle): z.infer<z.ZodObject<typeof reachFields>> {
  return { scope: { agent, user, session }, notice: user === null ? NO_USER : null };
}

const shortRecalled = z.object({
  results: z.array(someOf(shortResult)),
  answerable: z.number().nullable(),
  abstained: z.boolean(),
  degraded: z.array(z.string()),
  ...reachFields,
});

async function recallAsked(
  handle: Handle,
  { query, options, asOf }: z.output<typeof recallBody>,
  view: z.output<typeof recallView>,
): Promise<unknown> {
  const recalled = await readerAt(asOf, handle).recall(query, options);
  return { ...recalledWith(recalled, view), ...reachOf(handle) };
}

export const CONTEXT_OPERATIONS: readonly Operation[] = [
  context('assembleContext', 'POST /v1/context', {
    summary:
      'Assembles the context of a turn: a stable system prompt, the user’s turn with the recalled records, and a report.',
    access: 'read',
    once: false,
    body: contextBody,
    bodyOptional: true,
    example: { message: 'Where should we meet?', budget: 4000 },
    answer: z.object({
      system: z.string(),
      user: z.string(),
      beforeMessage: z.string(),
      messages: z.array(z.record(z.string(), z.unknown())),
      report: z.record(z.string(), z.unknown()),
      ...reachFields,
    }),
    async run({ handle, body }) {
      return { ...(await handle.context((body ?? {}) as ContextOptions)), ...reachOf(handle) };
    },
  }),
  context('listContexts', 'GET /v1/contexts', {
    summary: 'The log of the last contexts, newest first: the ids of their records and their tokens, without texts.',
    query: z.strictObject({ limit: limitSchema(200) }),
    answer: items(loose),
    run: ({ handle, query }) => handle.contexts(query),
  }),
  recall('recall', 'POST /v1/recall', {
    summary: 'Finds the records that help to answer a query. The list is empty when nothing relevant is known.',
    access: 'read',
    once: false,
    query: recallView,
    body: recallBody,
    example: { query: 'where does she live?', options: { limit: 5 } },
    answer: shortRecalled,
    run: ({ handle, body, query }) => recallAsked(handle, body, query),
  }),
  recall('recallMany', 'POST /v1/recall/batch', {
    summary: 'Answers up to 50 queries. A refused query gets its error, and the others are still answered.',
    access: 'read',
    once: false,
    query: recallView,
    body: z.strictObject({ queries: z.array(recallBody).min(1).max(50) }),
    example: { queries: [{ query: 'where does she live?' }, { query: 'what does she like?' }] },
    answer: items(z.union([shortRecalled, failedItem])),
    run: ({ handle, body, query }) => eachOf(body.queries, (asked) => recallAsked(handle, asked, query)),
  }),
  tools('listTools', 'GET /v1/tools', {
    summary: 'The tools of the agent, with the JSON Schemas of their input and output.',
    scoped: false,
    answer: items(loose),
    run: async () =>
      AGENT_TOOLS.map(({ name, title, description, hints, input, output }) => ({
        name,
        title,
        description,
        hints,
        inputSchema: z.toJSONSchema(input, { io: 'input' }),
        outputSchema: z.toJSONSchema(output),
      })),
  }),
  tools('callTool', 'POST /v1/tools/{name}', {
    summary: 'Calls a tool of the agent, such as record_observation, update_user_context or remember_fact.',
    access: 'read',
    body: z.record(z.string(), z.unknown()),
    example: { query: 'where does she live?' },
    answer: loose,
    async run({ handle, key, id, body }) {
      const tool = found(agentTool(id) ?? null, 'tool', id);
      if (!tool.hints.readOnly) assertAccess(key, 'write');
      return await tool.run(handle, body);
    },
  }),
];
