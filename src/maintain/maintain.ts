import type { DecaySettings } from '../consolidate/consolidation-settings.ts';
import { endSessions } from '../consolidate/documents/reflections.ts';
import { refreshWorkingMemory } from '../consolidate/documents/synthesise.ts';
import { rehearseApart } from '../consolidate/rehearse.ts';
import { insertLocalRun } from '../consolidate/run-log.ts';
import { DAY } from '../record/clock.ts';
import { type MemoryType, typesThat } from '../record/memory-types.ts';
import { type ArchiveReason, isPlanOver, type Memory, roundedImportance } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import { ownerOf, type Scope } from '../record/scope.ts';
import { staleBlocks } from '../store/block-store.ts';
import type { Parts, Writer } from '../store/database.ts';
import { removeOldRuns, type RunCause } from '../store/history-store.ts';
import {
  archiveMemories,
  fadeMemories,
  type LiveRow,
  liveStretch,
  type Numbered,
  plansUntil,
} from '../store/own-rows.ts';
import { changeOwner } from '../store/owner-store.ts';
import { pages } from '../store/rows.ts';
import { findMemory } from '../store/read-memories.ts';
import { memoryType } from '../store/record-rows.ts';
import { reviseMemory } from '../store/write-memory.ts';
import { enforceRetention, type Retired } from './retention.ts';
import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';

interface MaintenanceOptions extends UpkeepOptions {
  /** Rolls all changes back, one range of rows at a time. The report is the same as for a real run. */
  dryRun?: boolean;
}

/** The changes that maintenance has made to a tenant's memories, or would make. */
export interface MaintenanceReport extends UpkeepReport, Retired {
  /** How many working memories lost stale sentences. */
  aged: number;
}

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

/** Each synthesis removes stale sentences, but users who have said nothing for a long time get no synthesis. */
async function ageTiers(deps: ConsolidateDeps, tenant: string, options: UpkeepOptions): Promise<number> {
  const { staleAfterDays, enabled } = deps.consolidation.tiers;
  if (!enabled) return 0;
  const { cause, signal } = options;
  const stale = {
    tenant,
    kind: 'working_memory',
    before: deps.clock.now() - staleAfterDays * DAY,
    limit: AT_ONCE,
  } as const;
  // Pages by id, because a working memory without stale sentences, such as a handwritten one, is not changed.
  const owners = pages<StaleBlock>(AT_ONCE, (last) =>
    deps.database.read(tenant, (reader) => staleBlocks(reader, { ...stale, after: last?.id ?? '' })),
  );
  let changed = 0;
  for await (const { agent_id: agent, user_id: user } of owners) {
    const scope = ownerOf({ tenant, agent, user });
    if ((await refreshWorkingMemory(deps, scope, { cause, signal })) !== null) changed += 1;
  }
  return changed;
}

type StaleBlock = Awaited<ReturnType<typeof staleBlocks>>[number];

interface UpkeepReport {
  run: string;
  /** The number of live memories that were examined. */
  read: number;
  faded: number;
  /** How many plans became past events or current states, because their day has come. */
  plansOver: number;
  archived: Record<'decayed' | 'pruned' | 'expired', number>;
  /** How many ended sessions were cleared: their merged text was emptied and their reflections were archived. */
  sessionsEnded: number;
  /** The first 1,000 archived memories, with their reasons. */
  archivedMemories: { id: string; reason: ArchiveReason }[];
}

interface UpkeepOptions {
  cause: RunCause;
  signal?: AbortSignal;
  /** Stores the progress between attempts of the job, so that no memory's importance is lowered twice in one pass. */
  progress?: { pass: UpkeepPass | null; save(writer: Writer, pass: UpkeepPass): Promise<void> };
}

export type UpkeepPass = Pick<UpkeepReport, 'run' | 'read' | 'faded' | 'plansOver' | 'archived'> & {
  startedAt: number;
  after: number;
  isOver: boolean;
};

const STRETCH = 1000;
const MOST_SHOWN = 1000;

/** Each range of rows has its own transaction, so that the next attempt of an interrupted pass continues with the rest. */
async function upkeep(deps: ConsolidateDeps, tenant: string, options: UpkeepOptions): Promise<UpkeepReport> {
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
    const { faded, plansOver, archived, sessionsEnded } = report;
    await insertLocalRun(writer, deps, {
      id: run,
      scope,
      kind: 'maintain',
      cause: options.cause,
      startedAt,
      read: { memories: report.read },
      changed: { faded, plansOver, ...archived, sessionsEnded },
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
  deps: ConsolidateDeps,
  tenant: string,
  { rows, report, save }: { rows: readonly LiveRow[]; report: UpkeepReport; save(writer: Writer): Promise<void> },
): Promise<void> {
  const now = deps.clock.now();
  const { run } = report;
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
      run,
    });
    await archiveMemories(writer, deps, tenant, { archived, why });
    await save(writer);
  });
}

/**
 * Skips goals and intentions, because a past day does not show whether they were reached, and attributes with one value, because a
 * formation job applies these plans on their day.
 */
async function markPastPlans(deps: Parts, tenant: string, run: string, signal?: AbortSignal): Promise<number> {
  const types = typesThat(deps.memoryTypes, ({ initialState }) => initialState === null);
  const plans = pages<Numbered<Memory>>(AT_ONCE, (last) => {
    signal?.throwIfAborted();
    const range = { tenant, types, after: last?.row ?? 0, limit: AT_ONCE };
    return deps.database.read(tenant, (reader) => plansUntil(reader, deps.clock.now(), range));
  });
  let changed = 0;
  for await (const { item: memory } of plans) {
    const takesEffect = memory.attribute !== null && deps.attributes.policyOf(memory.attribute).values === 'one';
    if (takesEffect || !(isState(memory) || isPlanOver(memory, deps.clock.now()))) continue;
    const reason = isState(memory) ? 'the day of the plan has come' : 'the day of the plan is over';
    const why = { reason, actor: 'maintain', run };
    changed += await deps.database.write(tenant, (writer) => leaveFuture(writer, deps, memory, why));
  }
  return changed;
}

/**
 * For an event, readers set `dueAt`; for a state, only `validFrom`. "Ines takes over the shop in June" is true from June on, and "Joris
 * minds the goats from 1 to 20 December" until the 20th.
 */
function isState({ reader, dueAt }: Memory): boolean {
  return reader !== null && dueAt === null;
}

async function leaveFuture(writer: Writer, deps: Parts, found: Memory, why: Change): Promise<number> {
  await changeOwner(writer, ownerOf(found.scope), deps.clock.now());
  const plan = await findMemory(writer, found.scope, found.id);
  if (plan === null || plan.archivedAt !== null || plan.tense !== 'planned') return 0;
  const tense = isState(plan) ? ('holds' as const) : ('happened' as const);
  const change = { tense, internal: { ...plan.internal, planned: true } };
  await reviseMemory(writer, deps, plan, { change, why });
  return 1;
}

/** Times are milliseconds. */
export type UpkeepRow = Omit<LiveRow, 'rowId' | 'id' | 'owner' | 'type'>;

type UpkeepPlan =
  | { action: 'keep' }
  | { action: 'fade'; importance: number }
  | { action: 'archive'; reason: Extract<ArchiveReason, 'decayed' | 'pruned' | 'expired'> };

/** The unread time starts when the memory was created or last read, confirmed or changed; for a plan, not before its day. */
export function planUpkeep(row: UpkeepRow, type: MemoryType, settings: DecaySettings, now: number): UpkeepPlan {
  if (isOver(row, now)) return { action: 'archive', reason: 'expired' };
  if (row.permanent || (row.plannedFor !== null && row.plannedFor > now)) return { action: 'keep' };
  if (hasOutlivedItsType(row, type, now)) return { action: 'archive', reason: 'expired' };
  const unread = daysSince(
    Math.max(row.createdAt, row.updatedAt, row.lastAccessedAt ?? 0, row.lastConfirmedAt ?? 0, row.plannedFor ?? 0),
    now,
  );
  const isUnread = (below: number, days: number): boolean => type.prunable && row.importance < below && unread >= days;
  if (isUnread(settings.pruneBelow, settings.pruneAfterDays)) return { action: 'archive', reason: 'pruned' };
  if (isUnread(settings.archiveBelow, settings.archiveAfterDays)) return { action: 'archive', reason: 'decayed' };
  if (type.decayPerPass === 0 || unread < settings.unreadDays || row.importance <= settings.pruneBelow)
    return { action: 'keep' };
  return { action: 'fade', importance: roundedImportance(row.importance - type.decayPerPass * slowness(row)) };
}

function isOver({ expiresAt, endedAt }: UpkeepRow, now: number): boolean {
  // An end at midnight UTC is a date without a time of day and includes the whole day. If the user says that something is over, the end is
  // the time of that turn.
  const wholeDay = endedAt !== null && endedAt % DAY === 0 ? DAY : 0;
  return (expiresAt !== null && expiresAt <= now) || (endedAt !== null && endedAt + wholeDay <= now);
}

function hasOutlivedItsType(
  row: UpkeepRow,
  { expiresAfterDays, expiresAfterDueDays }: MemoryType,
  now: number,
): boolean {
  const age = daysSince(Math.max(row.createdAt, row.beginsAt ?? 0), now);
  // `isOver` has already checked that a stated end is in the future, and the situation lasts until then. Past events do not expire.
  const isPassing = row.endedAt === null && row.tense !== 'happened';
  if (expiresAfterDays !== null && isPassing && age >= expiresAfterDays) return true;
  if (expiresAfterDueDays === null || row.plannedFor === null) return false;
  // The day of such an intention is only the day on which it is brought up again. The intention does not expire with it.
  const hasNoDay = row.tense === 'planned' && row.endedAt === null && (row.beginsAt === null || row.isFollowUp);
  if (hasNoDay) return age >= MEANT_FOR_DAYS;
  // For a planned stay, the days count from its end.
  const due = Math.max(row.plannedFor, row.beginsAt ?? 0, row.endedAt ?? 0);
  return daysSince(due, now) >= expiresAfterDueDays;
}

/** An intention without a day stays open for this long if nothing more is said about it. */
const MEANT_FOR_DAYS = 90;

/** A factor for decay: 1 for a memory that was never used, and less for one that was read, confirmed or followed by a good outcome. */
export function slowness({
  accessCount,
  confirmed,
  outcomes,
}: Pick<UpkeepRow, 'accessCount' | 'confirmed' | 'outcomes'>): number {
  return 1 / (1 + Math.log2(1 + accessCount) / 2 + confirmed + outcomes / 2);
}

function daysSince(time: number, now: number): number {
  return (now - time) / DAY;
}
