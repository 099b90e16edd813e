import type { Meter } from '../ledger/meter.ts';
import type { FormDeps, FormDistiller } from './form-deps.ts';
import type { FormTask } from './formation-settings.ts';
import { createModelDistiller } from './model-distiller.ts';

/** Who does each task of one formation: rules, or the language model behind a meter. */
export interface ChosenDistillers {
  /** The distiller of a task. */
  for(task: FormTask): FormDistiller;
}

/** Chooses for each task: what the settings say, else the language model where there is one. */
export async function chooseDistillers(deps: FormDeps, meter: Meter): Promise<ChosenDistillers> {
  const model = deps.languageModel === null ? null : createModelDistiller(meter.languageModel(deps.languageModel));
  const local = await deps.local();
  return {
    for: (task) => (usesModel(deps, task) && model !== null ? model : local),
  };
}

/** Whether the language model does a task. */
export function usesModel(deps: Pick<FormDeps, 'languageModel' | 'settings'>, task: FormTask): boolean {
  return deps.languageModel !== null && deps.settings.tasks[task] !== 'local';
}
