import type { FormDeps } from '../form/formation-settings.ts';
import type { PrivacyPolicy } from '../language/privacy-policy.ts';
import type { Parts } from '../store/database.ts';
import type { ConsolidationSettings } from './consolidation-settings.ts';

/** The dependencies of consolidation, which include those of formation, because the nightly reflection forms statements. */
export interface ConsolidateDeps extends FormDeps {
  consolidation: ConsolidationSettings;
  privacy: PrivacyPolicy;
}

/** The dependencies of work that needs neither a reader nor a model: aging, retention, gathering the sources of documents and patterns. */
export type UpkeepDeps = Parts & Pick<ConsolidateDeps, 'consolidation'>;

/** The dependencies of a metered run with an entry in the audit log. */
export type RunDeps = Pick<ConsolidateDeps, 'database' | 'clock' | 'ids' | 'ledger' | 'languageModel'>;

/**
 * The dependencies of gathering the sources of a document. `settings` and `languageModel` decide whether drafts of the local reader are
 * left out.
 */
export type MaterialDeps = UpkeepDeps & Pick<ConsolidateDeps, 'privacy' | 'embedding' | 'settings' | 'languageModel'>;
