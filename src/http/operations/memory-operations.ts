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
import type { Forgotten } from '../../record/forgotten.ts';
import { parse, textSchema } from '../../record/parse.ts';
import type { Change } from '../../record/revision.ts';
import { type MemoryFilter, memoryFilterFields } from '../../store/read-memories.ts';
import { assertAccess } from '../access.ts';
import { asOfSchema, found, idOf, items, limitSchema, operationsOf, type Operation } from '../operation.ts';
import { eachOf, failedItem, fieldsSchema, pageWithFields, shownTo, someOf, withFields } from '../answer-fields.ts';
import * as records from '../record-schemas.ts';

const memories = operationsOf('memories');

const why = changeSchema.optional();
const batchSchema = z.strictObject({ memories: z.array(z.unknown()).min(1).max(1000), why });

type ListQuery = MemoryFilter & { fields?: string[] };

const listQuery: z.ZodType<ListQuery> = z.strictObject({
  ...memoryFilterFields,
  fields: fieldsSchema,
}) as z.ZodType<ListQuery>;

function filterOf({ fields: _fields, ...filter }: ListQuery): MemoryFilter {
  return filter;
}

/** Discrete memories. */
export const MEMORY_OPERATIONS: readonly Operation[] = [
  memories('createMemory', 'POST /v1/memories', {
    summary:
      'Stores a memory; an exact duplicate of a live memory is not stored again. The memory that `contradicts` names is archived.',
    body: z.strictObject({ memory: newMemorySchema, why }),
    example: { memory: { type: 'fact', content: 'Lives in Oslo.', attribute: 'home_city', value: 'Oslo' } },
    answer: { status: 201, schema: records.written },
    run: ({ handle, body }) => handle.memories.create(body.memory as NewMemory, body.why as Partial<Change>),
  }),
  memories('createMemories', 'POST /v1/memories/batch', {
    summary: 'Stores up to 1,000 memories. A refused memory gets its error, and the others are still stored.',
    body: z.strictObject({ memories: z.array(newMemorySchema).min(1).max(1000), why }),
    // Each memory is validated by itself, so that an invalid one does not cause the others to be refused.
    bodyCheckedLater: true,
    example: { memories: [{ type: 'fact', content: 'Has two cats.' }] },
    answer: { status: 201, schema: items(z.union([records.written, failedItem])) },
    async run({ handle, body }) {
      const { memories, why: reason } = parse(batchSchema, body, 'The body');
      const create = (memory: unknown): Promise<unknown> =>
        handle.memories.create(memory as NewMemory, reason as Partial<Change>);
      return { items: await eachOf(memories, create) };
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
        await handle.memories.archive(id, body.reason, body.why as Partial<Change>);
        return { id, archived: true };
      };
      return { items: await eachOf(body.ids, archive) };
    },
  }),
  memories('listMemories', 'GET /v1/memories', {
    summary: 'Lists memories, newest first, a page at a time.',
    query: listQuery,
    answer: records.page(someOf(records.memory)),
    async run({ handle, key, query }) {
      const page = await handle.memories.list(filterOf(query));
      const shown = { ...page, items: page.items.map((memory) => shownTo(key, memory)) };
      return pageWithFields(shown, query.fields);
    },
  }),
  memories('listPastMemories', 'GET /v1/past/{time}/memories', {
    summary: 'The memories as they were at a time.',
    query: listQuery,
    answer: records.page(someOf(records.memory)),
    async run({ handle, key, params, query }) {
      const page = await handle.asOf(params['time'] ?? '').memories.list(filterOf(query));
      const shown = { ...page, items: page.items.map((memory) => shownTo(key, memory)) };
      return pageWithFields(shown, query.fields);
    },
  }),
  memories('topMemories', 'GET /v1/top-memories', {
    summary: 'The most important live memories, which a session begins with. Listing them counts as an access.',
    query: z.strictObject({ limit: limitSchema(200) }),
    answer: items(records.memory),
    run: async ({ handle, query }) => ({ items: await handle.topMemories(query) }),
  }),
  memories('getMemory', 'GET /v1/memories/{id}', {
    summary: 'A memory by its id, live or archived, now or as of a time.',
    query: z.strictObject({ asOf: asOfSchema, fields: fieldsSchema }),
    answer: someOf(records.memory),
    async run({ handle, key, params, query }) {
      const reader = query.asOf === undefined ? handle.memories : handle.asOf(query.asOf as Date).memories;
      const memory = found(await reader.get(idOf(params)), 'memory', idOf(params));
      return withFields(shownTo(key, memory), query.fields as string[] | undefined);
    },
  }),
  memories('reviseMemory', 'PATCH /v1/memories/{id}', {
    summary: 'Makes a new version of a memory.',
    body: z.strictObject({ change: memoryChangeSchema, why }),
    example: { change: { content: 'Lives in Bergen.' }, why: { reason: 'corrected by the user' } },
    answer: records.memory,
    async run({ handle, params, body }) {
      return handle.memories.revise(idOf(params), body.change as MemoryChange, body.why as Partial<Change>);
    },
  }),
  memories('archiveMemory', 'DELETE /v1/memories/{id}', {
    summary:
      'Forgets a memory: it is hidden everywhere, and kept until it is erased. With another `reason` than `forgotten` it is only archived.',
    query: z.strictObject({ reason: z.enum(ARCHIVE_REASONS).optional(), why: textSchema(500).optional() }),
    answer: records.memory,
    async run({ handle, params, query }) {
      const why = query.why === undefined ? undefined : { reason: query.why };
      return handle.memories.archive(idOf(params), (query.reason ?? 'forgotten') as ArchiveReason, why);
    },
  }),
  memories('restoreMemory', 'POST /v1/memories/{id}/restore', {
    summary:
      'Restores an archived memory; 409 when another memory has taken its place. Restoring a forgotten memory needs a key that may erase.',
    body: z.strictObject({ why }),
    bodyOptional: true,
    example: { why: { reason: 'was right after all' } },
    answer: records.memory,
    async run({ handle, key, params, body }) {
      const memory = await handle.memories.get(idOf(params));
      // The same access as for `restoreForgotten`.
      if (memory?.archiveReason === 'forgotten') assertAccess(key, 'admin');
      return handle.memories.restore(idOf(params), body?.why as Partial<Change>);
    },
  }),
  memories('supersedeMemory', 'POST /v1/memories/{id}/supersede', {
    summary: 'Replaces a memory by a new one. The old memory is archived and points to the new one.',
    body: z.strictObject({ memory: newMemorySchema, as: z.enum(['superseded', 'contradicted']).optional(), why }),
    example: { memory: { type: 'fact', content: 'Lives in Bergen.' } },
    answer: { status: 201, schema: records.memory },
    async run({ handle, params, body }) {
      const options = { ...(body.why as Partial<Change>), as: body.as };
      return await handle.memories.supersede(idOf(params), body.memory as NewMemory, options);
    },
  }),
  memories('memoryHistory', 'GET /v1/memories/{id}/history', {
    summary: 'All changes of a memory, oldest first.',
    answer: items(records.revision),
    async run({ handle, key, params }) {
      const memory = found(await handle.memories.get(idOf(params)), 'memory', idOf(params));
      const changes = await handle.memories.history(idOf(params));
      const isHidden = shownTo(key, memory) !== memory;
      return { items: isHidden ? changes.map((change) => ({ ...change, before: null })) : changes };
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
    summary: 'Undoes a forgetting: the memory is live again, and the words that said it are back in the log.',
    access: 'admin',
    body: z.strictObject({ why }),
    bodyOptional: true,
    example: { why: { reason: 'forgotten by mistake' } },
    answer: null,
    act: 'forgotten.restore',
    async run({ handle, params, body }) {
      await handle.forgotten.restore(idOf(params), body?.why as Partial<Change>);
    },
  }),
];

/** A key that may not erase sees that something was forgotten, of which kind, when and by whom. */
function withoutWords(record: Forgotten): Forgotten {
  return record.as === 'forgotten' ? { ...record, subject: '', value: null, text: '', spans: [] } : record;
}
