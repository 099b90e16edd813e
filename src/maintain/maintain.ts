import { staleBlocks } from '../store/block-store.ts';
import type { UpkeepDeps } from '../consolidate/consolidate-deps.ts';
import { refreshWorkingMemory, type SynthesisDeps } from '../consolidate/documents/synthesise.ts';
import { endSessions } from '../consolidate/end-sessions.ts';
import { rehearseApart } from '../consolidate/rehearse.ts';
import { DAY } from '../record/clock.ts';
import { memoryType } from '../store/record-rows.ts';
import type { ArchiveReason } from '../record/memory.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts, Writer } from '../store/database.ts';
import { insertRun, removeOldRuns, type RunCause } from '../store/history-store.ts';
import { archiveMemories, fadeMemories, type LiveRow, liveStretch } from '../store/own-rows.ts';
import { markPastPlans, planUpkeep } from './plans.ts';
import { enforceRetention, type Retired } from './retention.ts';

interface MaintenanceOptions extends UpkeepOptions {
  /** Runs everything and rolls it back, one range of rows at a time, so that the report is the same as that of a real run. */
  dryRun?: boolean;
}

/** The changes that maintenance has made to a tenant's memory, or would make. */
export interface MaintenanceReport extends UpkeepReport, Retired {
  /** Working memories that lost stale sentences. */
  aged: number;
}

/** Maintains a tenant's memory: decay and archive → stale working memory → retention. */
export async function maintainTenant(
  deps: SynthesisDeps,
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
 * Removes stale sentences from working memories that have not changed for a long time, because their users have said nothing since. Other
 * working memories lose their stale sentences at each synthesis. Returns the number of changed working memories.
 */
async function ageTiers(deps: SynthesisDeps, tenant: string, options: UpkeepOptions): Promise<number> {
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

/**
 * The next page by id. A working memory without stale sentences, such as one that a person wrote, stays unchanged, so without the cursor it
 * would be read again.
 */
async function staleWorkingMemories(
  { database }: Pick<Parts, 'database'>,
  { tenant, before, after }: { tenant: string; before: number; after: string },
): Promise<{ id: string; scope: Scope }[]> {
  const rows = await database.read(tenant, (reader) =>
    staleBlocks(reader, { tenant, kind: 'working_memory', before, after, limit: AT_ONCE }),
  );
  return rows.map(({ id, agent_id: agent, user_id: user }) => ({
    id,
    scope: { tenant, agent, user, session: null, connection: null },
  }));
}

/** The result of a maintenance pass. */
interface UpkeepReport {
  run: string;
  /** The number of live memories that were examined. */
  read: number;
  faded: number;
  /** Plans whose day has come: they are now past events, or states that hold. */
  plansOver: number;
  archived: Record<'decayed' | 'pruned' | 'expired', number>;
  /** The number of ended sessions whose merged text was emptied and whose reflections were archived. */
  sessionsEnded: number;
  /** The first 1,000 archived memories, with their reasons. */
  archivedMemories: { id: string; reason: ArchiveReason }[];
}

interface UpkeepOptions {
  cause: RunCause;
  signal?: AbortSignal;
  /** Keeps the progress between attempts of the job, so that no memory is faded twice in one pass. */
  progress?: { pass: UpkeepPass | null; save(writer: Writer, pass: UpkeepPass): Promise<void> };
}

/** The progress of a pass, with its counts. */
export type UpkeepPass = Pick<UpkeepReport, 'run' | 'read' | 'faded' | 'plansOver' | 'archived'> & {
  startedAt: number;
  /** The last row that the pass has processed. */
  after: number;
  isOver: boolean;
};

const STRETCH = 1000;
const MOST_SHOWN = 1000;

/**
 * One maintenance pass over a tenant: lowers the importance of unread memories, and archives memories that have become unimportant,
 * outdated or unread. Processes the memories in ranges of rows, each in its own transaction. An interrupted pass leaves every range either
 * done or untouched, and the next attempt of its job continues with the rest.
 */
async function upkeep(deps: UpkeepDeps, tenant: string, options: UpkeepOptions): Promise<UpkeepReport> {
  const { database, clock, consolidation } = deps;
  const begun = options.progress?.pass ?? newPass(deps);
  const { run, read, faded, plansOver, archived, startedAt } = begun;
  const report: UpkeepReport = { run, read, faded, plansOver, archived, sessionsEnded: 0, archivedMemories: [] };
  if (begun.isOver) return report;
  const save = async (writer: Writer, after: number, isOver: boolean): Promise<void> => {
    const { read, faded, plansOver, archived } = report;
    await options.progress?.save(writer, { run, startedAt, read, faded, plansOver, archived, after, isOver });
  };
  let { after } = begun;
  report.plansOver += await markPastPlans(deps, tenant, run, options.signal);
  while (consolidation.decay.enabled) {
    options.signal?.throwIfAborted();
    const from = after;
    const rows = await database.read(tenant, (reader) =>
      liveStretch(reader, database, { tenant, after: from, limit: STRETCH }),
    );
    if (rows.length === 0) break;
    after = rows.at(-1)?.rowId ?? after;
    await maintainStretch(deps, tenant, { rows, report, save: (writer) => save(writer, after, false) });
    if (rows.length < STRETCH) break;
  }
  const scope: Scope = { tenant, agent: null, user: null, session: null, connection: null };
  await database.write(tenant, async (writer) => {
    report.sessionsEnded = await endSessions(writer, deps, scope, report.run);
    const keptSince = clock.now() - consolidation.intervals.keepRunsDays * DAY;
    await removeOldRuns(writer, tenant, keptSince);
    await insertRun(writer, {
      id: report.run,
      scope,
      kind: 'maintain',
      cause: options.cause,
      status: 'done',
      startedAt: new Date(startedAt),
      finishedAt: new Date(clock.now()),
      read: { memories: report.read },
      changed: {
        faded: report.faded,
        plansOver: report.plansOver,
        ...report.archived,
        sessionsEnded: report.sessionsEnded,
      },
      model: 'local',
      cost: 0,
      error: null,
    });
    await save(writer, after, true);
  });
  return report;
}

function newPass({ ids, clock }: Pick<Parts, 'ids' | 'clock'>): UpkeepPass {
  const counts = { read: 0, faded: 0, plansOver: 0, archived: { decayed: 0, pruned: 0, expired: 0 } };
  return { run: ids.next('run'), startedAt: clock.now(), ...counts, after: 0, isOver: false };
}

const REASONS: Record<'decayed' | 'pruned' | 'expired', string> = {
  decayed: 'unimportant and unread for a long time',
  pruned: 'hardly important, and nobody has read it',
  expired: 'its time is over',
};

async function maintainStretch(
  deps: UpkeepDeps,
  tenant: string,
  { rows, report, save }: { rows: readonly LiveRow[]; report: UpkeepReport; save(writer: Writer): Promise<void> },
): Promise<void> {
  const now = deps.clock.now();
  const faded: { rowId: number; owner: string; importance: number }[] = [];
  const archived: { rowId: number; reason: 'decayed' | 'pruned' | 'expired' }[] = [];
  for (const row of rows) {
    if (!deps.memoryTypes.has(row.type)) continue;
    const plan = planUpkeep(row, memoryType(deps.memoryTypes, row.type), deps.consolidation.decay, now);
    if (plan.action === 'fade') faded.push({ rowId: row.rowId, owner: row.owner, importance: plan.importance });
    if (plan.action !== 'archive') continue;
    archived.push({ rowId: row.rowId, reason: plan.reason });
    report.archived[plan.reason] += 1;
    if (report.archivedMemories.length < MOST_SHOWN) report.archivedMemories.push({ id: row.id, reason: plan.reason });
  }
  report.read += rows.length;
  report.faded += faded.length;
  if (faded.length + archived.length === 0) return;
  await deps.database.write(tenant, async (writer) => {
    await fadeMemories(writer, tenant, faded);
    const why = (reason: ArchiveReason) => ({
      reason: REASONS[reason as keyof typeof REASONS],
      actor: 'maintain',
      run: report.run,
    });
    await archiveMemories(writer, deps, tenant, { archived, why });
    await save(writer);
  });
}
