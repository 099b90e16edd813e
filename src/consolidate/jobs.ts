import { type ChangedOwner, changedOwners } from '../store/owner-store.ts';
import { enqueueJobs, ownerJob, scopeOfJob } from '../store/queue/enqueue.ts';
import type { JobKinds } from '../jobs/job-kinds.ts';
import { ownerOf } from '../record/scope.ts';
import { EVERY_TENANT, type Parts } from '../store/database.ts';
import { scopeOfRow } from '../store/rows.ts';
import { queueDueReflections } from './nightly/due-reflections.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';

export function consolidationJobs(deps: ConsolidateDeps): JobKinds {
  const { intervals, nightly } = deps.consolidation;
  return {
    consolidate: {
      isPaid: true,
      async run(job, { signal }) {
        // A job that was enqueued at the end of a session still names the session.
        const cause = scopeOfJob(job).session === null ? 'schedule' : 'flush';
        const { consolidateOwner } = await import('./consolidate.ts');
        const { failures } = await consolidateOwner(deps, ownerOf(scopeOfJob(job)), { cause, signal });
        const [first] = failures;
        // Successful steps are committed, so the next attempt finds only the remaining work.
        if (first !== undefined) throw first.error;
      },
    },
    reflect: {
      isPaid: true,
      async run(job, { signal }) {
        const { reflectOwner } = await import('./nightly/reflect.ts');
        await reflectOwner(deps, ownerOf(scopeOfJob(job)), { cause: 'schedule', signal });
      },
    },
    'queue-consolidation': { isPaid: false, cron: intervals.consolidate, run: () => queueConsolidation(deps) },
    nightly: {
      isPaid: false,
      cron: nightly.enabled ? intervals.nightly : null,
      async run() {
        // The store keeps the schedule after nightly reflection is switched off.
        if (nightly.enabled) await queueDueReflections(deps);
      },
    },
  };
}

const OWNERS_AT_ONCE = 1000;

async function queueConsolidation(deps: Parts): Promise<void> {
  let after: Pick<ChangedOwner, 'tenant_id' | 'owner_key'> | undefined = { tenant_id: '', owner_key: '' };
  while (after !== undefined) {
    const owners: ChangedOwner[] = await changedOwners(deps.database, after, OWNERS_AT_ONCE);
    const jobs = owners.map((row) => ({ ...ownerJob('consolidate', scopeOfRow(row)), uniqueKey: row.owner_key }));
    if (jobs.length > 0) await deps.database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, jobs, deps));
    after = owners.length < OWNERS_AT_ONCE ? undefined : owners.at(-1);
  }
}
