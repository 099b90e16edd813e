import { z } from 'zod';
import type { FacetFilter, RowsRequest } from '../../operate/inspect-records.ts';
import { textSchema } from '../../record/parse.ts';
import { memoryFilterFields } from '../../store/read-memories.ts';
import { isLimited } from '../access.ts';
import { found, items, limitSchema, operationsOf, type Operation } from '../operation.ts';
import * as records from '../record-schemas.ts';

const inspector = operationsOf('inspector');

const { cursor: _cursor, reach: _reach, order: _order, limit: _limit, ...filterFields } = memoryFilterFields;
const offset = z.int().min(0).max(10_000_000).optional();
const count = z.int().min(0);
const facet = z.array(z.object({ name: z.string(), count }));
const text = z.string().nullable();

const facetsFields = {
  ...filterFields,
  text: z.string().max(500).optional().describe('Returns only memories whose text contains this string.'),
};

const rowsQuery: z.ZodType<Partial<RowsRequest>> = z.strictObject({
  ...facetsFields,
  offset,
  limit: limitSchema(500),
  order: z.enum(['newest', 'oldest', 'important', 'stated']).optional(),
}) as unknown as z.ZodType<Partial<RowsRequest>>;

/** Read-only operations that only the inspector needs: lists by offset, counts, and overviews of a scope. */
export const INSPECTOR_OPERATIONS: readonly Operation[] = [
  inspector('whoAmI', 'GET /v1/whoami', {
    summary: 'The key of this request: its name, its access, and the agents and users that it reaches.',
    scoped: false,
    answer: z.object({
      key: z.object({
        id: z.string(),
        name: z.string(),
        access: z.string(),
        agents: z.array(z.string()).nullable(),
        users: z.array(z.string()).nullable(),
        expiresAt: z.iso.datetime().nullable(),
      }),
      tenant: z.string(),
      isLimited: z.boolean(),
    }),
    async run({ key }) {
      const { id, name, access, agents, users, expiresAt, tenant } = key;
      return { key: { id, name, access, agents, users, expiresAt }, tenant, isLimited: isLimited(key) };
    },
  }),
  inspector('listOwners', 'GET /v1/owners', {
    summary: 'The agents and users that have memories and that the key reaches, the latest conversation first.',
    scoped: false,
    query: z.strictObject({ match: textSchema(200).optional(), limit: limitSchema(1000) }),
    answer: items(z.object({ agent: text, user: text, memories: count, sessions: count, lastEventAt: text })),
    run: ({ varve, key: { tenant, agents, users }, query: { match, limit = 200 } }) =>
      varve.operator.inspect.owners(tenant, { agents, users, match, limit }),
  }),
  inspector('listMemoryRows', 'GET /v1/memory-rows', {
    summary: 'The memories within the scope from an offset on, and their total number.',
    query: rowsQuery,
    answer: z.object({ total: count, offset: count, items: z.array(records.memory) }),
    run: ({ varve, scope, query: { order = 'newest', offset: from = 0, limit = 100, ...filter } }) =>
      varve.operator.inspect.rows(scope, { ...filter, order, offset: from, limit }),
  }),
  inspector('memoryFacets', 'GET /v1/memory-facets', {
    summary:
      'The values by which memories within the scope can be filtered, each with the number of memories that match the other filters. Only live memories are counted, unless `archived` is given.',
    query: z.strictObject(facetsFields) as unknown as z.ZodType<FacetFilter>,
    answer: z.object({
      live: count,
      archived: count,
      types: facet,
      subjects: facet,
      attributes: facet,
      archiveReasons: facet,
    }),
    run: ({ varve, scope, query }) => varve.operator.inspect.facets(scope, query),
  }),
  inspector('memoryLinks', 'GET /v1/memories/{id}/links', {
    summary: 'The memories that a memory replaced, its replacement, its sources, and the events that it quotes.',
    answer: z.object({
      replaced: z.array(records.memory),
      replacedBy: z.array(records.memory),
      madeOf: z.array(records.memory),
      madeInto: z.array(records.memory),
      events: z.array(records.event),
      use: z.record(z.string(), z.unknown()).nullable(),
    }),
    run: async ({ varve, handle, scope, id }) =>
      varve.operator.inspect.links(scope, found(await handle.memories.get(id), 'memory', id)),
  }),
  inspector('listSessions', 'GET /v1/sessions', {
    summary:
      'The conversations within the scope, the latest first, with the numbers of learned and refused statements.',
    query: z.strictObject({ offset, limit: limitSchema(200) }),
    answer: z.object({
      total: count,
      items: z.array(
        z.object({
          id: z.string(),
          agent: text,
          user: text,
          status: z.string(),
          startedAt: records.time,
          lastEventAt: records.time,
          events: count,
          opening: text,
          memories: count,
          refused: count,
        }),
      ),
    }),
    run: ({ varve, scope, query: { offset: from = 0, limit = 50 } }) =>
      varve.operator.inspect.sessions(scope, { offset: from, limit }),
  }),
  inspector('subjectGraph', 'GET /v1/subject-graph', {
    summary:
      'The people and things that the live memories within the scope are about, and which of them are named together.',
    answer: z.object({
      nodes: z.array(
        z.object({ id: z.string(), label: z.string(), kind: z.string(), subject: text, entity: text, memories: count }),
      ),
      edges: z.array(z.object({ from: z.string(), to: z.string(), count })),
    }),
    run: ({ varve, scope }) => varve.operator.inspect.graph(scope),
  }),
  inspector('growth', 'GET /v1/growth', {
    summary: 'The numbers of new memories, archived memories and events within the scope, for each day in UTC.',
    answer: z.object({
      learned: z.array(z.object({ day: z.string(), type: z.string(), count })),
      archived: z.array(z.object({ day: z.string(), reason: z.string(), count })),
      events: z.array(z.object({ day: z.string(), count })),
    }),
    run: ({ varve, scope }) => varve.operator.inspect.growth(scope),
  }),
];
