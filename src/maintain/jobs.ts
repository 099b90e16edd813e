import { enqueueJobs, scopeOfJob, tenantJob } from '../store/queue/enqueue.ts';
import type { JobKinds } from '../jobs/job-kinds.ts';
import { contentStems, coveredBy, indexWords } from '../language/words.ts';
import { type Memory, roundedImportance } from '../record/memory.ts';
import { type Scope, visibleOwners } from '../record/scope.ts';
import { EVERY_TENANT, type Parts, type Reader, type Writer } from '../store/database.ts';
import { findEvent } from '../store/event-store.ts';
import { tenantsWithMemories } from '../store/own-rows.ts';
import { changeOwner } from '../store/owner-store.ts';
import { chunks } from '../store/rows.ts';
import { findMemory, loadMemories } from '../store/read-memories.ts';
import { reviseMemory } from '../store/write-memory.ts';
import type { UpkeepPass } from './maintain.ts';
import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';

export function maintenanceJobs(deps: ConsolidateDeps): JobKinds {
  return {
    maintain: { isPaid: false, cron: deps.consolidation.intervals.maintain, run: () => queueMaintenance(deps) },
    'maintain-tenant': {
      isPaid: true,
      async run(job, { signal, proceed }) {
        const pass = (job.payload.pass ?? null) as UpkeepPass | null;
        const progress = { pass, save: (writer: Writer, next: UpkeepPass) => proceed(writer, { pass: { ...next } }) };
        const { maintainTenant } = await import('./maintain.ts');
        await maintainTenant(deps, job.tenant, { cause: 'schedule', signal, progress });
      },
    },
    'merge-doubles': {
      isPaid: false,
      async run(job, { signal }) {
        const { mergeDoubles } = await import('./merge-doubles.ts');
        await mergeDoubles(deps, scopeOfJob(job), signal);
      },
    },
    'boost-outcomes': {
      isPaid: false,
      run: (job) => boostOutcomes(deps, scopeOfJob(job), job.payload.outcome),
    },
  };
}

const TENANTS_AT_ONCE = 1000;

async function queueMaintenance(deps: Parts): Promise<void> {
  const tenants = await deps.database.read(EVERY_TENANT, (reader) => tenantsWithMemories(reader));
  const jobs = tenants.map((tenant) => ({ ...tenantJob('maintain-tenant', tenant), uniqueKey: 'maintain' }));
  for (const some of chunks(jobs, TENANTS_AT_ONCE)) {
    await deps.database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, some, deps));
  }
}

const BOOST = 0.1;
const MOST_RELATED = 20;
// A memory is related to a decision if the decision or its outcome contains at least this share of its words.
const RELATED = 0.5;
const BOOSTED = 'boostedBy';

/** Each positive outcome raises the importance of a related memory only once. */
async function boostOutcomes(deps: Parts, scope: Scope, outcomeId: string): Promise<void> {
  const related = await deps.database.read(scope.tenant, (reader) => findRelated(reader, deps, scope, outcomeId));
  if (related.length === 0) return;
  await deps.database.write(scope.tenant, async (writer) => {
    await changeOwner(writer, scope, deps.clock.now());
    for (const { id } of related) {
      const memory = await findMemory(writer, scope, id);
      if (memory === null || memory.archivedAt !== null) continue;
      const before = (memory.internal[BOOSTED] ?? []) as string[];
      if (before.includes(outcomeId)) continue;
      await reviseMemory(writer, deps, memory, {
        change: {
          importance: roundedImportance(memory.importance + BOOST),
          internal: { ...memory.internal, [BOOSTED]: [...before, outcomeId].slice(-50) },
        },
        why: { reason: 'a related decision turned out well', actor: 'boost-outcomes' },
      });
    }
  });
}

async function findRelated(reader: Reader, deps: Parts, scope: Scope, outcomeId: string): Promise<Memory[]> {
  const outcome = await findEvent(reader, scope, outcomeId);
  if (outcome?.kind !== 'outcome' || outcome.metadata['effect'] !== 'positive') return [];
  const decision = outcome.refersTo === null ? null : await findEvent(reader, scope, outcome.refersTo);
  const events = [outcome, decision].filter((event) => event !== null);
  const text = events
    .map(({ content, metadata: { reason } }) => `${content} ${typeof reason === 'string' ? reason : ''}`)
    .join(' ');
  const hits = await deps.database.text.search(reader, {
    tenant: scope.tenant,
    kind: 'memory',
    owners: visibleOwners(scope),
    words: [...new Set(indexWords(text))].slice(0, 40),
    limit: MOST_RELATED,
  });
  const found = await loadMemories(reader, deps.database, { scope, rowIds: hits.map((hit) => hit.rowId) });
  const said = contentStems(text);
  return [...found.values()].filter(
    (memory) =>
      memory.sourceEvents.some((id) => events.some((event) => event.id === id)) ||
      (deps.memoryTypes.get(memory.type)?.section !== 'summaries' &&
        coveredBy(contentStems(memory.content), said) >= RELATED),
  );
}
