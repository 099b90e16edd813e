import { EVERY_TENANT } from '../store/database.ts';
import type { Job } from './job.ts';
import { isAnythingDue, leaseJobs, type LeaseRequest } from './lease-jobs.ts';
import { renewLeases } from './renew-leases.ts';
import type { RunningJob } from './running-job.ts';
import { settleJobs, type EndedRun } from './settle-jobs.ts';

/** What a worker brings to the database at one time. */
export interface Turn extends LeaseRequest {
  ended: readonly EndedRun[];
  renew: readonly RunningJob[];
}

/** What it takes away. */
export interface TurnResult {
  settled: ReadonlySet<EndedRun>;
  lost: RunningJob[];
  leased: Job[];
}

// A unique key can be enqueued in the very moment in which a job with that key goes back to wait.
const TRIES = 5;

/**
 * Settles what has ended, renews what runs and takes new jobs, in one transaction: a flush to the disk costs
 * more than all the rest, so that small jobs are as fast as many of them share one.
 */
export async function takeTurn(turn: Turn): Promise<TurnResult> {
  const { database, ended, renew, now } = turn;
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.write(EVERY_TENANT, async (writer) => {
        const settled = await settleJobs(writer, ended, now);
        const lost = await renewLeases(writer, renew, turn);
        const leased = await leaseJobs(writer, turn);
        return { settled, lost, leased };
      });
    } catch (error) {
      if (tries >= TRIES || !database.syntax.isUniqueViolation(error)) throw error;
    }
  }
}

/** Whether a turn would do anything. Only reads, so that an idle worker is in nobody's way. */
export async function isTurnNeeded({ database, ended, renew, limit, kinds, now }: Turn): Promise<boolean> {
  if (ended.length > 0 || renew.length > 0) return true;
  return limit > 0 && database.read(EVERY_TENANT, (reader) => isAnythingDue(reader, kinds, now));
}
