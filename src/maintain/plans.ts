import type { DecaySettings } from '../consolidate/consolidation-settings.ts';
import { DAY } from '../record/clock.ts';
import { type MemoryType, typesThat } from '../record/memory-types.ts';
import { type ArchiveReason, isPlanOver, type Memory, roundedImportance } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import type { Parts, Writer } from '../store/database.ts';
import { type LiveRow, plansUntil } from '../store/own-rows.ts';
import { changeOwner } from '../store/owner-store.ts';
import { findMemory } from '../store/read-memories.ts';
import { reviseMemory } from '../store/write-memory.ts';

const AT_ONCE = 500;

/**
 * Turns plans whose day is over into past events, and planned states whose day has come into present ones. Goals and intentions are
 * skipped, because they have states of their own, and a day that has passed does not show whether they were reached. Plans for attributes
 * with one value are skipped, because a job of formation applies them on their day. Returns the number of changed plans.
 */
export async function markPastPlans(deps: Parts, tenant: string, run: string, signal?: AbortSignal): Promise<number> {
  const types = typesThat(deps.memoryTypes, ({ initialState }) => initialState === null);
  let changed = 0;
  for (let after = 0; ;) {
    signal?.throwIfAborted();
    const rows = await deps.database.read(tenant, (reader) =>
      plansUntil(reader, deps.clock.now(), { tenant, types, after, limit: AT_ONCE }),
    );
    for (const { item: memory } of rows) {
      const takesEffect = memory.attribute !== null && deps.attributes.policyOf(memory.attribute).values === 'one';
      if (takesEffect || !(isState(memory) || isPlanOver(memory, deps.clock.now()))) continue;
      const reason = isState(memory) ? 'the day of the plan has come' : 'the day of the plan is over';
      const why = { reason, actor: 'maintain', run };
      changed += await deps.database.write(tenant, (writer) => leaveFuture(writer, deps, memory, why));
    }
    if (rows.length < AT_ONCE) return changed;
    after = rows.at(-1)?.row ?? after;
  }
}

/**
 * Whether a plan is a state that will begin. Readers set `dueAt` for an event, and only `validFrom` for a state. "Ines takes over the shop
 * in June" holds from June on, and "Joris minds the goats from 1 to 20 December" until the 20th.
 */
function isState({ reader, dueAt }: Memory): boolean {
  return reader !== null && dueAt === null;
}

async function leaveFuture(writer: Writer, deps: Parts, found: Memory, why: Change): Promise<number> {
  await changeOwner(writer, { ...found.scope, session: null, connection: null }, deps.clock.now());
  const plan = await findMemory(writer, found.scope, found.id);
  if (plan === null || plan.archivedAt !== null || plan.tense !== 'planned') return 0;
  const tense = isState(plan) ? ('holds' as const) : ('happened' as const);
  const change = { tense, internal: { ...plan.internal, planned: true } };
  await reviseMemory(writer, deps, plan, { change, why });
  return 1;
}

/** The fields of a live memory that upkeep needs. Times are milliseconds. */
export type UpkeepRow = Omit<LiveRow, 'rowId' | 'id' | 'owner' | 'type'>;

/** What upkeep does with a memory. */
type UpkeepPlan =
  | { action: 'keep' }
  | { action: 'fade'; importance: number }
  | { action: 'archive'; reason: Extract<ArchiveReason, 'decayed' | 'pruned' | 'expired'> };

/**
 * Decides what a maintenance pass does with a memory: keep it, lower its importance slightly, or archive it. Unread for 30 days means that
 * 30 × 24 hours have passed since the memory was created or last read, confirmed or changed. For a plan, this time begins with its day.
 */
export function planUpkeep(row: UpkeepRow, type: MemoryType, settings: DecaySettings, now: number): UpkeepPlan {
  if (isOver(row, now)) return { action: 'archive', reason: 'expired' };
  if (row.permanent || (row.plannedFor !== null && row.plannedFor > now)) return { action: 'keep' };
  if (hasOutlivedItsType(row, type, now)) return { action: 'archive', reason: 'expired' };
  const unread = daysSince(
    Math.max(row.createdAt, row.updatedAt, row.lastAccessedAt ?? 0, row.lastConfirmedAt ?? 0, row.plannedFor ?? 0),
    now,
  );
  if (type.prunable) {
    if (row.importance < settings.pruneBelow && unread >= settings.pruneAfterDays)
      return { action: 'archive', reason: 'pruned' };
    if (row.importance < settings.archiveBelow && unread >= settings.archiveAfterDays)
      return { action: 'archive', reason: 'decayed' };
  }
  if (type.decayPerPass === 0 || unread < settings.unreadDays || row.importance <= settings.pruneBelow)
    return { action: 'keep' };
  return { action: 'fade', importance: roundedImportance(row.importance - type.decayPerPass * slowness(row)) };
}

function isOver({ expiresAt, endedAt }: UpkeepRow, now: number): boolean {
  // An end at midnight UTC is a date without a time of day, and includes the whole day. If the user says that something is over, its end is
  // the time of the turn.
  const wholeDay = endedAt !== null && endedAt % DAY === 0 ? DAY : 0;
  return (expiresAt !== null && expiresAt <= now) || (endedAt !== null && endedAt + wholeDay <= now);
}

function hasOutlivedItsType(
  row: UpkeepRow,
  { expiresAfterDays, expiresAfterDueDays }: MemoryType,
  now: number,
): boolean {
  const age = daysSince(Math.max(row.createdAt, row.beginsAt ?? 0), now);
  // A situation with a stated end lasts until that end, which an earlier check has found to be in the future.
  // Past events do not expire.
  const isPassing = row.endedAt === null && row.tense !== 'happened';
  if (expiresAfterDays !== null && isPassing && age >= expiresAfterDays) return true;
  if (expiresAfterDueDays === null || row.plannedFor === null) return false;
  // An intention without a day of its own has only a day on which it is brought up, and does not expire with that day.
  const hasNoDay = row.tense === 'planned' && row.endedAt === null && (row.beginsAt === null || row.isFollowUp);
  if (hasNoDay) return age >= MEANT_FOR_DAYS;
  // A planned stay is in the future or in progress until its end.
  const due = Math.max(row.plannedFor, row.beginsAt ?? 0, row.endedAt ?? 0);
  return daysSince(due, now) >= expiresAfterDueDays;
}

/** How long an intention without a day stays open when nothing more is said about it: as long as a situation lasts. */
const MEANT_FOR_DAYS = 90;

/**
 * The factor by which decay is multiplied: 1 for a memory that was never used, and less for a memory that was read often, confirmed or
 * followed by a good outcome.
 */
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
