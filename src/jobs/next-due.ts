import { Cron } from 'croner';
import { invalidInput, messageOf } from '../errors.ts';
import { timeZoneSchema } from '../record/parse.ts';

/**
 * The first due time after `after`, in milliseconds. A local time that daylight saving skips is due when the clock
 * has jumped, one that comes twice is due the first time. Throws `invalid_input` for an expression or a time zone
 * that is none, or that is never due.
 */
export function nextDue(schedule: { cron: string; timeZone: string }, after: number): number {
  let next: Date | null;
  try {
    const options = { paused: true, timezone: schedule.timeZone, mode: '5-or-6-parts' } as const;
    next = new Cron(schedule.cron, options).nextRun(new Date(after));
  } catch (error) {
    throw invalidInput(
      `The schedule "${schedule.cron}" in ${schedule.timeZone} is not valid: ${messageOf(error)} ` +
        'Expected a cron expression such as "30 3 * * *" and an IANA time zone such as Europe/Berlin.',
    );
  }
  if (next === null) throw invalidInput(`The schedule "${schedule.cron}" is never due.`);
  return next.getTime();
}

/**
 * A time zone that was stored, or another where this machine does not know it. Zones are checked when they are set, but
 * the list of them is the machine's: one that is missing from it must not end the schedules of everybody.
 */
export function knownTimeZone(stored: string | null, otherwise: string): string {
  return stored !== null && timeZoneSchema.safeParse(stored).success ? stored : otherwise;
}
