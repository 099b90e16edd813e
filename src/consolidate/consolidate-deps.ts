import type { FormDeps } from '../form/formation-settings.ts';
import type { PrivacyPolicy } from '../language/privacy-policy.ts';
import type { ConsolidationSettings } from './consolidation-settings.ts';

/** What consolidation works with: what formation works with, because the nightly reflection forms statements. */
export interface ConsolidateDeps extends FormDeps {
  consolidation: ConsolidationSettings;
  /** What may not be kept, or not as it is. */
  privacy: PrivacyPolicy;
}
