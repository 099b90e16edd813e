import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import { enqueueJobs } from '../jobs/enqueue.ts';
import type { Job, JobKinds } from '../jobs/job.ts';
import { parseScope, type Scope, type ScopeInput } from '../record/scope.ts';
import { EVERY_TENANT, type Writer } from '../store/database.ts';
import { tenantsWithMemories } from '../store/upkeep-store.ts';
import type { UpkeepPass } from './upkeep.ts';

/** The jobs of maintenance, with their schedules as the settings have them (T21). The work itself is loaded with the first of them. */
export function maintenanceJobs(deps: ConsolidateDeps): JobKinds {
  return {
    maintain: { isPaid: false, cron: deps.consolidation.intervals.maintain, run: () => queueMaintenance(deps) },
    'maintain-tenant': {
      isPaid: true,
      async run(job, { signal, proceed }) {
        const { pass = null } = job.payload as { pass?: UpkeepPass };
        const progress = { pass, save: (writer: Writer, next: UpkeepPass) => proceed(writer, { pass: { ...next } }) };
        const { maintainTenant } = await import('./maintain-tenant.ts');
        await maintainTenant(deps, job.tenant, { cause: 'schedule', signal, progress });
      },
    },
    'merge-doubles': {
      isPaid: false,
      async run(job, { signal }) {
        const { mergeDoubles } = await import('./merge-doubles.ts');
        await mergeDoubles(deps, scopeOf(job), { signal });
      },
    },
    'boost-outcomes': {
      isPaid: false,
      async run(job) {
        const { boostOutcomes } = await import('./boost-outcomes.ts');
        await boostOutcomes(deps, scopeOf(job), (job.payload as { outcome: string }).outcome);
      },
    },
  };
}

const TENANTS_AT_ONCE = 1000;

/** One job for each tenant. */
async function queueMaintenance(deps: ConsolidateDeps): Promise<void> {
  const tenants = await deps.database.read(EVERY_TENANT, (reader) => tenantsWithMemories(reader));
  const jobs = tenants.map((tenant) => ({ kind: 'maintain-tenant', tenant, uniqueKey: 'maintain', payload: {} }));
  for (let start = 0; start < jobs.length; start += TENANTS_AT_ONCE) {
    const some = jobs.slice(start, start + TENANTS_AT_ONCE);
    await deps.database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, some, deps));
  }
}

function scopeOf({ payload }: Job): Scope {
  return parseScope((payload as { scope: Required<ScopeInput> }).scope);
}
