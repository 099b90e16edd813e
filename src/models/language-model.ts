import type { z } from 'zod';
import type { Prompt, Task } from './prompt.ts';
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
