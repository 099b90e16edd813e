import { storedMessageOf, VarveError } from '../errors.ts';
import { HOUR, SECOND } from '../record/clock.ts';
import { parse, type TimeInput, timeSchema } from '../record/parse.ts';
import type { Job } from '../store/queue/job.ts';
import type { Outcome } from '../store/queue/settle-jobs.ts';

export function outcomeOfError(thrown: unknown, job: Job, deps: { now: number; backoff: Backoff }): Outcome {
  const error = storedMessageOf(thrown);
  if (Postponed.isInstance(thrown)) return { type: 'postponed', runAt: thrown.until.getTime(), error };
  if (job.attempts >= job.maxAttempts || !mayRetry(thrown)) return { type: 'dead', error };
  return { type: 'retried', runAt: deps.now + deps.backoff(job.attempts), error };
}

function mayRetry(thrown: unknown): boolean {
  if (VarveError.isInstance(thrown, 'invalid_input')) return false;
  return !(typeof thrown === 'object' && thrown !== null && 'retryable' in thrown && thrown.retryable === false);
}

/** Returns milliseconds. The first attempt has the number 1. */
export type Backoff = (attempt: number) => number;

/**
 * Waits 15 seconds at first, and twice as long after every failure, up to an hour. Jitter of up to a half keeps jobs that failed together
 * from being retried together. Eight attempts take 16 to 32 minutes, longer than most outages of a model.
 */
export function exponentialBackoff(random: () => number = Math.random): Backoff {
  return (attempt) => Math.round(Math.min(15 * SECOND * 2 ** (attempt - 1), HOUR) * (1 - random() / 2));
}

// A global symbol also works if two copies of the package are loaded.
const MARKER = Symbol.for('varve.postponed');

class Postponed extends Error {
  readonly until: Date;

  constructor(until: Date, reason: string) {
    super(reason);
    this.name = 'Postponed';
    this.until = until;
    Object.defineProperty(this, MARKER, { value: true });
  }

  static isInstance(value: unknown): value is Postponed {
    return typeof value === 'object' && value !== null && MARKER in value;
  }
}

/** Postpones a job without counting the attempt: `throw postpone(tomorrow, 'The daily budget is spent')`. */
export function postpone(until: TimeInput, reason: string): Postponed {
  return new Postponed(parse(timeSchema, until, 'The time to postpone to'), reason);
}
