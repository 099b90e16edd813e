import { z } from 'zod';
import { conversation, expectedMemory, looseText, question, repaired, turn } from '../conversation.ts';
import type { Conversation, Dataset, ExpectedMemory, Question, Turn } from '../conversation.ts';
import { dateOf, jsonObjects } from './read-data.ts';
import { parse } from '../../record/parse.ts';

const pointSchema = z.looseObject({
  memory_content: looseText,
  memory_type: looseText,
  memory_source: looseText,
  is_update: looseText,
  original_memories: z.array(looseText).nullish(),
});
const questionSchema = z.looseObject({
  question: looseText,
  answer: looseText,
  question_type: looseText,
  evidence: z.array(z.looseObject({ memory_content: looseText })).nullish(),
});
const userSchema = z.looseObject({
  uuid: looseText,
  sessions: z.array(
    z.looseObject({
      start_time: looseText,
      dialogue: z.array(z.looseObject({ role: looseText, content: looseText, timestamp: looseText })).default([]),
      memory_points: z.array(pointSchema).nullish(),
      questions: z.array(questionSchema).nullish(),
    }),
  ),
});

const KINDS: Readonly<Record<string, string>> = {
  'Basic Fact Recall': 'single',
  'Multi-hop Inference': 'multi',
  'Dynamic Update': 'update',
  'Memory Boundary': 'unknown',
  'Memory Conflict': 'conflict',
  'Generalization & Application': 'apply',
};

/**
 * Memories are matched with whole sessions, because the data set does not name their turns. Known faults: `is_update` is a text,
 * distractors ("interference") have memories that should not be kept, and memories are duplicated.
 */
export function loadHaluMem(path: string): Dataset {
  const counts = { interference: 0, doubled: 0 };
  const conversations = jsonObjects(path).map(({ data, place: at }): Conversation => {
    const user = parse(userSchema, data, at);
    const byText = new Map<string, ExpectedMemory>();
    const questions: Question[] = [];
    const sessions = user.sessions.map((session, index) => {
      const id = `s${index + 1}`;
      const turns = session.dialogue.map(({ role, content, timestamp }, place) =>
        turn(`${id}.${place + 1}`, role === 'assistant' ? 'assistant' : 'user', content, { at: dateOf(timestamp) }),
      );
      for (const point of session.memory_points ?? []) {
        if (point.memory_source === 'interference') counts.interference += 1;
        else if (byText.has(point.memory_content)) counts.doubled += 1;
        else addPoint(point, `${id}.m${byText.size + 1}`, turns, byText);
      }
      for (const [place, { question: asked, answer, ...item }] of (session.questions ?? []).entries()) {
        const kind = KINDS[item.question_type] ?? item.question_type;
        const evidence = (item.evidence ?? []).flatMap(({ memory_content }) => byText.get(memory_content) ?? []);
        const memories = evidence.map((memory) => memory.id);
        questions.push(question({ id: `${id}.q${place + 1}`, after: id, kind, question: asked, answer, memories }));
      }
      return { id, start: dateOf(session.start_time), turns };
    });
    return conversation({ id: user.uuid, sessions, memories: [...byText.values()], questions });
  });
  return repaired('halumem', conversations, [
    ...(counts.interference === 0 ? [] : [`${counts.interference} memories of distractors are not expected.`]),
    ...(counts.doubled === 0 ? [] : [`${counts.doubled} duplicate memories count once.`]),
  ]);
}

/** The new memory ends the memories that it updates. */
function addPoint(
  { memory_content: text, memory_type, is_update, original_memories }: z.infer<typeof pointSchema>,
  id: string,
  turns: readonly Turn[],
  byText: Map<string, ExpectedMemory>,
): void {
  const stated = turns.map((each) => each.id);
  for (const original of /^true$/i.test(is_update) ? (original_memories ?? []) : []) {
    const old = byText.get(original);
    if (old !== undefined) Object.assign(old, { until: stated[0] ?? null, replacedBy: id });
  }
  byText.set(text, expectedMemory({ id, text, type: memory_type || null, stated }));
}
