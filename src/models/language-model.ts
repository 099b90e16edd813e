import type { z } from 'zod';
import type { Prompt } from './prompt.ts';
import type { ModelUsage } from './usage.ts';

/** Answers prompts with data that fits a schema, or with text. */
export interface LanguageModel {
  /**
   * Data that fits the schema, checked. Throws `model_unavailable` (retryable unless the provider refuses the call),
   * `timed_out`, `cancelled`, or `model_answer_invalid` when a second try gives nothing usable either:
   * then nothing may be changed. `usageOfFailure(error)` says what was used up all the same.
   */
  generate<Schema extends z.ZodType>(request: DataRequest<Schema>): Promise<Generated<z.output<Schema>>>;
  /** Text, trimmed. Fails as `generate` does; an empty, refused or cut answer is invalid. */
  generateText(request: TextRequest): Promise<Generated<string>>;
  /** The id of the model that does a task, as the ledger and its prices know it. */
  modelOf(task: Task): string;
}

export interface TextRequest {
  task: Task;
  prompt: Prompt;
  signal?: AbortSignal;
  /** Milliseconds for each try, instead of the model's. */
  timeout?: number;
  maximumTokens?: number;
}

export interface DataRequest<Schema extends z.ZodType> extends TextRequest {
  schema: Schema;
}

/** An answer, and what it took. */
export interface Generated<Data> {
  data: Data;
  model: string;
  usage: ModelUsage;
  /** True when the answer had to be repaired or asked for twice. */
  repaired: boolean;
}

/** A quick and cheap model, or a slow and careful one. */
export type Tier = 'fast' | 'slow';

/** What language models are asked to do, and which of the two does it unless a task has a model of its own. */
export const TASK_TIERS = {
  /** What a stretch of a conversation states. */
  read: 'fast',
  /** ADD, UPDATE, DELETE or NONE for new facts. */
  decide: 'fast',
  /** Whether and what to look up before a turn. */
  lookup: 'fast',
  /** Reflections for agent, user and session. */
  reflect: 'slow',
  /** Several texts into one within a word limit. */
  merge: 'slow',
  /** Scaffold, working memory and facts of new observations. */
  synthesise: 'slow',
  /** The nightly profile, with facts, intentions and learnings. */
  profile: 'slow',
  /** Answers from a context, in evaluations. */
  answer: 'slow',
  /** Scores in evaluations. */
  judge: 'slow',
} as const;

export type Task = keyof typeof TASK_TIERS;
