import { VarveError } from '../errors.ts';
import type {
  Distilled,
  Distiller,
  DistilOptions,
  MergeInput,
  SynthesiseInput,
  Synthesis,
} from '../models/distiller.ts';
import type { LanguageModel } from '../models/language-model.ts';
import { renderPrompt } from '../models/prompt.ts';
import { countWords } from '../record/block.ts';
import { cutWords } from './cut-words.ts';
import { mergePrompt } from './prompts/merge-prompt.ts';
import { synthesisePrompt, synthesisSchema, type SynthesisAnswer } from './prompts/synthesise-prompt.ts';

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
