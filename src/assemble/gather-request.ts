import { messageOf, VarveError } from '../errors.ts';
import type { TokenCounter } from '../language/token-count.ts';
import type { Scope } from '../record/scope.ts';
import type { AssembleDeps } from './assemble-deps.ts';
import type { ContextOptions } from './context-options.ts';
import type { ContextReport } from './context-report.ts';
import type { Budget, Layout } from './layout.ts';
import type { SectionName } from './section.ts';

/** What is to be gathered, and what with. */
export interface GatherRequest {
  deps: AssembleDeps;
  scope: Scope;
  options: ContextOptions;
  layout: Layout;
  /** The sections that the layout shows and that are not switched off. */
  on: ReadonlySet<SectionName>;
  budget: Budget;
  counter: TokenCounter;
}

/** The turn for which it is gathered. */
export interface GatherTurn {
  message: string;
  now: number;
  attempt: Attempt;
  failed: Failed;
}

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

/** The result of work, or `timed_out`. The work itself goes on unheard. */
export async function withinTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new VarveError(`No answer within ${milliseconds} ms.`, { code: 'timed_out', retryable: true })),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
