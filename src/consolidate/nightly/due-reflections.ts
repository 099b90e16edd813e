import { moveReflection, ownersToReflect, type ReflectionRow } from '../../store/owner-store.ts';
import { scopeOfRow } from '../../store/rows.ts';
import { enqueueJobs, ownerJob } from '../../store/queue/enqueue.ts';
import { nextDue } from '../../jobs/schedules.ts';
import { DAY } from '../../record/clock.ts';
import { knownTimeZone } from '../../record/parse.ts';
import { EVERY_TENANT, type Writer } from '../../store/database.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';

const OWNERS_AT_ONCE = 500;

export function nextReflection(
  settings: { hour: number; timeZone: string },
  own: { reflectionHour: number | null; timeZone: string | null },
  after: number,
): number {
  const cron = `0 ${own.reflectionHour ?? settings.hour} * * *`;
  return nextDue({ cron, timeZone: knownTimeZone(own.timeZone, settings.timeZone) }, after);
}

// A due time is at most a day away, or slightly more when the clocks change. A later one cannot be right.
const FARTHEST = 2 * DAY;

/** The same transaction enqueues the job and advances the due time, so that only one process enqueues it. */
export async function queueDueReflections(deps: ConsolidateDeps): Promise<void> {
  let seen: number;
  do seen = await deps.database.write(EVERY_TENANT, (writer) => queueSome(writer, deps));
  while (seen === OWNERS_AT_ONCE);
}

/** Returns the number of owners that were examined. */
async function queueSome(writer: Writer, deps: ConsolidateDeps): Promise<number> {
  const now = deps.clock.now();
  const rows = await ownersToReflect(writer, { now, farthest: FARTHEST, limit: OWNERS_AT_ONCE });
  const due: ReflectionRow[] = [];
  for (const row of rows) {
    const { nightly } = deps.consolidation;
    const own = { reflectionHour: row.reflection_hour, timeZone: row.time_zone };
    const stored = row.next_reflection_at;
    // The first due time may have passed already. A due time that is too far away was written before the clock was set back.
    const from = stored === null ? Math.min(row.created_at, now) : now;
    const isUsable = stored !== null && stored <= now + FARTHEST;
    const dueAt = isUsable ? stored : nextReflection(nightly, own, from);
    const isDue = dueAt <= now;
    const next = isDue ? nextReflection(nightly, own, now) : dueAt;
    if ((await moveReflection(writer, row, next)) && isDue && Boolean(row.has_news)) due.push(row);
  }
  const jobs = due.map((row) => ({ ...ownerJob('reflect', scopeOfRow(row)), uniqueKey: row.owner_key }));
  await enqueueJobs(writer, jobs, deps);
  return rows.length;
}
