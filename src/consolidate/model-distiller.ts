import { z } from 'zod';
import { VarveError } from '../errors.ts';
import type {
  DistilOptions,
  Distilled,
  Distiller,
  MergeInput,
  Synthesis,
  SynthesiseInput,
} from '../models/distiller.ts';
import type { LanguageModel } from '../models/language-model.ts';
import { definePrompt, fence, numbered, type PromptTemplate, renderPrompt } from '../models/prompt.ts';
import { countWords } from '../record/block.ts';
import { type Confidence, CONFIDENCE_LEVELS } from '../record/trust.ts';
import { cutWords } from './check-text.ts';

/** Merging and synthesising with a language model. */
export function modelDistiller(model: LanguageModel): Distiller {
  return {
    id: [...new Set([model.modelOf('merge'), model.modelOf('synthesise')])].join(', '),
    kind: 'model',
    merge: (input, options) => merge(model, input, options),
    synthesise: (input, options) => synthesise(model, input, options),
  };
}

// A text that runs over by less is cut at a sentence; one that ignores the limit altogether is no answer.
const FAR_TOO_LONG = 2;

async function merge(model: LanguageModel, input: MergeInput, options?: DistilOptions): Promise<Distilled<string>> {
  const prompt = renderPrompt(mergePrompt, input);
  const { data, usage } = await model.generateText({ task: 'merge', prompt, signal: options?.signal });
  const text = data.replace(/^```\w*\n?|\n?```$/g, '').trim();
  if (countWords(text) > input.wordLimit * FAR_TOO_LONG) {
    throw new VarveError(`The merged text has ${countWords(text)} words; ${input.wordLimit} are allowed.`, {
      code: 'model_answer_invalid',
      retryable: true,
      details: { words: countWords(text), limit: input.wordLimit },
    });
  }
  return { output: cutWords(text, input.wordLimit), usage };
}

async function synthesise(
  model: LanguageModel,
  input: SynthesiseInput,
  options?: DistilOptions,
): Promise<Distilled<Synthesis>> {
  const prompt = renderPrompt(synthesisePrompt, input);
  const { data, usage } = await model.generate({
    task: 'synthesise',
    prompt,
    schema: synthesisSchema,
    signal: options?.signal,
  });
  return { output: toSynthesis(data, input.observations.length), usage };
}

/** What the model said in our terms; numbers of observations that do not exist are dropped. */
function toSynthesis(answer: SynthesisAnswer, observations: number): Synthesis {
  const isObservation = (number: number): boolean => number >= 1 && number <= observations;
  return {
    scaffold: answer.updated_scaffold,
    scaffoldConfidence: answer.confidence ?? {},
    workingMemory: answer.updated_working_memory,
    facts: answer.facts_to_embed.map((fact) =>
      typeof fact === 'string'
        ? { content: fact, observations: [] }
        : { content: fact.content, observations: fact.observations.filter(isObservation) },
    ),
    contradictions: (answer.contradictions ?? []).filter(({ observation }) => isObservation(observation)),
  };
}

const FOCUS: Record<MergeInput['purpose'], string> = {
  reflections: '',
  tag: 'They are statements about one person that share a topic. Keep every distinct name, number, date and place.',
  episodes:
    'They are things that were done and what came of them. Say in one sentence what they have in common. ' +
    'Write no numbers: the counting is done elsewhere.',
};

const LEVELS: Readonly<Record<string, string>> = {
  agent: 'Keep how the agent’s character develops, where its projects stand and what it has learned of its field.',
  user: 'Keep what this person prefers, has asked for, and how they like to be spoken to.',
  session: 'Keep what has happened so far, where the task stands, and instructions that hold for now.',
};

/** Several texts into one within a word limit (E6, Q8, L8). */
export const mergePrompt: PromptTemplate<MergeInput> = definePrompt({
  task: 'merge',
  version: 1,
  system: `You keep a memory short. You are given the text so far and additions to it, oldest first.
Write the one text that replaces them all.

- Keep what is still worth knowing from the text so far, and work every addition into it.
- Where two contradict each other the later one holds; drop the other without mentioning it.
- Say nothing that is not in the texts. No headings, no lists, no preface, no comment on your work.
- Stay within the word limit. Shorten the least important parts first.

Answer with the text alone.`,
  render: ({ purpose, subject, current, additions, wordLimit }) =>
    [
      purpose === 'reflections' ? (LEVELS[subject] ?? '') : FOCUS[purpose],
      purpose === 'reflections' ? '' : fence('topic', subject),
      current === null || current === '' ? 'There is no text so far.' : fence('text_so_far', current),
      numbered(
        'additions',
        additions.map(({ text }) => text),
      ),
      `At most ${wordLimit} words.`,
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
});

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
