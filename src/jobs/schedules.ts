import { Cron } from 'croner';
import { z } from 'zod';
import { invalidInput, messageOf } from '../errors.ts';
import { cached } from '../record/cache.ts';
import { type Clock, HOUR } from '../record/clock.ts';
import { knownTimeZone, parse, textSchema } from '../record/parse.ts';
import { type Database, EVERY_TENANT, type Writer } from '../store/database.ts';
import { enqueue, type EnqueueDeps } from '../store/queue/enqueue.ts';
import { bringJobsBack } from '../store/queue/lease-jobs.ts';
import { type Json, NO_TENANT } from '../store/queue/job.ts';
import { moveSchedule, readSchedules, type ScheduleRow, upsertSchedules } from '../store/queue/schedule-rows.ts';

/** A recurring job. Each due time enqueues a job that belongs to no tenant. */
export interface NewSchedule {
  /** Saving another schedule with this name replaces it. */
  name: string;
  /** Five fields, or six with the seconds first, or a nickname such as `@daily`. */
  cron: string;
  /** An IANA time zone. Default: UTC. */
  timeZone?: string;
  kind: string;
  /** The job's payload, to which `dueAt` is added. Default: `{}`. */
  payload?: { [key: string]: Json };
}

/** A schedule as it is stored. */
export interface Schedule extends Required<NewSchedule> {
  nextDue: Date;
  lastDue: Date | null;
}

const scheduleSchema = z.strictObject({
  name: textSchema(200),
  cron: textSchema(200),
  timeZone: textSchema(100).default('UTC'),
  kind: textSchema(100),
  payload: z.record(z.string(), z.json()).default({}),
});

/** A new cron expression or time zone takes effect immediately. Other changes keep the next due time. Idempotent. */
export async function ensureSchedules(
  database: Database,
  schedules: readonly NewSchedule[],
  { clock }: { clock: Clock },
): Promise<void> {
  const now = clock.now();
  const rows = schedules.map((input) => {
    const { name, cron, timeZone, kind, payload } = parse(scheduleSchema, input, 'The schedule');
    const next_due = nextDue({ cron, timeZone }, now);
    return { name, kind, cron, time_zone: timeZone, payload: JSON.stringify(payload), next_due, last_due: null };
  });
  await database.write(EVERY_TENANT, (writer) => upsertSchedules(writer, rows));
}

export async function listSchedules(database: Database): Promise<Schedule[]> {
  const rows = await database.read(EVERY_TENANT, (reader) => readSchedules(reader));
  return rows.map((row) => ({
    name: row.name,
    cron: row.cron,
    timeZone: row.time_zone,
    kind: row.kind,
    payload: JSON.parse(row.payload) as Schedule['payload'],
    nextDue: new Date(row.next_due),
    lastDue: row.last_due === null ? null : new Date(row.last_due),
  }));
}

/** In milliseconds. A local time that daylight saving skips is due right after the jump; one that occurs twice, the first time. */
export function nextDue(schedule: { cron: string; timeZone: string }, after: number): number {
  let next: Date | null;
  try {
    next = parsedCron(JSON.stringify([schedule.cron, schedule.timeZone])).nextRun(new Date(after));
  } catch (error) {
    throw invalidInput(
      `The schedule "${schedule.cron}" in ${schedule.timeZone} is not valid: ${messageOf(error)} ` +
        'Expected a cron expression such as "30 3 * * *" and an IANA time zone such as Europe/Berlin.',
    );
  }
  if (next === null) throw invalidInput(`The schedule "${schedule.cron}" is never due.`);
  return next.getTime();
}

// Parsing takes twice as long as finding the next time, and a store has a dozen expressions.
const MOST_PARSED = 500;
const parsedCron = cached(MOST_PARSED, (schedule) => {
  const [cron, timezone] = JSON.parse(schedule) as [string, string];
  return new Cron(cron, { paused: true, timezone, mode: '5-or-6-parts' });
});

/** Enqueues one job for each due schedule, even if it has missed several due times, and none while an earlier job still waits. */
export async function tickSchedules(writer: Writer, deps: EnqueueDeps): Promise<void> {
  const now = deps.clock.now();
  for (const schedule of await readSchedules(writer, now)) {
    const times = { next_due: dueAfter(schedule, now), last_due: schedule.next_due };
    if (!(await moveSchedule(writer, schedule, times))) continue;
    const payload = { ...JSON.parse(schedule.payload), dueAt: new Date(schedule.next_due).toISOString() };
    const job = { kind: schedule.kind, tenant: NO_TENANT, uniqueKey: `schedule ${schedule.name}`, payload };
    await enqueue(writer, job, deps);
  }
}

/** Uses UTC if this machine does not know the schedule's time zone. */
function dueAfter({ cron, time_zone }: Pick<ScheduleRow, 'cron' | 'time_zone'>, after: number): number {
  return nextDue({ cron, timeZone: knownTimeZone(time_zone, 'UTC') }, after);
}

// Clocks of two machines may differ by this much. Such differences are not corrected, so that no due time is used twice.
const SKEW = HOUR;

/** Repairs due times, run times and leases that were written before the clock was set back and would keep jobs waiting. */
export async function followClock(database: Database, clock: Clock): Promise<void> {
  const now = clock.now();
  await database.write(EVERY_TENANT, async (writer) => {
    await bringJobsBack(writer, { now, skew: SKEW });
    for (const schedule of await readSchedules(writer)) {
      if (schedule.next_due <= dueAfter(schedule, now + SKEW)) continue;
      await moveSchedule(writer, schedule, { next_due: dueAfter(schedule, now) });
    }
  });
}
