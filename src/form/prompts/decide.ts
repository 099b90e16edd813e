import { z } from 'zod';
import type { DecideInput } from '../../models/distiller.ts';
import { definePrompt, fence, type PromptTemplate } from '../../models/prompt.ts';
import { lenient } from './lenient.ts';

export interface DecideAnswer {
  decisions: {
    fact: number;
    action: 'ADD' | 'UPDATE' | 'DELETE' | 'NONE';
    known: number | null;
    text: string | null;
  }[];
}

export const decideAnswer: z.ZodType<DecideAnswer> = z.object({
  decisions: z.array(
    z.object({
      fact: z.int(),
      action: z.enum(['ADD', 'UPDATE', 'DELETE', 'NONE']),
      known: lenient(z.int().nullable(), null),
      text: lenient(z.string().nullable(), null),
    }),
  ),
});

/** What becomes of new facts beside the known ones that resemble them (E5). */
export const decidePrompt: PromptTemplate<DecideInput> = definePrompt({
  task: 'decide',
  version: 1,
  system: `New facts are to go into a memory. Each is listed with the known facts that resemble it most. Decide for each new fact, by its number:
- ADD: none of the known ones says this.
- UPDATE: a known one is about the same thing of the same subject, and the new fact adds to it or brings it up to date. text: one sentence of at most 30 words that holds now, with nothing that neither says.
- DELETE: a known one is the opposite and no longer true, such as a taste that has turned. It is retired and the new fact added.
- NONE: a known one says it already, in whatever words.
known: the number of the known fact under that new fact; null for ADD. text: null except for UPDATE.
Two facts about different people, things or attributes never touch each other, however alike they look: ADD. One decision for every new fact.`,
  render: (input) =>
    input.facts
      .map((fact, index) => {
        const known = fact.candidates.map(
          (candidate, place) =>
            `${place + 1}. (${candidate.updatedAt.toISOString().slice(0, 10)}) ${oneLine(candidate.content)}`,
        );
        return `New fact ${index + 1}:\n${fence('fact', oneLine(fact.content))}\nKnown:\n${fence('known', known.join('\n'))}`;
      })
      .join('\n\n'),
});

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
