import { z } from 'zod';
import { newIntentionSchema, newLearningSchema } from '../../handle/intentions.ts';
import { textSchema, timeSchema } from '../../record/parse.ts';
import { items, limitSchema, operationsOf, type Operation } from '../operation.ts';
import * as records from '../record-schemas.ts';

const intentions = operationsOf('intentions');

export const INTENTION_OPERATIONS: readonly Operation[] = [
  intentions('addIntention', 'POST /v1/intentions', {
    summary: 'Adds an intention of the user, which is brought up when it is due.',
    body: newIntentionSchema,
    example: { text: 'Book the hut.', dueAt: '2027-03-01T09:00:00Z' },
    answer: { status: 201, schema: records.memory },
    run: ({ handle, body }) => handle.intentions.add(body),
  }),
  intentions('listIntentions', 'GET /v1/intentions', {
    summary: 'Lists open intentions, the next one first; with `due`, only those to bring up now, or at the time `at`.',
    query: z.strictObject({ due: z.boolean().optional(), at: timeSchema.optional(), limit: limitSchema(1000) }),
    answer: items(records.memory),
    async run({ handle, query: { due, ...options } }) {
      const open = due === true ? handle.intentions.due(options) : handle.intentions.list();
      return (await open).slice(0, options.limit);
    },
  }),
  intentions('completeIntention', 'POST /v1/intentions/{id}/done', {
    summary: 'Marks an intention as done. It is not brought up again.',
    answer: records.memory,
    run: ({ handle, id }) => handle.intentions.done(id),
  }),
  intentions('dismissIntention', 'POST /v1/intentions/{id}/dismiss', {
    summary: 'Dismisses an intention that no longer matters.',
    answer: records.memory,
    run: ({ handle, id }) => handle.intentions.dismiss(id),
  }),
  intentions('snoozeIntention', 'POST /v1/intentions/{id}/snooze', {
    summary: 'Postpones an intention: it is brought up at another time.',
    body: z.strictObject({ until: timeSchema }),
    example: { until: '2027-03-08T09:00:00Z' },
    answer: records.memory,
    run: ({ handle, id, body }) => handle.intentions.snooze(id, body.until),
  }),
  intentions('addLearning', 'POST /v1/learnings', {
    summary: 'Adds a rule for the agent. The same rule again changes nothing.',
    body: newLearningSchema,
    example: { rule: 'Ask before sending a message.' },
    answer: { status: 201, schema: records.memory },
    run: ({ handle, body }) => handle.learnings.add(body),
  }),
  intentions('listLearnings', 'GET /v1/learnings', {
    summary: 'The rules in force, the most important first.',
    query: z.strictObject({ category: textSchema(50).optional() }),
    answer: items(records.memory),
    run: ({ handle, query }) => handle.learnings.list(query),
  }),
  intentions('forgetLearning', 'DELETE /v1/learnings/{id}', {
    summary: 'Forgets a rule: it is hidden everywhere, and kept until it is erased.',
    answer: records.memory,
    run: ({ handle, id }) => handle.learnings.forget(id),
  }),
];
