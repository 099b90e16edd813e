import type { FormDeps } from '../form/formation-settings.ts';
import type { PrivacyPolicy } from '../language/privacy-policy.ts';
import type { Parts } from '../store/database.ts';
import type { ConsolidationSettings } from './consolidation-settings.ts';

/** What consolidation works with: what formation works with, because the nightly reflection forms statements. */
export interface ConsolidateDeps extends FormDeps {
  consolidation: ConsolidationSettings;
  /** What is dropped, redacted or marked before it is stored. */
  privacy: PrivacyPolicy;
}

/** What work that asks no reader and no model works with: aging, retention, gathering what a document or a pattern is made of. */
export type UpkeepDeps = Parts & Pick<ConsolidateDeps, 'consolidation'>;

/** What a run works with that is metered and has an entry in the audit log. */
export type RunDeps = Pick<ConsolidateDeps, 'database' | 'clock' | 'ids' | 'ledger' | 'languageModel'>;

/** What a document is gathered from. The last two say whether drafts of the local reader are left out. */
export type MaterialDeps = UpkeepDeps & Pick<ConsolidateDeps, 'privacy' | 'embedding' | 'settings' | 'languageModel'>;
