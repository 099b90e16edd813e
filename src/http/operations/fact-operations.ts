import { z } from 'zod';
import { changeSchema } from '../../handle/change.ts';
import { savedItemSchema } from '../../handle/notes.ts';
import { sourceFields } from '../../observe/record-observation.ts';
import { newEntitySchema } from '../../record/entity.ts';
import { FACT_CATEGORIES } from '../../record/attributes.ts';
import { textSchema } from '../../record/parse.ts';
import { asOfSchema, found, items, limitSchema, operationsOf, type Operation, readerAt } from '../operation.ts';
import * as records from '../record-schemas.ts';

const facts = operationsOf('facts');
const notes = operationsOf('notes');
const entities = operationsOf('entities');

const why = changeSchema.optional();
const pageSchema = z.strictObject({
  tags: z.array(z.string()).optional(),
  limit: limitSchema(1000),
  cursor: z.string().max(500).optional(),
  order: z.enum(['newest', 'oldest', 'important']).optional(),
  archived: z.enum(['exclude', 'include', 'only']).optional(),
});

const factBody = z.strictObject({
  value: textSchema(5000),
  category: z.enum(FACT_CATEGORIES).optional(),
  sourceEvents: z.array(textSchema(200)).max(1000).optional(),
  text: textSchema(5000).optional().describe('The sentence that states the fact, stored as the text of the memory.'),
  why,
});

export const FACT_OPERATIONS: readonly Operation[] = [
  facts('listFacts', 'GET /v1/facts', {
    summary: 'All permanent facts, by category and key.',
    query: z.strictObject({ asOf: asOfSchema }),
    answer: items(records.fact),
    run: ({ handle, query }) => readerAt(query.asOf, handle).facts.list(),
  }),
  facts('getFact', 'GET /v1/facts/{key}', {
    summary: 'The live value under a key, now or as of a time.',
    query: z.strictObject({ asOf: asOfSchema }),
    answer: records.fact,
    run: async ({ handle, id, query }) => found(await readerAt(query.asOf, handle).facts.get(id), 'fact', id),
  }),
  facts('setFact', 'PUT /v1/facts/{key}', {
    summary: 'Sets the value under a key. The same value changes nothing; another value replaces it.',
    body: factBody,
    example: { value: 'Oslo', category: 'location' },
    answer: records.written,
    run: ({ handle, id, body: { why: reason, ...fact } }) => handle.facts.set({ key: id, ...fact }, reason),
  }),
  facts('forgetFact', 'DELETE /v1/facts/{key}', {
    summary: 'Forgets the fact under a key: it is hidden everywhere, and kept until it is erased.',
    answer: z.object({ forgotten: z.boolean() }),
    run: async ({ handle, id }) => ({ forgotten: await handle.facts.forget(id) }),
  }),
  notes('addNote', 'POST /v1/notes', {
    summary: 'Stores a note.',
    body: z.strictObject({
      title: textSchema(500),
      content: textSchema(20_000),
      tags: z.array(textSchema(100)).max(50).optional(),
      ...sourceFields,
    }),
    example: { title: 'Packing', content: 'Tent, stove, two maps.', tags: ['trip'] },
    answer: { status: 201, schema: records.memory },
    run: ({ handle, body }) => handle.notes.add(body),
  }),
  notes('listNotes', 'GET /v1/notes', {
    summary: 'Lists notes, newest first.',
    query: pageSchema,
    answer: records.page(records.memory),
    run: ({ handle, query }) => handle.notes.list(query),
  }),
  notes('addSavedItem', 'POST /v1/saved-items', {
    summary: 'Keeps a link for later.',
    body: savedItemSchema,
    example: { title: 'Hardangervidda', url: 'https://example.org/hut', summary: 'A hut with twelve beds.' },
    answer: { status: 201, schema: records.memory },
    run: ({ handle, body }) => handle.savedItems.add(body),
  }),
  notes('listSavedItems', 'GET /v1/saved-items', {
    summary: 'Lists saved items, newest first.',
    query: pageSchema,
    answer: records.page(records.memory),
    run: ({ handle, query }) => handle.savedItems.list(query),
  }),
  entities('addEntity', 'POST /v1/entities', {
    summary: 'Stores an entity, or merges it into the entity that already has this name.',
    body: newEntitySchema,
    example: { type: 'person', name: 'Kari Nordmann', aliases: ['Kari'] },
    answer: { status: 201, schema: records.entity },
    run: ({ handle, body }) => handle.entities.add(body),
  }),
  entities('listEntities', 'GET /v1/entities', {
    summary: 'Lists entities by name, or finds those that have one of the given names.',
    query: z.strictObject({ names: z.array(textSchema(200)).max(100).optional(), limit: limitSchema(10_000) }),
    answer: items(records.entity),
    run: ({ handle, query: { names, limit } }) =>
      names === undefined ? handle.entities.list({ limit }) : handle.entities.find(names),
  }),
  entities('getEntity', 'GET /v1/entities/{id}', {
    summary: 'An entity by its id.',
    answer: records.entity,
    run: async ({ handle, id }) => found(await handle.entities.get(id), 'entity', id),
  }),
];
