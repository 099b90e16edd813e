import { z } from 'zod';
import { conversation, looseText, repaired, turn, type Conversation, type Dataset } from '../conversation.ts';
import { dateOf, jsonFiles, listOf } from './read-data.ts';
import { parse } from '../../record/parse.ts';
import { loadSessionKeys } from './locomo.ts';

const instanceSchema = z.looseObject({
  question_id: looseText,
  question_type: looseText,
  question: looseText,
  answer: looseText,
  haystack_session_ids: z.array(looseText).default([]),
  haystack_dates: z.array(looseText).default([]),
  haystack_sessions: z.array(
    z.array(z.looseObject({ role: looseText, content: looseText, has_answer: z.boolean().nullish() })),
  ),
  answer_session_ids: z.array(looseText).default([]),
});

/**
 * LongMemEval: `longmemeval_s.json`, `_m` or `_oracle`, each question with its own history; or a pool of turns in the shape of LoCoMo with
 * a `qa.jsonl` beside it. A question whose id ends in `_abs` has no answer. Known faults: sessions out of order, duplicate sessions in one
 * history, answers that are numbers.
 */
export function loadLongMemEval(path: string): Dataset {
  const pieces = jsonFiles(path);
  const instances = pieces
    .flatMap(({ data, place }) => listOf(data).map((each) => ({ data: each, place })))
    .filter(({ data }) => isInstance(data));
  if (instances.length === 0) return loadSessionKeys('longmemeval', path, ['', '', '', '', 'single']);
  let doubled = 0;
  const conversations = instances.map(({ data, place: at }): Conversation => {
    const instance = parse(instanceSchema, data, at);
    const seen = new Set<string>();
    const sessions = instance.haystack_sessions
      .map((turns, index) => {
        const id = instance.haystack_session_ids[index] ?? `s${index + 1}`;
        return {
          id,
          start: dateOf(instance.haystack_dates[index] ?? ''),
          turns: turns.map(({ role, content }, place) =>
            turn(`${id}.${place + 1}`, role === 'assistant' ? 'assistant' : 'user', content),
          ),
          evidence: turns.flatMap(({ has_answer }, place) => (has_answer === true ? [`${id}.${place + 1}`] : [])),
        };
      })
      .filter(({ id }) => {
        if (seen.has(id)) doubled += 1;
        return !seen.has(id) && seen.add(id);
      })
      .sort((one, other) => (one.start?.getTime() ?? 0) - (other.start?.getTime() ?? 0));
    const isAnswerable = !instance.question_id.endsWith('_abs');
    return conversation({
      id: instance.question_id,
      sessions,
      questions: [
        {
          id: instance.question_id,
          after: null,
          kind: isAnswerable ? instance.question_type : 'unknown',
          question: instance.question,
          answer: isAnswerable ? instance.answer : 'unknown',
          isAnswerable,
          evidence: isAnswerable ? sessions.flatMap(({ evidence }) => evidence) : [],
          memories: [],
        },
      ],
    });
  });
  return repaired(
    'longmemeval',
    conversations,
    doubled === 0 ? [] : [`${doubled} sessions were duplicates within one history and count once.`],
  );
}

function isInstance(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'haystack_sessions' in data;
}
