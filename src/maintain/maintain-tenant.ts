import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import { rehearseApart } from '../consolidate/rehearse.ts';
import { refreshWorkingMemory } from '../consolidate/documents/synthesise.ts';
import { DAY } from '../record/clock.ts';
import type { Scope } from '../record/scope.ts';
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
  const aged = await ageTiers(deps, tenant, options);
  return { ...report, aged, ...(await enforceRetention(deps, tenant, options)) };
}

const AT_ONCE = 500;

/**
 * Drops what has gone stale from working memories that nothing was added to for long: those of users who have not said
 * anything since. The others age with every synthesis. Gives back how many were changed.
 */
async function ageTiers(deps: ConsolidateDeps, tenant: string, options: UpkeepOptions): Promise<number> {
  const { staleAfterDays, enabled } = deps.consolidation.tiers;
  if (!enabled) return 0;
  const now = deps.clock.now();
  let changed = 0;
  for (let after: string | null = ''; after !== null;) {
    const owners = await staleWorkingMemories(deps, { tenant, before: now - staleAfterDays * DAY, after });
    for (const { scope } of owners) {
      const { cause, signal } = options;
      if ((await refreshWorkingMemory(deps, scope, { cause, signal })) !== null) changed += 1;
    }
    after = owners.length < AT_ONCE ? null : (owners.at(-1)?.id ?? null);
  }
  return changed;
}

/** In the order of their ids: one that has nothing to drop, such as one that was written by hand, must not come again. */
async function staleWorkingMemories(
  { database }: ConsolidateDeps,
  { tenant, before, after }: { tenant: string; before: number; after: string },
): Promise<{ id: string; scope: Scope }[]> {
  const rows = await database.read(tenant, (reader) =>
    reader
      .selectFrom('blocks')
      .select(['id', 'agent_id', 'user_id'])
      .where('tenant_id', '=', tenant)
      .where('kind', '=', 'working_memory')
      .where('session_id', '=', '')
      .where('connection_id', '=', '')
      .where('content', '!=', '')
      .where('updated_at', '<=', before)
      .where('id', '>', after)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute(),
  );
  return rows.map(({ id, agent_id: agent, user_id: user }) => ({
    id,
    scope: { tenant, agent, user, session: null, connection: null },
  }));
}
