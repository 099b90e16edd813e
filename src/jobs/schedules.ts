import { sql } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../record/clock.ts';
import { parse, textSchema } from '../record/parse.ts';
import { EVERY_TENANT, type Database } from '../store/database.ts';
import type { Json } from './job.ts';
import { nextDue } from './next-due.ts';

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

/** Ends schedules. Jobs that they have enqueued stay. Returns how many there were. */
export async function removeSchedules(database: Database, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0;
  const result = await database.write(EVERY_TENANT, (writer) =>
    writer
      .deleteFrom('schedules')
      .where('name', 'in', [...names])
      .executeTakeFirst(),
  );
  return Number(result.numDeletedRows);
}
