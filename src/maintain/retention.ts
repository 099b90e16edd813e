import { sql } from 'kysely';
import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import { type Committed, inRun, type RunContext } from '../consolidate/run-log.ts';
import { DAY } from '../record/clock.ts';
import type { Scope } from '../record/scope.ts';
import type { Reader, Writer } from '../store/database.ts';
import type { RecordRow } from '../store/erase-records.ts';
import type { ErasureCertificate } from '../store/erase.ts';
import { eraseEvents, type EraseOptions, eraseRows } from './erase.ts';

/** How many records went for good because of a retention setting. */
export interface Retired {
  /** Memories, by type. */
  retired: Record<string, number>;
  /** Events, by kind. */
  retiredEvents: Record<string, number>;
}

/**
 * Removes for good what is older than the application's retention settings: memories by type, live or archived, with all
 * that was made of them alone; events by kind, and nothing that was learned from them. Nothing without a setting.
 */
export async function enforceRetention(deps: ConsolidateDeps, tenant: string, options: RunContext): Promise<Retired> {
  const { retention, eventRetention } = deps.consolidation;
  const result: Retired = { retired: {}, retiredEvents: {} };
  const gone = new Set<string>();
  for (const [type, days] of Object.entries(retention)) {
    const old: Old = { name: type, days, find: oldMemories, erase: eraseRows };
    result.retired[type] = await retire(deps, tenant, { ...old, gone }, options);
  }
  for (const [kind, days] of Object.entries(eventRetention)) {
    const old: Old = { name: kind, days, find: oldEvents, erase: eraseEvents };
    result.retiredEvents[kind] = await retire(deps, tenant, { ...old, gone }, options);
  }
  const counts = [result.retired, result.retiredEvents].flatMap((each) => Object.values(each));
  if (counts.some((count) => count > 0)) await deps.database.scrub();
  return result;
}

interface Search {
  tenant: string;
  name: string;
  before: number;
  /** The row to go on after. */
  after: number;
}

interface Old {
  /** The type of memories, or the kind of events. */
  name: string;
  days: number;
  find(reader: Reader, deps: ConsolidateDeps, search: Search): Promise<RecordRow[]>;
  erase(
    writer: Writer,
    deps: ConsolidateDeps,
    scope: Scope,
    given: { rows: readonly RecordRow[]; options: EraseOptions; removed: string[] },
  ): Promise<ErasureCertificate>;
}

/** What has gone already, with what it was made of: a rehearsal still finds it. */
type Gone = Set<string>;

const AT_ONCE = 200;

async function retire(
  deps: ConsolidateDeps,
  tenant: string,
  { name, days, find, erase, gone }: Old & { gone: Gone },
  options: RunContext,
): Promise<number> {
  const scope: Scope = { tenant, agent: null, user: null, session: null, connection: null };
  const search = { tenant, name, before: deps.clock.now() - days * DAY, after: 0 };
  const reason = { actor: 'retention', reason: `${name} is kept for ${days} days` };
  for (let total = 0; ;) {
    options.signal?.throwIfAborted();
    const found = await deps.database.read(tenant, (reader) => find(reader, deps, search));
    const last = found.at(-1);
    if (last === undefined) return total;
    total += await inRun(deps, { scope, kind: 'retention', ...options }, async (run) => {
      run.read({ of: name, days });
      const { count } = await run.commit(async (writer): Promise<Committed & { count: number }> => {
        // Read again under the lock: another process may have been quicker.
        const rows = (await find(writer, deps, search)).filter(({ id }) => !gone.has(id));
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

async function oldMemories(
  reader: Reader,
  _deps: ConsolidateDeps,
  { tenant, name, before, after }: Search,
): Promise<RecordRow[]> {
  return reader
    .selectFrom('memories')
    .select(['id', 'row_id as rowId'])
    .where('tenant_id', '=', tenant)
    .where('type', '=', name)
    .where('created_at', '<=', before)
    .where('row_id', '>', after)
    .orderBy('row_id')
    .limit(AT_ONCE)
    .execute();
}

// A reflection comes every night. Where none comes, because nothing was said or it fails, messages do not wait for it.
const WAIT_FOR_NIGHT = 2 * DAY;

/**
 * Events that nothing has still to be learned from: formation is past them in their session, the tiers have taken them in,
 * the nightly reflection has looked back on them.
 */
async function oldEvents(
  reader: Reader,
  { consolidation, clock }: ConsolidateDeps,
  { tenant, name, before, after }: Search,
): Promise<RecordRow[]> {
  const waitsForNight =
    name === 'message' && consolidation.nightly.enabled
      ? sql`and (e.user_id is null or e.recorded_at <= ${clock.now() - WAIT_FOR_NIGHT} or exists (
          select 1 from owner_progress p where p.tenant_id = ${tenant} and p.owner_key = e.owner_key
            and p.reflected_until >= e.recorded_at))`
      : sql``;
  const waitsForTiers =
    name === 'observation' && consolidation.tiers.enabled
      ? sql`and (e.processed_at is not null or e.user_id is null)`
      : sql``;
  const { rows } = await sql<RecordRow>`
    select e.id, e.row_id as "rowId" from events e
    where e.tenant_id = ${tenant} and e.kind = ${name} and e.recorded_at <= ${before} and e.row_id > ${after}
      ${waitsForTiers} ${waitsForNight}
      and not exists (select 1 from sessions s where s.tenant_id = ${tenant} and s.owner_key = e.owner_key
        and s.session_id = e.session_id and s.formed_position <= e.position)
    order by e.row_id limit ${AT_ONCE}`.execute(reader);
  return rows;
}
