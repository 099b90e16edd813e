import { z } from 'zod';
import type { ReflectInput, Reflections } from '../../models/distiller.ts';
import { definePrompt, fence, numbered, type PromptTemplate } from '../../models/prompt.ts';
import { turnLine } from './extract.ts';

export const reflectAnswer: z.ZodType<Reflections> = z.object({
  agent: z.array(z.string()),
  user: z.array(z.string()),
  session: z.array(z.string()),
});

/** Interpreted observations for agent, user and session (E3, E4). */
export const reflectPrompt: PromptTemplate<ReflectInput> = definePrompt({
  task: 'reflect',
  version: 1,
  system: `You look back on a conversation for an assistant and note what should be in its mind from now on: not facts, which are kept elsewhere, but what they mean for how to act.
Fill three lists, in this order; what stands in an earlier list or is in mind already is not said again:
1. agent: for every conversation with anyone: how the assistant works best, its ongoing projects and plans, lessons. Nothing private of a person.
2. user: for every conversation with this person: how to talk to them, what they care about, standing wishes, level of knowledge.
3. session: for this conversation only: where it stands, what is open, what was agreed for now.
Each entry is one sentence within the word limit. Only what the turns show; do not repeat the new facts. Few is good, empty lists are usual.`,
  render: (input) =>
    [
      `Word limit for an entry: ${input.wordLimit}.`,
      ...(['agent', 'user', 'session'] as const).flatMap((level) => {
        const { merged, recent } = input.current[level];
        const lines = [...(merged === null || merged === '' ? [] : [merged]), ...recent];
        return lines.length === 0 ? [] : [`In mind already (${level}):\n${fence('in_mind', lines.join('\n'))}`];
      }),
      ...(input.facts.length === 0 ? [] : [`New facts:\n${numbered('facts', input.facts)}`]),
      `Turns:\n${numbered('turns', input.turns.map(turnLine))}`,
    ].join('\n\n'),
});
