import type { DecaySettings } from '../consolidate/consolidation-settings.ts';
import { DAY } from '../record/clock.ts';
import type { ArchiveReason } from '../record/memory.ts';
import type { MemoryType } from '../record/memory-types.ts';

/** What upkeep has to know of a live memory. Times are milliseconds. */
export interface UpkeepRow {
  /** A permanent fact: it never fades and is never archived by age. */
  permanent: boolean;
  /** The day for which it is planned, or on which it is due; null for what is neither. */
  plannedFor: number | null;
  /** The day on which it begins, where one was said. */
  beginsAt: number | null;
  /** Until when it was so; null for what has no end, and for what happened. */
  endedAt: number | null;
  importance: number;
  createdAt: number;
  updatedAt: number;
  lastAccessedAt: number | null;
  expiresAt: number | null;
  accessCount: number;
  confirmed: number;
  lastConfirmedAt: number | null;
  /** Good outcomes of decisions that it tells of. */
  outcomes: number;
}

/** What becomes of it. */
export type UpkeepPlan =
  | { action: 'keep' }
  | { action: 'fade'; importance: number }
  | { action: 'archive'; reason: Extract<ArchiveReason, 'decayed' | 'pruned' | 'expired'> };

/**
 * What one maintenance pass does with a memory (Q9, L8): nothing, a little less importance, or the archive. Days are full
 * days: unread for 30 days means that 30 × 24 hours have passed since it was last read, confirmed, changed or made. A plan is
 * worth keeping until its day: its age counts from then on.
 */
export function planUpkeep(row: UpkeepRow, type: MemoryType, settings: DecaySettings, now: number): UpkeepPlan {
  if (row.expiresAt !== null && row.expiresAt <= now) return { action: 'archive', reason: 'expired' };
  // A date without a time of day means the whole day.
  if (row.endedAt !== null && row.endedAt + DAY <= now) return { action: 'archive', reason: 'expired' };
  if (row.permanent || (row.plannedFor !== null && row.plannedFor > now)) return { action: 'keep' };
  if (type.expiresAfterDays !== null && daysSince(row.createdAt, now) >= type.expiresAfterDays) {
    return { action: 'archive', reason: 'expired' };
  }
  // Without a day of its own it is brought up again, and does not run out.
  if (
    type.expiresAfterDueDays !== null &&
    row.beginsAt !== null &&
    daysSince(row.beginsAt, now) >= type.expiresAfterDueDays
  ) {
    return { action: 'archive', reason: 'expired' };
  }
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
  return { action: 'fade', importance: Math.max(0, row.importance - type.decayPerPass * slowness(row)) };
}

/** What was read often, confirmed, or turned out well fades more slowly: 1 for a memory that nobody ever came back to. */
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
