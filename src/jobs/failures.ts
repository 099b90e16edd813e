import { storedMessageOf, VarveError } from '../errors.ts';
import { HOUR, SECOND } from '../record/clock.ts';
import { parse, type TimeInput, timeSchema } from '../record/parse.ts';
import type { Job } from '../store/queue/job.ts';
import type { Outcome } from '../store/queue/settle-jobs.ts';

/** The outcome of a job whose handler threw an error: retried, postponed or dead. */
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

/** How long to wait, in milliseconds, after the attempt with this number (from 1) has failed. */
export type Backoff = (attempt: number) => number;

/**
 * The pause is 15 seconds, doubles with every failure up to an hour, and is shortened by a random part of up to a half (jitter), so that jobs
 * that failed together are not retried together. Eight attempts span 16 to 32 minutes, which is longer than most outages of a model.
 */
export function exponentialBackoff(random: () => number = Math.random): Backoff {
  return (attempt) => Math.round(Math.min(15 * SECOND * 2 ** (attempt - 1), HOUR) * (1 - random() / 2));
}

// The symbol is global, as in VarveError, so that a postponement is recognised when two copies of the package are loaded.
const MARKER = Symbol.for('varve.postponed');

/** Thrown by a handler whose job has to wait without having failed. {@link postpone} creates it. */
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

/** Makes a job wait, as in `throw postpone(tomorrow, 'The daily budget is spent')`. The run does not count as an attempt. */
export function postpone(until: TimeInput, reason: string): Postponed {
  return new Postponed(parse(timeSchema, until, 'The time to postpone to'), reason);
}
