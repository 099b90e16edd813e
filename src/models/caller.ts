import { setTimeout as wait } from 'node:timers/promises';
import { type ErrorCode, messageOf, VarveError } from '../errors.ts';
import { type Clock, systemClock } from '../record/clock.ts';

/** Timeouts, retries and concurrency of calls to a remote model. Times are in milliseconds. */
export interface CallSettings {
  /** The time limit for one attempt. Default 60,000. */
  timeout?: number;
  /** How often a call is retried after a 429, a 5xx, a timeout or a network failure. Default 2. */
  retries?: number;
  /** The pause before the first retry. It doubles with each further retry. Default 500. */
  firstPause?: number;
  /** The longest pause before a retry. If Retry-After asks for more, the call fails and its job is postponed. Default 30,000. */
  longestPause?: number;
  /** The maximum number of concurrent calls to one model. Default 8. */
  parallel?: number;
  breaker?: BreakerSettings;
  clock?: Clock;
  delay?: Delay;
  /** Returns a random number from 0 up to 1. Default `Math.random`. */
  random?: () => number;
}

/** Calls one model with timeouts, retries and limits. Throws only VarveErrors. */
export type Caller = <Result>(call: Call<Result>, options?: CallOptions) => Promise<Result>;

type Call<Result> = (signal: AbortSignal) => PromiseLike<Result>;

interface CallOptions {
  signal?: AbortSignal;
  timeout?: number;
}

export function createCaller(name: string, code: ErrorCode, settings: CallSettings = {}): Caller {
  const { retries = 2, parallel = 8, clock = systemClock, delay = systemDelay } = settings;
  const limit = createParallelLimit(parallel);
  const breaker = createCircuitBreaker(clock, settings.breaker);

  const once = async <Result>(call: Call<Result>, { signal, timeout }: CallOptions): Promise<Result> => {
    assertClosed(name, code, breaker);
    const end = breaker.begin();
    try {
      const limits = { name, delay, signal, timeout: timeout ?? settings.timeout ?? 60_000 };
      const result = await withTimeout(call, limits);
      end('healthy');
      return result;
    } catch (thrown) {
      end(outcomeOf(thrown, signal, clock));
      throw thrown;
    }
  };

  return async <Result>(call: Call<Result>, options: CallOptions = {}): Promise<Result> => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await limit(() => once(call, options), options.signal);
      } catch (thrown) {
        if (options.signal?.aborted) throw asCancelled(name, options.signal);
        const failure = readFailure(thrown, clock);
        const pause = tries < retries ? pauseBefore(failure, thrown, tries, settings) : null;
        if (pause === null) throw asVarveError(name, code, failure, thrown);
        try {
          await delay(pause, options.signal);
        } catch (aborted) {
          throw options.signal?.aborted ? asCancelled(name, options.signal) : aborted;
        }
      }
    }
  };
}

function assertClosed(name: string, code: ErrorCode, breaker: CircuitBreaker): void {
  const until = breaker.blockedUntil();
  if (until === null) return;
  throw new VarveError(
    `${name} has failed several times in a row and is not called again before ${new Date(until).toISOString()}.`,
    { code, retryable: true, details: { model: name, reason: 'circuit_open', retryAt: until } },
  );
}

/** In milliseconds. Null if the call is not retried. */
function pauseBefore(failure: CallFailure, thrown: unknown, tries: number, settings: CallSettings): number | null {
  const { firstPause = 500, longestPause = 30_000, random = Math.random } = settings;
  if (VarveError.isInstance(thrown)) {
    if (thrown.code !== 'timed_out') return null;
  } else if (failure.kind === 'rejected') {
    return null;
  }
  if (failure.retryAfter !== null) return failure.retryAfter > longestPause ? null : failure.retryAfter;
  // A random half to all of the backoff, so that callers that failed together do not retry together.
  return Math.min(firstPause * 2 ** tries, longestPause) * (0.5 + random() / 2);
}

function outcomeOf(thrown: unknown, signal: AbortSignal | undefined, clock: Clock): CallOutcome {
  if (signal?.aborted) return 'neutral';
  if (VarveError.isInstance(thrown)) return thrown.code === 'timed_out' ? 'failed' : 'neutral';
  return readFailure(thrown, clock).kind === 'unreachable' ? 'failed' : 'healthy';
}

/** Settles when the call settles, times out or is aborted, even if the model ignores its signal. */
async function withTimeout<Result>(
  call: Call<Result>,
  { name, timeout, delay, signal }: { name: string; timeout: number; delay: Delay; signal: AbortSignal | undefined },
): Promise<Result> {
  const calling = new AbortController();
  const timer = new AbortController();
  const aborted = Promise.withResolvers<never>();
  const giveUp = (): void => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', giveUp, { once: true });
  const timeUp = async (): Promise<never> => {
    await delay(timeout, timer.signal);
    throw new VarveError(`${name} has not answered within ${timeout} ms.`, {
      code: 'timed_out',
      retryable: true,
      details: { model: name, timeout },
    });
  };
  try {
    return await Promise.race([(async () => call(calling.signal))(), timeUp(), aborted.promise]);
  } finally {
    signal?.removeEventListener('abort', giveUp);
    timer.abort();
    // Aborted even after a success, so that the provider's client stops reading the response.
    calling.abort();
  }
}

function asCancelled(name: string, signal: AbortSignal): VarveError {
  const reason: unknown = signal.reason;
  if (VarveError.isInstance(reason)) return reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  return new VarveError(`The call to ${name} ${timedOut ? 'timed out' : 'was cancelled'}.`, {
    code: timedOut ? 'timed_out' : 'cancelled',
    retryable: timedOut,
    cause: reason,
    details: { model: name },
  });
}

type ParallelLimit = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;

/** A task whose signal is aborted leaves the queue. */
export function createParallelLimit(limit: number): ParallelLimit {
  let running = 0;
  const waiting = new Set<() => void>();

  const enter = (signal?: AbortSignal): Promise<void> | void => {
    signal?.throwIfAborted();
    if (running < limit) {
      running += 1;
      return;
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(start);
        reject(signal?.reason);
      };
      waiting.add(start);
      signal?.addEventListener('abort', leave, { once: true });
    });
  };

  const exit = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    // The slot goes directly to the next task, so that a later caller cannot take it.
    waiting.delete(next);
    next();
  };

  return async (work, signal) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      exit();
    }
  };
}

/** Waits, and rejects immediately if the signal is aborted. Injected, so that tests do not have to sleep. */
export type Delay = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

export const systemDelay: Delay = (milliseconds, signal) => wait(milliseconds, undefined, { signal });

interface CallFailure {
  kind: 'rate_limited' | 'unreachable' | 'rejected';
  status: number | null;
  message: string;
  /** Milliseconds. */
  retryAfter: number | null;
}

const TRY_AGAIN = new Set([408, 409, 425]);
const LONGEST_MESSAGE = 500;

function readFailure(thrown: unknown, clock: Clock): CallFailure {
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
    // A successful status with an unreadable body comes from a broken connection or a proxy, so the call is retried.
    if (status < 300 || status >= 500 || TRY_AGAIN.has(status)) return 'unreachable';
    return 'rejected';
  }
  // Without a status, an AI SDK error is about the request itself, unless `isRetryable` is true.
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

function asVarveError(name: string, code: ErrorCode, failure: CallFailure, thrown: unknown): VarveError {
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

/** Copies an error without the request, which contains users' words that must not appear in a log. */
function withoutContent(thrown: unknown, failure: CallFailure): Error {
  const cause = new Error(failure.message);
  if (thrown instanceof Error) {
    cause.name = thrown.name;
    if (thrown.stack !== undefined) cause.stack = thrown.stack.slice(0, 4000);
  }
  return cause;
}

export interface BreakerSettings {
  /** The breaker opens after this many consecutive failures. Default 5. */
  failures?: number;
  /** How many milliseconds the breaker stays open the first time. Each failed trial doubles this. Default 10,000. */
  cooldown?: number;
  /** How many milliseconds the breaker stays open at most. Default 300,000. */
  longestCooldown?: number;
}

/** `healthy`: the provider answered, even with an error. `neutral`: the call failed for a reason other than the provider. */
type CallOutcome = 'healthy' | 'failed' | 'neutral';

interface CircuitBreaker {
  /** The time of the next attempt. Null if a call may be made. */
  blockedUntil(): number | null;
  begin(): (outcome: CallOutcome) => void;
  readonly state: 'closed' | 'open' | 'half_open';
}

/** Opens after several consecutive failures. After the cooldown, it allows one trial call at a time, and closes if a trial succeeds. */
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

  // If the remaining time is longer than the whole cooldown, the clock was set back. A trial is then due.
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
        // Ignores the failure of a call that started before the breaker opened.
        if (isTrial || (openUntil === null && inARow >= failures)) open();
      };
    },
    get state() {
      if (openUntil === null) return 'closed';
      return isOpen(openUntil) ? 'open' : 'half_open';
    },
  };
}
