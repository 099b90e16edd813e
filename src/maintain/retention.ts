import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import { DAY } from '../record/clock.ts';
import type { Scope } from '../record/scope.ts';
import type { RecordRow } from '../store/erase-records.ts';
import type { Reader } from '../store/database.ts';
import { eraseRows } from './erase.ts';

const AT_ONCE = 200;

/**
 * Removes memories for good that are older than the application's retention setting for their type, live or archived.
 * Nothing without a setting. Gives back how many went, by type.
 */
export async function enforceRetention(
  deps: ConsolidateDeps,
  tenant: string,
  { signal, dryRun = false }: { signal?: AbortSignal; dryRun?: boolean } = {},
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  const scope: Scope = { tenant, agent: null, user: null, session: null, connection: null };
  for (const [type, days] of Object.entries(deps.consolidation.retention)) {
    const before = deps.clock.now() - days * DAY;
    if (dryRun) {
      removed[type] = (
        await deps.database.read(tenant, (reader) => olderThan(reader, { tenant, type, before, limit: 100_000 }))
      ).length;
      continue;
    }
    for (;;) {
      signal?.throwIfAborted();
      const count = await deps.database.write(tenant, async (writer) => {
        const rows = await olderThan(writer, { tenant, type, before, limit: AT_ONCE });
        if (rows.length === 0) return 0;
        const options = { actor: 'retention', reason: `${type} is kept for ${days} days` };
        await eraseRows(writer, deps, scope, { rows, options });
        return rows.length;
      });
      removed[type] = (removed[type] ?? 0) + count;
      if (count < AT_ONCE) break;
    }
  }
  if (!dryRun && Object.values(removed).some((count) => count > 0)) await deps.database.scrub();
  return removed;
}

async function olderThan(
  reader: Reader,
  { tenant, type, before, limit }: { tenant: string; type: string; before: number; limit: number },
): Promise<RecordRow[]> {
  return reader
    .selectFrom('memories')
    .select(['id', 'row_id as rowId'])
    .where('tenant_id', '=', tenant)
    .where('type', '=', type)
    .where('created_at', '<=', before)
    .orderBy('row_id')
    .limit(limit)
    .execute();
}
