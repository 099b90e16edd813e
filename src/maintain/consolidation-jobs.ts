import { sql } from 'kysely';
import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import { queueDueReflections } from '../consolidate/nightly/due-reflections.ts';
import { enqueueJobs } from '../jobs/enqueue.ts';
import type { Job, JobHandler } from '../jobs/job.ts';
import type { NewSchedule } from '../jobs/schedules.ts';
import { parseScope, type Scope, type ScopeInput } from '../record/scope.ts';
import { EVERY_TENANT, type Writer } from '../store/database.ts';
import { tenantsWithMemories } from '../store/upkeep-store.ts';
import type { UpkeepPass } from './upkeep.ts';

/** The schedules of consolidation and maintenance, as the settings have them (T21). */
export function consolidationSchedules({ consolidation }: Pick<ConsolidateDeps, 'consolidation'>): NewSchedule[] {
  const { intervals, nightly } = consolidation;
  return [
    { name: 'queue-consolidation', cron: intervals.consolidate, kind: 'queue-consolidation' },
    { name: 'maintain', cron: intervals.maintain, kind: 'maintain' },
    ...(nightly.enabled ? [{ name: 'nightly', cron: intervals.nightly, kind: 'nightly' }] : []),
  ];
}

/** What runs the jobs of consolidation and maintenance, by kind. The work itself is loaded with the first of them. */
export function consolidationHandlers(deps: ConsolidateDeps): Record<string, JobHandler> {
  return {
    consolidate: async (job, { signal }) => {
      const cause = hasSession(job) ? 'flush' : 'schedule';
      const { consolidateOwner } = await import('./consolidate-owner.ts');
      const { failures } = await consolidateOwner(deps, scopeOf(job), { cause, signal });
      const [first] = failures;
      // The steps that went well stay done: the next attempt finds only what is left.
      if (first !== undefined) throw first.error;
    },
    reflect: async (job, { signal }) => {
      const { reflectOwner } = await import('../consolidate/nightly/reflect-owner.ts');
      await reflectOwner(deps, scopeOf(job), { cause: 'schedule', signal });
    },
    'maintain-tenant': async (job, { signal, proceed }) => {
      const { pass = null } = job.payload as { pass?: UpkeepPass };
      const progress = { pass, save: (writer: Writer, next: UpkeepPass) => proceed(writer, { pass: { ...next } }) };
      const { maintainTenant } = await import('./maintain-tenant.ts');
      await maintainTenant(deps, job.tenant, { cause: 'schedule', signal, progress });
    },
    'queue-consolidation': async () => {
      await queueConsolidation(deps);
    },
    nightly: async () => {
      // A schedule of the time before it was switched off stays in the store.
      if (deps.consolidation.nightly.enabled) await queueDueReflections(deps);
    },
    maintain: async () => {
      await queueMaintenance(deps);
    },
  };
}

const OWNERS_AT_ONCE = 1000;

interface ChangedOwner {
  tenant_id: string;
  owner_key: string;
  agent_id: string | null;
  user_id: string | null;
}

/** One job for each user of whom something has changed since their last consolidation. */
async function queueConsolidation(deps: ConsolidateDeps): Promise<void> {
  for (
    let after: Pick<ChangedOwner, 'tenant_id' | 'owner_key'> | null = { tenant_id: '', owner_key: '' };
    after !== null;
  ) {
    const owners: ChangedOwner[] = await changedOwners(deps, after);
    const jobs = owners.map((row) => ({
      kind: 'consolidate',
      tenant: row.tenant_id,
      ownerKey: row.owner_key,
      uniqueKey: row.owner_key,
      payload: { scope: { tenant: row.tenant_id, agent: row.agent_id, user: row.user_id } },
    }));
    if (jobs.length > 0) await deps.database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, jobs, deps));
    after = owners.length < OWNERS_AT_ONCE ? null : (owners.at(-1) ?? null);
  }
}

/** In the order of their keys: the first ones may stay changed for long, without credit or a model, and hold up nobody. */
async function changedOwners(
  { database }: ConsolidateDeps,
  after: Pick<ChangedOwner, 'tenant_id' | 'owner_key'>,
): Promise<ChangedOwner[]> {
  const { rows } = await database.read(EVERY_TENANT, (reader) =>
    sql<ChangedOwner>`
      select o.tenant_id, o.owner_key, o.agent_id, o.user_id
      from owners o left join owner_progress p on p.tenant_id = o.tenant_id and p.owner_key = o.owner_key
      where o.version > coalesce(p.consolidated_version, 0) and (o.user_id is not null or o.agent_id is not null)
        and (o.tenant_id, o.owner_key) > (${after.tenant_id}, ${after.owner_key})
      order by o.tenant_id, o.owner_key limit ${OWNERS_AT_ONCE}`.execute(reader),
  );
  return rows;
}

/** One job for each tenant. */
async function queueMaintenance(deps: ConsolidateDeps): Promise<void> {
  const tenants = await deps.database.read(EVERY_TENANT, (reader) => tenantsWithMemories(reader));
  const jobs = tenants.map((tenant) => ({ kind: 'maintain-tenant', tenant, uniqueKey: 'maintain', payload: {} }));
  for (let start = 0; start < jobs.length; start += OWNERS_AT_ONCE) {
    const some = jobs.slice(start, start + OWNERS_AT_ONCE);
    await deps.database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, some, deps));
  }
}

function scopeOf({ payload }: Job): Scope {
  const { scope } = payload as { scope: Required<ScopeInput> };
  return { ...parseScope(scope), session: null, connection: null };
}

function hasSession({ payload }: Job): boolean {
  return (payload as { scope: Required<ScopeInput> }).scope.session != null;
}
