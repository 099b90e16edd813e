import { sql } from 'kysely';
import type { Reader, Writer } from '../store/database.ts';
import type { ScheduleTable } from '../store/schema.ts';
import { enqueue, type EnqueueDeps } from './enqueue.ts';
import { NO_TENANT } from './job.ts';
import { knownTimeZone, nextDue } from './next-due.ts';

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
