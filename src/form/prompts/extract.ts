import { z } from 'zod';
import type { ExtractInput, Turn } from '../../models/distiller.ts';
import { definePrompt, fence, numbered, type PromptTemplate } from '../../models/prompt.ts';
import { lenient } from './lenient.ts';

/** What the model answers: short field names, because they are written once for each memory. */
export const extractAnswer: z.ZodType<ExtractAnswer> = z.object({
  memories: z.array(
    z.object({
      type: lenient(z.string(), 'fact'),
      text: z.string(),
      about: lenient(z.string(), 'User'),
      attribute: lenient(z.string().nullable(), null),
      scope: lenient(z.array(z.enum(['user', 'agent'])), ['user']),
      importance: lenient(z.number(), 0.5),
      confidence: lenient(z.enum(['high', 'medium', 'low']), 'medium'),
      stated: lenient(z.boolean(), false),
      negative: lenient(z.boolean(), false),
      goal_reached: lenient(z.boolean(), false),
      turns: z.array(z.int()),
      tags: lenient(z.array(z.string()), []),
      names: lenient(z.array(z.string()), []),
      from: lenient(z.string().nullable(), null),
      to: lenient(z.string().nullable(), null),
      due: lenient(z.string().nullable(), null),
      key: lenient(z.object({ key: z.string(), value: z.string(), category: z.string() }).nullable(), null),
      extends: lenient(z.int().nullable(), null),
      replaces: lenient(z.int().nullable(), null),
    }),
  ),
  outdated: lenient(z.array(z.object({ known: z.int(), reason: z.string() })), []),
});

export interface ExtractAnswer {
  memories: ExtractedItem[];
  outdated: { known: number; reason: string }[];
}

export interface ExtractedItem {
  type: string;
  text: string;
  about: string;
  attribute: string | null;
  scope: ('user' | 'agent')[];
  importance: number;
  confidence: 'high' | 'medium' | 'low';
  stated: boolean;
  negative: boolean;
  goal_reached: boolean;
  turns: number[];
  tags: string[];
  names: string[];
  from: string | null;
  to: string | null;
  due: string | null;
  key: { key: string; value: string; category: string } | null;
  extends: number | null;
  replaces: number | null;
}

/** New, extended and replaced memories of a conversation (Q3, E2, K8). */
export const extractPrompt: PromptTemplate<ExtractInput> = definePrompt({
  task: 'extract',
  version: 1,
  system: `You keep the long-term memory of an assistant. From the numbered turns, write down what will still matter in later conversations.

Each memory:
- text: one statement of at most 30 words that makes sense on its own. Third person ("User ..."), names instead of pronouns, dates written out ("in October 2026", never "last month").
- about: whom it concerns: "User", "User's sister", or a name. What another person, a tool or a document says is about them, never about the user.
- attribute: what it states of them, in snake_case, the same word every time (employer, job_title, home_city, birthday, diet, likes:pizza, deadline:report); null if it fits none.
- scope: "user" for this person; "agent" only for what concerns everyone the assistant talks to.
- importance 0 to 1; confidence: how clearly it was said; stated: true if the user said it outright, false if you conclude it; negative: true for dislikes and denials; goal_reached: true if it says that a goal was met.
- turns: numbers of the turns that say it. No turn, no memory.
- tags: up to 3 words; names: people, places, organisations, projects named in it; from, to: ISO dates of when it holds; due: ISO date of something planned. Null where unknown.
- key: only for lasting facts of the user with one value: snake_case key (home_city, employer, dog_name), value, category (location, personal, preference, work, health, general). Else null.
- extends: number of a known memory that this one says more about; replaces: number of a known memory that it makes untrue. Else null.
outdated: known memories that the user says no longer hold and that nothing replaces.

Leave out greetings, thanks, questions, suppositions, jokes, the task at hand, what the assistant says or suggests unless the user agrees, anything known already, and guesses. One fact per memory, every fact of a message. Small talk gives two empty lists.`,
  render: (input) =>
    [
      `Today is ${input.today}${input.timeZone === undefined ? '' : ` (${input.timeZone})`}.`,
      `Types:\n${input.types.map(({ name, description }) => `- ${name}: ${description}`).join('\n')}`,
      ...(input.existing.length === 0
        ? []
        : [
            `Known:\n${numbered(
              'known',
              input.existing.map((memory) => `[${memory.type}] ${memory.content}`),
            )}`,
          ]),
      ...(input.earlier === undefined || input.earlier.length === 0
        ? []
        : [`Before these turns, for understanding only:\n${fence('before', input.earlier.map(turnLine).join('\n'))}`]),
      `Turns:\n${numbered('turns', input.turns.map(turnLine))}`,
    ].join('\n\n'),
});

/** A turn as a model reads it: who speaks, and what. */
export function turnLine(turn: Turn): string {
  const who =
    turn.speaker ??
    { user: 'User', agent: 'Assistant', tool: 'Tool', document: 'Document', system: 'System' }[turn.origin];
  const outside = turn.origin === 'tool' || turn.origin === 'document' ? ' (not the user)' : '';
  return `${who}${outside}: ${turn.content.replace(/\s+/g, ' ')}`;
}
