import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import { rehearseApart } from '../consolidate/rehearse.ts';
import { ageTiers } from './age-tiers.ts';
import { enforceRetention, type Retired } from './retention.ts';
import { upkeep, type UpkeepOptions, type UpkeepReport } from './upkeep.ts';

export interface MaintenanceOptions extends UpkeepOptions {
  /** Does everything and takes it back, a stretch at a time: the report is that of the real run. */
  dryRun?: boolean;
}

/** What maintenance has done to a tenant's memory, or would do. */
export interface MaintenanceReport extends UpkeepReport, Retired {
  /** Working memories that lost stale sentences. */
  aged: number;
}

/** Keeps a tenant's memory in order: decay and archive → stale working memory → retention. */
export async function maintainTenant(
  deps: ConsolidateDeps,
  tenant: string,
  { dryRun = false, ...options }: MaintenanceOptions,
): Promise<MaintenanceReport> {
  if (dryRun) return rehearseApart(deps, (rehearsed) => maintainTenant(rehearsed, tenant, options));
  const report = await upkeep(deps, tenant, options);
  const aged = await ageTiers(deps, tenant, report.run);
  return { ...report, aged, ...(await enforceRetention(deps, tenant, options)) };
}
