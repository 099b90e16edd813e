import type { Ledger } from '../ledger/ledger.ts';
import type { LanguageModel } from '../models/language-model.ts';
import type { Scope } from '../record/scope.ts';
import type { EmbeddingModels } from '../store/embedding-models.ts';
import type { Parts } from '../store/parts.ts';
import type { FormationSettings, FormTask } from './formation-settings.ts';
import type { Reader } from './read/reader.ts';

/** What formation works with. */
export interface FormDeps extends Parts {
  embedding: EmbeddingModels;
  ledger: Ledger;
  settings: FormationSettings;
  /** The reader that works without a model. Loaded when it is first needed. */
  localReader(): Promise<Reader>;
  /** Null: everything is read locally. */
  languageModel: LanguageModel | null;
  /** What was recalled for a session: it is known already, and is not learned again. */
  recalledTexts?(scope: Scope): Promise<readonly string[]>;
}

/** Whether the language model does a task. */
export function usesModel(deps: Pick<FormDeps, 'languageModel' | 'settings'>, task: FormTask): boolean {
  return deps.languageModel !== null && deps.settings.tasks[task] !== 'local';
}
