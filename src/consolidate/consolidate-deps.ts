import type { PrivacyPolicy } from '../language/privacy-policy.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Distiller } from '../models/distiller.ts';
import type { LanguageModel } from '../models/language-model.ts';
import type { EmbeddingModels } from '../store/embedding-models.ts';
import type { Parts } from '../store/parts.ts';
import type { ConsolidationSettings } from './consolidation-settings.ts';

/** The tasks of a distiller that consolidation asks for. */
export type ConsolidateDistiller = Pick<Distiller, 'id' | 'kind' | 'merge' | 'synthesise'>;

/** What consolidation works with. */
export interface ConsolidateDeps extends Parts {
  embedding: EmbeddingModels;
  ledger: Ledger;
  consolidation: ConsolidationSettings;
  /** What may not be kept, or not as it is. */
  privacy: PrivacyPolicy;
  /** Rules and extraction, without a model. Loaded when it is first needed. */
  local(): Promise<Distiller>;
  /** Null: everything is done locally. */
  languageModel: LanguageModel | null;
}
