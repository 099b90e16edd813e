import { z } from 'zod';
import {
  conversation,
  expectedMemory,
  looseText,
  repaired,
  turn,
  type Conversation,
  type Dataset,
  type ExpectedMemory,
  type Question,
} from '../conversation.ts';
import { dateOf, jsonFiles, listOf } from './read-data.ts';
import { parse } from '../../record/parse.ts';

const pointSchema = z.looseObject({
  memory_content: looseText,
  memory_type: looseText,
  memory_source: looseText,
  is_update: looseText,
  original_memories: z.array(looseText).nullish(),
});
const userSchema = z.looseObject({
  uuid: looseText,
  sessions: z.array(
    z.looseObject({
      start_time: looseText,
      dialogue: z.array(z.looseObject({ role: looseText, content: looseText, timestamp: looseText })).default([]),
      memory_points: z.array(pointSchema).nullish(),
      questions: z
        .array(
          z.looseObject({
            question: looseText,
            answer: looseText,
            question_type: looseText,
            evidence: z.array(z.looseObject({ memory_content: looseText })).nullish(),
          }),
        )
        .nullish(),
    }),
  ),
});
type Point = z.infer<typeof pointSchema>;

const KINDS: Readonly<Record<string, string>> = {
  'Basic Fact Recall': 'single',
  'Multi-hop Inference': 'multi',
  'Dynamic Update': 'update',
  'Memory Boundary': 'unknown',
  'Memory Conflict': 'conflict',
  'Generalization & Application': 'apply',
};

/**
 * HaluMem: `HaluMem-Medium.jsonl` or `-Long`, with one user per line. The data set names the memories of a session but not their turns, so
 * memories are matched against whole sessions. Known faults: `is_update` as text, memories of distractors ("interference"), which should
 * not be kept, duplicate memories, evidence that names a memory by its text.
 */
export function loadHaluMem(path: string): Dataset {
  const counts = { interference: 0, doubled: 0 };
  const conversations = jsonFiles(path)
    .flatMap(({ data, place }) => listOf(data).map((each) => ({ data: each, at: place })))
    .map(({ data, at }): Conversation => {
      const user = parse(userSchema, data, at);
      const memories: ExpectedMemory[] = [];
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
          else
            addPoint(point, {
              id: `${id}.m${memories.length + 1}`,
              turns: turns.map((each) => each.id),
              memories,
              byText,
            });
        }
        for (const [place, item] of (session.questions ?? []).entries()) {
          const kind = KINDS[item.question_type] ?? item.question_type;
          const evidence = (item.evidence ?? []).flatMap(({ memory_content }) => byText.get(memory_content) ?? []);
          questions.push({
            id: `${id}.q${place + 1}`,
            after: id,
            kind,
            question: item.question,
            answer: item.answer,
            isAnswerable: kind !== 'unknown',
            evidence: [],
            memories: evidence.map((memory) => memory.id),
          });
        }
        return { id, start: dateOf(session.start_time), turns };
      });
      return conversation({ id: user.uuid, sessions, memories, questions });
    });
  return repaired('halumem', conversations, [
    ...(counts.interference === 0 ? [] : [`${counts.interference} memories of distractors are not expected.`]),
    ...(counts.doubled === 0 ? [] : [`${counts.doubled} duplicate memories count once.`]),
  ]);
}

function addPoint(
  point: Point,
  {
    id,
    turns,
    memories,
    byText,
  }: { id: string; turns: string[]; memories: ExpectedMemory[]; byText: Map<string, ExpectedMemory> },
): void {
  const memory = expectedMemory({ id, text: point.memory_content, type: point.memory_type || null, stated: turns });
  if (/^true$/i.test(point.is_update)) {
    for (const original of point.original_memories ?? []) {
      const old = byText.get(original);
      if (old === undefined) continue;
      old.until = turns[0] ?? null;
      old.replacedBy = id;
    }
  }
  memories.push(memory);
  byText.set(point.memory_content, memory);
}
