import { sql } from 'kysely';
import { DAY, HOUR, type Clock } from '../record/clock.ts';
import { EVERY_TENANT, type Database } from '../store/database.ts';
import { dueAfter } from './tick-schedules.ts';

// The clocks of two machines are not farther apart: less is left as it is, so that no due time comes twice for it.
const SKEW = HOUR;

/**
 * Brings back what a clock that ran ahead and was put back has sent into the future: the due times of schedules, jobs
 * that were enqueued meanwhile, and leases, which nobody takes for longer than a day. Without it all of them would wait
 * until the wrong time has come, and their unique keys would keep new jobs out.
 */
export async function followClock(database: Database, clock: Clock): Promise<void> {
  const now = clock.now();
  await database.write(EVERY_TENANT, async (writer) => {
    await sql`update jobs set run_at = run_at - (created_at - ${now}), created_at = ${now}
      where state = 'waiting' and created_at > ${now + SKEW}`.execute(writer);
    await sql`update jobs set lease_until = ${now + DAY}
      where state = 'running' and lease_until > ${now + DAY}`.execute(writer);
    for (const schedule of await writer.selectFrom('schedules').selectAll().orderBy('name').execute()) {
      if (schedule.next_due <= dueAfter(schedule, now + SKEW)) continue;
      await writer
        .updateTable('schedules')
        .set({ next_due: dueAfter(schedule, now) })
        .where('name', '=', schedule.name)
        .where('next_due', '=', schedule.next_due)
        .execute();
    }
  });
}
