import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import { ageTiers } from './age-tiers.ts';
import { enforceRetention } from './retention.ts';
import { upkeep, type UpkeepOptions, type UpkeepReport } from './upkeep.ts';

/** What maintenance has done to a tenant's memory, or would do. */
export interface MaintenanceReport extends UpkeepReport {
  /** Working memories that lost stale sentences. */
  aged: number;
  /** Memories that were removed for good because of a retention setting, by type. */
  retired: Record<string, number>;
}

/** Keeps a tenant's memory in order: decay and archive → stale working memory → retention. */
export async function maintainTenant(
  deps: ConsolidateDeps,
  tenant: string,
  options: UpkeepOptions,
): Promise<MaintenanceReport> {
  const report = await upkeep(deps, tenant, options);
  const aged = options.dryRun === true ? 0 : await ageTiers(deps, tenant, report.run);
  const retired = await enforceRetention(deps, tenant, options);
  return { ...report, aged, retired };
}
