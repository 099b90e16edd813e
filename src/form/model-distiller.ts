import type {
  Decision,
  Distilled,
  DistilOptions,
  Extracted,
  ExtractInput,
  ProposedKey,
  ProposedMemory,
  Reflections,
  TopicSummary,
} from '../models/distiller.ts';
import type { LanguageModel } from '../models/language-model.ts';
import { renderPrompt, type PromptTemplate } from '../models/prompt.ts';
import type { z } from 'zod';
import { FACT_CATEGORIES, type FactCategory } from '../record/memory.ts';
import type { FormDistiller } from './form-deps.ts';
import { decideAnswer, decidePrompt, type DecideAnswer } from './prompts/decide.ts';
import { extractAnswer, extractPrompt, type ExtractAnswer, type ExtractedItem } from './prompts/extract.ts';
import { reflectAnswer, reflectPrompt } from './prompts/reflect.ts';
import { summariseAnswer, summarisePrompt } from './prompts/summarise.ts';
import { keyedFactsAnswer, keyedFactsPrompt, type KeyedFactsInput } from './prompts/keyed-facts.ts';

/** A distiller that asks a language model, one call for each task. */
export interface ModelDistiller extends FormDistiller {
  /** The facts that the last exchange states (K8). */
  keyedFacts(input: KeyedFactsInput, options?: DistilOptions): Promise<Distilled<ProposedKey[]>>;
}

/** Makes a distiller of a language model. What it proposes is untrusted: the guards come after it. */
export function createModelDistiller(model: LanguageModel): ModelDistiller {
  const ask = async <Input, Answer>(
    template: PromptTemplate<Input>,
    schema: z.ZodType<Answer>,
    input: Input,
    { signal }: DistilOptions,
  ): Promise<Distilled<Answer>> => {
    const { data, usage } = await model.generate({
      task: template.task,
      prompt: renderPrompt(template, input),
      schema,
      signal,
    });
    return { output: data, usage };
  };
  const ids = [...new Set([model.modelOf('extract'), model.modelOf('reflect')])];
  return {
    id: ids.join(' + '),
    kind: 'model',
    async extract(input, options = {}) {
      const { output, usage } = await ask(extractPrompt, extractAnswer, input, options);
      return { output: toExtracted(output, input), usage };
    },
    async decide(input, options = {}) {
      if (input.facts.length === 0) return { output: [], usage: null };
      const { output, usage } = await ask(decidePrompt, decideAnswer, input, options);
      return { output: toDecisions(output), usage };
    },
    async reflect(input, options = {}): Promise<Distilled<Reflections>> {
      return ask(reflectPrompt, reflectAnswer, input, options);
    },
    async summarise(input, options = {}): Promise<Distilled<TopicSummary[]>> {
      const { output, usage } = await ask(summarisePrompt, summariseAnswer, input, options);
      return { output: output.topics.slice(0, input.mostTopics), usage };
    },
    async keyedFacts(input, options = {}) {
      const { output, usage } = await ask(keyedFactsPrompt, keyedFactsAnswer, input, options);
      return { output: output.facts.flatMap((fact) => toKey(fact) ?? []), usage };
    },
  };
}

/** Puts each memory of the answer where the interface has it: new, an extension, or a replacement of a known one. */
function toExtracted({ memories, outdated }: ExtractAnswer, { existing }: ExtractInput): Extracted {
  const isKnown = (number: number | null): number is number =>
    number !== null && number >= 1 && number <= existing.length;
  const extracted: Extracted = { new: [], updated: [], contradicted: [] };
  for (const item of memories) {
    const memory = toProposed(item);
    if (isKnown(item.extends)) extracted.updated.push({ ...memory, existing: item.extends });
    else extracted.new.push(memory);
    if (isKnown(item.replaces) && !isKnown(item.extends)) {
      extracted.contradicted.push({ existing: item.replaces, by: extracted.new.length, reason: 'replaced' });
    }
  }
  for (const { known, reason } of outdated) {
    if (isKnown(known)) extracted.contradicted.push({ existing: known, by: null, reason: reason.slice(0, 200) });
  }
  return extracted;
}

function toProposed(item: ExtractedItem): ProposedMemory {
  return {
    type: item.type.trim().toLowerCase(),
    content: item.text,
    levels: [...new Set(item.scope)],
    importance: item.importance,
    confidence: item.confidence,
    tags: item.tags,
    entities: item.names,
    turns: item.turns,
    validFrom: item.from,
    validTo: item.to,
    explicit: item.stated,
    keyed: item.key === null ? null : toKey(item.key),
    subject: item.about,
    attribute: item.attribute,
    polarity: item.negative ? 'negative' : 'positive',
    achievesGoal: item.goal_reached,
    dueAt: item.due,
  };
}

/** A key in snake_case under a category that there is; null when nothing is left of it. */
function toKey({ key, value, category }: { key: string; value: string; category: string }): ProposedKey | null {
  const name = key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_+$/g, '')
    .slice(0, 100);
  const known = (FACT_CATEGORIES as readonly string[]).includes(category);
  if (name === '' || value.trim() === '') return null;
  return { key: name, value: value.trim(), category: known ? (category as FactCategory) : 'general' };
}

function toDecisions({ decisions }: DecideAnswer): Decision[] {
  return decisions.map(({ fact, action, known, text }): Decision => {
    if (action === 'UPDATE' && known !== null) return { fact, action, candidate: known, content: text ?? '' };
    if ((action === 'DELETE' || action === 'NONE') && known !== null) return { fact, action, candidate: known };
    return { fact, action: 'ADD' };
  });
}
