import type { FormDeps } from '../form/formation-settings.ts';
import type { PrivacyPolicy } from '../language/privacy-policy.ts';
import type { ConsolidationSettings } from './consolidation-settings.ts';

/** Includes the dependencies of formation, because the nightly reflection forms statements. */
export interface ConsolidateDeps extends FormDeps {
  consolidation: ConsolidationSettings;
  privacy: PrivacyPolicy;
}
