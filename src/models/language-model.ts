import type { z } from 'zod';
import { VarveError } from '../errors.ts';
import type { Prompt, Task } from './prompt.ts';

/** Answers prompts with data that fits a schema, or with text. */
export interface LanguageModel {
  /**
   * Returns validated data. Throws `model_unavailable` (retryable unless the provider rejects the call), `timed_out`, `cancelled`, or
   * `model_answer_invalid` after a second unusable answer. After an error, the caller must change nothing.
   */
  generate<Schema extends z.ZodType>(request: DataRequest<Schema>): Promise<Generated<z.output<Schema>>>;
  /** Returns trimmed text. Throws the same errors as `generate`. An empty, refused or truncated answer is invalid. */
  generateText(request: TextRequest): Promise<Generated<string>>;
  /** Returns the id of a task's model, as the ledger and its prices use it. */
  modelOf(task: Task): string;
  /** Returns a copy that uses the model of `task` for every task, to measure what separate models per task gain. */
  withOneModel?(task: Task): LanguageModel;
}

export interface TextRequest {
  task: Task;
  prompt: Prompt;
  signal?: AbortSignal;
  /** The time limit for each attempt in milliseconds. Replaces the model's own. */
  timeout?: number;
  maximumTokens?: number;
}

export interface DataRequest<Schema extends z.ZodType> extends TextRequest {
  schema: Schema;
  /** Whether the complete items of a truncated second answer are usable. By default, such an answer is invalid. */
  usesPart?: (part: z.output<Schema>) => boolean;
}

export interface Generated<Data> {
  data: Data;
  model: string;
  usage: ModelUsage;
  /** True if the answer was repaired or requested twice. */
  repaired: boolean;
  /** True if the answer was truncated and `data` has only its complete items: see {@link DataRequest.usesPart}. */
  isCut?: boolean;
}

/** What one or several calls of a model used. */
export interface ModelUsage {
  tokensIn: number;
  tokensOut: number;
  /** How many of `tokensIn` came from the provider's cache. */
  tokensCached: number;
  /** How many calls were answered. */
  calls: number;
  milliseconds: number;
  /** True if the provider did not report the counts, so that they are estimates. */
  estimated: boolean;
}

export const NO_USAGE: ModelUsage = {
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  calls: 0,
  milliseconds: 0,
  estimated: false,
};

export function addUsage(first: ModelUsage, second: ModelUsage): ModelUsage {
  return {
    tokensIn: first.tokensIn + second.tokensIn,
    tokensOut: first.tokensOut + second.tokensOut,
    tokensCached: first.tokensCached + second.tokensCached,
    calls: first.calls + second.calls,
    milliseconds: first.milliseconds + second.milliseconds,
    estimated: first.estimated || second.estimated,
  };
}

/** Null if the usage is unknown. */
export function usageOfFailure(error: unknown): ModelUsage | null {
  if (!VarveError.isInstance(error)) return null;
  const usage = error.details['usage'];
  return typeof usage === 'object' && usage !== null && 'tokensIn' in usage ? (usage as ModelUsage) : null;
}

export function withUsage(error: VarveError, usage: ModelUsage): VarveError {
  if (usage.calls === 0) return error;
  return new VarveError(error.message, {
    code: error.code,
    retryable: error.retryable,
    cause: error.cause,
    details: { ...error.details, usage },
  });
}
