import type { Ledger } from '../ledger/ledger.ts';
import type { Distiller } from '../models/distiller.ts';
import type { LanguageModel } from '../models/language-model.ts';
import type { Scope } from '../record/scope.ts';
import type { EmbeddingModels } from '../store/embedding-models.ts';
import type { Parts } from '../store/parts.ts';
import type { FormationSettings } from './formation-settings.ts';

/** The tasks of a distiller that formation asks for. */
export type FormDistiller = Pick<Distiller, 'id' | 'kind' | 'extract' | 'decide' | 'reflect' | 'summarise'>;

/** What formation works with. */
export interface FormDeps extends Parts {
  embedding: EmbeddingModels;
  ledger: Ledger;
  settings: FormationSettings;
  /** Rules and extraction, without a model. Loaded when it is first needed. */
  local(): Promise<FormDistiller>;
  /** Null: everything is done locally. */
  languageModel: LanguageModel | null;
  /** What was recalled for a session: it is known already, and is not learned again. */
  recalledTexts?(scope: Scope): Promise<readonly string[]>;
}
