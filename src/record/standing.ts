import { DAY } from './clock.ts';
import type { Memory } from './memory.ts';
import type { MemoryType } from './memory-types.ts';
import { isUser } from './statement.ts';

type Timed = Pick<Memory, 'tense' | 'validFrom' | 'validTo' | 'dueAt'>;

/** The day for which something is planned; null where no day was said. */
export function plannedFor({ tense, validFrom, dueAt }: Timed): Date | null {
  return tense === 'planned' ? (validFrom ?? dueAt) : null;
}

/** Whether a statement is no longer true: its end has come. */
export function hasEnded({ validTo }: Pick<Timed, 'validTo'>, now: number): boolean {
  return validTo !== null && validTo.getTime() <= now;
}

/** Whether the day of a plan is over. A date without a time of day means the whole day. */
export function isPlanOver(memory: Timed, now: number): boolean {
  const day = plannedFor(memory);
  if (day === null) return false;
  return (memory.validTo?.getTime() ?? day.getTime() + DAY) <= now;
}

/** Whether a memory whose type has outcomes has one: done, dismissed, achieved. What is open or snoozed is still ahead. */
export function hasOutcome(
  { state }: Pick<Memory, 'state'>,
  type: Pick<MemoryType, 'initialState'> | undefined,
): boolean {
  // The states of other types are the application's own.
  if (type === undefined || type.initialState === null) return false;
  return state !== null && state !== type.initialState && state !== 'snoozed';
}

/** Whether a prompt brings something up: it is due, has no outcome, and was not due so long ago that it has become quiet. */
export function isToBringUp(
  memory: Pick<Memory, 'state' | 'dueAt'>,
  type: Pick<MemoryType, 'initialState' | 'broughtUpForDays'> | undefined,
  now: number,
): boolean {
  if (type === undefined || type.broughtUpForDays === null || memory.dueAt === null) return false;
  const overdue = now - memory.dueAt.getTime();
  return overdue >= 0 && overdue < (type.broughtUpForDays + 1) * DAY && !hasOutcome(memory, type);
}

/** Whether a live memory is a permanent fact that is true now: a label and a value in every prompt. */
export function isPresentFact(memory: Memory, now: number): boolean {
  return (
    memory.permanent &&
    memory.attribute !== null &&
    memory.value !== null &&
    isUser(memory.subject) &&
    memory.polarity === 'affirmed' &&
    memory.tense !== 'planned' &&
    !hasEnded(memory, now)
  );
}

/** A rendering with what keeps it from being read as present truth: the day of a plan, the end of what is over. */
export function timedRendering(memory: Pick<Memory, 'content'> & Timed): string {
  if (memory.tense === 'planned') {
    const day = plannedFor(memory);
    return `${memory.content} (planned${day === null ? '' : ` for ${isoDay(day)}`})`;
  }
  return memory.validTo === null ? memory.content : `${memory.content} (until ${isoDay(memory.validTo)})`;
}

export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}
