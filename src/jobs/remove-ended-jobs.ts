import { EVERY_TENANT, type Database } from '../store/database.ts';
import { parse, timeSchema, type TimeInput } from '../record/parse.ts';
import type { TenantFilter } from './job.ts';

// Small enough that a removal of years of jobs does not keep others from writing.
const BATCH = 1000;

export interface RemoveEndedJobs extends TenantFilter {
  /** Jobs that ended before this time. */
  before: TimeInput;
  /** Default: done ones only. Dead ones are kept until someone has looked at them. */
  states?: readonly ('done' | 'dead')[];
}

/** Removes jobs that have ended, in several transactions. Returns how many. */
export async function removeEndedJobs(database: Database, options: RemoveEndedJobs): Promise<number> {
  const { tenant = EVERY_TENANT, states = ['done'] } = options;
  const before = parse(timeSchema, options.before, 'The time').getTime();
  let removed = 0;
  for (const state of states) {
    for (let batch = BATCH; batch === BATCH; removed += batch) {
      batch = await removeBatch(database, { tenant, state, before });
    }
  }
  return removed;
}

async function removeBatch(
  database: Database,
  { tenant, state, before }: { tenant: TenantFilter['tenant'] & {}; state: string; before: number },
): Promise<number> {
  const result = await database.write(tenant, (writer) =>
    writer
      .deleteFrom('jobs')
      .where('id', 'in', (from) => {
        const ended = from
          .selectFrom('jobs')
          .select('id')
          .where('state', '=', state)
          .where('finished_at', '<', before)
          .orderBy('finished_at')
          .limit(BATCH);
        return tenant === EVERY_TENANT ? ended : ended.where('tenant_id', '=', tenant);
      })
      .executeTakeFirst(),
  );
  return Number(result.numDeletedRows);
}
