import type { TokenCounter } from '../language/token-count.ts';
import type { Scope } from '../record/scope.ts';
import type { AssembleDeps } from './assemble-deps.ts';
import type { Attempt, Failed } from './attempt.ts';
import type { ContextOptions } from './context-options.ts';
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
