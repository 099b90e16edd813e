import { DAY } from '../record/clock.ts';
import type { MemoryType } from '../record/memory-types.ts';
import { hasOutcome, isDaySaid, type Memory } from '../record/memory.ts';
import { knownTimeZone } from '../record/parse.ts';
import { civilDateAt, localDay, startOfDay } from './calendar.ts';
import { detectPack, packPattern, plainMarks } from './packs/packs.ts';

/** Why a prompt brings a memory up. `passed`: its day is over and its outcome unknown. */
export type Due = 'today' | 'overdue' | 'passed';

type DueType = Pick<MemoryType, 'initialState' | 'broughtUpForDays'> | undefined;

interface DueTime {
  now: Date;
  timeZone: string;
}

/**
 * A plan with a stated day is due during that whole day in the user's time zone; afterwards, an appointment with a time of day is over, and
 * a reminder is overdue. A memory without a stated day is due from its time on. `broughtUpForDays` limits both.
 */
export function dueOn(memory: Memory, type: DueType, { now, timeZone }: DueTime): Due | null {
  const { dueAt, content, internal } = memory;
  if (dueAt === null || type === undefined || type.broughtUpForDays === null || hasOutcome(memory, type)) return null;
  const isSaid = isPlanOfDay(memory);
  const zone = knownTimeZone(internal['timeZone'], 'UTC');
  const isTimed = startOfDay(civilDateAt(dueAt, zone), zone) < dueAt;
  const day = isSaid && !isTimed ? localDay(dueAt, zone) : localDay(dueAt, timeZone);
  const days = (Date.parse(localDay(now, timeZone)) - Date.parse(day)) / DAY;
  const late = isSaid ? days : (now.getTime() - dueAt.getTime()) / DAY;
  if (late < 0 || late >= type.broughtUpForDays + 1) return null;
  if (days <= 0) return 'today';
  const pack = detectPack(content);
  const isReminder = pack !== null && packPattern(pack, 'request:reminder').test(plainMarks(content));
  return !isSaid || isReminder ? 'overdue' : isTimed ? null : 'passed';
}

function isPlanOfDay(memory: Memory): boolean {
  const { tense, state, internal } = memory;
  // Maintenance changes the tense of a plan whose day is over.
  const isPlan = tense === 'planned' || internal['planned'] === true;
  return isPlan && isDaySaid(memory) && state !== 'snoozed';
}

/** Whether the stated day of a plan is over, and prompts no longer bring the plan up. */
export function isLapsed(memory: Memory, type: DueType, at: DueTime): boolean {
  const isPast = memory.dueAt !== null && memory.dueAt <= at.now;
  return isPast && isPlanOfDay(memory) && dueOn(memory, type, at) === null;
}
