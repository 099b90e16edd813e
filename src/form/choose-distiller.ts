import type { Meter } from '../ledger/meter.ts';
import type { LanguageModel } from '../models/language-model.ts';
import type { FormDeps, FormDistiller } from './form-deps.ts';
import type { FormTask } from './formation-settings.ts';

/** Who does each task of one formation: rules, or the language model behind a meter. */
export interface ChosenDistillers {
  /** The distiller of a task. */
  for(task: FormTask): FormDistiller;
}

/** Chooses for each task: what the settings say, else the language model where there is one. */
export async function chooseDistillers(deps: FormDeps, meter: Meter): Promise<ChosenDistillers> {
  const model = deps.languageModel === null ? null : await modelDistiller(meter.languageModel(deps.languageModel));
  const local = await deps.local();
  return {
    for: (task) => (usesModel(deps, task) && model !== null ? model : local),
  };
}

async function modelDistiller(model: LanguageModel): Promise<FormDistiller> {
  const { createModelDistiller } = await import('./model-distiller.ts');
  return createModelDistiller(model);
}

/** Whether the language model does a task. */
export function usesModel(deps: Pick<FormDeps, 'languageModel' | 'settings'>, task: FormTask): boolean {
  return deps.languageModel !== null && deps.settings.tasks[task] !== 'local';
}
