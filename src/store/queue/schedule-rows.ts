import { type Insertable, type Selectable, sql } from 'kysely';
import type { Reader, Writer } from '../database.ts';
import { insertion, rowsWhere } from '../rows.ts';
import type { ScheduleTable } from '../schema.ts';

export type ScheduleRow = Selectable<ScheduleTable>;

/** Upserts by name. The next due time changes only if the cron expression or the time zone does. */
export async function upsertSchedules(writer: Writer, rows: readonly Insertable<ScheduleTable>[]): Promise<void> {
  // A fixed order, so that processes that start together cannot deadlock.
  for (const row of rows.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    await sql`${insertion('schedules', [row])} on conflict (name) do update set
      kind = excluded.kind, payload = excluded.payload, cron = excluded.cron, time_zone = excluded.time_zone,
      next_due = case when schedules.cron = excluded.cron and schedules.time_zone = excluded.time_zone
        then schedules.next_due else excluded.next_due end`.execute(writer);
  }
}

export async function readSchedules(reader: Reader, dueAt: number = Number.MAX_SAFE_INTEGER): Promise<ScheduleRow[]> {
  return rowsWhere(reader, 'schedules', sql`next_due <= ${dueAt} order by name`);
}

export async function isScheduleDue(reader: Reader, now: number): Promise<boolean> {
  const { rows } = await sql`select 1 as found from schedules where next_due <= ${now} limit 1`.execute(reader);
  return rows.length > 0;
}

/** Compare-and-set: returns false if another worker has changed the due time since the row was read. */
export async function moveSchedule(
  writer: Writer,
  schedule: ScheduleRow,
  change: Pick<ScheduleRow, 'next_due'> & { last_due?: number },
): Promise<boolean> {
  const { next_due, last_due = schedule.last_due } = change;
  const { numAffectedRows = 0n } = await sql`update schedules set next_due = ${next_due}, last_due = ${last_due}
    where name = ${schedule.name} and next_due = ${schedule.next_due}`.execute(writer);
  return numAffectedRows > 0n;
}
