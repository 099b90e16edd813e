import { VarveError } from '../errors.ts';
import type { AiSdkUsage } from './ai-sdk-model.ts';

/** What one or several calls of a model used. */
export interface ModelUsage {
  tokensIn: number;
  tokensOut: number;
  /** How many of `tokensIn` the provider had cached. */
  tokensCached: number;
  /** Calls that were answered. */
  calls: number;
  milliseconds: number;
  /** True when the provider did not count and we estimated. */
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

/** Two usages as one. */
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

/** Reads the usage of one AI SDK answer, of any version. Null where the provider does not say. */
export function readTokens(usage: AiSdkUsage | undefined): { in: number | null; out: number | null; cached: number } {
  const input = usage?.inputTokens;
  const output = usage?.outputTokens;
  const cached = typeof input === 'object' ? input.cacheRead : usage?.cachedInputTokens;
  const tokensIn = countOf(typeof input === 'object' ? input.total : input);
  return {
    in: tokensIn,
    out: countOf(typeof output === 'object' ? output.total : output),
    cached: Math.min(countOf(cached) ?? 0, tokensIn ?? 0),
  };
}

/** A provider's numbers are untrusted as well: what is no sensible count is as good as none. */
export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 1e9 ? Math.round(value) : null;
}

/** What a failed call had used up before it failed, for the ledger; null when nothing is known. */
export function usageOfFailure(error: unknown): ModelUsage | null {
  if (!VarveError.isInstance(error)) return null;
  const usage = error.details['usage'];
  return typeof usage === 'object' && usage !== null && 'tokensIn' in usage ? (usage as ModelUsage) : null;
}

/** The same failure, with what was used before it. */
export function withUsage(error: VarveError, usage: ModelUsage): VarveError {
  if (usage.calls === 0) return error;
  return new VarveError(error.message, {
    code: error.code,
    retryable: error.retryable,
    cause: error.cause,
    details: { ...error.details, usage },
  });
}
