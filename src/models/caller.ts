import { setTimeout as wait } from 'node:timers/promises';
import { type ErrorCode, VarveError } from '../errors.ts';
import { type Clock, systemClock } from '../record/clock.ts';
import {
  asVarveError,
  type BreakerSettings,
  type CallFailure,
  type CallOutcome,
  type CircuitBreaker,
  createCircuitBreaker,
  readFailure,
} from './call-failure.ts';

/** Timeouts, retries and concurrency of calls to a remote model. Times are milliseconds. */
export interface CallSettings {
  /** The limit for one try. Default 60,000. */
  timeout?: number;
  /** Retries after a 429, a 5xx, a timeout or a network failure. Default 2. */
  retries?: number;
  /** The first backoff, which doubles with each retry. Default 500. */
  firstPause?: number;
  /** The longest backoff. If Retry-After asks for more, the call fails and its job is postponed. Default 30,000. */
  longestPause?: number;
  /** Calls to one model at a time. Default 8. */
  parallel?: number;
  breaker?: BreakerSettings;
  clock?: Clock;
  delay?: Delay;
  /** A number from 0 up to 1. Default `Math.random`. */
  random?: () => number;
}

/** Calls one model with timeouts, retries and limits. Throws only VarveErrors. */
export interface Caller {
  <Result>(call: (signal: AbortSignal) => PromiseLike<Result>, options?: CallOptions): Promise<Result>;
}

interface CallOptions {
  signal?: AbortSignal;
  /** For this call only. */
  timeout?: number;
}

/** `code` is the error code of the failures of the model. */
export function createCaller(name: string, code: ErrorCode, settings: CallSettings = {}): Caller {
  const { retries = 2, parallel = 8, clock = systemClock, delay = systemDelay } = settings;
  const limit = createParallelLimit(parallel);
  const breaker = createCircuitBreaker(clock, settings.breaker);

  const once = async <Result>(
    call: (signal: AbortSignal) => PromiseLike<Result>,
    options: CallOptions,
  ): Promise<Result> => {
    assertClosed(name, code, breaker);
    const end = breaker.begin();
    try {
      const result = await withTimeout(call, {
        name,
        delay,
        signal: options.signal,
        timeout: options.timeout ?? settings.timeout ?? 60_000,
      });
      end('healthy');
      return result;
    } catch (thrown) {
      end(outcomeOf(thrown, options.signal, clock));
      throw thrown;
    }
  };

  return async <Result>(
    call: (signal: AbortSignal) => PromiseLike<Result>,
    options: CallOptions = {},
  ): Promise<Result> => {
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
    {
      code,
      retryable: true,
      details: { model: name, reason: 'circuit_open', retryAt: until },
    },
  );
}

/** Milliseconds until the next retry, or null when there is none. */
function pauseBefore(failure: CallFailure, thrown: unknown, tries: number, settings: CallSettings): number | null {
  const { firstPause = 500, longestPause = 30_000, random = Math.random } = settings;
  if (VarveError.isInstance(thrown)) {
    if (thrown.code !== 'timed_out') return null;
  } else if (failure.kind === 'rejected') {
    return null;
  }
  if (failure.retryAfter !== null) return failure.retryAfter > longestPause ? null : failure.retryAfter;
  // The pause has a jitter of 50 to 100 %, so that callers that failed together do not retry together.
  return Math.min(firstPause * 2 ** tries, longestPause) * (0.5 + random() / 2);
}

function outcomeOf(thrown: unknown, signal: AbortSignal | undefined, clock: Clock): CallOutcome {
  if (signal?.aborted) return 'neutral';
  if (VarveError.isInstance(thrown)) return thrown.code === 'timed_out' ? 'failed' : 'neutral';
  return readFailure(thrown, clock).kind === 'unreachable' ? 'failed' : 'healthy';
}

interface TimeoutOptions {
  name: string;
  timeout: number;
  delay: Delay;
  signal: AbortSignal | undefined;
}

/** Settles when the call settles, at the timeout, or when the caller aborts, even if the model ignores its signal. */
async function withTimeout<Result>(
  call: (signal: AbortSignal) => PromiseLike<Result>,
  { name, timeout, delay, signal }: TimeoutOptions,
): Promise<Result> {
  const calling = new AbortController();
  const timer = new AbortController();
  let giveUp: () => void = () => {};
  const givenUp = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(signal?.reason);
  });
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
    return await Promise.race([(async () => call(calling.signal))(), timeUp(), givenUp]);
  } finally {
    signal?.removeEventListener('abort', giveUp);
    timer.abort();
    // The call is also aborted after a success, so that a provider stops reading its response.
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

/** Runs work with limited concurrency, in FIFO order. */
type ParallelLimit = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;

/** At most `limit` tasks run at a time. A waiting task whose signal is aborted leaves the queue. */
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
    // The slot passes directly to the next task in the queue, so that a later caller cannot take it.
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

/** Waits. Rejects at once when the signal is aborted. Injected, so that tests do not sleep. */
export type Delay = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

export const systemDelay: Delay = (milliseconds, signal) => wait(milliseconds, undefined, { signal });
