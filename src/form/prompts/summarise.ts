import { z } from 'zod';
import type { SummariseInput } from '../../models/distiller.ts';
import { definePrompt, fence, numbered, type PromptTemplate } from '../../models/prompt.ts';
import { turnLine } from './extract.ts';
import { lenient } from './lenient.ts';

export interface SummariseAnswer {
  topics: { topic: string; summary: string; turns: number[] }[];
}

export const summariseAnswer: z.ZodType<SummariseAnswer> = z.object({
  topics: z.array(z.object({ topic: z.string(), summary: z.string(), turns: lenient(z.array(z.int()), []) })),
});

/** The topics of a session (K9). */
export const summarisePrompt: PromptTemplate<SummariseInput> = definePrompt({
  task: 'summarise',
  version: 1,
  system: `Sum up a conversation by topic, so that the next one can pick up where it ended.
For each topic: topic, a title of 2 to 6 words; summary, 1 to 4 sentences with what was asked, found, decided and left open, names and dates written out; turns, the numbers it rests on.
Use the title of an earlier topic, word for word, where the conversation goes on with it. Say only what the turns say. A trivial conversation has no topics.`,
  render: (input) =>
    [
      `At most ${input.mostTopics} topics.`,
      ...(input.topics.length === 0 ? [] : [`Earlier topics:\n${fence('topics', input.topics.join('\n'))}`]),
      `Turns:\n${numbered('turns', input.turns.map(turnLine))}`,
    ].join('\n\n'),
});
