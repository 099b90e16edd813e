import { type ErrorCode, messageOf, VarveError } from '../errors.ts';
import type { Clock } from '../record/clock.ts';

/** A failed call, independent of the library that threw the error. */
export interface CallFailure {
  kind: 'rate_limited' | 'unreachable' | 'rejected';
  status: number | null;
  message: string;
  /** The waiting time that the provider has requested, in milliseconds. */
  retryAfter: number | null;
}

// 4xx statuses that ask for a retry.
const TRY_AGAIN = new Set([408, 409, 425]);
const LONGEST_MESSAGE = 500;

/** Classifies an error thrown by an AI SDK provider, by fetch or by the application's own function. */
export function readFailure(thrown: unknown, clock: Clock): CallFailure {
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as ThrownByProvider;
  const status = typeof error.statusCode === 'number' ? error.statusCode : null;
  return {
    kind: kindOf(error, status),
    status,
    message: messageOf(thrown).slice(0, LONGEST_MESSAGE),
    retryAfter: retryAfter(error.responseHeaders, clock),
  };
}

interface ThrownByProvider {
  name?: unknown;
  statusCode?: unknown;
  isRetryable?: unknown;
  responseHeaders?: Record<string, string | undefined>;
}

function kindOf(error: ThrownByProvider, status: number | null): CallFailure['kind'] {
  if (status === 429) return 'rate_limited';
  if (status !== null) {
    // A successful status with an unreadable body is a broken connection or a proxy's page, so the call is retried.
    if (status < 300 || status >= 500 || TRY_AGAIN.has(status)) return 'unreachable';
    return 'rejected';
  }
  // An AI SDK error without a status is about the request itself, unless it says otherwise.
  if (typeof error.isRetryable === 'boolean') return error.isRetryable ? 'unreachable' : 'rejected';
  if (
    typeof error.name === 'string' &&
    /^AI_(Unsupported|LoadAPIKey|NoSuchModel|InvalidPrompt|InvalidArgument)/.test(error.name)
  ) {
    return 'rejected';
  }
  return 'unreachable';
}

function retryAfter(headers: Record<string, string | undefined> | undefined, clock: Clock): number | null {
  const milliseconds = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds);
  const value = headers?.['retry-after'];
  if (value === undefined || value.trim() === '') return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - clock.now());
}

/** Converts a failed call to a VarveError with `code`, retryable unless the provider understood the call and refused it. */
export function asVarveError(name: string, code: ErrorCode, failure: CallFailure, thrown: unknown): VarveError {
  if (VarveError.isInstance(thrown)) return thrown;
  const status = failure.status === null ? '' : ` (HTTP ${failure.status})`;
  return new VarveError(`${name} ${PHRASES[failure.kind]}${status}: ${failure.message}`, {
    code,
    retryable: failure.kind !== 'rejected',
    cause: withoutContent(thrown, failure),
    details: { model: name, reason: failure.kind, status: failure.status, retryAfter: failure.retryAfter },
  });
}

const PHRASES: Record<CallFailure['kind'], string> = {
  rate_limited: 'limits the rate of calls',
  unreachable: 'is unavailable',
  rejected: 'refuses the call',
};

/** The errors of the AI SDK contain the whole request, with the words of users, which must not appear in a log. */
function withoutContent(thrown: unknown, failure: CallFailure): Error {
  const cause = new Error(failure.message);
  if (thrown instanceof Error) {
    cause.name = thrown.name;
    if (thrown.stack !== undefined) cause.stack = thrown.stack.slice(0, 4000);
  }
  return cause;
}

export interface BreakerSettings {
  /** The number of consecutive failures that open the breaker. Default 5. */
  failures?: number;
  /** Milliseconds that the breaker stays open the first time; each failed trial doubles them. Default 10,000. */
  cooldown?: number;
  /** The longest it stays open, in milliseconds. Default 300,000. */
  longestCooldown?: number;
}

/** The outcome of a call for the breaker: `healthy` if the provider answered at all, `neutral` if the failure has another cause. */
export type CallOutcome = 'healthy' | 'failed' | 'neutral';

/** A circuit breaker: stops calls to a service that is down. */
export interface CircuitBreaker {
  /** Null when a call may be made, otherwise the time of the next attempt. */
  blockedUntil(): number | null;
  /** Announces a call. The returned function takes its outcome. */
  begin(): (outcome: CallOutcome) => void;
  readonly state: 'closed' | 'open' | 'half_open';
}

/** A breaker that opens after some consecutive failures. Later it allows one trial call at a time, and a successful trial closes it. */
export function createCircuitBreaker(clock: Clock, settings: BreakerSettings = {}): CircuitBreaker {
  const { failures = 5, cooldown = 10_000, longestCooldown = 300_000 } = settings;
  let inARow = 0;
  let openUntil: number | null = null;
  let openFor = 0;
  let nextCooldown = cooldown;
  let trialRunning = false;

  const open = (): void => {
    openFor = nextCooldown;
    openUntil = clock.now() + openFor;
    nextCooldown = Math.min(nextCooldown * 2, longestCooldown);
  };

  // A time that is further away than the breaker was opened for means that the clock was set back: then a trial is due.
  const isOpen = (until: number): boolean => clock.now() < until && until - clock.now() <= openFor;

  const close = (): void => {
    inARow = 0;
    openUntil = null;
    nextCooldown = cooldown;
  };

  return {
    blockedUntil() {
      if (openUntil === null) return null;
      if (isOpen(openUntil)) return openUntil;
      return trialRunning ? clock.now() + cooldown : null;
    },
    begin() {
      const isTrial = openUntil !== null;
      if (isTrial) trialRunning = true;
      return (outcome) => {
        if (isTrial) trialRunning = false;
        if (outcome === 'healthy') close();
        if (outcome !== 'failed') return;
        inARow += 1;
        // The outcome of a call that had started before the breaker opened is ignored.
        if (isTrial || (openUntil === null && inARow >= failures)) open();
      };
    },
    get state() {
      if (openUntil === null) return 'closed';
      return isOpen(openUntil) ? 'open' : 'half_open';
    },
  };
}
