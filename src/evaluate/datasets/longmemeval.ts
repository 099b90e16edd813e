import { z } from 'zod';
import { conversation, looseText, question, repaired, turn, type Conversation, type Dataset } from '../conversation.ts';
import { dateOf, jsonObjects } from './read-data.ts';
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
});

/** Loads one history per question, or a pool of turns in LoCoMo's format. Sessions may be duplicated or out of order. */
export function loadLongMemEval(path: string): Dataset {
  const instances = jsonObjects(path).filter(
    ({ data }) => typeof data === 'object' && data !== null && 'haystack_sessions' in data,
  );
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
    const { question_id: id, question: asked } = instance;
    const isAnswerable = !id.endsWith('_abs');
    const answered = isAnswerable
      ? {
          kind: instance.question_type,
          answer: instance.answer,
          evidence: sessions.flatMap(({ evidence }) => evidence),
        }
      : { kind: 'unknown', answer: 'unknown' };
    return conversation({ id, sessions, questions: [question({ id, question: asked, isAnswerable, ...answered })] });
  });
  return repaired(
    'longmemeval',
    conversations,
    doubled === 0 ? [] : [`${doubled} sessions were duplicates within one history and count once.`],
  );
}
