import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import { ageWorkingMemory } from '../consolidate/synthesis/age-working-memory.ts';
import { readTiers } from '../consolidate/synthesis/gather-observed.ts';
import { DAY } from '../record/clock.ts';
import type { Scope } from '../record/scope.ts';
import { replaceBlock } from '../store/block-store.ts';

const AT_ONCE = 500;

/**
 * Drops what has gone stale from working memories that nothing was added to for long: those of users who have not said
 * anything since. The others age with every synthesis. Gives back how many were changed.
 */
export async function ageTiers(deps: ConsolidateDeps, tenant: string, run: string): Promise<number> {
  const { staleAfterDays, enabled } = deps.consolidation.tiers;
  if (!enabled) return 0;
  const now = deps.clock.now();
  const rows = await deps.database.read(tenant, (reader) =>
    reader
      .selectFrom('blocks')
      .select(['agent_id', 'user_id'])
      .where('tenant_id', '=', tenant)
      .where('kind', '=', 'working_memory')
      .where('session_id', '=', '')
      .where('connection_id', '=', '')
      .where('content', '!=', '')
      .where('updated_at', '<=', now - staleAfterDays * DAY)
      .limit(AT_ONCE)
      .execute(),
  );
  let changed = 0;
  for (const row of rows) {
    const scope: Scope = { tenant, agent: row.agent_id, user: row.user_id, session: null, connection: null };
    changed += await deps.database.write(tenant, async (writer) => {
      const { workingMemory, notes, versions } = await readTiers(writer, scope);
      const { text, dropped } = ageWorkingMemory(workingMemory, notes, { now, staleAfterDays });
      if (dropped === 0) return 0;
      const why = { reason: `dropped ${dropped} stale sentences`, actor: 'maintain', run };
      const replacement = { kind: 'working_memory' as const, content: text, expectedVersion: versions.workingMemory };
      await replaceBlock(writer, deps, scope, replacement, why);
      return 1;
    });
  }
  return changed;
}
