import { z } from 'zod';
import { changeSchema } from '../../handle/change.ts';
import {
  ARCHIVE_REASONS,
  type ArchiveReason,
  type MemoryChange,
  memoryChangeSchema,
  type NewMemory,
  newMemorySchema,
} from '../../record/memory.ts';
import { textSchema } from '../../record/parse.ts';
import type { Change } from '../../record/revision.ts';
import { type MemoryFilter, memoryFilterFields } from '../../store/read-memories.ts';
import { asOfSchema, found, idOf, items, limitSchema, operation, type Operation } from '../operation.ts';
import * as records from '../record-schemas.ts';

const why = changeSchema.optional();

// `keys` is what attributes were called before there were other statements than keyed facts.
const listQuery: z.ZodType<MemoryFilter & { keys?: string[] }> = z.strictObject({
  ...memoryFilterFields,
  keys: memoryFilterFields.attributes.describe('The same as `attributes`.'),
}) as z.ZodType<MemoryFilter & { keys?: string[] }>;

function filterOf({ keys, ...filter }: MemoryFilter & { keys?: string[] }): MemoryFilter {
  return { ...filter, attributes: filter.attributes ?? keys };
}

/** Discrete memories. */
export const MEMORY_OPERATIONS: readonly Operation[] = [
  operation({
    id: 'createMemory',
    method: 'post',
    path: '/v1/memories',
    tag: 'memories',
    summary:
      'Stores a memory; an exact double of a live one is not stored twice. The memory that `contradicts` names is archived.',
    body: z.strictObject({ memory: newMemorySchema, why }),
    answer: { status: 201, schema: records.written },
    async run({ handle, body }) {
      return { body: await handle.memories.create(body.memory as NewMemory, body.why as Partial<Change>) };
    },
  }),
  operation({
    id: 'listMemories',
    method: 'get',
    path: '/v1/memories',
    tag: 'memories',
    summary: 'Lists memories, newest first, a page at a time.',
    query: listQuery,
    answer: records.page(records.memory),
    async run({ handle, query }) {
      return { body: await handle.memories.list(filterOf(query)) };
    },
  }),
  operation({
    id: 'listPastMemories',
    method: 'get',
    path: '/v1/past/{time}/memories',
    tag: 'memories',
    summary: 'The memories as they were at a time.',
    query: listQuery,
    answer: records.page(records.memory),
    async run({ handle, params, query }) {
      return { body: await handle.asOf(params['time'] ?? '').memories.list(filterOf(query)) };
    },
  }),
  operation({
    id: 'topMemories',
    method: 'get',
    path: '/v1/top-memories',
    tag: 'memories',
    summary: 'The live memories that matter most: what a session begins with. Counts as reading them.',
    query: z.strictObject({ limit: limitSchema(200) }),
    answer: items(records.memory),
    async run({ handle, query }) {
      return { body: { items: await handle.topMemories(query) } };
    },
  }),
  operation({
    id: 'getMemory',
    method: 'get',
    path: '/v1/memories/{id}',
    tag: 'memories',
    summary: 'A memory by its id, live or archived, now or as of a time.',
    query: z.strictObject({ asOf: asOfSchema }),
    answer: records.memory,
    async run({ handle, params, query }) {
      const reader = query.asOf === undefined ? handle.memories : handle.asOf(query.asOf as Date).memories;
      return { body: found(await reader.get(idOf(params)), 'memory', idOf(params)) };
    },
  }),
  operation({
    id: 'reviseMemory',
    method: 'patch',
    path: '/v1/memories/{id}',
    tag: 'memories',
    summary: 'Makes a new version of a memory.',
    body: z.strictObject({ change: memoryChangeSchema, why }),
    answer: records.memory,
    async run({ handle, params, body }) {
      return {
        body: await handle.memories.revise(idOf(params), body.change as MemoryChange, body.why as Partial<Change>),
      };
    },
  }),
  operation({
    id: 'archiveMemory',
    method: 'delete',
    path: '/v1/memories/{id}',
    tag: 'memories',
    summary: 'Takes a memory out of recall. It is kept, and can be restored.',
    query: z.strictObject({ reason: z.enum(ARCHIVE_REASONS).optional(), why: textSchema(500).optional() }),
    answer: records.memory,
    async run({ handle, params, query }) {
      const why = query.why === undefined ? undefined : { reason: query.why };
      return { body: await handle.memories.archive(idOf(params), query.reason as ArchiveReason | undefined, why) };
    },
  }),
  operation({
    id: 'restoreMemory',
    method: 'post',
    path: '/v1/memories/{id}/restore',
    tag: 'memories',
    summary: 'Brings an archived memory back; a conflict when another has taken its place.',
    body: z.strictObject({ why }),
    bodyOptional: true,
    answer: records.memory,
    async run({ handle, params, body }) {
      return { body: await handle.memories.restore(idOf(params), body?.why as Partial<Change>) };
    },
  }),
  operation({
    id: 'supersedeMemory',
    method: 'post',
    path: '/v1/memories/{id}/supersede',
    tag: 'memories',
    summary: 'Puts a new memory in the place of another, which is archived and points to it.',
    body: z.strictObject({ memory: newMemorySchema, as: z.enum(['superseded', 'contradicted']).optional(), why }),
    answer: { status: 201, schema: records.memory },
    async run({ handle, params, body }) {
      const options = { ...(body.why as Partial<Change>), as: body.as };
      return { body: await handle.memories.supersede(idOf(params), body.memory as NewMemory, options) };
    },
  }),
  operation({
    id: 'memoryHistory',
    method: 'get',
    path: '/v1/memories/{id}/history',
    tag: 'memories',
    summary: 'All changes of a memory, oldest first.',
    answer: items(records.revision),
    async run({ handle, params }) {
      found(await handle.memories.get(idOf(params)), 'memory', idOf(params));
      return { body: { items: await handle.memories.history(idOf(params)) } };
    },
  }),
];
