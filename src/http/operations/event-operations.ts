import { z } from 'zod';
import { eventFilterFields, type EventListFilter } from '../../handle/events.ts';
import { newDecisionSchema, newOutcomeSchema } from '../../observe/decisions.ts';
import { newDocumentSchema } from '../../observe/index-document.ts';
import { newInteractionSchema } from '../../observe/log-interaction.ts';
import { CHAT_CATEGORIES, sourceFields, userContextSchema } from '../../observe/record-observation.ts';
import { asEvents, conversationSchema, type Observable } from '../../record/chat-message.ts';
import { newEventSchema } from '../../record/event.ts';
import { textSchema, timeSchema } from '../../record/parse.ts';
import { fieldsOf, pageWithFields, someOf } from '../answer-fields.ts';
import { found, items, keyedBy, limitSchema, operationsOf, type Operation, Reply } from '../operation.ts';
import * as records from '../record-schemas.ts';

const events = operationsOf('events');

const newEvents = z.union([newEventSchema, z.array(newEventSchema).max(10_000), conversationSchema]);

export const EVENT_OPERATIONS: readonly Operation[] = [
  events('observe', 'POST /v1/events', {
    summary:
      'Appends events in one transaction: one, several, or the `messages` of a conversation as chat APIs send them.',
    body: newEvents,
    bodyCheckedLater: true,
    // The key is stored with the events themselves, so it never expires.
    once: 'again',
    headers: {
      'idempotency-key': 'Appending the same events again with the same key changes nothing; other events are refused.',
    },
    example: { content: 'I moved to Oslo last month.' },
    answer: {
      status: 201,
      schema: z.object({ events: z.array(records.event), repeated: z.int() }),
      description: 'The events, in the order of the request.',
    },
    async run({ handle, scope, body, headers }) {
      const events = asEvents(body as Observable, scope.session);
      const [only] = events;
      const given = events.length === 1 && only !== undefined && !Array.isArray(body) ? only : events;
      const key = headers.get('idempotency-key');
      const observed = await handle.observe(keyedBy(key, given));
      const isReplayed = key !== null && observed.repeated > 0 && observed.repeated === observed.events.length;
      return new Reply({ body: observed, headers: isReplayed ? { 'idempotent-replayed': 'true' } : {} });
    },
  }),
  events('listEvents', 'GET /v1/events', {
    summary: 'Lists events, newest first: those of one session when the scope names a session.',
    query: z.strictObject({ ...eventFilterFields, fields: fieldsOf(records.event) }),
    answer: records.page(someOf(records.event)),
    async run({ handle, scope, query }) {
      const { fields, ...filter } = query as EventListFilter & { fields?: string[] };
      const page = await handle.events.list({ ...filter, session: scope.session ?? undefined });
      return pageWithFields(page, fields);
    },
  }),
  events('getEvent', 'GET /v1/events/{id}', {
    summary: 'An event by its id.',
    answer: records.event,
    run: async ({ handle, id }) => found(await handle.events.get(id), 'event', id),
  }),
  events('recordObservation', 'POST /v1/observations', {
    summary: 'Records an observation of a chat agent about the user, as an event.',
    body: z.strictObject({ content: textSchema(20_000), category: z.enum(CHAT_CATEGORIES), ...sourceFields }),
    example: { content: 'Prefers short answers.', category: 'preference' },
    answer: { status: 201, schema: records.event },
    run: ({ handle, body: { content, category, ...from } }) => handle.recordObservation(content, category, from),
  }),
  events('updateUserContext', 'POST /v1/user-context', {
    summary: 'Records what autonomous work has learned: one event for each scaffold key and each item.',
    body: userContextSchema,
    example: { scaffoldUpdates: { role: 'cook' }, persistentInfoAdditions: ['Works at night.'] },
    answer: { status: 201, schema: z.object({ events: z.array(records.event) }) },
    run: async ({ handle, body }) => ({ events: await handle.updateUserContext(body) }),
  }),
  events('logInteraction', 'POST /v1/interactions', {
    summary: 'Logs an exchange: what the user said, which tools were used, what was answered.',
    body: newInteractionSchema,
    example: { userMessage: 'What is left to do?', agentResponse: 'Only the invoice.' },
    answer: { status: 201, schema: z.object({ events: z.array(records.event) }) },
    async run({ handle, body }) {
      const logged = await handle.logInteraction(body);
      if (!logged.logged) throw logged.error;
      return { events: logged.events };
    },
  }),
  events('listInteractions', 'GET /v1/interactions', {
    summary: 'The last exchanges, newest first.',
    query: z.strictObject({
      limit: limitSchema(200),
      since: timeSchema.optional(),
      before: timeSchema.optional(),
    }),
    answer: items(records.interaction),
    run: ({ handle, query }) => handle.interactions(query),
  }),
  events('indexDocument', 'POST /v1/documents', {
    summary: 'Indexes a document or an attachment in chunks; repeating the call changes nothing.',
    body: newDocumentSchema,
    once: false,
    example: {
      content: 'The warranty ends in May 2027.',
      context: { type: 'user_persistent', source: 'user_provided' },
    },
    answer: { status: 201, schema: z.object({ chunks: z.array(records.event), repeated: z.int() }) },
    run: ({ handle, body }) => handle.indexDocument(body),
  }),
  events('recordDecision', 'POST /v1/decisions', {
    summary: 'Records what an agent decided to do.',
    body: newDecisionSchema,
    example: { content: 'Ship on Friday.', reason: 'The tests are green.' },
    answer: { status: 201, schema: records.event },
    run: ({ handle, body }) => handle.decisions.record(body),
  }),
  events('listDecisions', 'GET /v1/decisions', {
    summary: 'The last decisions with their outcomes, newest first.',
    query: z.strictObject({ limit: limitSchema(200) }),
    answer: items(records.decision),
    run: ({ handle, query }) => handle.decisions.list(query),
  }),
  events('recordOutcome', 'POST /v1/decisions/{id}/outcomes', {
    summary: 'Records the outcome of a decision.',
    body: newOutcomeSchema,
    example: { content: 'No complaints.', effect: 'positive' },
    answer: { status: 201, schema: records.event },
    run: ({ handle, id, body }) => handle.decisions.recordOutcome(id, body),
  }),
];
