import { messageOf, VarveError } from '../errors.ts';
import type { Backoff } from './backoff.ts';
import type { Job } from './job.ts';
import { Postponed } from './postpone.ts';

/** How a run ended. `returned`: it was cut short by a stop and does not count as an attempt. */
export type Outcome =
  | { type: 'done' }
  | { type: 'retried'; runAt: number; error: string }
  | { type: 'dead'; error: string }
  | { type: 'postponed'; runAt: number; error: string }
  | { type: 'returned' };

const ERROR_LIMIT = 1000;

/** What follows from an error that a handler threw. */
export function outcomeOfError(thrown: unknown, job: Job, deps: { now: number; backoff: Backoff }): Outcome {
  const error = errorText(thrown);
  if (Postponed.isInstance(thrown)) return { type: 'postponed', runAt: thrown.until.getTime(), error };
  if (job.attempts >= job.maxAttempts || !mayRetry(thrown)) return { type: 'dead', error };
  return { type: 'retried', runAt: deps.now + deps.backoff(job.attempts), error };
}

function mayRetry(thrown: unknown): boolean {
  if (VarveError.isInstance(thrown, 'invalid_input')) return false;
  return !(typeof thrown === 'object' && thrown !== null && 'retryable' in thrown && thrown.retryable === false);
}

// PostgreSQL refuses NUL in text, and cutting may halve an emoji.
function errorText(thrown: unknown): string {
  return messageOf(thrown).slice(0, ERROR_LIMIT).replaceAll('\0', '').toWellFormed();
}
