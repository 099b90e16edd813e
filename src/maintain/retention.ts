import { oldEvents, oldMemories, type OldRecords } from '../store/erase-records.ts';
import { type Committed, meteredRun, type RunContext } from '../consolidate/run-log.ts';
import { DAY } from '../record/clock.ts';
import type { Scope } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { eraseEvents, eraseRows } from './erase.ts';
import type { RecordRow } from '../store/rows.ts';
import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';

/** How many records retention has erased. */
export interface Retired {
  /** The number of memories by type. */
  retired: Record<string, number>;
  /** The number of events by kind. */
  retiredEvents: Record<string, number>;
}

/** Memories are erased with the memories derived from them alone. Memories formed from erased events stay. */
export async function enforceRetention(deps: ConsolidateDeps, tenant: string, options: RunContext): Promise<Retired> {
  const { retention, eventRetention } = deps.consolidation;
  const result: Retired = { retired: {}, retiredEvents: {} };
  // The ids that were already removed. In a dry run, the store still contains their records.
  const gone = new Set<string>();
  for (const [name, days] of Object.entries(retention)) {
    result.retired[name] = await retire(
      deps,
      tenant,
      { name, days, find: oldMemories, erase: eraseRows, gone },
      options,
    );
  }
  const find: Old['find'] = (reader, old) => findOldEvents(reader, deps, old);
  for (const [name, days] of Object.entries(eventRetention)) {
    result.retiredEvents[name] = await retire(deps, tenant, { name, days, find, erase: eraseEvents, gone }, options);
  }
  const counts = [result.retired, result.retiredEvents].flatMap((each) => Object.values(each));
  if (counts.some((count) => count > 0)) await deps.database.scrub();
  return result;
}

interface Old {
  /** The type of memories, or the kind of events. */
  name: string;
  days: number;
  find(reader: Reader, search: OldRecords): Promise<RecordRow[]>;
  erase: typeof eraseEvents;
  gone: Set<string>;
}

const AT_ONCE = 200;

async function retire(
  deps: ConsolidateDeps,
  tenant: string,
  { name, days, find, erase, gone }: Old,
  options: RunContext,
): Promise<number> {
  const scope: Scope = { tenant, agent: null, user: null, session: null, connection: null };
  const search = { tenant, name, before: deps.clock.now() - days * DAY, after: 0, limit: AT_ONCE };
  const reason = { actor: 'retention', reason: `${name} is kept for ${days} days` };
  for (let total = 0; ;) {
    options.signal?.throwIfAborted();
    const found = await deps.database.read(tenant, (reader) => find(reader, search));
    const last = found.at(-1);
    if (last === undefined) return total;
    total += await meteredRun(deps, { scope, kind: 'retention', ...options }, async (run) => {
      run.read({ of: name, days });
      const { count } = await run.commit(async (writer): Promise<Committed & { count: number }> => {
        // Another process may have removed some rows since, so they are read again under the lock.
        const rows = (await find(writer, search)).filter(({ id }) => !gone.has(id));
        if (rows.length === 0) return { changed: {}, status: 'skipped', count: 0 };
        const removed: string[] = [];
        const certificate = await erase(writer, deps, scope, { rows, options: reason, removed });
        for (const id of removed) gone.add(id);
        return { changed: { removed: certificate.removed, certificate: certificate.id }, count: rows.length };
      });
      return count;
    });
    if (found.length < AT_ONCE) return total;
    search.after = last.rowId;
  }
}

// Messages wait for the nightly reflection at most this long, in case it fails or does not run.
const WAIT_FOR_NIGHT = 2 * DAY;

/** Keeps messages until the nightly reflection has read them, and observations until the working memory includes them. */
function findOldEvents(
  reader: Reader,
  { consolidation, clock }: ConsolidateDeps,
  old: OldRecords,
): Promise<RecordRow[]> {
  return oldEvents(reader, old, {
    reflectedBy: old.name === 'message' && consolidation.nightly.enabled ? clock.now() - WAIT_FOR_NIGHT : null,
    waitForTiers: old.name === 'observation' && consolidation.tiers.enabled,
  });
}
