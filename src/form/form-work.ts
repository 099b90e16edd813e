import type { Meter } from '../ledger/meter.ts';
import type { Scope } from '../record/scope.ts';
import type { ChosenDistillers } from './choose-distiller.ts';
import type { FormDeps } from './form-deps.ts';
import type { Stretch } from './take-unformed.ts';

/** What every stage of one formation works with. */
export interface FormWork {
  deps: FormDeps;
  /** The session's scope. */
  scope: Scope;
  stretch: Stretch;
  meter: Meter;
  signal?: AbortSignal;
  distillers: ChosenDistillers;
}

/** Names by which the user may be spoken of: the one that the application gives them. */
export function userNamesOf(scope: Scope): string[] {
  return scope.user === null ? [] : [scope.user];
}
