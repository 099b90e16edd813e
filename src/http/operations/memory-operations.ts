import { z } from 'zod';
import { changeSchema } from '../../handle/change.ts';
import type { MemoryReader } from '../../handle/memories.ts';
import { ARCHIVE_REASONS, memoryChangeSchema, newMemorySchema } from '../../record/memory.ts';
import type { Memory, NewMemory } from '../../record/memory.ts';
import type { Forgotten } from '../../record/forgotten.ts';
import { parse, textSchema } from '../../record/parse.ts';
import type { Page } from '../../store/rows.ts';
import { type MemoryFilter, memoryFilterFields } from '../../store/read-memories.ts';
import { assertAccess } from '../access.ts';
import { asOfSchema, found, items, limitSchema, operationsOf, type Operation, readerAt } from '../operation.ts';
import { eachOf, failedItem, fieldsOf, pageWithFields, someOf, withFields } from '../answer-fields.ts';
import * as records from '../record-schemas.ts';

const memories = operationsOf('memories');

const why = changeSchema.optional();
const batchSchema = z.strictObject({ memories: z.array(z.unknown()).min(1).max(1000), why });

const memoryFields = fieldsOf(records.memory);

type ListQuery = MemoryFilter & { fields?: string[] };

const listQuery: z.ZodType<ListQuery> = z.strictObject({
  ...memoryFilterFields,
  fields: memoryFields,
}) as z.ZodType<ListQuery>;

async function pageFor({ fields, ...filter }: ListQuery, reader: MemoryReader): Promise<Page<Memory>> {
  return pageWithFields(await reader.list(filter), fields);
}

export const MEMORY_OPERATIONS: readonly Operation[] = [
  memories('createMemory', 'POST /v1/memories', {
    summary:
      'Stores a memory; an exact duplicate of a live memory is not stored again. The memory that `contradicts` names is archived.',
    body: z.strictObject({ memory: newMemorySchema, why }),
    example: { memory: { type: 'fact', content: 'Lives in Oslo.', attribute: 'home_city', value: 'Oslo' } },
    answer: { status: 201, schema: records.written },
    run: ({ handle, body }) => handle.memories.create(body.memory, body.why),
  }),
  memories('createMemories', 'POST /v1/memories/batch', {
    summary: 'Stores up to 1,000 memories. A refused memory gets its error, and the others are still stored.',
    body: z.strictObject({ memories: z.array(newMemorySchema).min(1).max(1000), why }),
    // Each memory is validated separately, so that an invalid one does not refuse the others.
    bodyCheckedLater: true,
    example: { memories: [{ type: 'fact', content: 'Has two cats.' }] },
    answer: { status: 201, schema: items(z.union([records.written, failedItem])) },
    async run({ handle, body }) {
      const { memories, why: reason } = parse(batchSchema, body, 'The body');
      const create = (memory: unknown): Promise<unknown> => handle.memories.create(memory as NewMemory, reason);
      return eachOf(memories, create);
    },
  }),
  memories('archiveMemories', 'POST /v1/memories/archive', {
    summary:
      'Archives up to 1,000 memories: they are no longer in recall and prompts. They are kept, and can be restored.',
    body: z.strictObject({
      ids: z.array(textSchema(200)).min(1).max(1000),
      reason: z.enum(ARCHIVE_REASONS).optional(),
      why,
    }),
    example: { ids: ['mem_01k00000000000000000000000'] },
    answer: items(z.union([z.object({ id: z.string(), archived: z.boolean() }), failedItem])),
    async run({ handle, body }) {
      const archive = async (id: string): Promise<{ id: string; archived: boolean }> => {
        await handle.memories.archive(id, body.reason, body.why);
        return { id, archived: true };
      };
      return eachOf(body.ids, archive);
    },
  }),
  memories('listMemories', 'GET /v1/memories', {
    summary: 'Lists memories, newest first, a page at a time.',
    query: listQuery,
    answer: records.page(someOf(records.memory)),
    run: ({ handle, query }) => pageFor(query, handle.memories),
  }),
  memories('listPastMemories', 'GET /v1/past/{time}/memories', {
    summary: 'The memories as they were at a time.',
    query: listQuery,
    answer: records.page(someOf(records.memory)),
    run: async ({ handle, id: time, query }) => pageFor(query, handle.asOf(time).memories),
  }),
  memories('topMemories', 'GET /v1/top-memories', {
    summary: 'The most important live memories, which a session begins with. Listing them counts as an access.',
    query: z.strictObject({ limit: limitSchema(200) }),
    answer: items(records.memory),
    run: ({ handle, query }) => handle.topMemories(query),
  }),
  memories('getMemory', 'GET /v1/memories/{id}', {
    summary: 'A memory by its id, live or archived, now or as of a time.',
    query: z.strictObject({ asOf: asOfSchema, fields: memoryFields }),
    answer: someOf(records.memory),
    async run({ handle, id, query: { asOf, fields } }) {
      return withFields(found(await readerAt(asOf, handle).memories.get(id), 'memory', id), fields);
    },
  }),
  memories('reviseMemory', 'PATCH /v1/memories/{id}', {
    summary: 'Makes a new version of a memory.',
    body: z.strictObject({ change: memoryChangeSchema, why }),
    example: { change: { content: 'Lives in Bergen.' }, why: { reason: 'corrected by the user' } },
    answer: records.memory,
    run: ({ handle, id, body }) => handle.memories.revise(id, body.change, body.why),
  }),
  memories('archiveMemory', 'DELETE /v1/memories/{id}', {
    summary:
      'Forgets a memory: it is hidden everywhere, and kept until it is erased. With another `reason` than `forgotten` it is only archived.',
    query: z.strictObject({ reason: z.enum(ARCHIVE_REASONS).optional(), why: textSchema(500).optional() }),
    answer: records.memory,
    async run({ handle, id, query }) {
      const why = query.why === undefined ? undefined : { reason: query.why };
      return handle.memories.archive(id, query.reason ?? 'forgotten', why);
    },
  }),
  memories('restoreMemory', 'POST /v1/memories/{id}/restore', {
    summary:
      'Restores an archived memory; 409 when another memory has taken its place. Restoring a forgotten memory needs a key that may erase.',
    body: z.strictObject({ why }),
    bodyOptional: true,
    example: { why: { reason: 'was right after all' } },
    answer: records.memory,
    async run({ handle, key, id, body }) {
      const memory = await handle.memories.get(id);
      // Restoring a forgotten memory needs the same access as `restoreForgotten`.
      if (memory?.archiveReason === 'forgotten') assertAccess(key, 'admin');
      return handle.memories.restore(id, body?.why);
    },
  }),
  memories('supersedeMemory', 'POST /v1/memories/{id}/supersede', {
    summary: 'Replaces a memory by a new one. The old memory is archived and points to the new one.',
    body: z.strictObject({ memory: newMemorySchema, as: z.enum(['superseded', 'contradicted']).optional(), why }),
    example: { memory: { type: 'fact', content: 'Lives in Bergen.' } },
    answer: { status: 201, schema: records.memory },
    run: ({ handle, id, body }) => handle.memories.supersede(id, body.memory, { ...body.why, as: body.as }),
  }),
  memories('memoryHistory', 'GET /v1/memories/{id}/history', {
    summary: 'All changes of a memory, oldest first.',
    answer: items(records.revision),
    async run({ handle, id }) {
      found(await handle.memories.get(id), 'memory', id);
      return handle.memories.history(id);
    },
  }),
  memories('listForgotten', 'GET /v1/forgotten', {
    summary:
      'The forgotten records, newest first: the kind of record, who asked and when. Only keys that may erase see their words.',
    query: z.strictObject({ limit: limitSchema(1000) }),
    answer: items(records.forgotten),
    async run({ handle, key, query }) {
      const records = await handle.forgotten.list(query);
      return { items: key.access === 'admin' ? records : records.map(withoutWords) };
    },
  }),
  memories('restoreForgotten', 'POST /v1/forgotten/{id}/restore', {
    summary: 'Restores a forgotten record: the memory is live again, and its words are back in the log.',
    access: 'admin',
    body: z.strictObject({ why }),
    bodyOptional: true,
    example: { why: { reason: 'forgotten by mistake' } },
    answer: null,
    act: 'forgotten.restore',
    run: ({ handle, id, body }) => handle.forgotten.restore(id, body?.why),
  }),
];

function withoutWords(record: Forgotten): Forgotten {
  return record.as === 'forgotten' ? { ...record, subject: '', value: null, text: '', spans: [] } : record;
}
