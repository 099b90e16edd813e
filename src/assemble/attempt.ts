import { messageOf } from '../errors.ts';
import type { ContextReport } from './context-report.ts';
import { withinTime } from './within-time.ts';

export type Failed = ContextReport['failed'];

/** Tries a part of a context: what fails or takes too long is noted, and something else is put in its place. */
export type Attempt = <Result>(
  section: Failed[number]['section'],
  work: () => Promise<Result>,
  otherwise: Result,
) => Promise<Result>;

const DEFAULT_TIMEOUT = 2000;

/** Makes an {@link Attempt} that notes failures in a list. */
export function createAttempt(failed: Failed, timeout: number = DEFAULT_TIMEOUT): Attempt {
  return async (section, work, otherwise) => {
    try {
      return await withinTime(work(), timeout);
    } catch (error) {
      failed.push({ section, error: messageOf(error) });
      return otherwise;
    }
  };
}
