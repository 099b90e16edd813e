import type { z } from 'zod';
import { VarveError } from '../errors.ts';
import type { Prompt, Task } from './prompt.ts';

/** Answers prompts with data that fits a schema, or with text. */
export interface LanguageModel {
  /**
   * Returns validated data that fits the schema. Throws `model_unavailable` (retryable unless the provider rejects the call), `timed_out`,
   * `cancelled`, or `model_answer_invalid` when the answer to a second request is unusable too; the caller must then change nothing.
   * `usageOfFailure(error)` is the usage of the failed call.
   */
  generate<Schema extends z.ZodType>(request: DataRequest<Schema>): Promise<Generated<z.output<Schema>>>;
  /** Returns trimmed text. Throws like `generate`; an empty, refused or truncated answer is invalid. */
  generateText(request: TextRequest): Promise<Generated<string>>;
  /** The id of the model for a task, which the ledger and its prices use. */
  modelOf(task: Task): string;
  /** A copy that uses the model of `task` for every task, to measure the benefit of a model per task. */
  withOneModel?(task: Task): LanguageModel;
}

export interface TextRequest {
  task: Task;
  prompt: Prompt;
  signal?: AbortSignal;
  /** Milliseconds for each attempt, in place of the model's timeout. */
  timeout?: number;
  maximumTokens?: number;
}

export interface DataRequest<Schema extends z.ZodType> extends TextRequest {
  schema: Schema;
  /** Whether the complete items of the second answer are usable if that answer is truncated too. Default: the answer is invalid. */
  usesPart?: (part: z.output<Schema>) => boolean;
}

/** An answer and its usage. */
export interface Generated<Data> {
  data: Data;
  model: string;
  usage: ModelUsage;
  /** True when the answer was repaired or requested twice. */
  repaired: boolean;
  /** True when the answer was truncated and `data` holds its complete items: see {@link DataRequest.usesPart}. */
  isCut?: boolean;
}

/** The usage of one or several calls of a model. */
export interface ModelUsage {
  tokensIn: number;
  tokensOut: number;
  /** The part of `tokensIn` that came from the provider's cache. */
  tokensCached: number;
  /** The number of answered calls. */
  calls: number;
  milliseconds: number;
  /** True when the provider did not report the counts and they are estimated. */
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

/** The usage of a failed call, for the ledger; null when it is unknown. */
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
