import { z } from 'zod';
import type { SynthesiseInput } from '../../models/distiller.ts';
import { definePrompt, fence, numbered, type PromptTemplate } from '../../models/prompt.ts';
import { CONFIDENCE_LEVELS, type Confidence } from '../../record/trust.ts';

/** The answer to the prompt: T6's three parts, and how sure and how contradictory they are (T17). */
export interface SynthesisAnswer {
  updated_scaffold: Record<string, unknown>;
  updated_working_memory: string;
  facts_to_embed: (string | { content: string; observations: number[] })[];
  confidence?: Record<string, Confidence>;
  contradictions?: { key: string; observation: number; reason: string }[];
}

export const synthesisSchema: z.ZodType<SynthesisAnswer> = z.object({
  updated_scaffold: z.record(z.string(), z.unknown()),
  updated_working_memory: z.string(),
  facts_to_embed: z
    .array(z.union([z.string(), z.object({ content: z.string(), observations: z.array(z.int()) })]))
    .max(200),
  confidence: z.record(z.string(), z.enum(CONFIDENCE_LEVELS)).optional(),
  contradictions: z
    .array(z.object({ key: z.string(), observation: z.int(), reason: z.string() }))
    .max(100)
    .optional(),
});

/** Scaffold, working memory and facts of new observations (T6). */
export const synthesisePrompt: PromptTemplate<SynthesiseInput> = definePrompt({
  task: 'synthesise',
  version: 1,
  system: `You maintain what an agent always keeps in mind about one person. You get the working memory, the scaffold
and new observations, and answer with the next state of both, as JSON:

{
  "updated_scaffold": { … },
  "updated_working_memory": "…",
  "facts_to_embed": [{ "content": "…", "observations": [1] }],
  "confidence": { "Role": "high" },
  "contradictions": [{ "key": "Role", "observation": 2, "reason": "…" }]
}

- updated_scaffold: the whole scaffold, not a change of it. Structured facts under short keys of your choice, nested
  where that helps. Copy every entry that no observation touches, unchanged. Values are JSON, never JSON inside a string.
- updated_working_memory: a narrative of who this person is and what occupies them now, in plain sentences. Keep what
  still holds, work in what is new, drop what is over. Stay within the word limit.
- facts_to_embed: lasting statements worth finding again, each complete in itself, at most 30 words, with the numbers of
  the observations that say so. Nothing that is already in the scaffold or was observed before.
- confidence: for each scaffold entry that you added or changed: high when the person said so, medium when it follows
  from what they said, low when it is a guess.
- contradictions: scaffold keys whose old value an observation contradicts.

A correction by the person outweighs everything else. Say nothing that no observation and no earlier state supports.`,
  render: ({ observations, workingMemory, scaffold, scaffoldKeys, wordLimit, today }) =>
    [
      `Today is ${today}.`,
      workingMemory === '' ? 'There is no working memory yet.' : fence('working_memory', workingMemory),
      fence('scaffold', JSON.stringify(scaffold, null, 1)),
      scaffoldKeys === null
        ? ''
        : `The scaffold may have these keys only: ${scaffoldKeys.map((key) => JSON.stringify(key)).join(', ')}.`,
      numbered(
        'observations',
        observations.map(
          (turn) =>
            `[${turn.category ?? turn.kind}, from ${turn.origin}, ${turn.occurredAt.toISOString().slice(0, 10)}] ${turn.content}`,
        ),
      ),
      `At most ${wordLimit} words in the working memory.`,
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
});
