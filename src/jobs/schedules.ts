import { Cron } from 'croner';
import { sql } from 'kysely';
import { z } from 'zod';
import { invalidInput, messageOf } from '../errors.ts';
import type { Clock } from '../record/clock.ts';
import { parse, textSchema, timeZoneSchema } from '../record/parse.ts';
import { type Database, EVERY_TENANT, type Reader, type Writer } from '../store/database.ts';
import type { ScheduleTable } from '../store/schema.ts';
import { enqueue, type EnqueueDeps } from './enqueue.ts';
import { type Json, NO_TENANT } from './job.ts';

/** A job that comes again. Its jobs belong to no tenant. */
export interface NewSchedule {
  /** What it is known by: the same name is the same schedule. */
  name: string;
  /** Five fields, or six with seconds in front; also `@daily` and the like. */
  cron: string;
  /** An IANA time zone. Default UTC. */
  timeZone?: string;
  kind: string;
  /** The job's payload; `dueAt` is added to it. Default `{}`. */
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

/**
 * Adds schedules, or brings those of the same name up to date: a new cron expression or time zone counts from now,
 * anything else leaves the next due time as it is. Safe to call at every start of every process.
 */
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
  // In one order everywhere: processes that start together must not lock each other's rows in a ring.
  rows.sort((one, other) => (one.name < other.name ? -1 : 1));
  await database.write(EVERY_TENANT, async (writer) => {
    for (const row of rows) {
      await writer
        .insertInto('schedules')
        .values(row)
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet((column) => ({
            kind: column.ref('excluded.kind'),
            payload: column.ref('excluded.payload'),
            cron: column.ref('excluded.cron'),
            time_zone: column.ref('excluded.time_zone'),
            next_due: sql<number>`case
              when schedules.cron = excluded.cron and schedules.time_zone = excluded.time_zone
              then schedules.next_due else excluded.next_due end`,
          })),
        )
        .execute();
    }
  });
}

/** All schedules, in the order of their names. */
export async function listSchedules(database: Database): Promise<Schedule[]> {
  const rows = await database.read(EVERY_TENANT, (reader) =>
    reader.selectFrom('schedules').selectAll().orderBy('name').execute(),
  );
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

/**
 * The first due time after `after`, in milliseconds. A local time that daylight saving skips is due when the clock
 * has jumped, one that comes twice is due the first time. Throws `invalid_input` for a malformed expression, an unknown time zone, and an
 * expression that is never due.
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

/** Whether a schedule is due, without taking the lock that writing takes. */
export async function isScheduleDue(reader: Reader, now: number): Promise<boolean> {
  const { rows } = await sql`select 1 as found from schedules where next_due <= ${now} limit 1`.execute(reader);
  return rows.length > 0;
}

/**
 * Enqueues one job for each schedule that is due. Due times that were missed become one run, and so does one that
 * comes while the job of the last still waits. Returns how many schedules were due.
 */
export async function tickSchedules(writer: Writer, deps: EnqueueDeps): Promise<number> {
  const now = deps.clock.now();
  const due = await writer.selectFrom('schedules').selectAll().where('next_due', '<=', now).orderBy('name').execute();
  let ticked = 0;
  for (const schedule of due) {
    if (!(await moveOn(writer, schedule, now))) continue;
    ticked += 1;
    const payload = { ...JSON.parse(schedule.payload), dueAt: new Date(schedule.next_due).toISOString() };
    await enqueue(
      writer,
      { kind: schedule.kind, tenant: NO_TENANT, uniqueKey: `schedule ${schedule.name}`, payload },
      deps,
    );
  }
  return ticked;
}

/** Only one of those who saw the same due time gets to move it. */
async function moveOn(writer: Writer, schedule: ScheduleTable, now: number): Promise<boolean> {
  const result = await writer
    .updateTable('schedules')
    .set({
      next_due: dueAfter(schedule, now),
      last_due: schedule.next_due,
    })
    .where('name', '=', schedule.name)
    .where('next_due', '=', schedule.next_due)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** When a stored schedule is due next. In UTC where its zone is not known here. */
export function dueAfter({ cron, time_zone }: Pick<ScheduleTable, 'cron' | 'time_zone'>, after: number): number {
  return nextDue({ cron, timeZone: knownTimeZone(time_zone, 'UTC') }, after);
}
