import { z } from 'zod';
import { conversation, expectedMemory, repaired, type Conversation, type Dataset } from '../conversation.ts';
import { jsonFiles } from './read-data.ts';
import { parse } from '../../record/parse.ts';

const lifeSchema = z.object({
  id: z.string(),
  language: z.string().default('en'),
  sessions: z.array(
    z.object({
      id: z.string(),
      start: z.iso.datetime({ offset: true }),
      turns: z.array(
        z.object({
          id: z.string(),
          role: z.enum(['user', 'assistant', 'tool']),
          speaker: z.string().default(''),
          text: z.string(),
        }),
      ),
    }),
  ),
  memories: z
    .array(
      z.object({
        id: z.string(),
        type: z.string().nullable().default(null),
        about: z.string().default('User'),
        text: z.string(),
        slot: z.string().nullable().default(null),
        value: z.string().nullable().default(null),
        stated: z.array(z.string()).default([]),
        until: z.string().nullable().default(null),
        replacedBy: z.string().nullable().default(null),
      }),
    )
    .default([]),
  questions: z
    .array(
      z.object({
        id: z.string(),
        after: z.string().nullable().default(null),
        kind: z.string().default('single'),
        question: z.string(),
        answer: z.string().default(''),
        evidence: z.array(z.string()).default([]),
        memories: z.array(z.string()).default([]),
      }),
    )
    .default([]),
});

/** One file for each conversation, in the format of train/lives/FORMAT.md. Also for your own data. */
export function loadLives(path: string): Dataset {
  const lives = jsonFiles(path).map(({ data, place }): Conversation => {
    const life = parse(lifeSchema, data, `${place} is not a conversation in the format of train/lives/FORMAT.md: it`);
    return conversation({
      id: life.id,
      language: life.language,
      sessions: life.sessions.map(({ id, start, turns }) => ({
        id,
        start: new Date(start),
        turns: turns.map((each) => ({ ...each, at: null })),
      })),
      memories: life.memories.map((memory) => expectedMemory(memory)),
      questions: life.questions.map((question) => ({
        ...question,
        isAnswerable: !['unknown', 'forgotten'].includes(question.kind),
      })),
    });
  });
  return repaired('lives', lives);
}
